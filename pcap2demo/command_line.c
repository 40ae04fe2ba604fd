/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/command_line.h"

#include <stdio.h>
#include <string.h>

#include "common/demo_formats.h"
#include "pcap2demo/config.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/output/safe_path.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/recorder/options.h"

static struct {
    gboolean json, show_secrets, quiet, verbose, version, help;
    char *color;
    bool several_actions;
} given;

/* GOptionEntry: all options, while the command line is parsed. */
static GArray *all_entries;

static const GOptionEntry secret_entries[] = {
    {"show-secrets", 0, 0, G_OPTION_ARG_NONE, &given.show_secrets,
     "Print passwords, which are \"*****\" otherwise", NULL},
    G_OPTION_ENTRY_NULL};

static const GOptionEntry main_entries[] = {
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet, "Print only what is wrong", NULL},
    {"verbose", 'v', 0, G_OPTION_ARG_NONE, &given.verbose, "Print more", NULL},
    {"color", 0, 0, G_OPTION_ARG_STRING, &given.color,
     "auto: on a terminal, where NO_COLOR is not set", "auto|always|never"},
    {"version", 'V', 0, G_OPTION_ARG_NONE, &given.version, "Print the version", NULL},
    {"help", 'h', 0, G_OPTION_ARG_NONE, &given.help, "Print this", NULL},
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

/* Checks optional arguments; the others are checked after parsing. */
static gboolean set_action(const char *option, const char *value, gpointer data, GError **error)
{
    struct options *options = data;
    const struct action_kind *kind = find_action(option);
    char *problem = value && kind->standard && kind->problem ? kind->problem(value) : NULL;

    given.several_actions |= options->action && options->action != kind;
    options->action = kind;
    g_free(options->argument);
    options->argument = g_strdup(value);
    if (problem)
        g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, problem);
    g_free(problem);
    return !problem;
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

static void add_actions(GOptionContext *context, struct options *options)
{
    GArray *entries = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));
    char *names = action_names(" or ", true);
    char *help = g_strconcat("Print JSON: ", names, NULL);
    const GOptionEntry json = {
        "json", 'j', 0, G_OPTION_ARG_NONE, &given.json, g_intern_string(help), NULL};

    for (int i = 0; action_kinds[i]; i++) {
        const GOptionEntry entry = action_entry(action_kinds[i]);

        g_array_append_val(entries, entry);
    }
    g_array_append_val(entries, json);
    g_option_context_add_group(
        context, new_group("What is done (without one of these: a demo of each session)",
                           (const GOptionEntry *)entries->data, options));
    g_array_free(entries, TRUE);
    g_free(help);
    g_free(names);
}

static GOptionContext *new_context(struct options *options)
{
    GOptionContext *context = g_option_context_new(NULL);

    g_option_context_set_help_enabled(context, FALSE);
    add_actions(context, options);
    g_option_context_add_group(context,
                               new_group("With --dump and --golden", secret_entries, options));
    for (int i = 0; action_kinds[i]; i++) {
        char *title = g_strconcat("With --", action_kinds[i]->name, NULL);

        if (action_kinds[i]->entries)
            g_option_context_add_group(context,
                                       new_group(title, action_kinds[i]->entries, options));
        g_free(title);
    }
    g_option_context_add_group(context, new_group("Demos", demo_entries, options));
    g_option_context_add_group(context, new_group("Input", input_entries, options));
    g_option_context_add_group(context,
                               new_group("Recording from interfaces", recorder_entries, options));
    g_option_context_set_main_group(context, new_group("main", main_entries, options));
    return context;
}

