/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "pcap2demo/regression/test_report.h"
#include "pcap2demo/config.h"
#include "pcap2demo/message.h"

enum { NOT_GIVEN = INT_MIN };

/* The command line as GOption leaves it; what needs work goes on to struct settings. */
struct words {
    gboolean list, dump, check, stats, json, force, sanitize, quiet, verbose, version;
    gboolean dump_json;
    gboolean no_rebuild, tap, update, no_default_ignore;
    int max_differences;
    char *output;
    char **sessions, **options, **ports, **ignored;
};

/* Says what is wrong with the command line. Returns false, for its callers to return. */
static bool G_GNUC_PRINTF(1, 2) refuse(const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    message((struct place){0}, "%s", text);
    fputs("Try \"pcap2demo --help\" for more information.\n", stderr);
    g_free(text);
    return false;
}

/* The same with a text that is freed. */
static bool refuse_because(char *why)
{
    refuse("%s", why);
    g_free(why);
    return false;
}

/* --- GOption --------------------------------------------------------------------------------- */

static gboolean take_dump(const char *name, const char *value, gpointer data, GError **error)
{
    struct words *words = data;

    (void)name;
    words->dump = TRUE;
    if (!value || strcmp(value, "text") == 0)
        return TRUE;
    words->dump_json = strcmp(value, "json") == 0;
    if (!words->dump_json)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "--dump is followed by =text or =json, not \"%s\"", value);
    return words->dump_json;
}

static const char summary[] =
    "Rebuilds demos (.qwd, .dm2, .dem) from captures of Quake-family games, and lists,\n"
    "dumps, checks and counts what is in them. FILE is a pcap or pcapng file, or a demo; \"-\" is\n"
    "standard input. Several captures are taken as one, in the order given.";

static const char description[] =
    "Exit status: 0 all is well; 1 something in the input is wrong or differs from its golden,\n"
    "or a demo could not be written; 2 wrong usage, or a file that cannot be read or written\n"
    "at all.\n\n"
    "Examples:\n"
    "  pcap2demo duel.pcap                     demos in this folder: duel-1-dm4.qwd ...\n"
    "  pcap2demo --list duel.pcap              which sessions are in it\n"
    "  pcap2demo --dump duel.pcap | grep damage\n"
    "  pcap2demo --check --golden goldens --update duel.pcap    keep how it decodes\n"
    "  pcap2demo --check --golden goldens duel.pcap             does it still?\n"
    "  tcpdump -w - udp | pcap2demo -\n"
    "  pcap2demo --dump duel-1-dm4.qwd | less  what is in a demo\n"
    "  pcap2demo --pcap duel.pcapng duel.qwd   the same for Wireshark\n";

