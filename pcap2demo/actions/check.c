/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --check: reports what cannot be decoded or rebuilt. */
#include <inttypes.h>
#include <stdio.h>

#include "common/core/numeric_text.h"
#include "common/core/sink.h"
#include "common/dump/secret.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/check_options.h"
#include "pcap2demo/actions/findings.h"
#include "pcap2demo/regression/test_report.h"
#include "pcap2demo/regression/golden_check.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/actions/multi_sink.h"

/* Problems beyond this number, for each file, are only counted. */
enum { PROBLEMS_MAX = 10 };

struct check {
    struct action action;
    struct qs_sink base;
    const struct options *options;
    GPtrArray *files;         /* struct findings, in the order of reading */
    struct findings *current; /* the file being read */
    GPtrArray *packet;        /* struct finding: of the current packet */
    struct rows *sessions;    /* JSON */
    struct qs_small_sessions others;
    struct golden_check *golden;  /* or NULL */
    struct qs_secret_guard guard; /* with a golden */
    struct multi_sink sinks;      /* this action's and the golden's */
    struct test_report *report;   /* or NULL */
};

/* --- The sink ------------------------------------------------------------------------------- */

static struct check *check_of(struct qs_sink *base)
{
    return (struct check *)((char *)base - G_STRUCT_OFFSET(struct check, base));
}

static void add_problem(struct check *check, uint32_t offset, char *text)
{
    struct finding *problem = g_new0(struct finding, 1);

    problem->offset = offset;
    problem->protocol = check->base.protocol;
    problem->text = text;
    g_ptr_array_add(check->packet, problem);
}

static void sink_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                      const char *text)
{
    (void)length;
    if (qs_note_kinds[kind].problem)
        add_problem(check_of(base), offset, qs_text_printable(text));
}

static void sink_field(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    if (field == &base->protocol->fields[base->protocol->undecoded])
        add_problem(check_of(base), value->offset,
                    g_strdup_printf("%" PRIu32 " byte%s undecoded", value->length,
                                    qs_plural(value->length)));
}

/* --- Counting -------------------------------------------------------------------------------- */

static struct findings *findings_for(struct check *check, const char *file)
{
    if (check->current)
        return check->current;
    check->current = findings_new(file);
    g_ptr_array_add(check->files, check->current);
    return check->current;
}

/* Moves the packet's problems to the file's, up to PROBLEMS_MAX. */
static void move_problems(struct check *check, struct findings *findings, uint64_t packet)
{
    findings->problem_count += check->packet->len;
    while (check->packet->len) {
        struct finding *problem = g_ptr_array_steal_index(check->packet, 0);

        problem->packet = packet;
        if (findings->problems->len < PROBLEMS_MAX)
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

static void discard_packet(struct check *check)
{
    g_ptr_array_set_size(check->packet, 0);
    if (check->golden)
        golden_check_discard(check->golden);
}

static void check_packet(struct qs_sessions_handler *handler,
                         const struct qs_decoded_packet *decoded)
{
    struct check *check = (struct check *)handler;
    struct findings *findings = findings_for(check, decoded->location.file);

    findings->demo = decoded->location.block;
    if (!qs_sessions_want(&check->options->sessions, decoded->session)) {
        discard_packet(check);
        return;
    }
    if (check->golden)
        compare_packet(check, decoded);
    /* Counts a packet with several units once. */
    findings->packets += decoded->packet->unit <= 1;
    findings->undecoded += decoded->decoder->undecoded;
    findings->secrets += check->guard.count;
    for (int i = 0; i < QS_NOTE_KINDS; i++)
        findings->notes[i] += decoded->decoder->notes[i];
    move_problems(check, findings, decoded->location.packet);
}

static void check_input_start(struct action *action, const char *file)
{
    struct check *check = (struct check *)action;

    findings_for(check, file);
    if (check->action.separate_inputs)
        rows_begin_part(check->sessions);
    if (check->golden)
        golden_check_begin(check->golden, file);
    test_report_begin(check->report, file);
}

static void check_input_over(struct action *action, const char *file, uint64_t frames)
{
    struct check *check = (struct check *)action;
    struct findings *findings = findings_for(check, file);

    findings->frames = frames;
    if (check->golden)
        findings->golden = golden_check_end(check->golden, !action->interrupted);
    test_report_end(check->report, file);
    check->current = NULL;
}

static void check_session(struct qs_sessions_handler *handler,
                          const struct qs_client_session *session)
{
    struct check *check = (struct check *)handler;

    if (check->options->json)
        report_add_json(check->sessions, session->number, report_session_json(session));
    if (check->current)
        check->current->demos += session->demo != NULL;
    test_report_about(check->report, session->first.file, CASE_REBUILD);
    report_demo_problems(session);
    test_report_about(check->report, NULL, CASE_REBUILD);
}

static void check_others(struct qs_sessions_handler *handler,
                         const struct qs_small_sessions *others)
{
    struct check *check = (struct check *)handler;

    report_add_others(&check->others, others);
    if (check_options.no_rebuild)
        return;
    if (check->current)
        test_report_about(check->report, check->current->file, CASE_REBUILD);
    report_fail_others(others);
    test_report_about(check->report, NULL, CASE_REBUILD);
}

/* --- The reports ----------------------------------------------------------------------------- */

/* Counts go to standard output, unless that is used otherwise. */
static bool shows_findings(const struct check *check)
{
    return !check->options->json && !check_options.tap && !check->options->quiet;
}

/* Failures, or else the verdict, go to this test case. */
static void print_golden(const struct check *check, const struct findings *findings)
{
    const struct golden_result *golden = findings->golden;

    test_report_about(check->report, findings->file, CASE_GOLDEN);
    findings_print_golden(findings, shows_findings(check), check->options->quiet);
    if (!golden->error && golden->verdict != GOLDEN_SAME) {
        char *verdict = findings_verdict(findings);

        test_report_add(check->report, findings->file, CASE_GOLDEN, CASE_PASSED, verdict);
        g_free(verdict);
    }
    test_report_about(check->report, NULL, CASE_GOLDEN);
}

static void print_json(const struct check *check)
{
    json_t *report = report_json("check");
    json_t *files = json_array();

    for (guint i = 0; i < check->files->len; i++)
        json_array_append_new(files, findings_json(g_ptr_array_index(check->files, i)));
    json_object_set_new(report, "files", files);
    json_object_set_new(report, "sessions", json_array());
    json_object_set_new(report, "status", json_integer(status_so_far()));
    report_print_json(report, check->sessions, &check->others);
}

/* Problems go to standard error, also with JSON. */
static void print_file(const struct check *check, const struct findings *findings)
{
    findings_print_problems(findings);
    if (shows_findings(check))
        findings_print(findings);
    if (findings->golden)
        print_golden(check, findings);
}

static void print_text(const struct check *check)
{
    for (guint i = 0; i < check->files->len; i++)
        print_file(check, g_ptr_array_index(check->files, i));
}

static void report_junit(const struct check *check)
{
    const char *path = check_options.junit;
    char *error = path ? junit_write(check->report, path) : NULL;

    if (error)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = path}, "%s", error);
    g_free(error);
}

