/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --check: reports what cannot be decoded or rebuilt. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/core/hash.h"
#include "common/core/numeric_text.h"
#include "common/core/sink.h"
#include "common/dump/secret.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/findings.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/output/files.h"
#include "pcap2demo/regression/expect.h"
#include "pcap2demo/regression/golden.h"
#include "pcap2demo/regression/test_report.h"

/* Maximum number of problems kept for each file; further ones are only counted. */
enum { PROBLEMS_MAX = 10 };

struct check {
    struct action action;
    const struct check_options *options;
    struct golden_options golden_options;
    struct qs_sink base;
    GPtrArray *files;                   /* struct findings, in reading order */
    struct findings *current;           /* findings in the file of the last packet */
    const char *name;                   /* interned name of that file */
    GHashTable *by_name;                /* interned name -> its latest struct findings */
    GPtrArray *packet;                  /* problems in the current packet (struct finding) */
    GPtrArray *lines;                   /* notes on the path quality of sessions (char *) */
    struct golden_check *golden;        /* comparison with a golden, or NULL */
    struct expect *expect;              /* check of expectations, or NULL */
    struct qs_secret_redactor redactor; /* hides passwords; used with a golden */
    struct test_report *report;         /* JUnit report, or NULL */
};

/* --- Options --------------------------------------------------------------------------------- */

static const struct option_row rows[] = {
    {"no-rebuild", 0, OPTION(FLAG, check.no_rebuild), "Check the decoding only, not the demos"},
    {"golden", 0, OPTION(TEXT, check.golden), "Compare each input with DIR/NAME.golden", "DIR"},
    {"expect", 0, OPTION(TEXT, check.expect), "Compare what sessions have on the wire with FILE",
     "FILE"},
    {"update", 0, OPTION(FLAG, check.update),
     "Write the goldens, or widen FILE, instead of comparing"},
    {"ignore", 0, OPTION(TEXTS, check.ignored),
     "With --update: leave this field out (may be repeated)", "FIELD"},
    {"problem", 0, OPTION(TEXTS, check.problems),
     "With --update: expect this problem (may be repeated)", "NAME"},
    {"no-default-ignore", 0, OPTION(FLAG, check.no_default_ignore),
     "With --update: keep times, addresses, challenges, qports"},
    {"junit", 0, OPTION(TEXT, check.junit), "Write test cases to a JUnit file", "FILE"},
    OPTIONS_END};

/* Checks --ignore and --no-default-ignore. Without --update, goldens name what they leave out. */
static bool check_ignored(const struct check_options *check)
{
    if (!check->update && (check->ignored->len || check->no_default_ignore))
        return usage_error("--ignore and --no-default-ignore go with --update: a golden names what "
                           "it leaves out");
    for (guint i = 0; i < check->ignored->len; i++) {
        const char *name = g_ptr_array_index(check->ignored, i);

        if (!golden_is_field(name))
            return usage_error("--ignore %s: no field is called that, nor begins with \"%s.\"",
                               name, name);
    }
    return true;
}

static bool check_problems(const struct check_options *check)
{
    if (!check->update && check->problems->len)
        return usage_error("--problem goes with --update: a golden names what it expects");
    for (guint i = 0; i < check->problems->len; i++) {
        const char *name = g_ptr_array_index(check->problems, i);

        if (!golden_is_problem(name))
            return usage_error("--problem %s: no such problem; others are undecoded, malformed, "
                               "unknown_message",
                               name);
    }
    return true;
}

/* True if each input has its own golden; reports two that would share one. */
static bool check_golden_names(char *const *files)
{
    GHashTable *names = g_hash_table_new_full(qs_str_hash, g_str_equal, g_free, NULL);
    bool good = true;

    for (; *files && good; files++) {
        char *name = golden_name(*files);
        const char *other = g_hash_table_lookup(names, name);

        good =
            !other || usage_error("%s and %s would have the same golden, %s", other, *files, name);
        g_hash_table_insert(names, name, *files);
    }
    g_hash_table_destroy(names);
    return good;
}

