/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/demo_formats.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/command_line.h"
#include "pcap2demo/config.h"
#include "pcap2demo/output/files.h"
#include "pcap2demo/recording/recording.h"
#include "pcap2demo/regression/expect.h"

/* --- Help and version ------------------------------------------------------------------------ */

#define SUMMARY                                                                                    \
    "Rebuilds demos of Quake-family games from packet captures, and lists, dumps and\n"            \
    "checks captures and demos.\n\n"

static const char one_screen[] =
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
    "\nExit status: 0: all is well. 1: something in the input is wrong or differs from\n"
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
    "  pcap2demo --pcap bug.pcapng -s 2 --packets 4700-4711 duel.pcap    a small one\n";

/* Returns the option as --help shows it, such as "-o, --output=DIR|FILE". The caller frees it. */
static char *usage_of(const struct option_row *row)
{
    g_autofree char *form = option_value_form(row);
    const char letter[] = {row->letter, '\0'};

    return g_strdup_printf("%s%s%s--%s%s%s", *letter ? "-" : "", letter, *letter ? ", " : "",
                           row->name, form ? "=" : "", form ? form : "");
}

static void print_help(const GPtrArray *rows)
{
    enum { USAGE_WIDTH = 35 };

    fputs("Usage:\n  pcap2demo [OPTION...] FILE...\n\n" SUMMARY
          "FILE is a capture (pcap, pcapng), a demo, or a folder of them; \"-\" is\n"
          "standard input. Several captures are read as one, in the order of time.\n",
          stdout);
    for (guint i = 0; i < rows->len; i++) {
        const struct option_row *row = g_ptr_array_index(rows, i);
        g_autofree char *usage = row->name ? usage_of(row) : NULL;

        if (usage && row->help && row->type != OPTION_GONE)
            printf("  %-*s  %s\n", USAGE_WIDTH, usage, row->help);
        else if (!usage)
            printf("\n%s:\n", row->help);
    }
    fputs(ending, stdout);
}

static void print_version(void)
{
    puts("pcap2demo " QUAKESHARK_VERSION);
    if (*QUAKESHARK_HOMEPAGE)
        puts(QUAKESHARK_HOMEPAGE);
    if (*QUAKESHARK_CONTACT)
        puts("Report problems to " QUAKESHARK_CONTACT);
}

/* --- Actions, in the order of --help --------------------------------------------------------- */

extern const struct action_kind list_action, stats_action, report_action, anonymize_action,
    fields_action, status_action;

/* clang-format off */
static const struct action_kind *const action_kinds[] = {
    &list_action,
    &dump_action,
    &check_action,
    &stats_action,
    &report_action,
    &pcap_action,
    &extract_action,
    &anonymize_action,
    &fields_action,
    &status_action,
    NULL,
};
/* clang-format on */

/* --- Table of all options -------------------------------------------------------------------- */

static const struct option_row output_rows[] = {
    {"json", 'j', OPTION(FLAG, json), "Print JSON: --list, --dump, --check, --stats, --fields"},
    {"show-secrets", 0, OPTION(FLAG, show_secrets),
     "Print passwords in dumps, instead of \"*****\""},
    {"quiet", 'q', OPTION(FLAG, quiet), "Print only what is wrong"},
    {"verbose", 'v', OPTION(FLAG, verbose), "Print more"},
    {"color", 0, OPTION(TEXT, color), "Default: auto, on a terminal, if NO_COLOR is not set",
     .choices = "auto|always|never"},
    {"progress", 0, OPTION(TEXT, progress), "How much was read; default: auto, on a terminal",
     .choices = "auto|always|never"},
    {"version", 'V', OPTION(FLAG, version), "Print the version"},
    {"help", 0, OPTION(FLAG, help), "Print this; -h prints one screen"},
    {"h", 'h', OPTION(FLAG, short_help), NULL},
    OPTIONS_END};

static void add_rows(GPtrArray *rows, const struct option_row *table)
{
    for (; table && table->name; table++)
        g_ptr_array_add(rows, (gpointer)table);
}

static void add_part(GPtrArray *rows, const struct option_row *heading,
                     const struct option_row *table)
{
    g_ptr_array_add(rows, (gpointer)heading);
    add_rows(rows, table);
}

/* Adds the actions of a task, each followed by its own options. */
static void add_actions(GPtrArray *rows, enum task task, const struct option_row *heading)
{
    g_ptr_array_add(rows, (gpointer)heading);
    for (int i = 0; action_kinds[i]; i++)
        if (action_kinds[i]->task == task) {
            g_ptr_array_add(rows, (gpointer)&action_kinds[i]->option);
            add_rows(rows, action_kinds[i]->rows);
        }
}

