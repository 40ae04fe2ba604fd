/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/command_line.h"

#include <stdio.h>
#include <string.h>

#include "common/demo_formats.h"
#include "pcap2demo/config.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/output/safe_path.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/recording/options.h"

static struct {
    gboolean json, show_secrets, quiet, verbose, version, help, short_help;
    char *color;
    bool several_actions;
} given;

/* GOptionEntry: all options, while the command line is parsed. */
static GArray *all_entries;

static const GOptionEntry main_entries[] = {
    {"json", 'j', 0, G_OPTION_ARG_NONE, &given.json,
     "Print JSON: --list, --dump, --check, --stats, --fields", NULL},
    {"show-secrets", 0, 0, G_OPTION_ARG_NONE, &given.show_secrets,
     "Print passwords in dumps and goldens, instead of \"*****\"", NULL},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet, "Print only what is wrong", NULL},
    {"verbose", 'v', 0, G_OPTION_ARG_NONE, &given.verbose, "Print more", NULL},
    {"color", 0, 0, G_OPTION_ARG_STRING, &given.color,
     "Default: auto, on a terminal, if NO_COLOR is not set", "auto|always|never"},
    {"version", 'V', 0, G_OPTION_ARG_NONE, &given.version, "Print the version", NULL},
    {"help", 0, 0, G_OPTION_ARG_NONE, &given.help, "Print this; -h prints one screen", NULL},
    {"h", 'h', G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &given.short_help, NULL, NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &input_options.files, NULL, "FILE..."},
    G_OPTION_ENTRY_NULL};

/* --- Actions --------------------------------------------------------------------------------- */

/* `option` is "--list" or "-l". */
static const struct action_kind *find_action(const char *option)
{
    for (int i = 0; action_kinds[i]; i++) {
        const struct action_kind *kind = action_kinds[i];

        if (option[1] == '-' ? strcmp(option + 2, kind->name) == 0 : option[1] == kind->letter)
            return kind;
    }
    return NULL;
}

static gboolean set_action(const char *option, const char *value, gpointer data, GError **error)
{
    struct options *options = data;
    const struct action_kind *kind = find_action(option);

    (void)error;
    given.several_actions |= options->action && options->action != kind;
    options->action = kind;
    g_free(options->argument);
    options->argument = g_strdup(value);
    return TRUE;
}

/* "--list, --dump and --check", with `last` before the last one. `json`: only those that print
 * JSON. New. */
static char *action_names(const char *last, bool json)
{
    GPtrArray *names = g_ptr_array_new();
    GString *text = g_string_new(NULL);

    for (int i = 0; action_kinds[i]; i++)
        if (!json || action_kinds[i]->json)
            g_ptr_array_add(names, (char *)action_kinds[i]->name);
    for (guint i = 0; i < names->len; i++) {
        const char *between = i + 1 < names->len ? ", " : last;

        g_string_append_printf(text, "%s--%s", i ? between : "",
                               (const char *)g_ptr_array_index(names, i));
    }
    g_ptr_array_free(names, TRUE);
    return g_string_free(text, FALSE);
}

/* "FILE", or "[text|json]" if it is optional. */
static const char *argument_of(const struct action_kind *kind)
{
    GString *text;
    const char *interned;

    if (!kind->choice)
        return kind->argument;
    text = g_string_new("[");
    for (unsigned i = 0; kind->choice(i); i++)
        g_string_append_printf(text, "%s%s", i ? "|" : "", kind->choice(i));
    g_string_append_c(text, ']');
    interned = g_intern_string(text->str);
    g_string_free(text, TRUE);
    return interned;
}

static GOptionEntry action_entry(const struct action_kind *kind)
{
    /* GOption needs function pointers as object pointers: POSIX, not ISO C. */
    __extension__ gpointer callback = (gpointer)set_action;
    const int with_argument = kind->standard ? G_OPTION_FLAG_OPTIONAL_ARG : G_OPTION_FLAG_FILENAME;

    return (GOptionEntry){kind->name,
                          kind->letter,
                          kind->argument || kind->choice ? with_argument : G_OPTION_FLAG_NO_ARG,
                          G_OPTION_ARG_CALLBACK,
                          callback,
                          kind->help,
                          argument_of(kind)};
}

/* --- Groups ---------------------------------------------------------------------------------- */

static GOptionGroup *new_group(const char *title, const GOptionEntry *entries,
                               struct options *options)
{
    char *heading = g_strconcat(title, ":", NULL);
    GOptionGroup *group = g_option_group_new(title, heading, title, options, NULL);

