/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/findings.h"

#include "pcap2demo/output/message.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/actions/report.h"

void problem_free(gpointer data)
{
    struct finding *problem = data;

    g_free(problem->text);
    g_free(problem);
}

void findings_free(gpointer data)
{
    struct findings *findings = data;

    g_ptr_array_free(findings->problems, TRUE);
    if (findings->golden)
        golden_result_free(findings->golden);
    if (findings->expected)
        g_ptr_array_free(findings->expected, TRUE);
    g_free(findings);
}

struct findings *findings_new(const char *file)
{
    struct findings *findings = g_new0(struct findings, 1);

    findings->file = g_intern_string(file);
    findings->problems = g_ptr_array_new_with_free_func(problem_free);
    return findings;
}

/* --- Text ------------------------------------------------------------------------------------ */

void findings_print_problems(const struct findings *findings)
{
    for (guint i = 0; i < findings->problems->len; i++) {
        const struct finding *problem = g_ptr_array_index(findings->problems, i);

        failure(EXIT_PROBLEMS,
                (struct qs_location){
                    .file = findings->file, .packet = problem->packet, .block = findings->demo},
                "offset %" PRIu32 ": %s: %s", problem->offset, problem->protocol->short_name,
                problem->text);
    }
    if (findings->problem_count > findings->problems->len)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = findings->file}, "and %" PRIu64 " more",
                findings->problem_count - findings->problems->len);
}

void findings_print(const struct findings *findings)
{
    if (findings->demo)
        print_line("%s: %" PRIu64 " block%s, %" PRIu64 " byte%s undecoded", findings->file,
                   findings->frames, qs_plural(findings->frames), findings->undecoded,
                   qs_plural(findings->undecoded));
    else
        print_line("%s: %" PRIu64 " packet%s, %" PRIu64 " of a known game, %" PRIu64
                   " byte%s undecoded",
                   findings->file, findings->frames, qs_plural(findings->frames), findings->packets,
                   findings->undecoded, qs_plural(findings->undecoded));
    for (int i = 0; i < QS_NOTE_KINDS; i++)
        if (findings->notes[i])
            print_line("  %s%s: %" PRIu64,
                       qs_note_kinds[i].problem ? "" : "note: ", qs_note_kinds[i].suffix,
                       findings->notes[i]);
}

/* --- Goldens --------------------------------------------------------------------------------- */

static void print_difference(const struct findings *findings,
                             const struct golden_difference *difference)
{
    const struct qs_location at = {
        .file = findings->file, .packet = difference->packet, .block = findings->demo};
    const struct qs_location lines = {.file = findings->file};

    failure(EXIT_PROBLEMS, at, "differs from %s", findings->golden->path);
    for (guint i = 0; i < difference->lines->len; i++) {
        const char *line = g_ptr_array_index(difference->lines, i);

        failure_detail(lines, *line == '-' ? STYLE_BAD : STYLE_GOOD, line);
    }
    if (difference->more) {
        char *more =
            g_strdup_printf("and %u more line%s", difference->more, qs_plural(difference->more));

        failure_detail(lines, STYLE_PLAIN, more);
        g_free(more);
    }
}

char *findings_verdict(const struct findings *findings)
{
    const struct golden_result *golden = findings->golden;
    const char *verdict = golden_verdict_name(golden->verdict);

    if (golden->count)
        return g_strdup_printf("%s: %s, %" PRIu64 " difference%s in %" PRIu64 " packet%s",
                               golden->path, verdict, golden->count, qs_plural(golden->count),
                               golden->packets, qs_plural(golden->packets));
    return g_strdup_printf("%s: %s, %" PRIu64 " packet%s", golden->path, verdict, golden->packets,
                           qs_plural(golden->packets));
}

static void print_differences(const struct findings *findings)
{
    const struct golden_result *golden = findings->golden;
    const uint64_t more = golden->differences ? golden->count - golden->differences->len : 0;

    for (guint i = 0; golden->differences && i < golden->differences->len; i++)
        print_difference(findings, g_ptr_array_index(golden->differences, i));
    if (more)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = findings->file},
                "and %" PRIu64 " more difference%s from %s", more, qs_plural(more), golden->path);
}

void findings_print_golden(const struct findings *findings, bool show)
{
    g_autofree char *verdict = findings_verdict(findings);

    print_differences(findings);
    if (findings->secrets) /* goldens are usually shared together with their captures */
        message((struct qs_location){.file = findings->file},
                "contains %" PRIu64 " password%s; --anonymize makes a copy without passwords",
                findings->secrets, qs_plural(findings->secrets));
    if (findings->golden->error)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = findings->golden->path}, "%s",
                findings->golden->error);
    else if (show)
        print_styled(findings->golden->verdict == GOLDEN_DIFFERENT ? STYLE_BAD : STYLE_GOOD, "  %s",
                     verdict);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static json_t *packet_json(uint64_t packet)
{
    return packet ? json_integer((json_int_t)packet) : json_null();
}

static json_t *difference_json(gconstpointer item)
{
    const struct golden_difference *difference = item;

    return json_pack("{s:o, s:o, s:o}", "packet", packet_json(difference->packet), "lines",
                     report_array(difference->lines, NULL), "more_lines",
                     report_number(difference->more));
}

static json_t *golden_json(const struct golden_result *golden)
{
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "file", report_text_json(golden->path),
                     "verdict", golden_verdict_name(golden->verdict), "packets",
                     report_number(golden->packets), "difference_count",
                     report_number(golden->count), "differences",
                     report_array(golden->differences, difference_json), "error",
                     report_text_json(golden->error));
}

static json_t *problem_json(gconstpointer item)
{
    const struct finding *problem = item;

    return json_pack("{s:o, s:o, s:s, s:o}", "packet", report_number(problem->packet), "offset",
                     report_number(problem->offset), "protocol", problem->protocol->name, "text",
                     report_text_json(problem->text));
}

static json_t *expected_json(gconstpointer item)
{
    const struct expect_finding *finding = item;

    return json_pack("{s:o, s:o, s:b, s:o}", "name", report_text_json(finding->name), "session",
                     packet_json(finding->session), "failed", finding->failed, "text",
                     report_text_json(finding->text));
}

json_t *findings_json(gconstpointer item)
{
    const struct findings *findings = item;
    const struct golden_result *golden = findings->golden;
    json_t *notes = json_object();

    for (int i = 0; i < QS_NOTE_KINDS; i++)
        if (findings->notes[i])
            json_object_set_new(notes, qs_note_kinds[i].suffix, report_number(findings->notes[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o*, s:o, s:o, s:o*, s:o*}", "file",
                     report_text_json(findings->file), "frames", report_number(findings->frames),
                     "packets", report_number(findings->packets), "undecoded_bytes",
                     report_number(findings->undecoded), "notes", notes, "secrets",
                     golden ? report_number(findings->secrets) : NULL, "problem_count",
                     report_number(findings->problem_count), "problems",
                     report_array(findings->problems, problem_json), "golden",
                     golden ? golden_json(golden) : NULL, "expectations",
                     findings->expected ? report_array(findings->expected, expected_json) : NULL);
}