/* Returns all options and headings, in the order of --help. The caller frees the array. */
static GPtrArray *all_rows(void)
{
    static const struct option_row headings[] = {
        {.help = "Input"},
        {.help = "Demos"},
        {.help = "Look into captures and demos"},
        {.help = "Test engines and servers"},
        {.help = "Make captures"},
        {.help = "Record while others play"},
        {.help = "Ask a recorder"},
        {.help = "Output"},
    };
    GPtrArray *rows = g_ptr_array_new();

    add_part(rows, &headings[0], input_rows);
    add_part(rows, &headings[1], demo_rows);
    add_actions(rows, TASK_LOOK, &headings[2]);
    add_actions(rows, TASK_TEST, &headings[3]);
    add_actions(rows, TASK_CAPTURE, &headings[4]);
    add_part(rows, &headings[5], recorder_rows);
    add_actions(rows, TASK_RECORD, &headings[6]);
    add_part(rows, &headings[7], output_rows);
    return rows;
}

/* Reports a usage error: `before`, then the names of all actions ("--list, --dump or --check", with
 * `last` before the last one). If `json`, names only actions that can print JSON. Returns false. */
static bool wrong_action(const char *before, const char *last, bool json)
{
    GString *text = g_string_new(before);
    const char *name = NULL;

    for (int i = 0; action_kinds[i]; i++)
        if (!json || action_kinds[i]->json) {
            if (name)
                g_string_append_printf(text, "--%s, ", name);
            name = action_kinds[i]->option.name;
        }
    g_string_truncate(text, text->len - strlen(", "));
    usage_error("%s%s--%s", text->str, last, name);
    g_string_free(text, TRUE);
    return false;
}

/* --- List of files --------------------------------------------------------------------------- */

enum { DEPTH_MAX = 64 /* maximum depth of folders */ };

static int is_visible(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

/* False for pipes, which would be waited for. Reading a dangling link reports it. */
static bool is_file(const char *path)
{
    return g_file_test(path, G_FILE_TEST_IS_REGULAR) || !g_file_test(path, G_FILE_TEST_EXISTS);
}

/*
 * Adds the captures and, with `demos`, the demos in `folder`, sorted by name. Searches `depth`
 * levels of subfolders, and reports those that cannot be read; does not follow links to folders.
 * False if `folder` cannot be read: see errno.
 */
static bool search(const char *folder, unsigned depth, bool demos, GPtrArray *files)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_visible, alphasort);

    if (count < 0)
        return false;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *path = g_build_filename(folder, name, NULL);

        if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
            if (source_is_input_name(name, demos) && is_file(path))
                g_ptr_array_add(files, g_strdup(path));
        } else if (depth && !g_file_test(path, G_FILE_TEST_IS_SYMLINK) &&
                   !search(path, depth - 1, demos, files)) {
            failure(EXIT_UNUSABLE, (struct qs_location){.file = path}, "%s", g_strerror(errno));
        }
        g_free(path);
        free(entries[i]);
    }
    free(entries);
    return true;
}

static void list_folder(const struct options *options, const char *folder, GPtrArray *files,
                        char **error)
{
    const bool demos = options->action != &convert_action, recursive = options->input.recursive;
    const guint before = files->len;

    if (!search(folder, recursive ? DEPTH_MAX : 0, demos, files))
        *error = g_strdup_printf("%s: %s", folder, g_strerror(errno));
    else if (files->len == before)
        *error = g_strdup_printf("%s: no captures%s in this folder%s", folder,
                                 demos ? " and no demos" : "",
                                 recursive ? "" : "; -R looks into those below it, too");
}

/*
 * Returns a new list of the files to read, ended by NULL. Folders are replaced by their captures
 * and, except for a conversion, demos. Sets `any_folder`. Returns NULL after reporting an error.
 */
static char **list_files(struct options *options)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
    char *error = NULL;

    for (guint i = 0; i < options->input.files->len && !error; i++) {
        const char *file = g_ptr_array_index(options->input.files, i);

        if (!options->action->print && g_file_test(file, G_FILE_TEST_IS_DIR)) {
            options->any_folder = true;
            list_folder(options, file, all, &error);
        } else {
            g_ptr_array_add(all, g_strdup(file));
        }
    }
    if (error) {
        usage_problem(error);
        g_ptr_array_free(all, TRUE);
        return NULL;
    }
    g_ptr_array_add(all, NULL);
    return (char **)g_ptr_array_free(all, FALSE);
}

/* --- Checks ---------------------------------------------------------------------------------- */

/* Returns the action that an option implies, or convert_action. */
static const struct action_kind *find_implied(const struct options *options)
{
    for (int i = 0; action_kinds[i]; i++)
        if (action_kinds[i]->is_implied && option_given(options, action_kinds[i]->rows))
            return action_kinds[i];
    return &convert_action;
}

static bool check_rows_of_others(const struct options *options)
{
    for (int i = 0; action_kinds[i]; i++) {
        const char *name = option_given(options, action_kinds[i]->rows);

        if (name && options->action != action_kinds[i])
            return usage_error("--%s goes with --%s", name, action_kinds[i]->option.name);
    }
    return true;
}

