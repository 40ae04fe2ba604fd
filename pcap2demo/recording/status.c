/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "common/core/numeric_text.h"
#include "common/dump/dump.h"
#include "common/protocols.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/output/files.h"
#include "pcap2demo/recording/recording.h"

/* --- Rows of sessions (--status) ------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));

    return text ? text : "?";
}

enum { FIGURE = 16, PROBLEMS_SHOWN = 3 };

/* Returns a number such as "12.3", or "-" if it is unknown. */
static const char *figure_text(char text[FIGURE], const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);

    if (!json_is_number(value))
        return "-";
    g_snprintf(text, FIGURE, "%.1f", json_number_value(value));
    return text;
}

/* Returns a row of --status for a session's JSON with "bytes". The caller frees it. */
static char *session_row(const json_t *session)
{
    const json_t *line = json_object_get(session, "line"), *maps = json_object_get(session, "maps");
    const json_t *map = json_array_get(maps, json_array_size(maps) - 1);
    char up[FIGURE], down[FIGURE], ping[FIGURE];

    return g_strdup_printf(
        "%-24s %-11s %-12s %6.0f s %9" G_GINT64_FORMAT " %6s %6s %7s %9" G_GINT64_FORMAT "%s",
        text_of(session, "player"), text_of(session, "title"), map ? json_string_value(map) : "?",
        json_number_value(json_object_get(session, "duration")),
        (gint64)json_integer_value(json_object_get(session, "packets")),
        figure_text(up, json_object_get(line, "c2s"), "loss"),
        figure_text(down, json_object_get(line, "s2c"), "loss"), figure_text(ping, line, "ping"),
        (gint64)json_integer_value(json_object_get(session, "bytes")),
        json_is_true(json_object_get(session, "spectator")) ? "  spectator" : "");
}

/* Prints the first problems of a demo. */
static void print_problems(const json_t *problems)
{
    const size_t count = json_array_size(problems);

    for (size_t i = 0; i < MIN(count, PROBLEMS_SHOWN); i++)
        print_line("  %s", json_string_value(json_array_get(problems, i)));
    if (count > PROBLEMS_SHOWN)
        print_line("  and %zu more", count - PROBLEMS_SHOWN);
}

static void print_sessions(const json_t *sessions)
{
    const json_t *session;
    size_t i;

    json_array_foreach(sessions, i, session)
    {
        g_autofree char *row = session_row(session);

        print_line("%s", row);
        print_problems(json_object_get(session, "demo_problems"));
    }
}

static void print_status(const struct options *options)
{
    const bool ascii = !g_get_charset(NULL);
    const char *folder =
        options->files && options->files[0] ? options->files[0] : "/var/lib/pcap2demo";
    g_autofree char *path = g_build_filename(folder, STATUS_FILE, NULL);
    json_error_t error;
    json_t *status = json_load_file(path, 0, &error);
    const json_t *finished = json_object_get(status, "finished");

    if (!status)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = path}, "no status of a recorder: %s",
                g_file_test(path, G_FILE_TEST_EXISTS) ? error.text : "there is no such file");
    else
        print_line("%-24s %-11s %-12s %8s %9s %s %s %7s %9s", "player", "game", "map", "duration",
                   "packets", ascii ? "  up %" : "loss↑%", ascii ? "down %" : "loss↓%", "ping ms",
                   "bytes");
    print_sessions(json_object_get(status, "sessions"));
    if (json_array_size(finished))
        print_line("finished:");
    print_sessions(finished);
    if (status)
        print_line("%s: %s", text_of(status, "updated"), text_of(status, "message"));
    json_decref(status);
}

const struct action_kind status_action = {
    .option = {"status", .type = OPTION_ACTION,
               .help = "Print who plays, as the recorder of a FOLDER saw it last"},
    .task = TASK_RECORD,
    .print = print_status,
};

enum { FINISHED_MAX = 200 };

/* --- Counters -------------------------------------------------------------------------------- */

static const char *const counters[] = {[SESSIONS_ENDED] = "sessions_ended",
                                       [DEMOS_WRITTEN] = "demos",
                                       [DEMO_BYTES] = "demo_bytes",
                                       [LOST_DEMOS] = "lost_demos"};

/* Returns the sum over all games. */
static uint64_t sum_of(const struct status *status, enum status_counter counter)
{
    uint64_t sum = 0;

    for (int game = 0; qs_protocols[game]; game++)
        sum += status->games[game][counter];
    return sum;
}

