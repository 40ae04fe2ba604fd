/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/command_line.h"

#include <stdio.h>
#include <string.h>

#include "pcap2demo/action_option.h"
#include "pcap2demo/config.h"
#include "pcap2demo/crowded.h"
#include "pcap2demo/help.h"
#include "pcap2demo/inputs.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/safe_path.h"
#include "pcap2demo/output/writer.h"
#include "common/sessions/lending.h"
#include "pcap2demo/protocol_options.h"
#include "pcap2demo/ranges.h"

/* Numbers in one range of sessions. */
enum { SESSIONS_CHOSEN_MAX = 1000000 };

/* The command line as GOption leaves it; what needs work goes on to struct options. */
struct words {
    struct options *options;
    struct action_option action;
    gboolean json, force, sanitize, recursive, quiet, verbose, show_secrets, wide, version, help;
    int sessions_max;
    char *output, *qwd_format, *split, *color;
    char **sessions, **options_of_protocols;
    char **read; /* files that -r names */
};

/* As usage_error(), with a text that is freed. */
static bool usage_problem(char *problem)
{
    usage_error("%s", problem);
    g_free(problem);
    return false;
}

/* --- GOption --------------------------------------------------------------------------------- */

static void add_json(struct option_table *table, struct words *words)
{
    char *actions = action_option_names(" or ", true);
    char *help = g_strconcat("Print JSON: with ", actions, NULL);
    const GOptionEntry json[] = {
        {"json", 'j', 0, G_OPTION_ARG_NONE, &words->json, g_intern_string(help), NULL},
        G_OPTION_ENTRY_NULL};

    option_table_add(table, json);
    g_free(help);
    g_free(actions);
}

static void add_secrets(struct option_table *table, struct words *words)
{
    const GOptionEntry entries[] = {{"show-secrets", 0, 0, G_OPTION_ARG_NONE, &words->show_secrets,
                                     "Print passwords, which are \"*****\" otherwise", NULL},
                                    G_OPTION_ENTRY_NULL};

    option_table_add(table, entries);
}

static void add_anonymize(struct option_table *table, struct words *words)
{
    const GOptionEntry entries[] = {
        {"replace-names", 0, 0, G_OPTION_ARG_NONE, &words->options->replace_names,
         "Replace players' and servers' names, too", NULL},
        {"replace-chat", 0, 0, G_OPTION_ARG_NONE, &words->options->replace_chat,
         "Replace what players said, too", NULL},
        G_OPTION_ENTRY_NULL};

    option_table_add(table, entries);
}

static void add_output(struct option_table *table, struct words *words)
{
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &words->output,
         "Where demos go: a folder, which is made, or the name of the one demo, with its "
         "extension",
         "DIR|FILE"},
        {"sign-on", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &words->options->sign_ons,
         "Let this demo lend what the start of others lacks (may be repeated)", "DEMO"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &words->force, "Overwrite files", NULL},
        {"sanitize", 0, 0, G_OPTION_ARG_NONE, &words->sanitize,
         "Leave out what players would execute and do not need", NULL},
        {"qwd-format", 0, 0, G_OPTION_ARG_STRING, &words->qwd_format,
         "Which client shall play rebuilt .qwd demos: see the manual", "classic|ezquake-3.7"},
        {"split", 0, 0, G_OPTION_ARG_STRING, &words->split,
         "A demo for each connection (the default; Quake II: each level), or for each level",
         "level|connection"},
        G_OPTION_ENTRY_NULL};

    option_table_add(table, entries);
}

