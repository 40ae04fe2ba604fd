/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/record.h"

#include <sys/stat.h>

#include "common/core/numeric_text.h"
#include "common/dump/dump.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/recorder/log.h"

struct record {
    struct action action;
    const struct options *options;
    struct status *status;
    struct session_captures *captures; /* or NULL */
};

/* --- What events hold ------------------------------------------------------------------------ */

static char *address_text(const struct qs_address *address)
{
    GString *text = g_string_new(NULL);

    qs_address_append(text, address);
    return g_string_free(text, FALSE);
}

static json_t *optional(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* What all events of a session have. New. */
static json_t *members_of(const struct qs_client_session *session)
{
    char *client = address_text(&session->client), *server = address_text(&session->server);
    char *game = report_game(session);
    json_t *members = json_pack("{s:i, s:s, s:s, s:s, s:s, s:o}", "session", (int)session->number,
                                "interface", session->first.file, "game", game, "client", client,
                                "server", server, "player", optional(session->player));

    g_free(game);
    g_free(client);
    g_free(server);
    return members;
}

static const char *name_of(const struct qs_client_session *session)
{
    return session->player ? session->player : "somebody";
}

/* --- Events ---------------------------------------------------------------------------------- */

static void session_begins(struct qs_sessions_handler *handler,
                           const struct qs_client_session *session)
{
    const struct record *record = (const struct record *)handler;
    char *client = address_text(&session->client), *server = address_text(&session->server);

    g_hash_table_add(record->status->sessions, (gpointer)session);
    log_event("session_begin", members_of(session), "session %u begins: %s, client %s, server %s",
              session->number, session->protocol->title, client, server);
    g_free(client);
    g_free(server);
}

static void session_is_late(struct qs_sessions_handler *handler,
                            const struct qs_client_session *session)
{
    (void)handler;
    log_event("session_late", members_of(session),
              "session %u was going on before: its demo is written at its end, from its next level "
              "on, or from here if another session lends it the sign-on",
              session->number);
}

static void session_has_map(struct qs_sessions_handler *handler,
                            const struct qs_client_session *session)
{
    json_t *members = members_of(session);

    (void)handler;
    json_object_set_new(members, "map", optional(session->map));
    log_event("map", members, "session %u: %s plays %s", session->number, name_of(session),
              session->map);
}

static uint64_t size_of(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
}

static void tell_written(const struct record *record, const struct qs_client_session *session,
                         const struct qs_session_demo_file *file)
{
    char *path = g_build_filename(demo_files_folder(record->options->demos), file->name, NULL);
    const uint64_t size = size_of(path);
    const int64_t seconds = qs_seconds_of(file->end - file->start);
    char *duration = qs_duration_text(seconds);
    json_t *members = members_of(session);

    record->status->demos++;
    record->status->demo_bytes += size;
    json_object_set_new(members, "file", json_string(path));
    json_object_set_new(members, "bytes", json_integer((json_int_t)size));
    json_object_set_new(members, "seconds", json_integer((json_int_t)seconds));
    json_object_set_new(members, "map", optional(file->map));
    log_event("demo", members, "%s: session %u, %s, %" G_GUINT64_FORMAT " bytes, %s",
              path + (g_str_has_prefix(path, "./") ? 2 : 0), session->number, name_of(session),
              size, duration);
    g_free(duration);
    g_free(path);
}

static void demo_is_there(struct qs_sessions_handler *handler,
                          const struct qs_client_session *session,
                          const struct qs_session_demo_file *file)
{
    json_t *members;

    if (!file->error) {
        tell_written((const struct record *)handler, session, file);
        return;
    }
    members = members_of(session);
    json_object_set_new(members, "file", optional(file->name));
    log_warning("demo_failed", members, "session %u: %s%s%s", session->number,
                file->name ? file->name : "", file->name ? ": " : "", file->error);
}

static const char *end_text(enum qs_session_end why)
{
    switch (why) {
    case QS_SESSION_DISCONNECTED:
        return "disconnected";
    case QS_SESSION_REPLACED:
        return "connected anew";
    case QS_SESSION_SILENT:
        return "was not heard of any more";
    case QS_SESSION_INPUT_OVER:
    case QS_SESSION_GOES_ON:
        break;
    }
    return "is recorded up to here";
}

static const char *end_word(enum qs_session_end why)
{
    static const char *const words[] = {[QS_SESSION_GOES_ON] = "goes_on",
                                        [QS_SESSION_DISCONNECTED] = "disconnected",
                                        [QS_SESSION_REPLACED] = "replaced",
                                        [QS_SESSION_SILENT] = "silent",
                                        [QS_SESSION_INPUT_OVER] = "recording_over"};

    return words[why];
}

static void packet_was_decoded(struct qs_sessions_handler *handler,
                               const struct qs_decoded_packet *decoded)
{
    const struct record *record = (const struct record *)handler;

    session_captures_packet(record->captures, decoded);
}

static void end_captures(const struct record *record, const struct qs_client_session *session,
                         bool keep)
{
    if (record->captures)
        session_captures_over(record->captures, session, keep);
}

static void tell_end(const struct qs_client_session *session)
{
    char *duration = report_duration(session), *demo = report_demo(session);
    json_t *members = members_of(session);

    json_object_set_new(members, "why", json_string(end_word(session->why)));
    json_object_set_new(members, "packets", json_integer((json_int_t)session->packets));
    json_object_set_new(members, "demo", json_string(demo));
    log_event("session_end", members,
              "session %u ends: %s %s, %s, %" G_GUINT64_FORMAT " packets; demo: %s",
              session->number, name_of(session), end_text(session->why), duration, session->packets,
              demo);
    g_free(duration);
    g_free(demo);
}

static void session_is_over(struct qs_sessions_handler *handler,
                            const struct qs_client_session *session)
{
    const struct record *record = (const struct record *)handler;

    end_captures(record, session, true);
    if (!g_hash_table_remove(record->status->sessions, session))
        return;
    record->status->ended++;
    if (session->same_as)
        log_event("session_same", members_of(session),
                  "session %u is session %u under another address", session->number,
                  session->same_as);
    if (session->demo && record->options->verbose)
        report_demo_problems(session);
    tell_end(session);
}

static void session_is_left_out(struct qs_sessions_handler *handler,
                                const struct qs_client_session *session)
{
    const struct record *record = (const struct record *)handler;

    end_captures(record, session, false);
    g_hash_table_remove(record->status->sessions, session);
}

static void others_were_there(struct qs_sessions_handler *handler,
                              const struct qs_crowd_others *others)
{
    char *text = qs_crowd_others_text(others);

    (void)handler;
    log_event("others", NULL, "%s", text);
    g_free(text);
}

/* --- The action ------------------------------------------------------------------------------ */

static void end(struct action *action, bool report)
{
    (void)report;
    g_free(action);
}

struct action *record_action_new(const struct options *options, struct status *status,
                                 struct session_captures *captures)
{
    struct record *record = g_new0(struct record, 1);

    record->action = (struct action){.handler = {.want_rebuild = true,
                                                 .write_demos = true,
                                                 .packet = captures ? packet_was_decoded : NULL,
                                                 .session_begin = session_begins,
                                                 .session_late = session_is_late,
                                                 .session_map = session_has_map,
                                                 .demo_file = demo_is_there,
                                                 .session_end = session_is_over,
                                                 .session_left_out = session_is_left_out,
                                                 .others = others_were_there},
                                     .end = end};
    record->options = options;
    record->status = status;
    record->captures = captures;
    return &record->action;
}