/* Adds to a counter of the session's game. */
static void count(struct status *status, const struct qs_client_session *session,
                  enum status_counter counter, uint64_t more)
{
    status->games[qs_protocol_number(session->protocol->name)][counter] += more;
}

void status_init(struct status *status)
{
    *status = (struct status){.sessions = g_ptr_array_new()};
}

void status_clear(struct status *status)
{
    while (status->finished.length)
        json_decref(g_queue_pop_head(&status->finished));
    g_ptr_array_free(status->sessions, TRUE);
}

/* Returns the number of open sessions of a protocol, or of all (NULL). `players`: counts only known
 * players who do not watch. */
static guint count_sessions(const struct status *status, bool players,
                            const struct qs_protocol *protocol)
{
    guint number = 0;

    for (guint i = 0; i < status->sessions->len; i++) {
        const struct qs_client_session *session = g_ptr_array_index(status->sessions, i);

        number += (!players || (session->player && !session->spectator)) &&
                  (!protocol || session->protocol == protocol);
    }
    return number;
}

/* Returns a time such as "2026-11-20 15:54:01", or "-" for 0. The caller frees it. */
static char *time_text(int64_t time)
{
    g_autoptr(GDateTime) date = time ? g_date_time_new_from_unix_utc(time / 1000000000) : NULL;

    return date ? g_date_time_format(date, "%Y-%m-%d %H:%M:%S") : g_strdup("-");
}

char *status_text(const struct status *status)
{
    const guint sessions = status->sessions->len, players = count_sessions(status, true, NULL);
    const uint64_t demos = sum_of(status, DEMOS_WRITTEN), lost = sum_of(status, LOST_DEMOS);
    g_autofree char *from = time_text(status->from), *until = time_text(status->until);
    GString *text = g_string_new(NULL);

    g_string_printf(text, "%u session%s, %u player%s, %" G_GUINT64_FORMAT " demo%s", sessions,
                    qs_plural(sessions), players, qs_plural(players), demos, qs_plural(demos));
    if (demos)
        g_string_append_printf(text, " (%.1f MB)", (double)sum_of(status, DEMO_BYTES) / 1e6);
    g_string_append_printf(text, ", %" G_GUINT64_FORMAT " packets, dropped ", status->packets);
    if (status->drops_known)
        g_string_append_printf(text, "%" G_GUINT64_FORMAT, status->dropped);
    else
        g_string_append_c(text, '-');
    g_string_append_printf(text, ", ring from %s to %s", from, until);
    if (lost)
        g_string_append_printf(text, ", %" G_GUINT64_FORMAT " demo%s not written", lost,
                               qs_plural(lost));
    if (status->no_room)
        g_string_append(text, ", too little disk space for new demos (--min-free)");
    return g_string_free(text, FALSE);
}

/* Returns the status as members of an event. */
static json_t *status_json(const struct status *status)
{
    json_t *object = json_pack("{s:I, s:I, s:o, s:o, s:f, s:f, s:b}", "sessions",
                               (json_int_t)status->sessions->len, "players",
                               (json_int_t)count_sessions(status, true, NULL), "packets",
                               report_number(status->packets), "dropped",
                               status->drops_known ? report_number(status->dropped) : json_null(),
                               "ring_from", (double)status->from / 1e9, "ring_until",
                               (double)status->until / 1e9, "no_room", status->no_room);

    for (enum status_counter i = 0; i < STATUS_COUNTERS; i++)
        json_object_set_new(object, counters[i], report_number(sum_of(status, i)));
    return object;
}

/* --- Files ----------------------------------------------------------------------------------- */

/* Appends an object, and frees it. */
static void append_json(GString *text, json_t *object)
{
    char *json = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));

    g_string_append(text, json);
    json_decref(object);
    free(json);
}

static json_t *problems_json(const struct qs_session_demo *demo)
{
    json_t *array = json_array();

    for (guint i = 0; i < demo->problems.kinds->len; i++) {
        g_autofree char *text =
            qs_session_demo_problem_text(demo, g_ptr_array_index(demo->problems.kinds, i));

        json_array_append_new(array, report_text_json(text));
    }
    return array;
}

/* Returns a session as in --list --json, with the size of its demo so far, and with the problems of
 * the demo as texts. */
