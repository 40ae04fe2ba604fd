/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "common/dump/dump.h"
#include "pcap2demo/config.h"

/* Returns a new text: the version without build numbers, and of its flags only the word "FTE". */
static char *short_version(const char *version)
{
    char **words = g_strsplit(version, " ", -1);
    GString *text = g_string_new(NULL);

    for (char **word = words; *word; word++) {
        const bool has_flags = word[1] && g_str_has_prefix(word[1], "0x");

        if (**word != '(' && !g_str_has_prefix(*word, "0x") &&
            (!has_flags || strcmp(*word, "FTE") == 0))
            g_string_append_printf(text, "%s%s", text->len ? " " : "", *word);
    }
    g_strfreev(words);
    return g_string_free(text, FALSE);
}

static char *game_text(const struct qs_client_session *session, const char *title, bool flags)
{
    const char *version = session->version ? session->version : "?";
    char *shorter = flags ? g_strdup(version) : short_version(version);
    char *text = g_strdup_printf("%s %s", title, shorter);

    g_free(shorter);
    return text;
}

char *report_game(const struct qs_client_session *session)
{
    return game_text(session, session->protocol->title, false);
}

char *report_short_game(const struct qs_client_session *session, bool flags)
{
    const struct qs_protocol *protocol = session->protocol;

    /* "Quake" is as short as "NQ", and players use that name. */
    return game_text(session, strlen(protocol->title) < 6 ? protocol->title : protocol->short_name,
                     flags);
}

char *report_maps(const struct qs_client_session *session)
{
    GString *maps = g_string_new(session->maps->len ? NULL : "?");

    for (guint i = 0; i < session->maps->len; i++)
        g_string_append_printf(maps, "%s%s", i ? ", " : "",
                               (const char *)g_ptr_array_index(session->maps, i));
    return g_string_free(maps, FALSE);
}

int64_t report_start(const struct qs_client_session *session)
{
    return session->recorded ? session->state.demo_start : session->start;
}

char *report_duration(const struct qs_client_session *session)
{
    return qs_duration_text(qs_seconds_of(session->end - session->start));
}

/* --- Demo of a session ----------------------------------------------------------------------- */

static bool nothing_rebuilt(const struct qs_client_session *session)
{
    return session->demo->files->len == 0;
}

static uint64_t problem_total(const struct qs_client_session *session)
{
    return session->demo->problems.count;
}

/* Returns why the session has no demo. The caller frees the text. */
static char *why_nothing(const struct qs_client_session *session)
{
    const GPtrArray *problems = session->demo->problems.kinds;
    const char *why = session->demo->lacks;

    for (guint i = 0; !why && i < problems->len; i++) {
        const struct qs_session_demo_problem *problem = g_ptr_array_index(problems, i);

        why = g_str_has_prefix(problem->kind, "hole") ? NULL : problem->text;
    }
    why = why ? why : session->demo->dropped;
    why = why ? why : "there is no game in it";
    return g_strconcat(g_str_has_prefix(why, "no demo: ") ? "" : "no demo: ", why, NULL);
}

guint report_demo_files(const struct qs_client_session *session)
{
    guint written = 0;

    for (guint i = 0; session->demo && i < session->demo->files->len; i++) {
        const struct qs_session_demo_file *file = g_ptr_array_index(session->demo->files, i);

        written += file->error == NULL;
    }
    return written;
}