    g_free(heading);
    g_option_group_add_entries(group, entries);
    for (; entries->long_name; entries++)
        g_array_append_val(all_entries, *entries);
    return group;
}

/* Adds the actions of a task, each with its own options behind it. */
static void add_actions(GOptionContext *context, struct options *options, enum task task,
                        const char *title)
{
    GArray *entries = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));

    for (int i = 0; action_kinds[i]; i++) {
        const struct action_kind *kind = action_kinds[i];
        const GOptionEntry entry = action_entry(kind);

        if (kind->task != task)
            continue;
        g_array_append_val(entries, entry);
        for (const GOptionEntry *own = kind->entries; own && own->long_name; own++)
            g_array_append_val(entries, *own);
    }
    g_option_context_add_group(context,
                               new_group(title, (const GOptionEntry *)entries->data, options));
    g_array_free(entries, TRUE);
}

static GOptionContext *new_context(struct options *options)
{
    GOptionContext *context = g_option_context_new(NULL);

    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_add_group(context, new_group("Input", input_entries, options));
    g_option_context_add_group(context, new_group("Demos", demo_entries, options));
    add_actions(context, options, TASK_LOOK, "Look into captures and demos");
    add_actions(context, options, TASK_TEST, "Test engines and servers");
    add_actions(context, options, TASK_CAPTURE, "Make captures");
    g_option_context_add_group(context,
                               new_group("Record while others play", recorder_entries, options));
    add_actions(context, options, TASK_RECORD, "Ask a recorder");
    g_option_context_set_main_group(context, new_group("main", main_entries, options));
    return context;
}

static bool is_list(const GOptionEntry *entry)
{
    return entry->arg == G_OPTION_ARG_STRING_ARRAY || entry->arg == G_OPTION_ARG_FILENAME_ARRAY;
}

static void reset_values(void)
{
    for (guint i = 0; i < all_entries->len; i++) {
        const GOptionEntry *entry = &g_array_index(all_entries, GOptionEntry, i);

        if (entry->arg == G_OPTION_ARG_NONE)
            *(gboolean *)entry->arg_data = FALSE;
        else if (is_list(entry))
            g_clear_pointer((char ***)entry->arg_data, g_strfreev);
        else if (entry->arg != G_OPTION_ARG_CALLBACK)
            g_clear_pointer((char **)entry->arg_data, g_free);
    }
    given.several_actions = false;
}

/* The first value that was given for an option, "" for a flag; or NULL. Actions' are not seen. */
static const char *value_of(const GOptionEntry *entry)
{
    if (entry->arg == G_OPTION_ARG_NONE)
        return *(const gboolean *)entry->arg_data ? "" : NULL;
    if (is_list(entry))
        return *(char *const *const *)entry->arg_data ? **(char *const *const *)entry->arg_data
                                                      : NULL;
    return entry->arg == G_OPTION_ARG_CALLBACK ? NULL : *(char *const *)entry->arg_data;
}

/* The name of the first of them that was given, or NULL. */
static const char *first_given(const GOptionEntry *entries)
{
    while (entries && entries->long_name && !value_of(entries))
        entries++;
    return entries ? entries->long_name : NULL;
}

/* --- Help ------------------------------------------------------------------------------------ */

#define SUMMARY                                                                                    \
    "Rebuilds demos of Quake-family games from packet captures, and lists, dumps and\n"            \
    "checks captures and demos.\n\n"

static const char short_help[] =
    SUMMARY "Usage: pcap2demo [OPTION...] FILE...\n\n"
            "  -o, --output=DIR|FILE   Write demos to this folder, or one demo to this file\n"
            "  -s, --session=N         Only these sessions: 2, or 1,3-5\n"
            "  -f, --force             Overwrite files\n"
            "      --sign-on=DEMO      If the capture starts mid-game: a demo of the same map\n"
            "      --sanitize          Leave out commands that your client would execute\n"
            "  -l, --list              List the sessions: who played, how good the line was\n"
            "      --dump              Print every field of every packet\n"
            "  -c, --check             Check that everything can be decoded and rebuilt\n"
            "  -p, --port=GAME=PORT    If a server has an unusual port: qw=28500\n"
            "  -i, --interface=IFACE   Record every player, until Ctrl-C\n\n"
            "FILE is a capture, a demo, a folder of them, or \"-\" for standard input.\n\n"
            "  pcap2demo match.pcapng                       a demo of each session, here\n"
            "  pcap2demo --list --sort=loss evening.pcap    who played, the worst line first\n"
            "  sudo pcap2demo -i any -o demos/              record on a server\n\n"
            "--help prints all options, \"man pcap2demo\" explains them.\n";