static json_t *session_json(const struct qs_client_session *session)
{
    json_t *object = report_session_json(session);

    json_object_set_new(object, "bytes", report_number(session->demo ? session->demo->size : 0));
    if (session->demo && session->demo->problems.count)
        json_object_set_new(object, "demo_problems", problems_json(session->demo));
    return object;
}

/* Writes the status file, one session at a time: there may be thousands. */
static char *write_status(const struct status *status, const char *folder)
{
    g_autofree char *time = log_time(), *message = status_text(status),
                    *path = g_build_filename(folder, STATUS_FILE, NULL);
    char *error;
    json_t *object = report_json("status"), *numbers = status_json(status);
    GString *text = g_string_new(NULL);

    json_object_update(object, numbers);
    json_object_del(object, "sessions"); /* their number: the array below has this name */
    json_object_set_new(object, "updated", json_string(time));
    json_object_set_new(object, "message", json_string(message));
    append_json(text, object);
    g_string_truncate(text, text->len - 1); /* the closing brace */
    g_string_append(text, ",\"sessions\":[");
    for (guint i = 0; i < status->sessions->len; i++) {
        g_string_append(text, i ? ",\n" : "\n");
        append_json(text, session_json(g_ptr_array_index(status->sessions, i)));
    }
    g_string_append(text, "],\"finished\":[");
    for (const GList *link = status->finished.head; link; link = link->next) {
        g_string_append(text, link->prev ? ",\n" : "\n");
        append_json(text, json_incref(link->data));
    }
    g_string_append(text, "]}\n");
    error = writer_replace(path, text->str);
    json_decref(numbers);
    g_string_free(text, TRUE);
    return error;
}

/* Writes the metrics: all lines of a metric together, as the format requires. */
static char *write_metrics(const struct status *status, const char *path)
{
    GString *text = g_string_new(NULL);
    char *error;

    g_string_printf(text, "pcap2demo_packets_total %" G_GUINT64_FORMAT "\n", status->packets);
    if (status->drops_known)
        g_string_append_printf(text, "pcap2demo_dropped_total %" G_GUINT64_FORMAT "\n",
                               status->dropped);
    for (int game = 0; qs_protocols[game]; game++)
        g_string_append_printf(text, "pcap2demo_sessions{game=\"%s\"} %u\n",
                               qs_protocols[game]->name,
                               count_sessions(status, false, qs_protocols[game]));
    for (enum status_counter i = 0; i < STATUS_COUNTERS; i++)
        for (int game = 0; qs_protocols[game]; game++)
            g_string_append_printf(text, "pcap2demo_%s_total{game=\"%s\"} %" G_GUINT64_FORMAT "\n",
                                   counters[i], qs_protocols[game]->name, status->games[game][i]);
    error = writer_replace(path, text->str);
    g_string_free(text, TRUE);
    return error;
}

char *status_write(const struct status *status, const char *folder, const char *metrics)
{
    char *error = write_status(status, folder);

    return error || !metrics ? error : write_metrics(status, metrics);
}

void status_log(const struct status *status)
{
    g_autofree char *text = status_text(status);

    log_event(LOG_WARNING, "status", status_json(status), "status: %s", text);
    for (guint i = 0; i < status->sessions->len; i++) {
        json_t *session = session_json(g_ptr_array_index(status->sessions, i));
        g_autofree char *row = session_row(session);

        log_event(LOG_WARNING, "player", session, "%s", row);
    }
}

/* --- Events ---------------------------------------------------------------------------------- */

struct recording_action {
    struct action action;
    struct status *status;
};

static const char *player_name(const struct qs_client_session *session)
{
    return session->player ? session->player : "an unnamed player";
}

/* Returns an event's members if the log is JSON; else NULL, because building them is slow. */
static json_t *members_of(const struct qs_client_session *session)
{
    return log_is_json() ? session_json(session) : NULL;
}

static void on_session_begin(struct qs_sessions_handler *handler,
                             const struct qs_client_session *session)
{
    const struct recording_action *recorder = (const struct recording_action *)handler;
    g_autofree char *client = qs_address_text(&session->client),
                    *server = qs_address_text(&session->server);

    g_ptr_array_add(recorder->status->sessions, (gpointer)session);
    log_event(LOG_INFO, "session_begin", members_of(session),
              "session %u begins: %s, client %s, server %s", session->number,
              session->protocol->title, client, server);
}