static void add_entries(GOptionContext *context, struct words *words, struct settings *settings)
{
    /* GOption wants functions as object pointers, which POSIX allows and ISO C does not. */
    __extension__ gpointer dump_callback = (gpointer)take_dump;
    const GOptionEntry entries[] = {
        {"list", 'l', 0, G_OPTION_ARG_NONE, &words->list, "List the sessions", NULL},
        {"dump", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, dump_callback,
         "Print every field of every packet", "text|json"},
        {"check", 'c', 0, G_OPTION_ARG_NONE, &words->check,
         "Check that everything can be decoded and rebuilt", NULL},
        {"pcap", 0, 0, G_OPTION_ARG_FILENAME, &settings->pcap,
         "Make a capture of demos, for Wireshark", "FILE"},
        {"extract-files", 0, 0, G_OPTION_ARG_FILENAME, &settings->extract,
         "Write the files that servers sent to clients", "DIR"},
        {"no-rebuild", 0, 0, G_OPTION_ARG_NONE, &words->no_rebuild,
         "Check the decoding alone: captures need not give good demos", NULL},
        {"stats", 0, 0, G_OPTION_ARG_NONE, &words->stats,
         "Count the messages of each session by type", NULL},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &words->json, "List, dump, check or count in JSON",
         NULL},
        {"golden", 0, 0, G_OPTION_ARG_FILENAME, &settings->golden.folder,
         "Check that each input decodes as DIR/NAME.golden says", "DIR"},
        {"update", 0, 0, G_OPTION_ARG_NONE, &words->update,
         "Write the goldens instead, from what is decoded now", NULL},
        {"ignore", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->ignored,
         "Leave this field, and those below it, out of goldens (may be repeated)", "FIELD"},
        {"no-default-ignore", 0, 0, G_OPTION_ARG_NONE, &words->no_default_ignore,
         "Do not leave out times, addresses, challenges and qports", NULL},
        {"max-differences", 0, 0, G_OPTION_ARG_INT, &words->max_differences,
         "Tell the first N differences of each input (default 20)", "N"},
        {"tap", 0, 0, G_OPTION_ARG_NONE, &words->tap,
         "Report the check as test cases (Test Anything Protocol)", NULL},
        {"junit", 0, 0, G_OPTION_ARG_FILENAME, &settings->junit,
         "Write the check as test cases to a JUnit file", "FILE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &words->output,
         "Where demos go: a folder, or the name of the one demo", "FILE|DIR"},
        {"session", 's', 0, G_OPTION_ARG_STRING_ARRAY, &words->sessions,
         "Only session N of the list (may be repeated)", "N"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &words->force,
         "Overwrite files, and write demos whose start is missing", NULL},
        {"sanitize", 0, 0, G_OPTION_ARG_NONE, &words->sanitize,
         "Leave out of demos what players would execute and do not need", NULL},
        {"interface", 'i', 0, G_OPTION_ARG_STRING, &settings->interface,
         "Record from a network interface until interrupted", "IFACE"},
        {"filter", 0, 0, G_OPTION_ARG_STRING, &settings->filter,
         "Take only the packets that match, as tcpdump does", "BPF"},
        {"port", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &words->ports,
         "Decode these UDP ports as this protocol (may be repeated)", "PROTO=RANGES"},
        {"option", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->options,
         "Set an option of a protocol (may be repeated)", "PROTO.NAME=VALUE"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &words->quiet, "Say only what is wrong", NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &words->verbose, "Say more", NULL},
        {"version", 'V', 0, G_OPTION_ARG_NONE, &words->version, "Print the version", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &settings->files, NULL, "FILE..."},
        G_OPTION_ENTRY_NULL};
    GOptionGroup *group = g_option_group_new("main", NULL, NULL, words, NULL);

    g_option_group_add_entries(group, entries);
    g_option_context_set_main_group(context, group);
    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, description);
}

/* --- Protocol options ------------------------------------------------------------------------ */

static bool option_value(const struct qs_option *option, const char *text, uint32_t *value)
{
    guint64 number;

    for (const struct qs_name *choice = option->choices; choice && choice->name; choice++) {
        if (strcmp(choice->name, text) == 0) {
            *value = choice->value;
            return true;
        }
    }
    if (!g_ascii_string_to_unsigned(text, 10, 0, option->choices ? G_MAXUINT32 : 1, &number, NULL))
        return false;
    *value = (uint32_t)number;
    return !option->choices || qs_name_of(option->choices, *value);
}

static void start_options(struct settings *settings)
{
    for (int i = 0; qs_protocols[i]; i++) {
        const struct qs_protocol *protocol = qs_protocols[i];

        settings->options[i] = g_new0(uint32_t, protocol->option_count);
        for (unsigned j = 0; j < protocol->option_count; j++)
            settings->options[i][j] = protocol->options[j].standard;
    }
}

static bool set_option(struct settings *settings, int protocol, const char *name, const char *value)
{
    const struct qs_protocol *record = qs_protocols[protocol];

    for (unsigned i = 0; i < record->option_count; i++)
        if (strcmp(record->options[i].name, name) == 0)
            return option_value(&record->options[i], value, &settings->options[protocol][i]);
    return false;
}

static char *all_options(void)
{
    GString *names = g_string_new(NULL);

    for (int i = 0; qs_protocols[i]; i++)
        for (unsigned j = 0; j < qs_protocols[i]->option_count; j++)
            g_string_append_printf(names, "%s%s.%s", names->len ? ", " : "", qs_protocols[i]->name,
                                   qs_protocols[i]->options[j].name);
    return g_string_free(names, FALSE);
}

static bool refuse_option(const char *text)
{
    char *names = all_options();

    refuse("--option %s: no such option or value; the options are: %s", text,
           *names ? names : "none");
    g_free(names);
    return false;
}

/* "PROTO.NAME=VALUE" */
static bool take_option(struct settings *settings, const char *text)
{
    const char *dot = strchr(text, '.');
    const char *equals = dot ? strchr(dot, '=') : NULL;
    char *protocol, *name;
    bool good;
    int number;

    if (!equals)
        return refuse_option(text);
    protocol = g_strndup(text, (gsize)(dot - text));
    name = g_strndup(dot + 1, (gsize)(equals - dot - 1));
    number = protocol_number(protocol);
    good = number >= 0 && set_option(settings, number, name, equals + 1);
    g_free(protocol);
    g_free(name);
    return good || refuse_option(text);
}