static bool check_golden(const struct check_options *check, char *const *files)
{
    if (!check->golden && check->update && !check->expect)
        return usage_error("--update goes with --golden or --expect");
    if (!check->golden)
        return (!check->ignored->len && !check->no_default_ignore && !check->problems->len) ||
               usage_error("--ignore, --no-default-ignore and --problem go with --golden");
    if (!*files || g_strv_contains((const char *const *)files, "-"))
        return usage_error("--golden goes with files, whose names are those of the goldens");
    return check_problems(check) && check_ignored(check) && check_golden_names(files);
}

static bool parse_expect(struct check_options *check)
{
    g_autofree char *problem = NULL;

    if (!check->expect)
        return true;
    if (check->golden)
        return usage_error("choose one of --golden and --expect");
    check->expectations = expect_new(check->expect, check->update, &problem);
    return check->expectations || usage_error("%s: %s", check->expect, problem);
}

static bool parse(struct options *options)
{
    char *problem = writer_name_problem("--junit", options->check.junit);

    if (problem)
        return usage_problem(problem);
    if (options->input.player &&
        (options->check.golden || options->check.expect || options->check.junit))
        return usage_error("--player does not go with --golden, --expect and --junit, which number "
                           "the sessions of each input");
    if (options->show_secrets && options->check.golden)
        return usage_error("goldens hide passwords: --show-secrets does not go with --golden");
    return check_golden(&options->check, options->files) && parse_expect(&options->check);
}

/* True if demos are checked, too. Expectations cover only the wire. */
static bool wants_rebuild(const struct check_options *options)
{
    return !options->no_rebuild && !options->expect;
}

/* --- The sink ------------------------------------------------------------------------------- */

static struct check *check_of(struct qs_sink *base)
{
    return (struct check *)((char *)base - G_STRUCT_OFFSET(struct check, base));
}

/* Returns the golden's sink, which receives all calls except labels; NULL without a golden. */
static struct qs_sink *golden_sink(struct qs_sink *base)
{
    const struct check *check = check_of(base);
    struct qs_sink *sink = check->golden ? golden_check_sink(check->golden) : NULL;

    if (sink)
        sink->protocol = base->protocol;
    return sink;
}

static void sink_open(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct qs_sink *golden = golden_sink(base);

    golden->open(golden, group, offset);
}

static void sink_close(struct qs_sink *base, uint32_t end)
{
    struct qs_sink *golden = golden_sink(base);

    golden->close(golden, end);
}

static void sink_source(struct qs_sink *base, const char *title, const uint8_t *data, uint32_t size)
{
    struct qs_sink *golden = golden_sink(base);

    golden->source(golden, title, data, size);
}

static void add_problem(struct check *check, const char *name, uint32_t offset, char *text)
{
    struct finding *problem = g_new0(struct finding, 1);

    problem->offset = offset;
    problem->protocol = check->base.protocol;
    problem->expected = check->golden && golden_check_expects(check->golden, name);
    problem->text = text;
    g_ptr_array_add(check->packet, problem);
}

static void sink_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                      const char *text)
{
    struct qs_sink *golden = golden_sink(base);

    if (qs_note_kinds[kind].problem)
        add_problem(check_of(base), qs_note_kinds[kind].suffix, offset, qs_text_printable(text));
    if (golden)
        golden->note(golden, kind, offset, length, text);
}

static void sink_field(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    struct qs_sink *golden = golden_sink(base);

    if (field == &base->protocol->fields[base->protocol->undecoded])
        add_problem(check_of(base), GOLDEN_UNDECODED, value->offset,
                    g_strdup_printf("%" PRIu32 " byte%s undecoded", value->length,
                                    qs_plural(value->length)));
    if (golden)
        golden->field(golden, field, value);
}

/* --- Counting -------------------------------------------------------------------------------- */

/* Returns the findings in `file`, an interned name; creates them if needed. */
static struct findings *findings_for(struct check *check, const char *file)
{
    if (check->current && check->name == file)
        return check->current;
    check->name = file;
    check->current = g_hash_table_lookup(check->by_name, file);
    if (!check->current) {
        check->current = findings_new(file);
        g_ptr_array_add(check->files, check->current);
        g_hash_table_insert(check->by_name, (gpointer)file, check->current);
    }
    return check->current;
}