static void add_input(struct option_table *table, struct words *words)
{
    struct options *options = words->options;
    const GOptionEntry entries[] = {
        {"read", 'r', 0, G_OPTION_ARG_FILENAME_ARRAY, &words->read,
         "Read FILE, as without the option (may be repeated)", "FILE"},
        {"recursive", 'R', 0, G_OPTION_ARG_NONE, &words->recursive,
         "Read what is in the folders below a folder, too", NULL},
        {"session", 's', 0, G_OPTION_ARG_STRING_ARRAY, &words->sessions,
         "Only these sessions of the list: 2, or 1,3-5 (may be repeated)", "N"},
        {"max-sessions", 0, 0, G_OPTION_ARG_INT, &words->sessions_max,
         "Follow no more than N sessions at once", "N"},
        {"interface", 'i', 0, G_OPTION_ARG_STRING, &options->interface,
         "Record from network interfaces until interrupted (any: all of them)", "IFACE[,IFACE...]"},
        {"relinquish-privileges", 'Z', 0, G_OPTION_ARG_STRING, &options->user,
         "Become this user when the interfaces are open", "USER"},
        {"user", 0, 0, G_OPTION_ARG_STRING, &options->user, "The same as -Z", "USER"},
        {"filter", 0, 0, G_OPTION_ARG_STRING, &options->filter,
         "Take only the packets that match, as tcpdump does", "BPF"},
        {"port", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &options->ports,
         "Decode these UDP ports as this protocol (may be repeated)", "PROTO=RANGES"},
        {"option", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->options_of_protocols,
         "Set an option of a protocol (may be repeated)", "PROTO.NAME=VALUE"},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files, NULL, "FILE..."},
        G_OPTION_ENTRY_NULL};

    option_table_add(table, entries);
}

static void add_others(struct option_table *table, struct words *words)
{
    const GOptionEntry entries[] = {
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &words->quiet, "Say only what is wrong", NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &words->verbose, "Say more", NULL},
        {"wide", 0, 0, G_OPTION_ARG_NONE, &words->wide,
         "Do not cut the columns of a list to the width of the terminal", NULL},
        {"color", 0, 0, G_OPTION_ARG_STRING, &words->color,
         "When to use colours: auto is on a terminal, where NO_COLOR is not set",
         "auto|always|never"},
        {"version", 'V', 0, G_OPTION_ARG_NONE, &words->version, "Print the version", NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &words->help, "Print this", NULL},
        G_OPTION_ENTRY_NULL};

    option_table_add(table, entries);
}

static struct option_table *table_new(struct words *words)
{
    struct option_table *table = option_table_new();

    option_table_section(table, "What is done (without one of these: a demo of each session)");
    action_option_add(table);
    add_json(table, words);
    option_table_section(table, "With --dump and --golden");
    add_secrets(table, words);
    option_table_section(table, "With --anonymize");
    add_anonymize(table, words);
    option_table_section(table, "With --check");
    check_options_add(&words->options->check, table);
    option_table_section(table, "With --pcap, of captures");
    cut_options_add(&words->options->cut, table);
    option_table_section(table, "Demos");
    add_output(table, words);
    option_table_section(table, "Input");
    add_input(table, words);
    option_table_section(table, "Recording from interfaces");
    recorder_options_add(&words->options->recorder, table);
    option_table_section(table, "Other");
    add_others(table, words);
    return table;
}

/* --- Checks ---------------------------------------------------------------------------------- */

/* "1,3-5" */
static bool take_session(struct options *options, const char *text)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(struct range));
    bool good = ranges_parse(ranges, text);

    for (guint i = 0; good && i < ranges->len; i++) {
        const struct range *range = &g_array_index(ranges, struct range, i);

        good = range->last <= G_MAXUINT && range->last - range->first < SESSIONS_CHOSEN_MAX;
        for (uint64_t at = range->first; good && at <= range->last; at++) {
            const unsigned number = (unsigned)at;

            g_array_append_val(options->sessions.chosen, number);
        }
    }
    g_array_free(ranges, TRUE);
    return good || usage_error("--session %s: sessions are numbers from 1, as 2 or 1,3-5", text);
}