static void skip_rebuilding(const struct check *check)
{
    for (guint i = 0; i < check->files->len; i++) {
        const struct findings *findings = g_ptr_array_index(check->files, i);

        if (!findings->demos)
            test_report_add(check->report, findings->file, CASE_REBUILD, CASE_SKIPPED,
                            "there is nothing to rebuild");
    }
}

static void report_cases(const struct check *check)
{
    skip_rebuilding(check);
    if (check_options.tap)
        tap_print(check->report, stdout);
    report_junit(check);
}

/*
 * If a folder was given, all of it is checked: a golden without an input is a failure. If files
 * were given, others may be left out on purpose; with one file, nothing is reported.
 */
static void report_orphans(const struct check *check)
{
    const struct options *options = check->options;
    GPtrArray *orphans;

    if (!options->any_folder && g_strv_length(options->files) < 2)
        return;
    orphans = golden_orphans(check_options.golden.folder, options->files);
    for (guint i = 0; i < orphans->len; i++) {
        const struct qs_location at = {.file = g_ptr_array_index(orphans, i)};
        static const char text[] = "a golden of no input that was given";

        if (options->any_folder)
            failure(EXIT_PROBLEMS, at, "%s", text);
        else
            message(at, "%s", text);
    }
    g_ptr_array_free(orphans, TRUE);
}

/* --- The end --------------------------------------------------------------------------------- */

static void check_end(struct action *action, bool report)
{
    struct check *check = (struct check *)action;

    if (check->golden)
        report_orphans(check);
    print_text(check);
    if (check->report) {
        report_cases(check);
        test_report_free(check->report);
    }
    if (report && check->options->json)
        print_json(check);
    if (check->golden)
        golden_check_free(check->golden);
    qs_secret_guard_clear(&check->guard);
    rows_free(check->sessions);
    g_ptr_array_free(check->files, TRUE);
    g_ptr_array_free(check->packet, TRUE);
    g_free(check);
}

static void prepare_tests(struct check *check)
{
    const bool wanted[CASE_KINDS] = {[CASE_DECODE] = true,
                                     [CASE_GOLDEN] = check_options.golden.folder != NULL,
                                     [CASE_REBUILD] = !check_options.no_rebuild};

    check->action.separate_inputs = check_options_separate_inputs();
    if (check_options.golden.folder) {
        check->golden = golden_check_new(&check_options.golden);
        multi_sink_init(&check->sinks, &check->base, golden_check_sink(check->golden));
        check->action.handler.sink = &check->sinks.base;
        check->action.handler.guard = &check->guard.base;
    }
    if (check_options.tap || check_options.junit)
        check->report = test_report_new(wanted);
}

static struct action *create(const struct options *options)
{
    struct check *check = g_new0(struct check, 1);

    check->base = (struct qs_sink){.field = sink_field, .note = sink_note};
    check->action = (struct action){.handler.sink = &check->base,
                                    .handler.as_captured = check_options.golden.folder != NULL,
                                    .handler.want_rebuild = !check_options.no_rebuild,
                                    .input_start = check_input_start,
                                    .handler.packet = check_packet,
                                    .handler.session_end = check_session,
                                    .handler.others = check_others,
                                    .input_over = check_input_over,
                                    .end = check_end};
    check->options = options;
    qs_secret_guard_init(&check->guard, !options->show_secrets);
    check->files = g_ptr_array_new_with_free_func(findings_free);
    check->packet = g_ptr_array_new_with_free_func(problem_free);
    check->sessions = rows_new();
    prepare_tests(check);
    return &check->action;
}

const struct action_kind check_action = {
    .name = "check",
    .letter = 'c',
    .help = "Check that everything can be decoded and rebuilt",
    .json = true,
    .entries = check_entries,
    .is_implied = true,
    .parse_options = check_options_parse,
    .create = create,
};
