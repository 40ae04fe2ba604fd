/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "common/dump/dump.h"
#include "pcap2demo/config.h"

char *report_game(const struct qs_client_session *session)
{
    return g_strdup_printf("%s %s", session->protocol->title,
                           session->version ? session->version : "?");
}

char *report_maps(const struct qs_client_session *session)
{
    GString *maps = g_string_new(session->maps->len ? NULL : "?");

    for (guint i = 0; i < session->maps->len; i++)
        g_string_append_printf(maps, "%s%s", i ? ", " : "",
                               (const char *)g_ptr_array_index(session->maps, i));
    return g_string_free(maps, FALSE);
}

char *report_duration(const struct qs_client_session *session)
{
    return qs_duration_text(qs_seconds_of(session->end - session->start));
}

/* --- The demo -------------------------------------------------------------------------------- */

static bool nothing_rebuilt(const struct qs_client_session *session)
{
    return session->demo->files->len == 0;
}

static uint64_t problem_total(const struct qs_client_session *session)
{
    return session->demo->problems.count;
}

/* Why the session has no demo. */
static char *why_nothing(const struct qs_client_session *session)
{
    const GPtrArray *problems = session->demo->problems.kinds;
    const char *why = session->demo->lacks;

    if (!why && problems->len)
        why = ((const struct qs_session_demo_problem *)g_ptr_array_index(problems, 0))->text;
    return g_strdup_printf("nothing: %s", why ? why : "there is no game in it");
}

char *report_demo(const struct qs_client_session *session)
{
    GString *text;
    uint64_t blocks;
    guint files;

    if (session->recorded)
        return g_strdup_printf("%s, %" G_GUINT64_FORMAT " block%s", session->format->extension,
                               session->packets, qs_plural(session->packets));
    if (!session->demo)
        return g_strdup(session->format ? "cannot be rebuilt yet" : "has no demo format");
    if (session->same_as)
        return g_strdup_printf("the same as session %u", session->same_as);
    if (nothing_rebuilt(session))
        return why_nothing(session);
    text = g_string_new(NULL);
    files = session->demo->files->len;
    if (files > 1)
        g_string_append_printf(text, "%u × ", files);
    blocks = session->demo->writer.counts.blocks;
    g_string_append_printf(text, "%s, %" G_GUINT64_FORMAT " block%s", session->format->extension,
                           blocks, qs_plural(blocks));
    if (session->demo->lacks && !session->demo->donor.name)
        g_string_append_printf(text, ", %s", session->demo->lacks);
    if (problem_total(session))
        g_string_append_printf(text, ", %" G_GUINT64_FORMAT " problem%s", problem_total(session),
                               qs_plural(problem_total(session)));
    return g_string_free(text, FALSE);
}

struct qs_location report_location(const struct qs_client_session *session)
{
    struct qs_location location = session->first;

    location.session = session->number;
    return location;
}

/* What the demo of a session with a missing start begins with, or why there is none. New. */
static char *missing_start_text(const struct qs_client_session *session)
{
    const struct qs_session_demo_donor *donor = &session->demo->donor;
    const char *refusals = donor->refusals;

    if (donor->name)
        return g_strdup_printf("its sign-on is lent by %s%s%s", donor->name,
                               donor->unknown ? "; not known: " : "",
                               donor->unknown ? donor->unknown : "");
    if (!nothing_rebuilt(session))
        return g_strdup_printf("the demo starts with %s%s%s",
                               session->maps->len
                                   ? (const char *)g_ptr_array_index(session->maps, 0)
                                   : "the next level",
                               refusals ? "; " : "", refusals ? refusals : "");
    return g_strdup_printf("no demo: nothing lends it the level's sign-on%s%s%s",
                           refusals ? " (" : "", refusals ? refusals : "", refusals ? ")" : "");
}

char *report_sign_on(const struct qs_client_session *session)
{
    const struct qs_session_demo_donor *donor;

    if (!session->demo || !session->demo->lacks)
        return NULL;
    donor = &session->demo->donor;
    if (donor->name)
        return g_strdup_printf("%slent by %s", donor->unproven ? "map not proven; " : "",
                               donor->name);
    return g_strdup("missing");
}

static void report_missing_start(const struct qs_client_session *session)
{
    const char *lacks = session->demo->lacks;

    if (lacks) {
        char *text = missing_start_text(session);

        failure(EXIT_PROBLEMS, report_location(session), "its start is missing (%s); %s", lacks,
                text);
        g_free(text);
    } else if (nothing_rebuilt(session) && !problem_total(session) && !session->demo->dropped) {
        failure(EXIT_PROBLEMS, report_location(session), "nothing to make a demo of");
    }
}