static const char ending[] =
    "Exit status: 0: all is well. 1: something in the input is wrong or differs from\n"
    "its golden, nothing asked for was found, or a demo could not be written.\n"
    "2: wrong usage, or a file that cannot be read or written at all.\n\n"
    "Examples:\n"
    "  pcap2demo duel.pcap                       a demo of each session, here\n"
    "  pcap2demo --list duel.pcap                which sessions are in it\n"
    "  pcap2demo --dump duel.pcap | grep damage\n"
    "  pcap2demo --fields damage                 which fields are about it\n"
    "  pcap2demo --golden goldens --update duel.pcap    keep how it decodes\n"
    "  pcap2demo --golden goldens duel.pcap             does it still?\n"
    "  tcpdump -w - udp | pcap2demo -\n"
    "  pcap2demo --dump duel.qwd | less          what is in a demo\n"
    "  pcap2demo --pcap duel.pcapng duel.qwd     the same for Wireshark\n"
    "  pcap2demo --pcap bug.pcapng -s 2 --packets 4700-4711 duel.pcap    a small one";

static void print_help(GOptionContext *context)
{
    static const char heading[] = "Application Options:"; /* what GOption calls the main group */
    char *text, *at;

    g_option_context_set_summary(
        context, SUMMARY "FILE is a capture (pcap, pcapng), a demo, or a folder of them; \"-\" is\n"
                         "standard input. Several captures are read as one, in the order given.");
    g_option_context_set_description(context, ending);
    text = g_option_context_get_help(context, FALSE, NULL);
    at = strstr(text, heading);
    printf("%.*sOutput:%s", (int)(at - text), text, at + strlen(heading));
    g_free(text);
}

static void print_version(void)
{
    puts("pcap2demo " QUAKESHARK_VERSION);
    if (*QUAKESHARK_HOMEPAGE)
        puts(QUAKESHARK_HOMEPAGE);
    if (*QUAKESHARK_CONTACT)
        puts("Report problems to " QUAKESHARK_CONTACT);
}

/* --- Words ----------------------------------------------------------------------------------- */

/* The words of the command line as GOption should see them. */
struct words {
    char *const *next;
    GPtrArray *out; /* char *, new ones */
};

static bool has_value(const GOptionEntry *entry)
{
    return entry->arg != G_OPTION_ARG_NONE && !(entry->flags & G_OPTION_FLAG_NO_ARG);
}

static const GOptionEntry *find_short(char letter)
{
    for (guint i = 0; i < all_entries->len; i++) {
        const GOptionEntry *entry = &g_array_index(all_entries, GOptionEntry, i);

        if (entry->short_name == letter)
            return entry;
    }
    return NULL;
}

static void add_word(struct words *words, char *word)
{
    g_ptr_array_add(words->out, word);
}

/* Whether the value is one of "text|json" or "[text|json]", or the option takes any. */
static bool is_choice(const GOptionEntry *entry, const char *value)
{
    const char *form = entry->arg_description;
    char **words = g_strsplit_set(form, "[|]", -1);
    const bool good = !strchr(form, '|') || g_ascii_isupper(*form) ||
                      (*value && g_strv_contains((const char *const *)words, value));
    GString *all = g_string_new(NULL);

    for (char **word = words; *word; word++)
        if (**word)
            g_string_append_printf(all, "%s%s",
                                   !all->len             ? ""
                                   : word[1] && *word[1] ? ", "
                                                         : " or ",
                                   *word);
    if (!good)
        usage_error("--%s takes %s, not \"%s\"%s", entry->long_name, all->str, value,
                    *form == '[' ? "; leave out the \"=\" if it is a name" : "");
    g_string_free(all, TRUE);
    g_strfreev(words);
    return good;
}

/* The option's value: `inside` its word, or the next word. False: there is none. */
static bool add_value(struct words *words, const GOptionEntry *entry, const char *inside)
{
    const char *value = inside ? inside : *words->next;
    const char *form = entry->arg_description;

    if (!value)
        return usage_error("--%s needs a value: --%s=%s", entry->long_name, entry->long_name, form);
    if (!inside && g_str_has_prefix(value, "--"))
        return usage_error("--%s needs a value (%s), and \"%s\" is an option; if it is the value, "
                           "write --%s=%s",
                           entry->long_name, form, value, entry->long_name, value);
    words->next += !inside;
    add_word(words, g_strdup_printf("--%s=%s", entry->long_name, value));
    return is_choice(entry, value);
}

