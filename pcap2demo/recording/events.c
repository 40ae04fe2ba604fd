/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/status.h"

#include "common/core/numeric_text.h"
#include "common/dump/dump.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/recording/log.h"
#include "pcap2demo/recording/options.h"

struct recording_action {
    struct action action;
    struct status *status;
};

static const char *player_name(const struct qs_client_session *session)
{
    return session->player ? session->player : "an unnamed player";
}

/* By --players-only. */
static bool is_left_out(const struct qs_client_session *session)
{
    return recorder_options.players_only && session->spectator;
}

/* --- Events ---------------------------------------------------------------------------------- */

/* The event's members; NULL: the log is text. Making them takes longer than a hundred packets. */
static json_t *members_of(const struct qs_client_session *session)
{
    return recorder_options.json ? status_session_json(session) : NULL;
}

static void on_session_begin(struct qs_sessions_handler *handler,
                             const struct qs_client_session *session)
{
    const struct recording_action *recorder = (const struct recording_action *)handler;
    GString *ends = g_string_new("client ");

    qs_address_append(ends, &session->client);
    g_string_append(ends, ", server ");
    qs_address_append(ends, &session->server);
    g_ptr_array_add(recorder->status->sessions, (gpointer)session);
    log_event(LOG_INFO, "session_begin", members_of(session), "session %u begins: %s, %s",
              session->number, session->protocol->title, ends->str);
    g_string_free(ends, TRUE);
}

static void on_session_late(struct qs_sessions_handler *handler,
                            const struct qs_client_session *session)
{
    (void)handler;
    log_event(LOG_INFO, "session_late", members_of(session),
              "session %u began before the recording: its demo is written at its end, from its "
              "next level on, or from here if another session has the sign-on",
              session->number);
}

static void on_session_map(struct qs_sessions_handler *handler,
                           const struct qs_client_session *session)
{
    (void)handler;
    if (is_left_out(session) && session->demo)
        session->demo->dropped = "its player is a spectator";
    log_event(LOG_INFO, "map", members_of(session), "session %u: %s %s %s", session->number,
              player_name(session), session->spectator ? "watches" : "plays", session->map);
}

/* By enum qs_session_end: for JSON, and for people. */
static const struct {
    const char *word, *text;
} ends[] = {
    [QS_SESSION_GOES_ON] = {"goes_on", "is recorded up to here"},
    [QS_SESSION_DISCONNECTED] = {"disconnected", "disconnected"},
    [QS_SESSION_REPLACED] = {"replaced", "connected anew"},
    [QS_SESSION_SILENT] = {"silent", "timed out"},
    [QS_SESSION_INPUT_OVER] = {"recording_over", "is recorded up to here"},
};

/* Whether a demo of the session could not be written. */
static bool is_lost(const struct qs_client_session *session)
{
    const GPtrArray *files = session->demo ? session->demo->files : NULL;

    for (guint i = 0; files && i < files->len; i++)
        if (((const struct qs_session_demo_file *)g_ptr_array_index(files, i))->error)
            return true;
    return false;
}

static void log_session_end(const struct qs_client_session *session)
{
    g_autofree char *duration = report_duration(session);
    g_autofree char *demo = is_lost(session) ? g_strdup("lost") : report_demo(session);
    json_t *members = members_of(session);
    struct qs_line line;
    char *line_text;

    qs_quality_line(session->quality, &line);
    line_text = qs_line_text(&line, false);
    json_object_set_new(members, "why", json_string(ends[session->why].word));
    log_event(LOG_INFO, "session_end", members,
              "session %u ends: %s %s, %s, %" G_GUINT64_FORMAT " packets; demo: %s; %s",
              session->number, player_name(session), ends[session->why].text, duration,
              session->packets, demo, line_text);
    g_free(line_text);
}

static void on_session_end(struct qs_sessions_handler *handler,
                           const struct qs_client_session *session)
{
    const struct recording_action *recorder = (const struct recording_action *)handler;

    if (!g_ptr_array_remove(recorder->status->sessions, (gpointer)session))
        return;
    status_count_game(recorder->status, session->protocol, SESSIONS_ENDED, 1);
    if (session->demo && recorder->action.options->verbose)
        report_demo_problems(session);
    log_session_end(session);
}

static void on_session_left_out(struct qs_sessions_handler *handler,
                                const struct qs_client_session *session)
{
    const struct recording_action *recorder = (const struct recording_action *)handler;

    g_ptr_array_remove(recorder->status->sessions, (gpointer)session);
}

static void on_others(struct qs_sessions_handler *handler, const struct qs_small_sessions *others)
{
    g_autofree char *text = qs_small_sessions_text(others);

    (void)handler;
    log_event(LOG_INFO, "others", NULL, "%s", text);
}

/* --- The action ------------------------------------------------------------------------------ */

struct action *recording_action_new(const struct options *options, struct status *status)
{
    struct recording_action *recorder = g_new0(struct recording_action, 1);

    recorder->action = (struct action){.handler = {.want_lines = true,
                                                   .want_rebuild = true,
                                                   .write_demos = true,
                                                   .unchecked = true,
                                                   .session_begin = on_session_begin,
                                                   .session_late = on_session_late,
                                                   .session_map = on_session_map,
                                                   .session_end = on_session_end,
                                                   .session_left_out = on_session_left_out,
                                                   .others = on_others},
                                       .options = options};
    recorder->status = status;
    return &recorder->action;
}