/* --- Checks ---------------------------------------------------------------------------------- */

static bool take_session(struct settings *settings, const char *text)
{
    guint64 value;
    unsigned number;

    if (!g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT, &value, NULL))
        return refuse("--session %s: sessions are numbered from 1", text);
    number = (unsigned)value;
    g_array_append_val(settings->sessions, number);
    return true;
}

static bool take_port(struct settings *settings, const char *text)
{
    char *error = NULL;

    return claims_add(settings->claims, text, &error) || refuse_because(error);
}

/* For options that may be repeated. `texts` may be NULL. */
static bool take_each(struct settings *settings, char *const *texts,
                      bool (*take)(struct settings *settings, const char *text))
{
    for (; texts && *texts; texts++)
        if (!take(settings, *texts))
            return false;
    return true;
}

/* A file is written aside and then gets its name: standard output cannot be one. */
static bool is_file_name(const char *option, const char *name)
{
    if (name && (!*name || strcmp(name, "-") == 0))
        return refuse("%s \"%s\": the name of a file is wanted", option, name);
    return true;
}

static bool take_purpose(struct settings *settings, const struct words *words)
{
    if (words->list + words->dump + words->check + words->stats + (settings->pcap != NULL) +
            (settings->extract != NULL) >
        1)
        return refuse("choose one of --list, --dump, --check, --stats, --pcap and --extract-files");
    if (words->list)
        settings->purpose = PURPOSE_LIST;
    else if (words->dump)
        settings->purpose = PURPOSE_DUMP;
    else if (words->check)
        settings->purpose = PURPOSE_CHECK;
    else if (words->stats)
        settings->purpose = PURPOSE_STATS;
    else if (settings->pcap)
        settings->purpose = PURPOSE_PCAP;
    else if (settings->extract)
        settings->purpose = PURPOSE_EXTRACT;
    settings->json = words->json || words->dump_json;
    if (settings->json &&
        (settings->purpose == PURPOSE_CONVERT || settings->purpose == PURPOSE_PCAP ||
         settings->purpose == PURPOSE_EXTRACT))
        return refuse("--json goes with --list, --dump, --check or --stats");
    if (words->output && settings->purpose != PURPOSE_CONVERT)
        return refuse("--output goes with converting, not with --list, --dump, --check, --stats, "
                      "--pcap or --extract-files");
    if (settings->extract && !g_file_test(settings->extract, G_FILE_TEST_IS_DIR))
        return refuse("--extract-files %s: no such folder", settings->extract);
    return is_file_name("--output", words->output) && is_file_name("--pcap", settings->pcap) &&
           is_file_name("--junit", settings->junit);
}

/* --- Regression tests ------------------------------------------------------------------------ */

static bool take_ignored(struct settings *settings, const char *name)
{
    if (!golden_knows(name))
        return refuse("--ignore %s: no field is called that, nor begins with \"%s.\"", name, name);
    g_ptr_array_add(settings->golden.ignored, g_strdup(name));
    return true;
}

/* A golden says itself what was left out of it: the defaults are for new ones. */
static void ignore_by_default(struct golden_wishes *golden)
{
    for (const char *const *name = golden_ignored_by_default; *name; name++)
        g_ptr_array_add(golden->ignored, g_strdup(*name));
}

/* Inputs that would share a golden. */
static bool have_goldens(char *const *files)
{
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    bool good = true;

    for (; *files && good; files++) {
        char *name = golden_name(*files);
        const char *other = g_hash_table_lookup(names, name);

        good = !other || refuse("%s and %s would have the same golden, %s", other, *files, name);
        g_hash_table_insert(names, name, *files);
    }
    g_hash_table_destroy(names);
    return good;
}

static bool has_standard_input(char *const *files)
{
    while (*files && strcmp(*files, "-") != 0)
        files++;
    return *files != NULL;
}

static bool take_golden(struct settings *settings, const struct words *words)
{
    struct golden_wishes *golden = &settings->golden;

    if (!golden->folder) {
        if (words->update || words->ignored || words->no_default_ignore ||
            words->max_differences != NOT_GIVEN)
            return refuse("--update, --ignore, --no-default-ignore and --max-differences go with "
                          "--golden");
        return true;
    }
    if (settings->interface || has_standard_input(settings->files))
        return refuse("--golden goes with files, whose names are those of the goldens");
    if (words->max_differences < 1 && words->max_differences != NOT_GIVEN)
        return refuse("--max-differences is a number from 1");
    golden->update = words->update;
    golden->max = words->max_differences != NOT_GIVEN ? (guint)words->max_differences
                                                      : GOLDEN_MAX_DIFFERENCES;
    if (words->update && !words->no_default_ignore)
        ignore_by_default(golden);
    return take_each(settings, words->ignored, take_ignored) && have_goldens(settings->files);
}