static void report_problem(const struct qs_client_session *session,
                           const struct qs_session_demo_problem *problem)
{
    char *text = qs_session_demo_problem_text(problem);
    struct qs_location location = problem->location;

    location.session = session->number;
    failure(EXIT_PROBLEMS, location, "%s", text);
    g_free(text);
}

void report_demo_problems(const struct qs_client_session *session)
{
    const struct qs_session_problems *problems;

    if (!session->demo || session->same_as)
        return;
    report_missing_start(session);
    problems = &session->demo->problems;
    for (guint i = 0; i < problems->kinds->len; i++)
        report_problem(session, g_ptr_array_index(problems->kinds, i));
    if (problems->others)
        failure(EXIT_PROBLEMS,
                (struct qs_location){.file = session->first.file, .session = session->number},
                "and %" G_GUINT64_FORMAT " more problem%s", problems->others,
                qs_plural(problems->others));
}

/* --- JSON ------------------------------------------------------------------------------------ */

json_t *report_text_json(const char *text)
{
    char *clean;
    json_t *json;

    if (!text)
        return json_null();
    clean = qs_text_printable(text);
    json = json_string(clean);
    g_free(clean);
    return json;
}

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *address_json(const struct qs_address *address)
{
    GString *text;
    json_t *json;

    if (!address->family)
        return json_null();
    text = g_string_new(NULL);
    qs_address_append(text, address);
    json = json_string(text->str);
    g_string_free(text, TRUE);
    return json;
}

static json_t *maps_json(const struct qs_client_session *session)
{
    json_t *maps = json_array();

    for (guint i = 0; i < session->maps->len; i++)
        json_array_append_new(maps, report_text_json(g_ptr_array_index(session->maps, i)));
    return maps;
}

static json_t *loss_json(const struct qs_client_session *session)
{
    const struct qs_session_loss loss = qs_session_loss(&session->state);
    json_t *json = json_object();

    json_object_set_new(json, "gaps", number(loss.gaps));
    json_object_set_new(json, "missing", number(loss.missing));
    json_object_set_new(json, "not_captured", number(loss.not_captured));
    return json;
}

static json_t *packets_json(const GArray *packets)
{
    json_t *json = json_array();

    for (guint i = 0; i < packets->len; i++)
        json_array_append_new(json, number(g_array_index(packets, uint64_t, i)));
    return json;
}

static json_t *problems_json(const struct qs_session_demo *demo)
{
    const GPtrArray *problems = demo->problems.kinds;
    json_t *json = json_array();

    for (guint i = 0; i < problems->len; i++) {
        const struct qs_session_demo_problem *problem = g_ptr_array_index(problems, i);
        json_t *object = json_object();

        json_object_set_new(object, "file", report_text_json(problem->location.file));
        json_object_set_new(object, "packet", number(problem->location.packet));
        json_object_set_new(object, "text", report_text_json(problem->text));
        json_object_set_new(object, "count", number(problem->count));
        json_object_set_new(object, "packets", packets_json(problem->packets));
        json_array_append_new(json, object);
    }
    return json;
}

/* Null if the capture has the sign-on. */
static json_t *sign_on_json(const struct qs_session_demo *demo)
{
    const struct qs_session_demo_donor *donor = &demo->donor;
    json_t *json;

    if (!demo->lacks)
        return json_null();
    json = json_object();
    json_object_set_new(json, "lender", report_text_json(donor->name));
    json_object_set_new(json, "unknown", report_text_json(donor->unknown));
    json_object_set_new(json, "refused", report_text_json(donor->refusals));
    return json;
}

static json_t *demo_json(const struct qs_client_session *session)
{
    const struct qs_demo_counts *counts;
    json_t *json;

    if (!session->demo)
        return json_null();
    counts = &session->demo->writer.counts;
    json = json_object();
    json_object_set_new(json, "format", json_string(session->format->extension));
    json_object_set_new(json, "files", number(session->demo->files->len));
    json_object_set_new(json, "blocks", number(counts->blocks));
    json_object_set_new(json, "stripped", number(counts->stripped));
    json_object_set_new(json, "repaired", number(counts->repaired));
    json_object_set_new(json, "missing", number(counts->missing));
    json_object_set_new(json, "lacks", report_text_json(session->demo->lacks));
    json_object_set_new(json, "sign_on", sign_on_json(session->demo));
    json_object_set_new(json, "problem_count", number(problem_total(session)));
    json_object_set_new(json, "problems", problems_json(session->demo));
    return json;
}

