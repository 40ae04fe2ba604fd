/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/command_line.h"

#include <stdio.h>
#include <string.h>

#include "common/demo/format.h"
#include "pcap2demo/config.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/writer.h"
#include "common/sessions/lending.h"

/* The command line as GOption leaves it; what needs work goes on to struct options. */
struct words {
    struct options *options;
    bool several_actions;
    gboolean json, force, sanitize, quiet, verbose, version;
    char *output, *qwd_format, *split;
    char **sessions, **options_of_protocols, **ports;
};

/* As usage_error(), with a text that is freed. */
static bool usage_problem(char *problem)
{
    usage_error("%s", problem);
    g_free(problem);
    return false;
}

/* --- GOption --------------------------------------------------------------------------------- */

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

static gboolean take_action(const char *option, const char *value, gpointer data, GError **error)
{
    struct words *words = data;
    struct options *options = words->options;
    const struct action_kind *kind = find_action(option);
    char *problem = value && kind->standard && kind->problem ? kind->problem(value) : NULL;

    if (options->action && options->action != kind)
        words->several_actions = true;
    options->action = kind;
    g_free(options->argument);
    options->argument = g_strdup(value);
    if (problem)
        g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, problem);
    g_free(problem);
    return !problem;
}

/* "--list, --dump, --check and --stats", with `last` before the last one. New. */
static char *list_actions(const char *last, bool json)
{
    GPtrArray *names = g_ptr_array_new();
    GString *text = g_string_new(NULL);

    for (int i = 0; action_kinds[i]; i++)
        if (!json || action_kinds[i]->json)
            g_ptr_array_add(names, (char *)action_kinds[i]->name);
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(text, "%s--%s",
                               !i                   ? ""
                               : i + 1 < names->len ? ", "
                                                    : last,
                               (const char *)g_ptr_array_index(names, i));
    g_ptr_array_free(names, TRUE);
    return g_string_free(text, FALSE);
}

/* A new text. */
static char *summary(void)
{
    GString *extensions = g_string_new(NULL);
    char *text;

    for (int i = 0; qs_demo_formats[i]; i++)
        g_string_append_printf(extensions, "%s.%s", i ? ", " : "", qs_demo_formats[i]->extension);
    text = g_strdup_printf("Rebuilds demos (%s) from captures of Quake-family games, and lists,\n"
                           "dumps, checks and counts what is in them. FILE is a pcap or pcapng "
                           "file, or a demo; \"-\" is\n"
                           "standard input. Several captures are taken as one, in the order given.",
                           extensions->str);
    g_string_free(extensions, TRUE);
    return text;
}

static const char description[] =
    "Exit status: 0 all is well; 1 something in the input is wrong or differs from its golden,\n"
    "or a demo could not be written; 2 wrong usage, or a file that cannot be read or written\n"
    "at all.\n\n"
    "Examples:\n"
    "  pcap2demo duel.pcap                     a demo of each session, in this folder\n"
    "  pcap2demo --list duel.pcap              which sessions are in it\n"
    "  pcap2demo --dump duel.pcap | grep damage\n"
    "  pcap2demo --check --golden goldens --update duel.pcap    keep how it decodes\n"
    "  pcap2demo --check --golden goldens duel.pcap             does it still?\n"
    "  tcpdump -w - udp | pcap2demo -\n"
    "  pcap2demo --dump duel.qwd | less        what is in a demo\n"
    "  pcap2demo --pcap duel.pcapng duel.qwd   the same for Wireshark\n";

/* "text|json" */
static const char *choices_of(const struct action_kind *kind)
{
    GString *text = g_string_new(NULL);
    const char *interned;

    for (unsigned i = 0; kind->choice(i); i++)
        g_string_append_printf(text, "%s%s", i ? "|" : "", kind->choice(i));
    interned = g_intern_string(text->str);
    g_string_free(text, TRUE);
    return interned;
}

static int flags_of(const struct action_kind *kind)
{
    if (!kind->argument && !kind->choice)
        return G_OPTION_FLAG_NO_ARG;
    return kind->standard ? G_OPTION_FLAG_OPTIONAL_ARG : G_OPTION_FLAG_FILENAME;
}

static void add_actions(GOptionGroup *group)
{
    /* GOption wants functions as object pointers, which POSIX allows and ISO C does not. */
    __extension__ gpointer callback = (gpointer)take_action;

    for (int i = 0; action_kinds[i]; i++) {
        const struct action_kind *kind = action_kinds[i];
        const GOptionEntry entries[] = {{kind->name, kind->letter, flags_of(kind),
                                         G_OPTION_ARG_CALLBACK, callback, kind->help,
                                         kind->choice ? choices_of(kind) : kind->argument},
                                        G_OPTION_ENTRY_NULL};

        g_option_group_add_entries(group, entries);
    }
}

static void add_json(GOptionGroup *group, struct words *words)
{
    char *actions = list_actions(" or ", true);
    char *help = g_strconcat("Print JSON: with ", actions, NULL);
    const GOptionEntry json[] = {
        {"json", 'j', 0, G_OPTION_ARG_NONE, &words->json, g_intern_string(help), NULL},
        G_OPTION_ENTRY_NULL};

    g_option_group_add_entries(group, json);
    g_free(help);
    g_free(actions);
}

