/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/life.h"

#include "common/sessions/news.h"
#include "common/sessions/state.h"

/* By how much clocks of two recorders may differ, in nanoseconds. */
#define TWIN_LAG (INT64_C(10) * 1000000000)

static bool is_chosen(const struct qs_sessions_options *options, unsigned number)
{
    for (guint i = 0; i < options->chosen->len; i++)
        if (g_array_index(options->chosen, unsigned, i) == number)
            return true;
    return options->chosen->len == 0;
}

static const char *comment_of(const struct qs_sessions *sessions, const struct qs_packet *packet)
{
    return qs_comments_find(sessions->comments, packet->number);
}

/* Each may hold a temporary file. */
enum { WAITING_MAX = 64 };

static struct qs_address client_of(const struct qs_conversation *conversation)
{
    const enum qs_end server = qs_conversation_server(conversation);

    return conversation->flow.ends[server == QS_END_A ? QS_END_B : QS_END_A];
}

static struct qs_address server_of(const struct qs_conversation *conversation)
{
    return conversation->flow.ends[qs_conversation_server(conversation)];
}

/* It may be another one under another address. Who asks for a session by its number gets it. */
static void look_for_twins(struct qs_sessions *sessions, const struct qs_conversation *conversation,
                           int64_t now)
{
    const struct qs_flow *other =
        qs_flow_latest(sessions->flows, QS_FLOW_LIVE, &conversation->flow);

    if (conversation->flow.class == QS_FLOW_LIVE && other &&
        qs_flow_last(sessions->flows, other) >= now - TWIN_LAG && !sessions->options->chosen->len)
        qs_nat_duplicates_begin(sessions->twins);
}

static void begin_session(struct qs_sessions *sessions, struct qs_conversation *conversation,
                          unsigned number, const struct qs_packet *first)
{
    const struct qs_sessions_options *options = sessions->options;
    const struct qs_sessions_handler *handler = sessions->handler;
    const struct qs_client_session_setup setup = {
        .number = number,
        .recorded =
            conversation->recording ? qs_demo_input_demo_format(conversation->recording) : NULL,
        .chosen = is_chosen(options, number),
        .rebuild = handler->want_rebuild,
        .file = sessions->file,
        .comment = comment_of(sessions, first),
        .donors = sessions->donors,
        .client = client_of(conversation),
        .server = server_of(conversation),
        .demo = {.store = handler->write_demos ? options->store : NULL,
                 .demo_options = options->demo,
                 .capture = sessions->stem,
                 .session = number},
    };

    conversation->session =
        qs_client_session_new(&setup, qs_sessions_decoder(sessions, conversation), first);
    look_for_twins(sessions, conversation, first->time);
}

/* --- Its end --- */

static void leave_out_session(struct qs_sessions *sessions, const struct qs_client_session *session)
{
    if (sessions->handler->session_left_out)
        sessions->handler->session_left_out(sessions->handler, session);
}

static void finish_session(struct qs_sessions *sessions, struct qs_client_session *session)
{
    qs_client_session_end(session, sessions->keep);
    qs_news_rest(sessions->handler, session);
    if (qs_client_session_has_content(session) || sessions->options->chosen->len ||
        qs_crowd_tells(&sessions->crowd, session->packets))
        qs_news_end(sessions->handler, session);
    else
        leave_out_session(sessions, session);
    qs_client_session_free(session);
}

/* One that began late may be lent a sign-on by a client that comes later, unless time counts. */
static bool keeps_waiting(const struct qs_sessions *sessions,
                          const struct qs_client_session *session)
{
    return sessions->options->may_wait && qs_client_session_waits(session);
}

void qs_life_end(struct qs_sessions *sessions, struct qs_conversation *conversation,
                 enum qs_session_end why)
{
    struct qs_client_session *session = conversation->session;

    session->why = conversation->state->disconnected ? QS_SESSION_DISCONNECTED : why;
    conversation->session = NULL;
    if (conversation->flow.class == QS_FLOW_LIVE) {
        qs_nat_duplicates_decide(session);
        qs_nat_duplicates_end(sessions->twins, session);
    }
    session->server = server_of(conversation);
    session->client = client_of(conversation);
    qs_client_session_over(session, conversation->state);
    if (!keeps_waiting(sessions, session)) {
        finish_session(sessions, session);
        return;
    }
    g_queue_push_tail(&sessions->waiting, session);
    if (g_queue_get_length(&sessions->waiting) > WAITING_MAX)
        finish_session(sessions, g_queue_pop_head(&sessions->waiting));
}

void qs_life_end_waiting(struct qs_sessions *sessions)
{
    struct qs_client_session *session;

    while ((session = g_queue_pop_head(&sessions->waiting)))
        finish_session(sessions, session);
}

void qs_life_packet(struct qs_sessions *sessions, struct qs_conversation *conversation,
                    const struct qs_packet *packet)
{
    const struct qs_decoder *decoder = qs_sessions_decoder(sessions, conversation);
    const bool demo = conversation->recording != NULL;
    const uint32_t number =
        qs_number_session(&sessions->numbering, &conversation->numbered,
                          demo ? 0 : conversation->state->connection, demo || decoder->accepted);

    if (conversation->session && conversation->session->number != number)
        qs_life_end(sessions, conversation, QS_SESSION_REPLACED);
    if (number && number != conversation->finished && !conversation->session)
        begin_session(sessions, conversation, number, packet);
    if (!conversation->session)
        return;
    qs_client_session_packet(conversation->session, sessions->file, comment_of(sessions, packet),
                             decoder, packet);
    if (qs_news_are_there(conversation->session))
        qs_news_tell(sessions->handler, conversation->session);
}

void qs_life_end_if_left(struct qs_sessions *sessions, struct qs_conversation *conversation)
{
    if (!sessions->options->prompt || !conversation->session || !conversation->order ||
        !conversation->state->disconnected)
        return;
    conversation->finished = conversation->session->number;
    qs_life_end(sessions, conversation, QS_SESSION_DISCONNECTED);
}

/* --- Live sessions --- */

/* Nothing more is heard of the conversation. */
static void leave_out(struct qs_sessions *sessions, struct qs_conversation *conversation)
{
    struct qs_client_session *session = conversation->session;

    sessions->crowd.left_out++;
    conversation->session = NULL;
    conversation->left_out = true;
    qs_client_session_over(session, conversation->state);
    qs_client_session_end(session, false);
    leave_out_session(sessions, session);
    qs_client_session_free(session);
}

/* A live session that was idle for long ends. False: there is none. */
static bool make_room(struct qs_sessions *sessions, int64_t now)
{
    struct qs_flow *oldest = qs_flow_oldest(sessions->flows, QS_FLOW_LIVE);

    if (!oldest || now - qs_flow_last(sessions->flows, oldest) < QS_CROWD_BUSY)
        return false;
    sessions->crowd.ended += ((const struct qs_conversation *)oldest)->session != NULL;
    qs_flow_end(sessions->flows, oldest);
    return true;
}

void qs_life_raise(struct qs_sessions *sessions, struct qs_conversation *conversation, int64_t now)
{
    if (conversation->flow.class == QS_FLOW_LIVE || !conversation->session ||
        !qs_client_session_is_live(conversation->session))
        return;
    if (!qs_crowd_has_room(&sessions->crowd, qs_flow_count(sessions->flows, QS_FLOW_LIVE)) &&
        !make_room(sessions, now)) {
        leave_out(sessions, conversation);
        return;
    }
    qs_flow_raise(sessions->flows, &conversation->flow, QS_FLOW_LIVE);
    look_for_twins(sessions, conversation, now);
}