/* "--list", "--dump=json" or "--output DIR": a bare --dump is kept from the word after it. */
static bool add_long(struct words *words, const char *word)
{
    const char *value = strchr(word, '=');
    char *name = value ? g_strndup(word + 2, (gsize)(value - word) - 2) : g_strdup(word + 2);
    const GOptionEntry *entry = guess_find(all_entries, name);
    bool good = true;

    if (!entry)
        good = guess_unknown(all_entries, word, name);
    else if (value && !has_value(entry))
        good = usage_error("--%s takes no value: leave \"%s\" out", name, value);
    else if (has_value(entry) && !(entry->flags & G_OPTION_FLAG_OPTIONAL_ARG))
        good = add_value(words, entry, value ? value + 1 : NULL);
    else if (!value && find_action(word) && find_action(word)->standard)
        add_word(words, g_strdup_printf("%s=%s", word, find_action(word)->standard));
    else {
        add_word(words, g_strdup(word));
        good = !value || is_choice(entry, value + 1);
    }
    g_free(name);
    return good;
}

/* "-l", "-s2" or "-qo DIR" */
static bool add_short(struct words *words, const char *word)
{
    if (word[2] && guess_find(all_entries, word + 1))
        return usage_error("unknown option %s; did you mean -%s?", word, word);
    for (const char *letter = word + 1; *letter; letter++) {
        const char name[] = {*letter, '\0'};
        const GOptionEntry *entry = find_short(*letter);

        if (!entry)
            return guess_unknown(all_entries, word, name);
        if (has_value(entry))
            return add_value(words, entry, letter[1] ? letter + 1 : NULL);
        add_word(words, g_strdup_printf("-%c", *letter));
    }
    return true;
}

/* Finds what GOption would report in its own words, or not at all. New; NULL: an error was
 * reported. */
static char **prepare_words(char *const *argv)
{
    struct words words = {argv + 1, g_ptr_array_new_with_free_func(g_free)};
    bool good = true;

    add_word(&words, g_strdup(argv[0]));
    while (good && *words.next && strcmp(*words.next, "--") != 0) {
        const char *word = *words.next++;

        if (g_str_has_prefix(word, "--"))
            good = add_long(&words, word);
        else if (*word == '-' && word[1])
            good = add_short(&words, word);
        else
            add_word(&words, g_strdup(word));
    }
    while (*words.next)
        add_word(&words, g_strdup(*words.next++));
    g_ptr_array_add(words.out, NULL);
    if (good)
        return (char **)g_ptr_array_free(words.out, FALSE);
    g_ptr_array_free(words.out, TRUE);
    return NULL;
}

/* --- Checks ---------------------------------------------------------------------------------- */

/* As usage_error(), with the actions' names at the end. */
static bool wrong_action(const char *before, const char *last, bool json)
{
    char *names = action_names(last, json);

    usage_error("%s%s", before, names);
    g_free(names);
    return false;
}

/* The action that an option implies; else convert. */
static const struct action_kind *find_implied(void)
{
    for (int i = 0; action_kinds[i]; i++)
        if (action_kinds[i]->is_implied && first_given(action_kinds[i]->entries))
            return action_kinds[i];
    return &convert_action;
}

static bool check_entries_of_others(const struct options *options)
{
    for (int i = 0; action_kinds[i]; i++) {
        const char *name = first_given(action_kinds[i]->entries);

        if (name && options->action != action_kinds[i])
            return usage_error("--%s goes with --%s", name, action_kinds[i]->name);
    }
    return true;
}

static bool check_action_options(struct options *options)
{
    const struct action_kind *action;
    char *problem = NULL;

    if (given.several_actions)
        return wrong_action("choose one of ", " and ", false);
    if (!options->action)
        options->action = find_implied();
    action = options->action;
    if (given.json && !action->json)
        return wrong_action("--json goes with ", " or ", true);
    if (!check_entries_of_others(options))
        return false;
    if (demo_options.output && action != &convert_action)
        return wrong_action("--output goes with converting, not with ", " or ", false);
    if (action->problem)
        problem = action->problem(options->argument);
    if (!problem)
        problem = writer_name_problem("--output", demo_options.output);
    return !problem || usage_problem(problem);
}