static void add_others(GOptionGroup *group, struct words *words)
{
    struct options *options = words->options;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &words->output,
         "Where demos go: a folder, or the name of the one demo", "FILE|DIR"},
        {"session", 's', 0, G_OPTION_ARG_STRING_ARRAY, &words->sessions,
         "Only session N of the list (may be repeated)", "N"},
        {"sign-on", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->sign_ons,
         "Let this demo lend what the start of others lacks (may be repeated)", "DEMO"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &words->force, "Overwrite files", NULL},
        {"sanitize", 0, 0, G_OPTION_ARG_NONE, &words->sanitize,
         "Leave out of demos what players would execute and do not need", NULL},
        {"qwd-format", 0, 0, G_OPTION_ARG_STRING, &words->qwd_format,
         "Which client shall play rebuilt .qwd demos: see the manual", "classic|ezquake-3.7"},
        {"split", 0, 0, G_OPTION_ARG_STRING, &words->split,
         "A demo for each connection (the default; Quake II: each level), or for each level",
         "level|connection"},
        {"interface", 'i', 0, G_OPTION_ARG_STRING, &options->interface,
         "Record from a network interface until interrupted", "IFACE"},
        {"filter", 0, 0, G_OPTION_ARG_STRING, &options->filter,
         "Take only the packets that match, as tcpdump does", "BPF"},
        {"port", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &words->ports,
         "Decode these UDP ports as this protocol (may be repeated)", "PROTO=RANGES"},
        {"option", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->options_of_protocols,
         "Set an option of a protocol (may be repeated)", "PROTO.NAME=VALUE"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &words->quiet, "Say only what is wrong", NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &words->verbose, "Say more", NULL},
        {"version", 'V', 0, G_OPTION_ARG_NONE, &words->version, "Print the version", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files, NULL, "FILE..."},
        G_OPTION_ENTRY_NULL};

    g_option_group_add_entries(group, entries);
}