/* Moves the packet's problems to the file's findings, which keep up to PROBLEMS_MAX. */
static void move_problems(struct check *check, struct findings *findings, uint64_t packet)
{
    while (check->packet->len) {
        struct finding *problem = g_ptr_array_steal_index(check->packet, 0);

        problem->packet = packet;
        findings->problem_count += !problem->expected;
        if (!problem->expected && findings->problems->len < PROBLEMS_MAX)
            g_ptr_array_add(findings->problems, problem);
        else
            problem_free(problem);
    }
}

static void compare_packet(struct check *check, const struct qs_decoded_packet *decoded)
{
    const struct qs_dump_packet about = {.packet = decoded->packet,
                                         .decoder = decoded->decoder,
                                         .session =
                                             decoded->session ? decoded->session->number : 0};

    golden_check_packet(check->golden, &about);
}

static void check_packet(struct qs_sessions_handler *handler,
                         const struct qs_decoded_packet *decoded)
{
    struct check *check = (struct check *)handler;
    struct findings *findings = findings_for(check, decoded->location.file);

    findings->demo = decoded->location.block;
    if (check->expect)
        expect_packet(check->expect, decoded);
    if (!qs_sessions_want(&check->action.options->sessions, decoded->session)) {
        g_ptr_array_set_size(check->packet, 0);
        if (check->golden)
            golden_check_discard(check->golden);
        return;
    }
    if (check->golden)
        compare_packet(check, decoded);
    /* Counts a packet with several PDUs once. */
    findings->packets += decoded->packet->pdu <= 1;
    findings->undecoded += decoded->decoder->found.undecoded;
    findings->secrets += check->redactor.count;
    for (int i = 0; i < QS_NOTE_KINDS; i++)
        findings->notes[i] += decoded->decoder->found.notes[i];
    move_problems(check, findings, decoded->location.packet);
}

static void check_input_start(struct action *action, const char *file)
{
    struct check *check = (struct check *)action;

    findings_for(check, g_intern_string(file));
    if (check->action.separate_inputs)
        rows_begin_part(check->action.rows);
    if (check->golden)
        golden_check_begin(check->golden, file);
    test_report_begin(check->report, file);
}

static void check_input_over(struct action *action, const char *file, uint64_t frames)
{
    struct check *check = (struct check *)action;
    struct findings *findings = findings_for(check, g_intern_string(file));

    findings->frames += frames;
    if (check->golden)
        findings->golden = golden_check_end(check->golden, !action->interrupted);
    if (check->expect)
        findings->expected = expect_end_input(check->expect);
    check->current = NULL;
    if (action->separate_inputs)
        g_hash_table_remove_all(check->by_name);
}

/* Minimum loss for a note, in percent. */
#define MISSING_MIN 0.5

/* Adds a note about lost packets, and about the estimated share that the capture lacks. */
static void add_line(struct check *check, const struct qs_client_session *session)
{
    const bool ascii = !g_get_charset(NULL), separate = check->action.separate_inputs;
    char lacks[64] = "", *to_server, *to_client;
    struct qs_path_quality line;

    qs_path_quality(session->quality, &line);
    if (line.not_captured < 0 || MAX(line.not_captured, qs_path_worst(&line)) < MISSING_MIN)
        return;
    to_server = qs_path_direction_text(&line.c2s, ascii);
    to_client = qs_path_direction_text(&line.s2c, ascii);
    if (line.not_captured >= MISSING_MIN)
        snprintf(lacks, sizeof lacks, "; the capture lacks about %.0f %%", line.not_captured);
    g_ptr_array_add(
        check->lines,
        g_strdup_printf("  note: %s%ssession %u: to the server: %s; to the client: %s%s",
                        separate ? session->first.file : "", separate ? ": " : "", session->number,
                        to_server, to_client, lacks));
    g_free(to_server);
    g_free(to_client);
}

static void check_session(struct qs_sessions_handler *handler,
                          const struct qs_client_session *session)
{
    struct check *check = (struct check *)handler;

    add_line(check, session);
    if (check->action.options->json)
        report_add_json(check->action.rows, session->number, report_session_json(session));
    if (check->current)
        check->current->demos += session->demo != NULL;
    if (check->expect)
        expect_session(check->expect, session);
    if (!wants_rebuild(check->options))
        return;
    test_report_about(check->report, session->first.file, "rebuild");
    report_demo_problems(session);
    test_report_about(check->report, NULL, NULL);
}