static void on_session_late(struct qs_sessions_handler *handler,
                            const struct qs_client_session *session)
{
    (void)handler;
    log_event(LOG_INFO, "session_late", members_of(session),
              "session %u began before the capture: its demo is written at its end, from its next "
              "level on, or from here if another session has the sign-on",
              session->number);
}

static void on_session_map(struct qs_sessions_handler *handler,
                           const struct qs_client_session *session)
{
    const struct recording_action *recorder = (const struct recording_action *)handler;

    if (recorder->action.options->recorder.players_only && session->spectator && session->demo)
        session->demo->dropped = "its player is a spectator";
    log_event(LOG_INFO, "map", members_of(session), "session %u: %s %s %s", session->number,
              player_name(session), session->spectator ? "watches" : "plays", session->map);
}

static void on_demo_file(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session,
                         const struct qs_session_demo_file *file)
{
    struct status *status = ((const struct recording_action *)handler)->status;

    if (file->unchanged)
        return;
    if (file->error) {
        count(status, session, LOST_DEMOS, 1);
        log_event(LOG_WARNING, "demo_lost", members_of(session),
                  "session %u, %s: the demo is not written: %s; the next start writes it if the "
                  "ring still holds it",
                  session->number, player_name(session), file->error);
        return;
    }
    count(status, session, DEMOS_WRITTEN, 1);
    count(status, session, DEMO_BYTES, file->size);
    log_event(LOG_INFO, "demo",
              json_pack("{s:o, s:i, s:o, s:o, s:o}", "file", report_text_json(file->name),
                        "session", (int)session->number, "player",
                        report_text_json(session->player), "map", report_text_json(file->map),
                        "bytes", report_number(file->size)),
              "%s: session %u, %s, %" G_GUINT64_FORMAT " bytes", file->name, session->number,
              player_name(session), file->size);
}

/* Reasons of a session's end, for JSON and for people. */
static const struct {
    const char *word, *text;
} ends[] = {
    [QS_SESSION_DISCONNECTED] = {"disconnected", "disconnected"},
    [QS_SESSION_REPLACED] = {"replaced", "reconnected"},
    [QS_SESSION_SILENT] = {"silent", "timed out or was evicted"},
    [QS_SESSION_INPUT_OVER] = {"recording_over", "is recorded up to here"},
};

static void on_session_end(struct qs_sessions_handler *handler,
                           const struct qs_client_session *session)
{
    const struct recording_action *recorder = (const struct recording_action *)handler;
    struct status *status = recorder->status;
    g_autofree char *duration = report_duration(session), *demo = report_demo(session),
                    *text = NULL;
    json_t *members = session_json(session);
    struct qs_path_quality line;

    if (!g_ptr_array_remove(status->sessions, (gpointer)session)) {
        json_decref(members);
        return;
    }
    count(status, session, SESSIONS_ENDED, 1);
    qs_path_quality(session->quality, &line);
    text = qs_path_text(&line, false);
    json_object_set_new(members, "why", json_string(ends[session->why].word));
    if (report_demo_files(session))
        g_queue_push_tail(&status->finished, json_incref(members));
    if (status->finished.length > FINISHED_MAX)
        json_decref(g_queue_pop_head(&status->finished));
    log_event(LOG_INFO, "session_end", members,
              "session %u ends: %s %s, %s, %" G_GUINT64_FORMAT " packets; demo: %s; %s",
              session->number, player_name(session), ends[session->why].text, duration,
              session->packets, demo, text);
    if (session->demo && session->demo->files->len)
        report_demo_problems(session);
}

static void on_session_left_out(struct qs_sessions_handler *handler,
                                const struct qs_client_session *session)
{
    g_ptr_array_remove(((const struct recording_action *)handler)->status->sessions,
                       (gpointer)session);
}

struct action *recording_action_new(const struct options *options, struct status *status)
{
    struct recording_action *recorder = g_new0(struct recording_action, 1);

    recorder->action = (struct action){.handler = {.want_figures = true,
                                                   .want_rebuild = true,
                                                   .write_demos = true,
                                                   .unchecked = true,
                                                   .session_begin = on_session_begin,
                                                   .session_late = on_session_late,
                                                   .session_map = on_session_map,
                                                   .demo_file = on_demo_file,
                                                   .session_end = on_session_end,
                                                   .session_left_out = on_session_left_out},
                                       .options = options};
    recorder->status = status;
    return &recorder->action;
}