char *report_demo(const struct qs_client_session *session)
{
    GString *text;
    guint files;

    if (session->recorded)
        return g_strdup(session->format->extension);
    if (!session->demo)
        return g_strdup(session->format ? "cannot be rebuilt yet" : "has no demo format");
    if (nothing_rebuilt(session))
        return why_nothing(session);
    files = report_demo_files(session);
    if (!files)
        return g_strdup("no demo: it could not be written");
    text = g_string_new(NULL);
    if (files > 1)
        g_string_append_printf(text, "%u %s ", files, g_get_charset(NULL) ? "×" : "x");
    g_string_append(text, session->format->extension);
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

/* Returns a new text about a missing start: its donor, the demo's later start, or "no demo". */
static char *missing_start_text(const struct qs_client_session *session)
{
    const struct qs_donor_choice *donor = &session->demo->donor;
    const char *refusals = donor->refusals;

    if (donor->name)
        return g_strdup_printf("its sign-on is from %s%s%s", donor->name,
                               donor->unknown ? "; unknown: " : "",
                               donor->unknown ? donor->unknown : "");
    if (!nothing_rebuilt(session))
        return g_strdup_printf("the demo starts with %s%s%s",
                               session->maps->len
                                   ? (const char *)g_ptr_array_index(session->maps, 0)
                                   : "the next level",
                               refusals ? "; " : "", refusals ? refusals : "");
    return g_strdup_printf("no demo: retry with --sign-on DEMO of the same map%s%s%s",
                           refusals ? " (" : "", refusals ? refusals : "", refusals ? ")" : "");
}

char *report_sign_on(const struct qs_client_session *session)
{
    const struct qs_donor_choice *donor;

    if (!session->demo || !session->demo->lacks)
        return NULL;
    donor = &session->demo->donor;
    if (donor->name)
        return g_strdup_printf("%sfrom %s", donor->unproven ? "map unproven; " : "", donor->name);
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
    g_autofree char *text = qs_session_demo_problem_text(session->demo, problem);
    const struct qs_location location = {
        .file = problem->file ? problem->file : session->first.file, .session = session->number};

    failure(EXIT_PROBLEMS, location, "%s", text);
}

void report_demo_problems(const struct qs_client_session *session)
{
    const struct qs_session_problems *problems;

    if (!session->demo)
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

json_t *report_number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

json_t *report_array(const GPtrArray *items, report_item *item)
{
    json_t *array = json_array();

    for (guint i = 0; items && i < items->len; i++) {
        gconstpointer each = g_ptr_array_index(items, i);

        json_array_append_new(array, item ? item(each) : report_text_json(each));
    }
    return array;
}

static json_t *address_json(const struct qs_address *address)
{
    g_autofree char *text = address->family ? qs_address_text(address) : NULL;

    return report_text_json(text);
}

static json_t *packets_json(const GArray *packets)
{
    json_t *json = json_array();

    for (guint i = 0; i < packets->len; i++)
        json_array_append_new(json, report_number(g_array_index(packets, uint64_t, i)));
    return json;
}

static json_t *problem_json(gconstpointer item)
{
    const struct qs_session_demo_problem *problem = item;
    const uint64_t first = problem->packets->len ? g_array_index(problem->packets, uint64_t, 0) : 0;

    return json_pack(
        "{s:o, s:o, s:o, s:f, s:o, s:f, s:o, s:o, s:o, s:o}", "file",
        report_text_json(problem->file), "packet", report_number(first), "text",
        report_text_json(problem->text), "from", (double)problem->from.time / 1e9, "from_demo",
        report_number(problem->from.demo), "until", (double)problem->until.time / 1e9, "until_demo",
        report_number(problem->until.demo), "count", report_number(problem->count), "amount",
        report_number(problem->amount), "packets", packets_json(problem->packets));
}

/* Returns the donor of a missing sign-on as JSON; null if the capture has the sign-on. */
static json_t *sign_on_json(const struct qs_session_demo *demo)
{
    const struct qs_donor_choice *donor = &demo->donor;

    if (!demo->lacks)
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "donor", report_text_json(donor->name), "unknown",
                     report_text_json(donor->unknown), "refused",
                     report_text_json(donor->refusals));
}

static json_t *demo_json(const struct qs_client_session *session)
{
    const struct qs_session_demo *demo = session->demo;
    const struct qs_demo_counts *counts;

    if (!demo)
        return json_null();
    counts = &demo->writer.counts;
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format", session->format->extension,
        "files", report_number(demo->files->len), "blocks", report_number(counts->blocks),
        "stripped", report_number(counts->stripped), "repaired", report_number(counts->repaired),
        "missing", report_number(counts->missing), "lacks", report_text_json(demo->lacks),
        "sign_on", sign_on_json(demo), "problem_count", report_number(problem_total(session)),
        "problems", report_array(demo->problems.kinds, problem_json));
}

void report_append(json_t *object, const char *name, json_t *value)
{
    if (!json_object_get(object, name))
        json_object_set_new(object, name, json_array());
    json_array_append_new(json_object_get(object, name), value);
}

json_t *report_seconds_json(const struct qs_client_session *session, int64_t time)
{
    const int64_t milliseconds = (time - session->start) / 1000000;

    return json_real((double)milliseconds / 1e3);
}

json_t *report_figure_json(double value)
{
    return value < 0 ? json_null() : json_real(round(value * 1000) / 1000);
}

static json_t *direction_json(const struct qs_path_direction *direction)
{
    return json_pack(
        "{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "packets",
        report_number(direction->packets), "packets_at_most", direction->packets_are_limit, "loss",
        report_figure_json(direction->loss), "loss_at_most",
        report_figure_json(direction->loss_at_most), "late", report_number(direction->late),
        "duplicates", report_number(direction->duplicates), "burst",
        report_figure_json(direction->burst), "choke", report_figure_json(direction->choke),
        "throttle", report_figure_json(direction->throttle));
}