/* The capture may have become the value of an option. */
static bool report_no_input(const struct options *options)
{
    for (guint i = 0; i < all_entries->len; i++) {
        const GOptionEntry *entry = &g_array_index(all_entries, GOptionEntry, i);
        const char *value = g_strcmp0(options->action->name, entry->long_name) == 0
                                ? options->argument
                                : value_of(entry);

        if (value && g_file_test(value, G_FILE_TEST_IS_REGULAR))
            return usage_error("no input: --%s took %s as its value; write --%s=%s %s",
                               entry->long_name, value, entry->long_name, entry->arg_description,
                               value);
    }
    return usage_error("no input: name a capture or a demo, \"-\" for standard input, or -i IFACE");
}

static bool parse_inputs(struct options *options)
{
    const struct action_kind *action = options->action;
    const bool records = recorder_is_wanted();
    const char *name = first_given(recorder_entries);

    if (records && action != &convert_action)
        return usage_error("--%s records demos: --%s does not go with it",
                           recorder_options.follow ? "follow" : "interface", action->name);
    if (name && !records)
        return usage_error("--%s goes with --follow or --interface", name);
    options->files = action->print
                         ? g_strdupv(input_options.files ? input_options.files : (char *[]){NULL})
                         : inputs_list_files(action != &convert_action, &options->any_folder);
    if (action->print)
        return true;
    if (!options->files)
        return false;
    if (records && *options->files)
        return usage_error("choose files, or --follow or --interface, not both");
    if (!records && !*options->files)
        return report_no_input(options);
    for (char **file = options->files; *file; file++)
        if (!guess_missing_file(all_entries, *file, action == &convert_action && options->files[1]))
            return false;
    return true;
}

/* A recording has all sessions, and overwrites nothing. */
static bool check_recording(const struct options *options)
{
    return !recorder_is_wanted() || (!options->sessions.chosen->len && !options->force) ||
           usage_error("--session and --force do not go with --follow and --interface");
}

static bool make_output(struct options *options)
{
    const struct qs_demo_format *format =
        demo_options.output ? qs_demo_format_of_name(demo_options.output) : NULL;
    char *error;

    options->sessions.demo.extension = format ? format->extension : NULL;
    options->demos = demo_files_new(demo_options.output, options->force);
    options->sessions.store = demo_files_store(options->demos);
    /* A recorder creates the folder as the user who records. */
    error = recorder_is_wanted() ? NULL : make_folders(demo_files_folder(options->demos));
    if (!error)
        return true;
    usage_error("--output %s", error);
    g_free(error);
    return false;
}

static bool parse_values(struct options *options)
{
    options->json = given.json;
    options->quiet = given.quiet;
    options->verbose = given.verbose;
    options->show_secrets = given.show_secrets;
    options->force = demo_options.force;
    options->sessions.may_wait = !recorder_is_wanted();
    if (given.color)
        terminal_set_color(given.color);
    return check_action_options(options) && demo_options_parse(&options->sessions.demo) &&
           parse_inputs(options) &&
           (!options->action->parse_options || options->action->parse_options(options)) &&
           recorder_options_parse() && inputs_parse_sessions(&options->sessions) &&
           check_recording(options) && make_output(options);
}

/* --- All of it ------------------------------------------------------------------------------- */

static enum command_line_verdict parse(GOptionContext *context, struct options *options,
                                       char **words)
{
    GError *error = NULL;
    const bool good = g_option_context_parse_strv(context, &words, &error);

    g_strfreev(words);
    if (!good) {
        usage_error("the value of an option is not text in this locale's encoding");
        g_error_free(error);
        return COMMAND_LINE_WRONG;
    }
    if (given.help)
        print_help(context);
    else if (given.short_help)
        fputs(short_help, stdout);
    else if (given.version)
        print_version();
    else
        return parse_values(options) ? COMMAND_LINE_GOOD : COMMAND_LINE_WRONG;
    return COMMAND_LINE_DONE;
}

enum command_line_verdict command_line_parse(struct options *options, char *const *argv)
{
    GOptionContext *context;
    enum command_line_verdict verdict = COMMAND_LINE_WRONG;
    char **words;

    *options = (struct options){0};
    inputs_init(&options->sessions);
    all_entries = g_array_new(FALSE, FALSE, sizeof(GOptionEntry));
    context = new_context(options);
    reset_values();
    words = prepare_words(argv);
    if (words)
        verdict = parse(context, options, words);
    g_option_context_free(context);
    return verdict;
}

void command_line_clear(struct options *options)
{
    inputs_clear(&options->sessions);
    g_strfreev(options->files);
    g_free(options->argument);
    if (options->demos)
        demo_files_free(options->demos);
    reset_values();
    g_clear_pointer(&all_entries, g_array_unref);
}