static bool take_protocol_option(struct options *options, const char *text)
{
    return protocol_options_take(&options->sessions, text);
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
    char *names = action_option_names(last, json);

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

    if (words->action.several)
        return wrong_action("choose one of ", " and ", false);
    if (!options->action)
        options->action =
            check_options_are_given(&options->check) ? &check_action : &convert_action;
    options->json = words->json;
    if (options->json && !options->action->json)
        return wrong_action("--json goes with ", " or ", true);
    if ((options->replace_names || options->replace_chat) && options->action != &anonymize_action)
        return usage_error("--replace-names and --replace-chat go with --anonymize");
    if (words->wide && options->action != &list_action)
        return usage_error("--wide goes with --list");
    if (words->output && options->action != &convert_action)
        return wrong_action("--output goes with converting, not with ", " or ", false);
    problem = argument_problem(options);
    if (!problem)
        problem = writer_name_problem("--output", words->output);
    if (!problem)
        problem = writer_name_problem("--junit", options->check.junit);
    return !problem || usage_problem(problem);
}

static bool take_inputs(struct options *options, const struct words *words)
{
    char *problem;

    options->files = inputs_join(words->read, options->files);
    if (options->action->print)
        return !options->interface || usage_error("--%s needs no input", options->action->name);
    if (options->interface && options->action == &pcap_action)
        return usage_error("--pcap takes demos and captures, not an interface");
    if (options->interface && *options->files)
        return usage_error("choose files or an interface, not both");
    if (options->user && !options->interface)
        return usage_error("--relinquish-privileges goes with --interface");
    if (!options->interface && !*options->files)
        return usage_error(
            "no input: name a capture or a demo, \"-\" for standard input, or -i IFACE");
    options->any_folder = inputs_have_folder(options->files);
    problem = inputs_problem(options->files, options->action, words->force);
    if (!problem)
        problem = inputs_open_folders(&options->files, options->action, words->recursive);
    return !problem || usage_problem(problem);
}

static bool take_check(struct options *options)
{
    if (check_options_are_given(&options->check) && options->action != &check_action)
        return usage_error("--golden, --no-rebuild, --tap and --junit go with --check");
    return check_options_take(&options->check, options->files, options->json);
}

static bool take_cut(struct options *options)
{
    if (cut_options_are_given(&options->cut) && options->action != &pcap_action)
        return usage_error("--packets and --no-sign-on go with --pcap");
    if (options->cut.packet_ranges && options->files[0] && options->files[1])
        return usage_error("--packets goes with one capture: each counts its own packets");
    return cut_options_take(&options->cut);
}

