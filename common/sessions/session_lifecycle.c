/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When sessions begin and end, which of them are reported, and how many there may be. */
#include "common/core/findings.h"
#include "common/sessions/sessions_state.h"

/* Nanoseconds: a client that is silent for longer counts as idle. */
#define BUSY (INT64_C(5) * 1000000000)

/* Sessions of fewer packets that are reported; further ones are only counted. */
enum { SMALL_MAX = 8, CONTENT_PACKETS = 4 };

/* A session begins with a number that is new: packets may come of one that is over. */
void qs_conversation_update_session(struct qs_sessions *sessions,
                                    struct qs_conversation *conversation,
                                    const struct qs_decoded_packet *decoded)
{
    const bool demo = conversation->demo != NULL;
    const uint32_t before = conversation->numbered.number;
    const uint32_t number = qs_number_session(&sessions->numbering, &conversation->numbered,
                                              demo ? 0 : conversation->state->connection,
                                              demo || decoded->decoder->found.accepted);

    if (number != before)
        qs_conversation_end_session(sessions, conversation, QS_SESSION_REPLACED);
    if (number && number != before) {
        const struct qs_address *client = qs_conversation_address(conversation, false),
                                *server = qs_conversation_address(conversation, true);

        qs_conversation_announcement_met(sessions, client, server);
        conversation->session =
            qs_client_session_new(sessions, client, server,
                                  demo ? conversation->demo->reader.format : NULL, number, decoded);
    }
    if (conversation->session)
        qs_client_session_packet(conversation->session, decoded);
}

/* --- A session ends -------------------------------------------------------------------------- */

static void report_left_out(struct qs_sessions *sessions, const struct qs_client_session *session)
{
    if (sessions->handler->session_left_out)
        sessions->handler->session_left_out(sessions->handler, session);
}

/* Whether the session is reported by itself; a few packets of one end that reveal nothing are only
 * counted, where there are many such. */
static bool is_reported(struct qs_sessions *sessions, const struct qs_client_session *session)
{
    if (qs_client_session_is_live(session) || session->recorded || session->state.level ||
        session->packets >= CONTENT_PACKETS || sessions->options->chosen->len ||
        sessions->small_ended++ < SMALL_MAX)
        return true;
    sessions->others.sessions++;
    sessions->others.packets += session->packets;
    return false;
}

static void finish_session(struct qs_sessions *sessions, struct qs_client_session *session)
{
    struct qs_sessions_handler *handler = sessions->handler;

    qs_client_session_end(session, sessions->keep);
    if (!is_reported(sessions, session))
        report_left_out(sessions, session);
    else if (session->chosen && handler->session_end)
        handler->session_end(handler, session);
    qs_client_session_free(session);
}

void qs_conversation_end_session(struct qs_sessions *sessions, struct qs_conversation *conversation,
                                 enum qs_session_end why)
{
    struct qs_client_session *session = conversation->session;

    if (!session)
        return;
    session->why = conversation->state->disconnected ? QS_SESSION_DISCONNECTED : why;
    conversation->session = NULL;
    if (!conversation->qport) { /* else they are known, and the client may have moved */
        session->server = *qs_conversation_address(conversation, true);
        session->client = *qs_conversation_address(conversation, false);
    }
    qs_client_session_over(session, conversation->state);
    finish_session(sessions, session);
}

/* --- Limits ---------------------------------------------------------------------------------- */

/* Ends the conversation's session without a report, and processes no more of its packets. */
void qs_conversation_leave_out(struct qs_sessions *sessions, struct qs_conversation *conversation)
{
    struct qs_client_session *session = conversation->session;

    conversation->session = NULL;
    conversation->left_out = true;
    qs_client_session_over(session, conversation->state);
    qs_client_session_end(session, false);
    report_left_out(sessions, session);
    qs_client_session_free(session);
}

static bool has_room(const struct qs_sessions *sessions)
{
    const guint live = qs_flow_count(sessions->flows, QS_FLOW_LIVE);

    return live < sessions->options->sessions_max &&
           (!sessions->options->has_memory || sessions->options->has_memory(live));
}

/* A live session that was idle for long ends. False: there is none. */
static bool make_room(struct qs_sessions *sessions, int64_t now)
{
    struct qs_flow *oldest = qs_flow_oldest(sessions->flows, QS_FLOW_LIVE);

    if (!oldest || now - qs_flow_last(sessions->flows, oldest) < BUSY)
        return false;
    sessions->limits.ended += ((const struct qs_conversation *)oldest)->session != NULL;
    qs_flow_end(sessions->flows, oldest);
    return true;
}

void qs_conversation_limit_sessions(struct qs_sessions *sessions,
                                    struct qs_conversation *conversation, int64_t now)
{
    if (conversation->flow.class == QS_FLOW_LIVE || !conversation->session ||
        !qs_client_session_is_live(conversation->session))
        return;
    if (!has_room(sessions) && !make_room(sessions, now)) {
        sessions->limits.left_out++;
        qs_conversation_leave_out(sessions, conversation);
        return;
    }
    qs_flow_raise(sessions->flows, &conversation->flow, QS_FLOW_LIVE);
}