static bool take_tests(struct settings *settings, const struct words *words)
{
    settings->tap = words->tap;
    settings->no_rebuild = words->no_rebuild;
    settings->apart = settings->golden.folder || settings->tap || settings->junit;
    if ((settings->apart || settings->no_rebuild) && settings->purpose != PURPOSE_CHECK)
        return refuse("--golden, --no-rebuild, --tap and --junit go with --check");
    if (settings->tap && settings->json)
        return refuse("choose one of --tap and --json");
    if (settings->junit && !junit_is_there())
        return refuse("--junit is not there: the program was built without libxml2");
    return take_golden(settings, words);
}

static bool take_inputs(struct settings *settings)
{
    if (settings->interface && settings->pcap)
        return refuse("--pcap takes demos, not an interface");
    if (settings->interface && settings->files)
        return refuse("choose files or an interface, not both");
    if (!settings->interface && !settings->files)
        return refuse("no input: name a capture or a demo, \"-\" for standard input, or -i IFACE");
    if (!settings->files)
        settings->files = g_new0(char *, 1);
    return true;
}

static bool take_output(struct settings *settings, const char *output)
{
    char *error = NULL;

    settings->naming = naming_new(output, &error);
    if (settings->naming)
        return true;
    refuse("--output %s", error);
    g_free(error);
    return false;
}

static bool take_words(struct settings *settings, const struct words *words)
{
    settings->quiet = words->quiet;
    settings->verbose = words->verbose;
    settings->wishes = (struct demo_wishes){.force = words->force, .sanitize = words->sanitize};
    return take_purpose(settings, words) && take_inputs(settings) && take_tests(settings, words) &&
           take_each(settings, words->sessions, take_session) &&
           take_each(settings, words->options, take_option) &&
           take_each(settings, words->ports, take_port) && take_output(settings, words->output);
}

static void words_clear(struct words *words)
{
    g_free(words->output);
    g_strfreev(words->sessions);
    g_strfreev(words->options);
    g_strfreev(words->ports);
    g_strfreev(words->ignored);
}

/* GOption would take the word behind a bare --dump for its value; it is a file's name. */
static void spell_out_dump(int argc, char **argv)
{
    static char spelt_out[] = "--dump=text";

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--dump") == 0)
            argv[i] = spelt_out;
}

static enum settings_verdict parse(struct settings *settings, struct words *words, int *argc,
                                   char ***argv)
{
    GOptionContext *context = g_option_context_new(NULL);
    GError *error = NULL;

    add_entries(context, words, settings);
    spell_out_dump(*argc, *argv);
    g_option_context_parse(context, argc, argv, &error);
    g_option_context_free(context);
    if (error) {
        refuse("%s", error->message);
        g_error_free(error);
        return SETTINGS_WRONG;
    }
    if (words->version) {
        puts("pcap2demo " QUAKESHARK_VERSION);
        return SETTINGS_DONE;
    }
    return take_words(settings, words) ? SETTINGS_GOOD : SETTINGS_WRONG;
}

enum settings_verdict settings_parse(struct settings *settings, int *argc, char ***argv)
{
    struct words words = {.max_differences = NOT_GIVEN};
    enum settings_verdict verdict;

    *settings = (struct settings){.claims = claims_new(),
                                  .sessions = g_array_new(FALSE, FALSE, sizeof(unsigned))};
    settings->golden.ignored = g_ptr_array_new_with_free_func(g_free);
    start_options(settings);
    verdict = parse(settings, &words, argc, argv);
    words_clear(&words);
    return verdict;
}

void settings_clear(struct settings *settings)
{
    for (int i = 0; qs_protocols[i]; i++)
        g_free(settings->options[i]);
    g_strfreev(settings->files);
    g_free(settings->interface);
    g_free(settings->filter);
    g_free(settings->pcap);
    g_free(settings->golden.folder);
    g_ptr_array_free(settings->golden.ignored, TRUE);
    g_free(settings->junit);
    g_free(settings->extract);
    g_array_free(settings->sessions, TRUE);
    if (settings->naming)
        naming_free(settings->naming);
    claims_free(settings->claims);
}

bool settings_chose(const struct settings *settings, unsigned number)
{
    for (guint i = 0; i < settings->sessions->len; i++)
        if (g_array_index(settings->sessions, unsigned, i) == number)
            return true;
    return settings->sessions->len == 0;
}