/* Frees and resets an option's value. */
static void reset_value(const GOptionEntry *entry)
{
    switch (entry->arg) {
    case G_OPTION_ARG_NONE:
        *(gboolean *)entry->arg_data = FALSE;
        break;
    case G_OPTION_ARG_INT:
        *(int *)entry->arg_data = OPTION_NOT_GIVEN;
        break;
    case G_OPTION_ARG_STRING:
    case G_OPTION_ARG_FILENAME:
        g_clear_pointer((char **)entry->arg_data, g_free);
        break;
    case G_OPTION_ARG_STRING_ARRAY:
    case G_OPTION_ARG_FILENAME_ARRAY:
        g_clear_pointer((char ***)entry->arg_data, g_strfreev);
        break;
    default:
        break;
    }
}

static void reset_values(void)
{
    for (guint i = 0; i < all_entries->len; i++)
        reset_value(&g_array_index(all_entries, GOptionEntry, i));
    given.several_actions = false;
}

/* The name of the first of them that was given, or NULL. */
static const char *first_given(const GOptionEntry *entries)
{
    for (; entries && entries->long_name; entries++) {
        const void *value = entries->arg_data;

        if (entries->arg == G_OPTION_ARG_NONE  ? *(const gboolean *)value
            : entries->arg == G_OPTION_ARG_INT ? *(const int *)value != OPTION_NOT_GIVEN
                                               : *(void *const *)value != NULL)
            return entries->long_name;
    }
    return NULL;
}

/* --- Help ------------------------------------------------------------------------------------ */

static const char ending[] =
    "Exit status: 0 all is well; 1 something in the input is wrong or differs from\n"
    "its golden, nothing is there that was asked for, or a demo could not be written;\n"
    "2 wrong usage, or a file that cannot be read or written at all.\n\n"
    "Examples:\n"
    "  pcap2demo duel.pcap                       a demo of each session, here\n"
    "  pcap2demo --list duel.pcap                which sessions are in it\n"
    "  pcap2demo --dump duel.pcap | grep damage\n"
    "  pcap2demo --fields qw.damage              what its fields are\n"
    "  pcap2demo --golden goldens --update duel.pcap    keep how it decodes\n"
    "  pcap2demo --golden goldens duel.pcap             does it still?\n"
    "  tcpdump -w - udp | pcap2demo -\n"
    "  pcap2demo --dump duel.qwd | less          what is in a demo\n"
    "  pcap2demo --pcap duel.pcapng duel.qwd     the same for Wireshark\n"
    "  pcap2demo --pcap bug.pcapng -s 2 --packets 4700-4711 duel.pcap    a small one";

static void print_help(GOptionContext *context)
{
    GString *extensions = g_string_new(NULL);
    char *summary, *text;

    for (int i = 0; qs_demo_formats[i]; i++)
        g_string_append_printf(extensions, "%s.%s", i ? ", " : "", qs_demo_formats[i]->extension);
    summary =
        g_strdup_printf("Rebuilds demos (%s) from captures of\n"
                        "Quake-family games, and lists, dumps, checks and counts what is in them."
                        "\n\n"
                        "FILE is a capture (pcap, pcapng), a demo, or a folder of them; \"-\" is\n"
                        "standard input. Several captures are taken as one, in the order given.",
                        extensions->str);
    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, ending);
    text = g_option_context_get_help(context, FALSE, NULL);
    fputs(text, stdout);
    g_free(text);
    g_free(summary);
    g_string_free(extensions, TRUE);
}

/* --- Words ----------------------------------------------------------------------------------- */

static bool is_flag(const char *name)
{
    for (guint i = 0; i < all_entries->len; i++) {
        const GOptionEntry *entry = &g_array_index(all_entries, GOptionEntry, i);

        if (strcmp(entry->long_name, name) == 0)
            return entry->arg == G_OPTION_ARG_NONE || entry->flags & G_OPTION_FLAG_NO_ARG;
    }
    return false;
}

/* GOption would ignore the value of a flag. */
static bool check_flag(const char *word)
{
    const char *value = strchr(word, '=');
    char *name = value ? g_strndup(word + 2, (gsize)(value - word) - 2) : NULL;
    const bool good = !name || !is_flag(name);

    if (!good)
        usage_error("--%s takes no value: leave \"%s\" out", name, value);
    g_free(name);
    return good;
}

