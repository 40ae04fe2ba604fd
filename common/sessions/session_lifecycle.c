/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Begins and ends sessions, selects those that are reported, and limits their number. */
#include "common/sessions/sessions_state.h"

/* A client that is silent for longer (ns) counts as idle. */
#define IDLE_AFTER (INT64_C(5) * 1000000000)

/* SMALL_MAX sessions with fewer than CONTENT_PACKETS are reported; others are only counted. */
enum { SMALL_MAX = 8, CONTENT_PACKETS = 4 };

/* Starts a session only for a new connection number, because packets of an ended session may still
 * arrive. */
void qs_conversation_update_session(struct qs_sessions *sessions,
                                    struct qs_conversation *conversation,
                                    struct qs_decoded_packet *decoded)
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

        qs_conversation_drop_announcement(sessions, client, server);
        conversation->session =
            qs_client_session_new(sessions, client, server,
                                  demo ? conversation->demo->reader.format : NULL, number, decoded);
    }
    if (!conversation->session || (!demo && decoded->decoder->found.is_outside))
        return;
    decoded->session = conversation->session;
    qs_client_session_packet(conversation->session, decoded);
}

/* --- End of a session ------------------------------------------------------------------------ */

static void report_left_out(struct qs_sessions *sessions, const struct qs_client_session *session)
{
    if (sessions->handler->session_left_out)
        sessions->handler->session_left_out(sessions->handler, session);
}

/* Counts the session if it is one of many with a few packets, from one end and without content.
 * Returns false if it is to be reported. */
static bool count_if_small(struct qs_sessions *sessions, const struct qs_client_session *session)
{
    if (qs_client_session_is_live(session) || session->recorded || session->state.level ||
        session->packets >= CONTENT_PACKETS || sessions->options->chosen->len ||
        sessions->small_ended++ < SMALL_MAX)
        return false;
    sessions->others.sessions++;
    sessions->others.packets += session->packets;
    return true;
}

static void finish_session(struct qs_sessions *sessions, struct qs_client_session *session)
{
    struct qs_sessions_handler *handler = sessions->handler;

    qs_client_session_end(session, sessions->keep);
    if (count_if_small(sessions, session))
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
    session->why = session->state.disconnected ? QS_SESSION_DISCONNECTED : why;
    conversation->session = NULL;
    if (!conversation->qport) { /* otherwise the client may have moved */
        session->server = *qs_conversation_address(conversation, true);
        session->client = *qs_conversation_address(conversation, false);
    }
    qs_client_session_over(session, conversation->state);
    finish_session(sessions, session);
}

/* --- Limits ---------------------------------------------------------------------------------- */

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

/* Ends the live session that is idle longest. False if none is idle. */
static bool make_room(struct qs_sessions *sessions, int64_t now)
{
    struct qs_flow *oldest = qs_flow_oldest(sessions->flows, QS_FLOW_LIVE);

    if (!oldest || now - qs_flow_last(sessions->flows, oldest) < IDLE_AFTER)
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
