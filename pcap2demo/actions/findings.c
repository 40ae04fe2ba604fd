/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/findings.h"

#include "pcap2demo/output/message.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/core/plural.h"
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
            print_line("  %s%s: %" PRIu64 "", qs_note_kinds[i].suffix,
                       qs_note_kinds[i].problem ? "" : " (no problem)", findings->notes[i]);
}

/* --- Goldens --------------------------------------------------------------------------------- */

static void append_change(GString *text, const struct difference *difference)
{
    if (difference->was)
        g_string_append_printf(text, "was %s, ", difference->was);
    else
        g_string_append(text, "was not there, ");
    if (difference->is)
        g_string_append_printf(text, "is %s", difference->is);
    else
        g_string_append(text, "is not there");
    if (difference->has_was && difference->has_is &&
        difference->was_packet != difference->is_packet)
        g_string_append_printf(text, " (%" PRIu64 " in the golden)", difference->was_packet);
}

/* "offset 42: qw.svc_damage: qw.damage.health: was 10, is 12". New. */
static char *difference_text(const struct difference *difference)
{
    GString *text = g_string_new(NULL);

    if (difference->message || difference->field)
        g_string_append_printf(text, "offset %" PRIu32 ": ", difference->offset);
    if (difference->message)
        g_string_append_printf(text, "%s: ", difference->message);
    if (difference->field)
        g_string_append_printf(text, "%s: ", difference->field);
    append_change(text, difference);
    return g_string_free(text, FALSE);
}

/* New fields are no failure, nor is what an update takes in. */
static bool is_taken_in(const struct golden_result *golden)
{
    return golden->verdict == GOLDEN_NEW_FIELDS || golden->verdict == GOLDEN_WRITTEN;
}

static void print_difference(const struct findings *findings, const struct difference *difference)
{
    const struct qs_location location = {.file = findings->file,
                                         .packet = difference->has_is ? difference->is_packet
                                                                      : difference->was_packet,
                                         .block = findings->demo};
    char *text = difference_text(difference);

    if (is_taken_in(findings->golden))
        message(location, "%s", text);
    else
        failure(EXIT_PROBLEMS, location, "%s", text);
    g_free(text);
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

static void print_more(const struct findings *findings)
{
    const struct golden_result *golden = findings->golden;
    const uint64_t more = golden->count - golden->differences->len;
    const struct qs_location location = {.file = findings->file};

    if (more && is_taken_in(golden))
        message(location, "and %" PRIu64 " more difference%s from %s", more, qs_plural(more),
                golden->path);
    else if (more)
        failure(EXIT_PROBLEMS, location, "and %" PRIu64 " more difference%s from %s", more,
                qs_plural(more), golden->path);
}

/* What is wrong is printed even where only that is wanted. */
static void print_differences(const struct findings *findings, bool quiet)
{
    const struct golden_result *golden = findings->golden;

    if (!golden->differences || (is_taken_in(golden) && quiet))
        return;
    for (guint i = 0; i < golden->differences->len; i++)
        print_difference(findings, g_ptr_array_index(golden->differences, i));
    print_more(findings);
}

/* A golden is kept where others read it, and its capture beside it. */
static void warn_of_secrets(const struct findings *findings)
{
    if (findings->secrets)
        message((struct qs_location){.file = findings->file},
                "holds %" PRIu64 " password%s: --anonymize makes a copy without", findings->secrets,
                qs_plural(findings->secrets));
}

void findings_print_golden(const struct findings *findings, bool show, bool quiet)
{
    char *verdict = findings_verdict(findings);

    print_differences(findings, quiet);
    warn_of_secrets(findings);
    if (findings->golden->error)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = findings->golden->path}, "%s",
                findings->golden->error);
    else if (show)
        print_styled(findings->golden->verdict == GOLDEN_DIFFERENT ? STYLE_BAD : STYLE_GOOD, "  %s",
                     verdict);
    g_free(verdict);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static json_t *packet_json(bool there, uint64_t packet)
{
    return there ? json_integer((json_int_t)packet) : json_null();
}

static json_t *difference_json(const struct difference *difference)
{
    json_t *json = json_object();

    json_object_set_new(json, "packet", packet_json(difference->has_is, difference->is_packet));
    json_object_set_new(json, "golden_packet",
                        packet_json(difference->has_was, difference->was_packet));
    json_object_set_new(json, "offset", json_integer(difference->offset));
    json_object_set_new(json, "message", report_text_json(difference->message));
    json_object_set_new(json, "field", report_text_json(difference->field));
    json_object_set_new(json, "was", report_text_json(difference->was));
    json_object_set_new(json, "is", report_text_json(difference->is));
    return json;
}

static json_t *golden_json(const struct golden_result *golden)
{
    json_t *json = json_object(), *differences = json_array();

    for (guint i = 0; golden->differences && i < golden->differences->len; i++)
        json_array_append_new(differences,
                              difference_json(g_ptr_array_index(golden->differences, i)));
    json_object_set_new(json, "file", report_text_json(golden->path));
    json_object_set_new(json, "verdict", json_string(golden_verdict_name(golden->verdict)));
    json_object_set_new(json, "packets", json_integer((json_int_t)golden->packets));
    json_object_set_new(json, "difference_count", json_integer((json_int_t)golden->count));
    json_object_set_new(json, "differences", differences);
    json_object_set_new(json, "error", report_text_json(golden->error));
    return json;
}

static json_t *problems_json(const struct findings *findings)
{
    json_t *problems = json_array();

    for (guint i = 0; i < findings->problems->len; i++) {
        const struct finding *problem = g_ptr_array_index(findings->problems, i);
        json_t *json = json_object();

        json_object_set_new(json, "packet", json_integer((json_int_t)problem->packet));
        json_object_set_new(json, "offset", json_integer(problem->offset));
        json_object_set_new(json, "protocol", json_string(problem->protocol->name));
        json_object_set_new(json, "text", report_text_json(problem->text));
        json_array_append_new(problems, json);
    }
    return problems;
}

json_t *findings_json(const struct findings *findings)
{
    json_t *json = json_object();
    json_t *notes = json_object();

    for (int i = 0; i < QS_NOTE_KINDS; i++)
        if (findings->notes[i])
            json_object_set_new(notes, qs_note_kinds[i].suffix,
                                json_integer((json_int_t)findings->notes[i]));
    json_object_set_new(json, "file", report_text_json(findings->file));
    json_object_set_new(json, "frames", json_integer((json_int_t)findings->frames));
    json_object_set_new(json, "packets", json_integer((json_int_t)findings->packets));
    json_object_set_new(json, "undecoded_bytes", json_integer((json_int_t)findings->undecoded));
    json_object_set_new(json, "notes", notes);
    if (findings->golden)
        json_object_set_new(json, "secrets", json_integer((json_int_t)findings->secrets));
    json_object_set_new(json, "problem_count", json_integer((json_int_t)findings->problem_count));
    json_object_set_new(json, "problems", problems_json(findings));
    if (findings->golden)
        json_object_set_new(json, "golden", golden_json(findings->golden));
    return json;
}