/* Keeps GOption from taking the file name after a bare --dump as its argument. */
static bool prepare_words(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const struct action_kind *kind =
            g_str_has_prefix(argv[i], "--") ? find_action(argv[i]) : NULL;
        char *text;

        if (g_str_has_prefix(argv[i], "--") && !check_flag(argv[i]))
            return false;
        if (!kind || !kind->standard)
            continue;
        text = g_strdup_printf("--%s=%s", kind->name, kind->standard);
        argv[i] = (char *)g_intern_string(text);
        g_free(text);
    }
    return true;
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
    if (action->problem && !action->standard)
        problem = action->problem(options->argument);
    if (!problem)
        problem = writer_name_problem("--output", demo_options.output);
    return !problem || usage_problem(problem);
}

static bool parse_inputs(struct options *options)
{
    const struct action_kind *action = options->action;
    const bool live = recorder_options.interface != NULL;
    const char *name = live ? NULL : first_given(recorder_entries);

    if (live && action->print)
        return usage_error("--%s needs no input", action->name);
    if (live && action == &pcap_action)
        return usage_error("--pcap takes demos and captures, not an interface");
    if (name)
        return usage_error("--%s goes with --interface", name);
    options->files = action->print
                         ? g_strdupv(input_options.files)
                         : inputs_list_files(action != &convert_action, &options->any_folder);
    if (action->print)
        return true;
    if (!options->files)
        return false;
    if (live && *options->files)
        return usage_error("choose files or an interface, not both");
    if (!live && !*options->files)
        return usage_error(
            "no input: name a capture or a demo, \"-\" for standard input, or -i IFACE");
    return true;
}

static bool make_output(struct options *options)
{
    const struct qs_demo_format *format =
        demo_options.output ? qs_demo_format_of_name(demo_options.output) : NULL;
    char *error;

    options->sessions.demo.extension = format ? format->extension : NULL;
    options->demos = demo_files_new(demo_options.output, options->force);
    options->sessions.store = demo_files_store(options->demos);
    /* A recorder creates the folder after switching users. */
    error = recorder_options.interface ? NULL : make_folders(demo_files_folder(options->demos));
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
    options->sessions.may_wait = !recorder_options.interface;
    if (given.color && !terminal_set_color(given.color))
        return usage_error("--color %s: colors are used always, never, or by auto on a terminal",
                           given.color);
    return demo_options_parse(&options->sessions.demo) && check_action_options(options) &&
           parse_inputs(options) &&
           (!options->action->parse_options || options->action->parse_options(options)) &&
           recorder_options_parse() && inputs_parse_sessions(&options->sessions) &&
           make_output(options);
}

/* --- All of it ------------------------------------------------------------------------------- */

static enum command_line_verdict parse(GOptionContext *context, struct options *options, int *argc,
                                       char ***argv)
{
    GError *error = NULL;

    if (!prepare_words(*argc, *argv))
        return COMMAND_LINE_WRONG;
    if (!g_option_context_parse(context, argc, argv, &error)) {
        usage_error("%s", error->message);
        g_error_free(error);
        return COMMAND_LINE_WRONG;
    }
    if (!given.help && !given.version)
        return parse_values(options) ? COMMAND_LINE_GOOD : COMMAND_LINE_WRONG;
    if (given.help)
        print_help(context);
    else
        puts("pcap2demo " QUAKESHARK_VERSION);
    return COMMAND_LINE_DONE;
}

enum command_line_verdict command_line_parse(struct options *options, int *argc, char ***argv)
{
    GOptionContext *context;
    enum command_line_verdict verdict;

    *options = (struct options){0};
    inputs_init(&options->sessions);
    all_entries = g_array_new(FALSE, FALSE, sizeof(GOptionEntry));
    context = new_context(options);
    reset_values();
    verdict = parse(context, options, argc, argv);
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