static bool parse_action(struct options *options)
{
    const struct action_kind *action;
    char *problem = NULL;

    if (options->several_actions)
        return wrong_action("choose one of ", " and ", false);
    if (!options->action)
        options->action = find_implied(options);
    action = options->action;
    if (options->json && !action->json)
        return wrong_action("--json goes with ", " or ", true);
    if (!check_rows_of_others(options))
        return false;
    if (options->demo.output && action != &convert_action)
        return wrong_action("--output goes with converting, not with ", " or ", false);
    if (action->problem)
        problem = action->problem(options->argument);
    if (!problem)
        problem = writer_name_problem("--output", options->demo.output);
    return !problem || usage_problem(problem);
}

/* Reports that there is no input. If an option has a file as its value, suggests that this file is
 * the input. */
static bool report_no_input(const struct options *options)
{
    for (guint i = 0; i < options->given->len; i++) {
        const struct given_option *given = &g_array_index(options->given, struct given_option, i);
        g_autofree char *form = option_value_form(given->row);
        const char *name = given->row->name;

        if (given->value && g_file_test(given->value, G_FILE_TEST_IS_REGULAR))
            return usage_error("no input: --%s took %s as its value; write --%s=%s %s", name,
                               given->value, name, form, given->value);
    }
    return usage_error("no input: name a capture or a demo, \"-\" for standard input, or -i IFACE");
}

static bool list_inputs(struct options *options, const GPtrArray *rows)
{
    const struct action_kind *action = options->action;
    const bool records = recorder_is_wanted(options);
    const char *name = option_given(options, recorder_rows);

    if (records && action != &convert_action)
        return usage_error("--%s records demos: --%s does not go with it",
                           options->recorder.follow ? "follow" : "interface", action->option.name);
    if (name && !records)
        return usage_error("--%s goes with --follow or --interface", name);
    options->files = list_files(options);
    if (action->print)
        return true;
    if (!options->files)
        return false;
    if (!records && !*options->files)
        return report_no_input(options);
    for (char **file = options->files; *file; file++)
        if (!guess_missing_file(rows, options, *file,
                                action == &convert_action && options->files[1]))
            return false;
    return !records || !*options->files ||
           usage_error("choose files, or --follow or --interface, not both");
}

/* Rejects options that choose or overwrite: recordings have all sessions, and overwrite nothing. */
static bool check_recording(const struct options *options)
{
    if (!recorder_is_wanted(options))
        return true;
    if (options->sessions.chosen->len || options->force)
        return usage_error("--session and --force do not go with --follow and --interface");
    return !options->input.player ||
           usage_error("--player does not go with --follow and --interface");
}

static bool make_output(struct options *options)
{
    const char *output = options->demo.output;
    const struct qs_demo_format *format = output ? qs_demo_format_of_name(output) : NULL;
    char *error;

    options->sessions.demo.extension = format ? format->extension : NULL;
    options->demos = demo_files_new(output, options->force);
    options->sessions.store = demo_files_store(options->demos);
    /* Recorders create the folder later, as another user. Only demos need the current folder. */
    error = !output || recorder_is_wanted(options)
                ? NULL
                : make_folders(demo_files_folder(options->demos));
    if (!error)
        return true;
    usage_error("--output %s", error);
    g_free(error);
    return false;
}

static bool check_all(struct options *options, const GPtrArray *rows)
{
    if (options->color)
        terminal_set_color(options->color);
    demo_options_apply(options);
    return parse_action(options) && list_inputs(options, rows) &&
           (!options->action->parse || options->action->parse(options)) &&
           recorder_options_check(options) && inputs_parse_protocols(options) &&
           check_recording(options) && make_output(options);
}

/* --- Parsing --------------------------------------------------------------------------------- */

enum command_line_verdict command_line_parse(struct options *options, char *const *argv)
{
    enum command_line_verdict verdict = COMMAND_LINE_DONE;
    GPtrArray *rows = all_rows();

    options_init(options);
    options->recorder.min_free = RECORDER_SIZE;
    inputs_init(&options->sessions);
    if (!options_read(options, rows, argv))
        verdict = COMMAND_LINE_WRONG;
    else if (options->help)
        print_help(rows);
    else if (options->short_help)
        fputs(one_screen, stdout);
    else if (options->version)
        print_version();
    else
        verdict = check_all(options, rows) ? COMMAND_LINE_GOOD : COMMAND_LINE_WRONG;
    g_ptr_array_free(rows, TRUE);
    return verdict;
}

void command_line_clear(struct options *options)
{
    inputs_clear(&options->sessions);
    if (options->check.expectations)
        expect_free(options->check.expectations);
    options_clear(options);
    g_strfreev(options->files);
    if (options->demos)
        demo_files_free(options->demos);
}