/* Returns the path quality as JSON, in milliseconds and percent. */
static json_t *path_json(const struct qs_path *path)
{
    struct qs_path_quality quality;

    qs_path_quality(path, &quality);
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "vantage",
        qs_vantage_name(quality.vantage), "c2s", direction_json(&quality.c2s), "s2c",
        direction_json(&quality.s2c), "round_trip_loss",
        report_figure_json(quality.round_trip_loss), "unanswered",
        report_figure_json(quality.unanswered), "ping", report_figure_json(quality.ping),
        "ping_p95", report_figure_json(quality.ping_p95), "ping_game",
        report_figure_json(quality.ping_game), "jitter", report_figure_json(quality.jitter),
        "not_captured", report_figure_json(quality.not_captured));
}

/* Returns the holes in the capture as JSON, in seconds since the session's first packet. */
static json_t *holes_json(const struct qs_client_session *session)
{
    const struct qs_session_holes *holes = &session->holes;
    json_t *first = json_array();

    for (uint32_t i = 0; i < MIN(holes->count, QS_SESSION_HOLES_MAX); i++) {
        const struct qs_hole *hole = &holes->first[i];

        json_array_append_new(first, json_pack("{s:f, s:f, s:o, s:o}", "from",
                                               (double)(hole->begin - session->start) / 1e9,
                                               "until", (double)(hole->end - session->start) / 1e9,
                                               "to_server", report_number(hole->packets[0]),
                                               "to_client", report_number(hole->packets[1])));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "count", report_number(holes->count), "to_server",
                     report_number(holes->packets[0]), "to_client",
                     report_number(holes->packets[1]), "first", first);
}

json_t *report_session_json(const struct qs_client_session *session)
{
    const struct qs_session *state = &session->state;
    g_auto(GStrv) names = qs_match_names(session->match);
    g_autofree char *score = qs_match_score_text(session->match);
    json_t *players = json_array();

    for (char **name = names; *name; name++)
        json_array_append_new(players, report_text_json(*name));
    return json_pack(
        "{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:{s:o}, "
        "s:o, s:o, s:o, s:b}",
        "number", report_number(session->number), "protocol", session->protocol->name, "title",
        session->protocol->title, "version", report_text_json(session->version), "client",
        address_json(&session->client), "server", address_json(&session->server), "maps",
        report_array(session->maps, NULL), "player", report_text_json(session->player), "players",
        players, "score", report_text_json(score), "file", report_text_json(session->first.file),
        "packet", report_number(session->first.packet), "start",
        session->recorded && !report_start(session)
            ? json_null()
            : json_real((double)report_start(session) / 1e9),
        "duration", (double)(session->end - session->start) / 1e9, "packets",
        report_number(session->packets), "problems", report_number(session->problems), "loss",
        "not_captured",
        report_number((uint64_t)state->to_server.not_captured + state->to_client.not_captured),
        "holes", holes_json(session), "line", path_json(session->quality), "demo",
        demo_json(session), "spectator", session->spectator);
}

json_t *report_json(const char *kind)
{
    return json_pack("{s:i, s:s, s:s}", "schema", REPORT_SCHEMA, "program",
                     "pcap2demo " QUAKESHARK_VERSION, "kind", kind);
}

/* --- Reports of many sessions ---------------------------------------------------------------- */

enum { JSON_FORM = JSON_INDENT(2) | JSON_REAL_PRECISION(17) };

/* Member for the sessions in a report's text. It is unique: JSON escapes quotes in strings. */
static const char sessions_member[] = "\n  \"sessions\": [";

void report_add_json(struct rows *rows, unsigned number, json_t *object)
{
    char *text = json_dumps(object, JSON_FORM);

    rows_add(rows, number, text, strlen(text));
    free(text);
    json_decref(object);
}

/* Prints a session as an array element. */
static void print_element(void *user, const char *text, gsize size)
{
    bool *any = user;

    (void)size;
    fputs(*any ? ",\n    " : "\n    ", stdout);
    *any = true;
    for (; *text; text++) {
        putchar(*text);
        if (*text == '\n')
            fputs("    ", stdout);
    }
}

void report_print_json(json_t *report, const struct action *action)
{
    bool any = false;
    char *text;
    const char *after;

    json_object_set_new(report, "others",
                        json_pack("{s:o, s:o}", "sessions", report_number(action->others.sessions),
                                  "packets", report_number(action->others.packets)));
    text = json_dumps(report, JSON_FORM);
    after = strstr(text, sessions_member) + strlen(sessions_member);
    fwrite(text, 1, (size_t)(after - text), stdout);
    rows_each(action->rows, print_element, &any);
    if (any)
        fputs("\n  ", stdout);
    fputs(after, stdout);
    fputc('\n', stdout);
    free(text);
    json_decref(report);
}

void report_print_others(const struct qs_small_sessions *others)
{
    g_autofree char *text = qs_small_sessions_text(others);

    if (others->sessions)
        print_line("%s", text);
}

void report_fail_others(const struct qs_small_sessions *others)
{
    g_autofree char *text = qs_small_sessions_text(others);

    failure(EXIT_PROBLEMS, (struct qs_location){0}, "%s", text);
}
