/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "pcap2demo/regression/test_report.h"
#include "pcap2demo/config.h"
#include "pcap2demo/output/message.h"

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
    message((struct location){0}, "%s", text);
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

static void add_entries(GOptionContext *context, struct words *words, struct options *options)
{
    /* GOption wants functions as object pointers, which POSIX allows and ISO C does not. */
    __extension__ gpointer dump_callback = (gpointer)take_dump;
    const GOptionEntry entries[] = {
        {"list", 'l', 0, G_OPTION_ARG_NONE, &words->list, "List the sessions", NULL},
        {"dump", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, dump_callback,
         "Print every field of every packet", "text|json"},
        {"check", 'c', 0, G_OPTION_ARG_NONE, &words->check,
         "Check that everything can be decoded and rebuilt", NULL},
        {"pcap", 0, 0, G_OPTION_ARG_FILENAME, &options->pcap,
         "Make a capture of demos, for Wireshark", "FILE"},
        {"extract-files", 0, 0, G_OPTION_ARG_FILENAME, &options->extract,
         "Write the files that servers sent to clients", "DIR"},
        {"no-rebuild", 0, 0, G_OPTION_ARG_NONE, &words->no_rebuild,
         "Check the decoding alone: captures need not give good demos", NULL},
        {"stats", 0, 0, G_OPTION_ARG_NONE, &words->stats,
         "Count the messages of each session by type", NULL},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &words->json, "List, dump, check or count in JSON",
         NULL},
        {"golden", 0, 0, G_OPTION_ARG_FILENAME, &options->golden.folder,
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
        {"junit", 0, 0, G_OPTION_ARG_FILENAME, &options->junit,
         "Write the check as test cases to a JUnit file", "FILE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &words->output,
         "Where demos go: a folder, or the name of the one demo", "FILE|DIR"},
        {"session", 's', 0, G_OPTION_ARG_STRING_ARRAY, &words->sessions,
         "Only session N of the list (may be repeated)", "N"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &words->force,
         "Overwrite files, and write demos whose start is missing", NULL},
        {"sanitize", 0, 0, G_OPTION_ARG_NONE, &words->sanitize,
         "Leave out of demos what players would execute and do not need", NULL},
        {"interface", 'i', 0, G_OPTION_ARG_STRING, &options->interface,
         "Record from a network interface until interrupted", "IFACE"},
        {"filter", 0, 0, G_OPTION_ARG_STRING, &options->filter,
         "Take only the packets that match, as tcpdump does", "BPF"},
        {"port", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &words->ports,
         "Decode these UDP ports as this protocol (may be repeated)", "PROTO=RANGES"},
        {"option", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->options,
         "Set an option of a protocol (may be repeated)", "PROTO.NAME=VALUE"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &words->quiet, "Say only what is wrong", NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &words->verbose, "Say more", NULL},
        {"version", 'V', 0, G_OPTION_ARG_NONE, &words->version, "Print the version", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files, NULL, "FILE..."},
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

static void start_options(struct options *options)
{
    for (int i = 0; qs_protocols[i]; i++) {
        const struct qs_protocol *protocol = qs_protocols[i];

        options->sessions.protocol_options[i] = g_new0(uint32_t, protocol->option_count);
        for (unsigned j = 0; j < protocol->option_count; j++)
            options->sessions.protocol_options[i][j] = protocol->options[j].standard;
    }
}

static bool set_option(struct options *options, int protocol, const char *name, const char *value)
{
    const struct qs_protocol *record = qs_protocols[protocol];

    for (unsigned i = 0; i < record->option_count; i++)
        if (strcmp(record->options[i].name, name) == 0)
            return option_value(&record->options[i], value,
                                &options->sessions.protocol_options[protocol][i]);
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
static bool take_option(struct options *options, const char *text)
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
    number = qs_protocol_number(protocol);
    good = number >= 0 && set_option(options, number, name, equals + 1);
    g_free(protocol);
    g_free(name);
    return good || refuse_option(text);
}

/* --- Checks ---------------------------------------------------------------------------------- */

static bool take_session(struct options *options, const char *text)
{
    guint64 value;
    unsigned number;

    if (!g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT, &value, NULL))
        return refuse("--session %s: sessions are numbered from 1", text);
    number = (unsigned)value;
    g_array_append_val(options->sessions.chosen, number);
    return true;
}

static bool take_port(struct options *options, const char *text)
{
    char *error = NULL;

    return protocol_selection_add(options->sessions.selection, text, &error) ||
           refuse_because(error);
}

/* For options that may be repeated. `texts` may be NULL. */
static bool take_each(struct options *options, char *const *texts,
                      bool (*take)(struct options *options, const char *text))
{
    for (; texts && *texts; texts++)
        if (!take(options, *texts))
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

static bool take_purpose(struct options *options, const struct words *words)
{
    if (words->list + words->dump + words->check + words->stats + (options->pcap != NULL) +
            (options->extract != NULL) >
        1)
        return refuse("choose one of --list, --dump, --check, --stats, --pcap and --extract-files");
    if (words->list)
        options->purpose = PURPOSE_LIST;
    else if (words->dump)
        options->purpose = PURPOSE_DUMP;
    else if (words->check)
        options->purpose = PURPOSE_CHECK;
    else if (words->stats)
        options->purpose = PURPOSE_STATS;
    else if (options->pcap)
        options->purpose = PURPOSE_PCAP;
    else if (options->extract)
        options->purpose = PURPOSE_EXTRACT;
    options->json = words->json || words->dump_json;
    if (options->json && (options->purpose == PURPOSE_CONVERT || options->purpose == PURPOSE_PCAP ||
                          options->purpose == PURPOSE_EXTRACT))
        return refuse("--json goes with --list, --dump, --check or --stats");
    if (words->output && options->purpose != PURPOSE_CONVERT)
        return refuse("--output goes with converting, not with --list, --dump, --check, --stats, "
                      "--pcap or --extract-files");
    if (options->extract && !g_file_test(options->extract, G_FILE_TEST_IS_DIR))
        return refuse("--extract-files %s: no such folder", options->extract);
    return is_file_name("--output", words->output) && is_file_name("--pcap", options->pcap) &&
           is_file_name("--junit", options->junit);
}

/* --- Regression tests ------------------------------------------------------------------------ */

static bool take_ignored(struct options *options, const char *name)
{
    if (!golden_knows(name))
        return refuse("--ignore %s: no field is called that, nor begins with \"%s.\"", name, name);
    g_ptr_array_add(options->golden.ignored, g_strdup(name));
    return true;
}

/* A golden says itself what was left out of it: the defaults are for new ones. */
static void ignore_by_default(struct golden_options *golden)
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

static bool take_golden(struct options *options, const struct words *words)
{
    struct golden_options *golden = &options->golden;

    if (!golden->folder) {
        if (words->update || words->ignored || words->no_default_ignore ||
            words->max_differences != NOT_GIVEN)
            return refuse("--update, --ignore, --no-default-ignore and --max-differences go with "
                          "--golden");
        return true;
    }
    if (options->interface || has_standard_input(options->files))
        return refuse("--golden goes with files, whose names are those of the goldens");
    if (words->max_differences < 1 && words->max_differences != NOT_GIVEN)
        return refuse("--max-differences is a number from 1");
    golden->update = words->update;
    golden->max = words->max_differences != NOT_GIVEN ? (guint)words->max_differences
                                                      : GOLDEN_MAX_DIFFERENCES;
    if (words->update && !words->no_default_ignore)
        ignore_by_default(golden);
    return take_each(options, words->ignored, take_ignored) && have_goldens(options->files);
}

static bool take_tests(struct options *options, const struct words *words)
{
    options->tap = words->tap;
    options->no_rebuild = words->no_rebuild;
    options->apart = options->golden.folder || options->tap || options->junit;
    if ((options->apart || options->no_rebuild) && options->purpose != PURPOSE_CHECK)
        return refuse("--golden, --no-rebuild, --tap and --junit go with --check");
    if (options->tap && options->json)
        return refuse("choose one of --tap and --json");
    if (options->junit && !junit_is_there())
        return refuse("--junit is not there: the program was built without libxml2");
    return take_golden(options, words);
}

static bool take_inputs(struct options *options)
{
    if (options->interface && options->pcap)
        return refuse("--pcap takes demos, not an interface");
    if (options->interface && options->files)
        return refuse("choose files or an interface, not both");
    if (!options->interface && !options->files)
        return refuse("no input: name a capture or a demo, \"-\" for standard input, or -i IFACE");
    if (!options->files)
        options->files = g_new0(char *, 1);
    return true;
}

static bool take_output(struct options *options, const char *output)
{
    char *error = NULL;

    options->sessions.naming = naming_new(output, &error);
    if (options->sessions.naming)
        return true;
    refuse("--output %s", error);
    g_free(error);
    return false;
}

static bool take_words(struct options *options, const struct words *words)
{
    options->quiet = words->quiet;
    options->verbose = words->verbose;
    options->sessions.demo =
        (struct demo_options){.force = words->force, .sanitize = words->sanitize};
    return take_purpose(options, words) && take_inputs(options) && take_tests(options, words) &&
           take_each(options, words->sessions, take_session) &&
           take_each(options, words->options, take_option) &&
           take_each(options, words->ports, take_port) && take_output(options, words->output);
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

static enum options_verdict parse(struct options *options, struct words *words, int *argc,
                                  char ***argv)
{
    GOptionContext *context = g_option_context_new(NULL);
    GError *error = NULL;

    add_entries(context, words, options);
    spell_out_dump(*argc, *argv);
    g_option_context_parse(context, argc, argv, &error);
    g_option_context_free(context);
    if (error) {
        refuse("%s", error->message);
        g_error_free(error);
        return OPTIONS_WRONG;
    }
    if (words->version) {
        puts("pcap2demo " QUAKESHARK_VERSION);
        return OPTIONS_DONE;
    }
    return take_words(options, words) ? OPTIONS_GOOD : OPTIONS_WRONG;
}

enum options_verdict options_parse(struct options *options, int *argc, char ***argv)
{
    struct words words = {.max_differences = NOT_GIVEN};
    enum options_verdict verdict;

    *options =
        (struct options){.sessions = {.selection = protocol_selection_new(),
                                      .chosen = g_array_new(FALSE, FALSE, sizeof(unsigned))}};
    options->golden.ignored = g_ptr_array_new_with_free_func(g_free);
    start_options(options);
    verdict = parse(options, &words, argc, argv);
    words_clear(&words);
    return verdict;
}

void options_clear(struct options *options)
{
    for (int i = 0; qs_protocols[i]; i++)
        g_free(options->sessions.protocol_options[i]);
    g_strfreev(options->files);
    g_free(options->interface);
    g_free(options->filter);
    g_free(options->pcap);
    g_free(options->golden.folder);
    g_ptr_array_free(options->golden.ignored, TRUE);
    g_free(options->junit);
    g_free(options->extract);
    g_array_free(options->sessions.chosen, TRUE);
    if (options->sessions.naming)
        naming_free(options->sessions.naming);
    protocol_selection_free(options->sessions.selection);
}