static void check_left_out(struct qs_sessions_handler *handler,
                           const struct qs_client_session *session)
{
    struct check *check = (struct check *)handler;

    if (check->expect)
        expect_left_out(check->expect, session);
}

static void check_others(struct qs_sessions_handler *handler,
                         const struct qs_small_sessions *others)
{
    struct check *check = (struct check *)handler;

    action_add_others(handler, others);
    if (!wants_rebuild(check->options))
        return;
    if (check->current)
        test_report_about(check->report, check->current->file, "rebuild");
    report_fail_others(others);
    test_report_about(check->report, NULL, NULL);
}

/* --- Reports --------------------------------------------------------------------------------- */

/* True if counts go to standard output; with --json and --quiet they do not. */
static bool shows_findings(const struct check *check)
{
    return !check->action.options->json && !check->action.options->quiet;
}

/* Prints a golden's result. Failures, or else the verdict, go to the test case "golden". */
static void print_golden(const struct check *check, const struct findings *findings)
{
    const struct golden_result *golden = findings->golden;

    test_report_about(check->report, findings->file, "golden");
    findings_print_golden(findings, shows_findings(check));
    if (!golden->error && golden->verdict != GOLDEN_SAME) {
        char *verdict = findings_verdict(findings);

        test_report_add(check->report, findings->file, "golden", CASE_PASSED, verdict);
        g_free(verdict);
    }
    test_report_about(check->report, NULL, NULL);
}

/* Prints the expectations. Failures go to the test case of each expectation. */
static void print_expected(const struct check *check, const struct findings *findings)
{
    const GPtrArray *all = findings->expected;
    unsigned most = 0;
    guint failed = 0;

    for (guint i = 0; i < all->len; i++)
        most = MAX(most, ((const struct expect_finding *)g_ptr_array_index(all, i))->session);
    for (guint i = 0; i < all->len; i++) {
        const struct expect_finding *finding = g_ptr_array_index(all, i);
        const struct qs_location at = {.file = findings->file,
                                       .session = most > 1 ? finding->session : 0};

        test_report_about(check->report, findings->file, finding->name);
        if (finding->failed)
            failure(EXIT_PROBLEMS, at, "%s", finding->text);
        else if (finding->text && shows_findings(check))
            print_line("  note: %s", finding->text);
        failed += finding->failed;
    }
    test_report_about(check->report, NULL, NULL);
    if (shows_findings(check))
        print_styled(failed ? STYLE_BAD : STYLE_GOOD, "  %s: %u of %u expectation%s failed",
                     check->options->expect, failed, all->len, qs_plural(all->len));
}

static void print_json(const struct check *check)
{
    json_t *report = report_json("check");

    json_object_set_new(report, "files", report_array(check->files, findings_json));
    json_object_set_new(report, "sessions", json_array());
    json_object_set_new(report, "status", json_integer(exit_status_get()));
    report_print_json(report, &check->action);
}

/* Prints the findings in a file. Problems go to standard error, even with --json. */
static void print_file(const struct check *check, const struct findings *findings)
{
    if (!check->expect)
        findings_print_problems(findings);
    if (shows_findings(check))
        findings_print(findings);
    if (findings->golden)
        print_golden(check, findings);
    if (findings->expected && (findings->expected->len || !check->options->update))
        print_expected(check, findings);
}

static void report_cases(const struct check *check)
{
    char *error;

    for (guint i = 0; i < check->files->len && wants_rebuild(check->options); i++) {
        const struct findings *findings = g_ptr_array_index(check->files, i);

        if (!findings->demos)
            test_report_add(check->report, findings->file, "rebuild", CASE_SKIPPED,
                            "there is nothing to rebuild");
    }
    error = check->options->junit ? junit_write(check->report, check->options->junit) : NULL;
    if (error)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = check->options->junit}, "%s", error);
    g_free(error);
}

/* Reports goldens without an input: as failures if a folder was given, as warnings if files were
 * given (some may be left out on purpose), and not at all for one file. */