static bool take_output(struct options *options, const char *output)
{
    char *error;

    options->demos = demo_files_new(output, options->force);
    options->sessions.store = demo_files_store(options->demos);
    /* A recorder makes it for the user that it becomes. */
    error = options->interface ? NULL : make_folders(demo_files_folder(options->demos));
    if (!error)
        return true;
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

static bool take_sessions_max(struct options *options, int max)
{
    options->sessions.sessions_max = (guint)max;
    options->sessions.has_memory = crowded_has_memory;
    options->sessions.crowded = crowded_report;
    return max > 0 || usage_error("--max-sessions %d: one at least is wanted", max);
}

/* NULL: auto. */
static bool take_color(const char *color)
{
    return !color || terminal_set_color(color) ||
           usage_error("--color %s: colours are used always, never, or by auto on a terminal",
                       color);
}

static bool take_words(struct options *options, const struct words *words)
{
    options->quiet = words->quiet;
    options->verbose = words->verbose;
    options->wide = words->wide;
    options->show_secrets = options->check.golden.show_secrets = words->show_secrets;
    options->sessions.may_wait = !options->interface;
    options->force = words->force;
    options->sessions.demo = (struct qs_session_demo_options){.sanitize = words->sanitize};
    return take_color(words->color) && take_qwd_format(options, words->qwd_format) &&
           take_split(options, words->split) && take_sessions_max(options, words->sessions_max) &&
           take_actions(options, words) && take_inputs(options, words) && take_check(options) &&
           take_cut(options) &&
           recorder_options_parse(&options->recorder, options->interface != NULL) &&
           take_each(options, words->sessions, take_session) &&
           take_each(options, words->options_of_protocols, take_protocol_option) &&
           take_each(options, options->ports, take_port) && take_output(options, words->output);
}

static void words_clear(struct words *words)
{
    g_free(words->output);
    g_free(words->qwd_format);
    g_free(words->split);
    g_free(words->color);
    g_strfreev(words->sessions);
    g_strfreev(words->options_of_protocols);
    g_strfreev(words->read);
}

/* What is wrong with the words that GOption would read, as a new text; or NULL. */
static char *parse_words(const struct option_table *table, struct words *words, int *argc,
                         char ***argv)
{
    GOptionContext *context = g_option_context_new(NULL);
    GOptionGroup *group = g_option_group_new("main", NULL, NULL, &words->action, NULL);
    GError *error = NULL;
    char *problem = NULL;

    option_table_add_to(table, group);
    g_option_context_set_main_group(context, group);
    g_option_context_set_help_enabled(context, FALSE);
    if (!g_option_context_parse(context, argc, argv, &error)) {
        problem = g_strdup(error->message);
        g_error_free(error);
    }
    g_option_context_free(context);
    return problem;
}

static enum command_line_verdict take_parsed(struct options *options, const struct words *words,
                                             const struct option_table *table)
{
    if (words->help) {
        help_print(table);
        return COMMAND_LINE_DONE;
    }
    if (words->version) {
        puts("pcap2demo " QUAKESHARK_VERSION);
        return COMMAND_LINE_DONE;
    }
    return take_words(options, words) ? COMMAND_LINE_GOOD : COMMAND_LINE_WRONG;
}

static enum command_line_verdict parse(struct options *options, struct words *words, int *argc,
                                       char ***argv)
{
    GPtrArray *spelt_out = g_ptr_array_new_with_free_func(g_free);
    struct option_table *table = table_new(words);
    enum command_line_verdict verdict = COMMAND_LINE_WRONG;
    char *problem = option_table_problem(table, *argc, *argv);

    action_option_spell_out(*argc, *argv, spelt_out);
    if (!problem)
        problem = parse_words(table, words, argc, argv);
    if (problem)
        usage_problem(problem);
    else
        verdict = take_parsed(options, words, table);
    g_ptr_array_free(spelt_out, TRUE);
    option_table_free(table);
    return verdict;
}

enum command_line_verdict command_line_parse(struct options *options, int *argc, char ***argv)
{
    struct words words = {
        .options = options,
        .action = {.options = options},
        .sessions_max = QS_CROWD_SESSIONS_MAX,
    };
    enum command_line_verdict verdict;

    *options = (struct options){.sessions = {.selection = qs_protocol_selection_new(),
                                             .chosen = g_array_new(FALSE, FALSE, sizeof(unsigned)),
                                             .sign_ons = qs_lending_demos_new()}};
    check_options_init(&options->check);
    cut_options_init(&options->cut);
    recorder_options_init(&options->recorder);
    protocol_options_init(&options->sessions);
    verdict = parse(options, &words, argc, argv);
    words_clear(&words);
    return verdict;
}

void command_line_clear(struct options *options)
{
    protocol_options_clear(&options->sessions);
    g_strfreev(options->files);
    g_strfreev(options->sign_ons);
    g_free(options->argument);
    g_free(options->interface);
    g_strfreev(options->ports);
    g_free(options->user);
    g_free(options->filter);
    check_options_clear(&options->check);
    cut_options_clear(&options->cut);
    recorder_options_clear(&options->recorder);
    g_array_free(options->sessions.chosen, TRUE);
    g_ptr_array_free(options->sessions.sign_ons, TRUE);
    if (options->demos)
        demo_files_free(options->demos);
    qs_protocol_selection_free(options->sessions.selection);
}