json_t *report_session_json(const struct qs_client_session *session)
{
    json_t *json = json_object();

    json_object_set_new(json, "number", number(session->number));
    json_object_set_new(json, "protocol", json_string(session->protocol->name));
    json_object_set_new(json, "title", json_string(session->protocol->title));
    json_object_set_new(json, "version", report_text_json(session->version));
    json_object_set_new(json, "client", address_json(&session->client));
    json_object_set_new(json, "server", address_json(&session->server));
    json_object_set_new(json, "maps", maps_json(session));
    json_object_set_new(json, "player", report_text_json(session->player));
    json_object_set_new(json, "file", report_text_json(session->first.file));
    json_object_set_new(json, "packet", number(session->first.packet));
    json_object_set_new(json, "start", json_real((double)session->start / 1e9));
    json_object_set_new(json, "duration", json_real((double)(session->end - session->start) / 1e9));
    json_object_set_new(json, "packets", number(session->packets));
    json_object_set_new(json, "problems", number(session->problems));
    json_object_set_new(json, "loss", loss_json(session));
    json_object_set_new(json, "same_as", session->same_as ? number(session->same_as) : json_null());
    json_object_set_new(json, "demo", demo_json(session));
    return json;
}

json_t *report_json(const char *kind)
{
    json_t *report = json_object();

    json_object_set_new(report, "schema", json_integer(REPORT_SCHEMA));
    json_object_set_new(report, "program", json_string("pcap2demo " QUAKESHARK_VERSION));
    json_object_set_new(report, "kind", json_string(kind));
    return report;
}

/* --- Reports of many sessions ---------------------------------------------------------------- */

enum { JSON_FORM = JSON_INDENT(2) | JSON_REAL_PRECISION(17) };

/* The place for the sessions: JSON strings contain no bare quotes. */
static const char sessions_member[] = "\n  \"sessions\": [";

void report_add_json(struct rows *rows, unsigned number, json_t *object)
{
    char *text = json_dumps(object, JSON_FORM);

    rows_add(rows, number, text, strlen(text));
    free(text);
    json_decref(object);
}

/* Prints a session as an array element. */
static void print_element(void *user, uint64_t number, const char *text, gsize size)
{
    bool *any = user;

    (void)number, (void)size;
    fputs(*any ? ",\n    " : "\n    ", stdout);
    *any = true;
    for (; *text; text++) {
        putchar(*text);
        if (*text == '\n')
            fputs("    ", stdout);
    }
}

static void print_elements(struct rows *rows)
{
    bool any = false;

    rows_each(rows, print_element, &any);
    if (any)
        fputs("\n  ", stdout);
    report_rows_error(rows);
}

static json_t *others_json(const struct qs_small_sessions *others)
{
    json_t *json = json_object();

    json_object_set_new(json, "sessions", number(others->sessions));
    json_object_set_new(json, "packets", number(others->packets));
    return json;
}

void report_print_json(json_t *report, struct rows *sessions,
                       const struct qs_small_sessions *others)
{
    char *text;
    const char *after;

    json_object_set_new(report, "others", others_json(others));
    text = json_dumps(report, JSON_FORM);
    after = strstr(text, sessions_member) + strlen(sessions_member);
    fwrite(text, 1, (size_t)(after - text), stdout);
    print_elements(sessions);
    fputs(after, stdout);
    fputc('\n', stdout);
    free(text);
    json_decref(report);
}

void report_rows_error(const struct rows *rows)
{
    if (rows_error(rows))
        failure(EXIT_PROBLEMS, (struct qs_location){0}, "%s", rows_error(rows));
}

void report_add_others(struct qs_small_sessions *sum, const struct qs_small_sessions *others)
{
    sum->sessions += others->sessions;
    sum->packets += others->packets;
}

void report_print_others(const struct qs_small_sessions *others)
{
    char *text = qs_small_sessions_text(others);

    if (others->sessions)
        print_line("%s", text);
    g_free(text);
}

void report_fail_others(const struct qs_small_sessions *others)
{
    char *text = qs_small_sessions_text(others);

    failure(EXIT_PROBLEMS, (struct qs_location){0}, "%s", text);
    g_free(text);
}