static GOptionContext *context_new(struct words *words)
{
    GOptionContext *context = g_option_context_new(NULL);
    GOptionGroup *group = g_option_group_new("main", NULL, NULL, words, NULL);
    char *about = summary();

    add_actions(group);
    add_json(group, words);
    check_options_add(&words->options->check, group);
    add_others(group, words);
    g_option_context_set_main_group(context, group);
    g_option_context_set_summary(context, about);
    g_option_context_set_description(context, description);
    g_free(about);
    return context;
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

static bool wrong_option(const char *text)
{
    char *names = all_options();

    usage_error("--option %s: no such option or value; the options are: %s", text,
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
        return wrong_option(text);
    protocol = g_strndup(text, (gsize)(dot - text));
    name = g_strndup(dot + 1, (gsize)(equals - dot - 1));
    number = qs_protocol_number(protocol);
    good = number >= 0 && set_option(options, number, name, equals + 1);
    g_free(protocol);
    g_free(name);
    return good || wrong_option(text);
}

/* --- Checks ---------------------------------------------------------------------------------- */

static bool take_session(struct options *options, const char *text)
{
    guint64 value;
    unsigned number;

    if (!g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT, &value, NULL))
        return usage_error("--session %s: sessions are numbered from 1", text);
    number = (unsigned)value;
    g_array_append_val(options->sessions.chosen, number);
    return true;
}

static bool take_port(struct options *options, const char *text)
{
    char *error = NULL;

    return qs_protocol_selection_add(options->sessions.selection, text, &error) ||
           usage_problem(error);
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

/* As usage_error(), with the actions' names at the end. */
static bool wrong_action(const char *before, const char *last, bool json)
{
    char *names = list_actions(last, json);

    usage_error("%s%s", before, names);
    g_free(names);
    return false;
}

/* An argument that may be left out was looked at when it was read. */
static char *argument_problem(const struct options *options)
{
    const struct action_kind *action = options->action;

    return action->problem && !action->standard ? action->problem(options->argument) : NULL;
}

static bool take_actions(struct options *options, const struct words *words)
{
    char *problem;

    if (words->several_actions)
        return wrong_action("choose one of ", " and ", false);
    if (!options->action)
        options->action = &convert_action;
    options->json = words->json;
    if (options->json && !options->action->json)
        return wrong_action("--json goes with ", " or ", true);
    if (words->output && options->action != &convert_action)
        return wrong_action("--output goes with converting, not with ", " or ", false);
    problem = argument_problem(options);
    if (!problem)
        problem = writer_name_problem("--output", words->output);
    if (!problem)
        problem = writer_name_problem("--junit", options->check.junit);
    return !problem || usage_problem(problem);
}

static bool take_inputs(struct options *options)
{
    if (options->interface && options->action == &pcap_action)
        return usage_error("--pcap takes demos, not an interface");
    if (options->interface && options->files)
        return usage_error("choose files or an interface, not both");
    if (!options->interface && !options->files)
        return usage_error(
            "no input: name a capture or a demo, \"-\" for standard input, or -i IFACE");
    if (!options->files)
        options->files = g_new0(char *, 1);
    return true;
}

static bool take_check(struct options *options)
{
    options->separate_inputs = check_options_separate_inputs(&options->check);
    if (check_options_are_given(&options->check) && options->action != &check_action)
        return usage_error("--golden, --no-rebuild, --tap and --junit go with --check");
    return check_options_take(&options->check, options->files, options->json);
}

static bool take_output(struct options *options, const char *output)
{
    char *error = NULL;

    options->demos = demo_files_new(output, options->force, &error);
    if (options->demos) {
        options->sessions.store = demo_files_store(options->demos);
        return true;
    }
    usage_error("--output %s", error);
    g_free(error);
    return false;
}

/* NULL: the form that most engines play. */
static bool take_qwd_format(struct options *options, const char *format)
{
    options->sessions.demo.ezquake_37 = format && strcmp(format, "ezquake-3.7") == 0;
    return !format || options->sessions.demo.ezquake_37 || strcmp(format, "classic") == 0 ||
           usage_error("--qwd-format %s: the formats are classic and ezquake-3.7", format);
}

/* NULL: as the games' own clients record. */
static bool take_split(struct options *options, const char *split)
{
    options->sessions.demo.split = split && strcmp(split, "level") == 0;
    return !split || options->sessions.demo.split || strcmp(split, "connection") == 0 ||
           usage_error("--split %s: a demo is for a level or for a connection", split);
}

static bool take_words(struct options *options, const struct words *words)
{
    options->quiet = words->quiet;
    options->verbose = words->verbose;
    options->sessions.may_wait = !options->interface;
    options->force = words->force;
    options->sessions.demo = (struct qs_session_demo_options){.sanitize = words->sanitize};
    return take_qwd_format(options, words->qwd_format) && take_split(options, words->split) &&
           take_actions(options, words) && take_inputs(options) && take_check(options) &&
           take_each(options, words->sessions, take_session) &&
           take_each(options, words->options_of_protocols, take_option) &&
           take_each(options, words->ports, take_port) && take_output(options, words->output);
}

static void words_clear(struct words *words)
{
    g_free(words->output);
    g_free(words->qwd_format);
    g_free(words->split);
    g_strfreev(words->sessions);
    g_strfreev(words->options_of_protocols);
    g_strfreev(words->ports);
}

/*
 * GOption would take the word behind a bare --dump for its argument; it is a file's name. The texts
 * that it gets instead are collected in `spelt_out`.
 */
static void spell_out_arguments(int argc, char **argv, GPtrArray *spelt_out)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const struct action_kind *kind =
            g_str_has_prefix(argv[i], "--") ? find_action(argv[i]) : NULL;

        if (!kind || !kind->standard)
            continue;
        argv[i] = g_strdup_printf("--%s=%s", kind->name, kind->standard);
        g_ptr_array_add(spelt_out, argv[i]);
    }
}

static enum command_line_verdict parse(struct options *options, struct words *words, int *argc,
                                       char ***argv)
{
    GPtrArray *spelt_out = g_ptr_array_new_with_free_func(g_free);
    GOptionContext *context = context_new(words);
    GError *error = NULL;

    spell_out_arguments(*argc, *argv, spelt_out);
    g_option_context_parse(context, argc, argv, &error);
    g_option_context_free(context);
    g_ptr_array_free(spelt_out, TRUE);
    if (error) {
        usage_error("%s", error->message);
        g_error_free(error);
        return COMMAND_LINE_WRONG;
    }
    if (words->version) {
        puts("pcap2demo " QUAKESHARK_VERSION);
        return COMMAND_LINE_DONE;
    }
    return take_words(options, words) ? COMMAND_LINE_GOOD : COMMAND_LINE_WRONG;
}

enum command_line_verdict command_line_parse(struct options *options, int *argc, char ***argv)
{
    struct words words = {.options = options};
    enum command_line_verdict verdict;

    *options = (struct options){.sessions = {.selection = qs_protocol_selection_new(),
                                             .chosen = g_array_new(FALSE, FALSE, sizeof(unsigned)),
                                             .sign_ons = qs_lending_demos_new()}};
    check_options_init(&options->check);
    start_options(options);
    verdict = parse(options, &words, argc, argv);
    words_clear(&words);
    return verdict;
}

void command_line_clear(struct options *options)
{
    for (int i = 0; qs_protocols[i]; i++)
        g_free(options->sessions.protocol_options[i]);
    g_strfreev(options->files);
    g_strfreev(options->sign_ons);
    g_free(options->argument);
    g_free(options->interface);
    g_free(options->filter);
    check_options_clear(&options->check);
    g_array_free(options->sessions.chosen, TRUE);
    g_ptr_array_free(options->sessions.sign_ons, TRUE);
    if (options->demos)
        demo_files_free(options->demos);
    qs_protocol_selection_free(options->sessions.selection);
}
