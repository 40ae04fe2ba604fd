/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/conversation.h"
#include "common/protocols.h"
#include "common/core/findings.h"

/* Nanoseconds: a player sends something in that time. */
#define BUSY (INT64_C(5) * 1000000000)

/* Sessions that wait for a donor: each may hold a temporary file. */
enum { WAITING_MAX = 64 };

/* Sessions of fewer packets that are reported; further ones are only counted. */
enum { SMALL_MAX = 8, CONTENT_PACKETS = 4 };

static void init_state(struct qs_conversation *conversation, int protocol)
{
    conversation->protocol = protocol;
    conversation->state = g_malloc(qs_protocols[protocol]->session_size);
    qs_protocols[protocol]->session_init(conversation->state);
}

static void free_state(struct qs_conversation *conversation)
{
    qs_protocols[conversation->protocol]->session_clear(conversation->state);
    g_free(conversation->state);
}

static void find_server_ports(struct qs_conversation *conversation,
                              const struct qs_protocol_selection *selection)
{
    for (int end = QS_END_A; end <= QS_END_B; end++)
        conversation->is_server_port[end] = qs_protocol_selection_is_server(
            selection, conversation->protocol, conversation->flow.ends[end].port);
}

struct qs_conversation *qs_conversation_new(const struct qs_protocol_selection *selection,
                                            int protocol, const struct qs_address *a,
                                            const struct qs_address *b)
{
    struct qs_conversation *conversation = g_new0(struct qs_conversation, 1);

    init_state(conversation, protocol);
    if (!a)
        return conversation;
    conversation->flow.ends[QS_END_A] = *a;
    conversation->flow.ends[QS_END_B] = *b;
    find_server_ports(conversation, selection);
    return conversation;
}

void qs_conversation_free(struct qs_conversation *conversation)
{
    free_state(conversation);
    if (conversation->order)
        qs_order_free(conversation->order);
    if (conversation->stream)
        qs_stream_free(conversation->stream);
    g_free(conversation);
}

void qs_conversation_set_protocol(struct qs_conversation *conversation,
                                  const struct qs_protocol_selection *selection, int protocol)
{
    free_state(conversation);
    init_state(conversation, protocol);
    find_server_ports(conversation, selection);
}

/* --- A session begins ------------------------------------------------------------------------ */

const struct qs_address *qs_conversation_address(const struct qs_conversation *conversation,
                                                 bool server)
{
    enum qs_end end = conversation->state->server;

    if (end == QS_END_UNKNOWN)
        end = conversation->is_server_port[QS_END_A] ? QS_END_A : QS_END_B;
    return &conversation->flow.ends[(end == QS_END_A) == server ? QS_END_A : QS_END_B];
}

bool qs_ranges_have(const GArray *ranges, uint64_t number)
{
    for (guint i = 0; i < ranges->len; i++) {
        const struct qs_range *range = &g_array_index(ranges, struct qs_range, i);

        if (number >= range->first && number <= range->last)
            return true;
    }
    return false;
}

/* A session begins with a number that is new: packets may come of one that is over. */
void qs_conversation_update_session(struct qs_sessions *sessions,
                                    struct qs_conversation *conversation,
                                    const struct qs_decoded_packet *decoded)
{
    const bool demo = conversation->demo != NULL;
    const uint32_t before = conversation->numbered.number;
    const uint32_t number = qs_number_session(&sessions->numbering, &conversation->numbered,
                                              demo ? 0 : conversation->state->connection,
                                              demo || decoded->decoder->accepted);

    if (number != before)
        qs_conversation_end_session(sessions, conversation, QS_SESSION_REPLACED);
    if (number && number != before)
        conversation->session = qs_client_session_new(sessions, conversation, number, decoded);
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

/* A session that began late may be lent a sign-on by a client that comes later, unless time counts.
 */
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
    if (!sessions->options->may_wait || !qs_client_session_waits(session)) {
        finish_session(sessions, session);
        return;
    }
    g_queue_push_tail(&sessions->waiting, session);
    if (g_queue_get_length(&sessions->waiting) > WAITING_MAX)
        finish_session(sessions, g_queue_pop_head(&sessions->waiting));
}

void qs_conversation_end_waiting(struct qs_sessions *sessions)
{
    struct qs_client_session *session;

    while ((session = g_queue_pop_head(&sessions->waiting)))
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