static void report_orphans(const struct check *check)
{
    const struct options *options = check->action.options;
    GPtrArray *orphans;

    if (!options->any_folder && g_strv_length(options->files) < 2)
        return;
    orphans = golden_check_orphans(check->golden, options->files);
    for (guint i = 0; i < orphans->len; i++) {
        const struct qs_location at = {.file = g_ptr_array_index(orphans, i)};
        static const char text[] = "no input has this golden";

        if (options->any_folder)
            failure(EXIT_PROBLEMS, at, "%s", text);
        else
            message(at, "%s", text);
    }
    g_ptr_array_free(orphans, TRUE);
}

/* --- End ------------------------------------------------------------------------------------- */

/* Writes the file of expectations (--update), and prints the changes. */
static void write_expectations(const struct check *check)
{
    char *problem;
    GPtrArray *changes = expect_write(check->expect, &problem);

    if (problem)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = check->options->expect}, "%s", problem);
    for (guint i = 0; !problem && i < changes->len && shows_findings(check); i++)
        print_line("%s: %s", check->options->expect, (const char *)g_ptr_array_index(changes, i));
    g_ptr_array_free(changes, TRUE);
    g_free(problem);
}

static void check_end(struct action *action, bool report)
{
    struct check *check = (struct check *)action;

    if (check->golden)
        report_orphans(check);
    for (guint i = 0; i < check->files->len; i++)
        print_file(check, g_ptr_array_index(check->files, i));
    for (guint i = 0; i < check->lines->len && shows_findings(check); i++)
        print_line("%s", (const char *)g_ptr_array_index(check->lines, i));
    if (check->expect && report && !action->interrupted)
        write_expectations(check);
    if (check->report) {
        report_cases(check);
        test_report_free(check->report);
    }
    if (report && check->action.options->json)
        print_json(check);
    if (check->golden)
        golden_check_free(check->golden);
    qs_secret_redactor_clear(&check->redactor);
    g_ptr_array_free(check->lines, TRUE);
    g_ptr_array_free(check->files, TRUE);
    g_hash_table_destroy(check->by_name);
    g_ptr_array_free(check->packet, TRUE);
}

/* Returns the names of the test cases of each input. */
static const char *const *case_names(const struct check *check)
{
    static const char *names[4];
    int count = 0;

    names[count++] = CASE_DECODE;
    if (check->options->golden)
        names[count++] = "golden";
    if (wants_rebuild(check->options))
        names[count++] = "rebuild";
    names[count] = NULL;
    return names;
}

static void begin(struct action *action)
{
    struct check *check = (struct check *)action;

    check->options = &action->options->check;
    check->base = (struct qs_sink){.field = sink_field, .note = sink_note};
    check->expect = action->options->check.expectations;
    qs_secret_redactor_init(&check->redactor, true);
    check->by_name = g_hash_table_new(NULL, NULL);
    check->files = g_ptr_array_new_with_free_func(findings_free);
    check->packet = g_ptr_array_new_with_free_func(problem_free);
    check->lines = g_ptr_array_new_with_free_func(g_free);
    action->handler.want_rebuild = wants_rebuild(check->options);
    action->separate_inputs =
        check->options->golden || check->options->expect || check->options->junit;
    if (check->options->golden) {
        check->golden_options = (struct golden_options){
            .folder = check->options->golden,
            .update = check->options->update,
            .selected = action->options->sessions.chosen->len > 0 || action->options->input.filter,
            .no_default_ignore = check->options->no_default_ignore,
            .ignored = check->options->ignored,
            .expected = check->options->problems};
        check->golden = golden_check_new(&check->golden_options);
        check->base.open = sink_open;
        check->base.close = sink_close;
        check->base.source = sink_source;
        action->handler.redactor = &check->redactor.base;
    }
    action->handler.sink = check->expect ? expect_sink(check->expect, &check->base) : &check->base;
    if (check->options->junit)
        check->report = test_report_new(case_names(check));
}

const struct action_kind check_action = {
    .option = {"check", 'c', .type = OPTION_ACTION,
               .help = "Check that everything can be decoded and rebuilt"},
    .task = TASK_TEST,
    .json = true,
    .rows = rows,
    .is_implied = true,
    .parse = parse,
    .size = sizeof(struct check),
    .running = {.handler.want_figures = true,
                .handler.packet = check_packet,
                .handler.session_end = check_session,
                .handler.session_left_out = check_left_out,
                .handler.others = check_others,
                .input_start = check_input_start,
                .input_over = check_input_over,
                .end = check_end},
    .begin = begin,
};
