/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/sessions/sessions.h"

#include "pcap2demo/capture/flow.h"
#include "pcap2demo/sessions/conversation.h"
#include "pcap2demo/sessions/crowd.h"
#include "pcap2demo/sessions/lending.h"
#include "pcap2demo/sessions/stream.h"
#include "pcap2demo/sessions/twins.h"
#include "pcap2demo/sessions/unclaimed.h"

/* By how much clocks of two recorders may differ, in nanoseconds. */
#define TWIN_LAG (INT64_C(10) * 1000000000)

/* Nanoseconds: a recorder of several queues may be as late. */
#define CLOCK_BACK (INT64_C(1) * 1000000000)

struct sessions {
    uint64_t conversations; /* that had a packet, so far */
    const struct session_options *options;
    struct session_handler *handler;
    struct flow_table *flows;
    struct unclaimed *unclaimed;
    struct twins *twins;
    struct conversation *demo; /* that is being read, or NULL */
    struct qs_decoder decoders[PROTOCOLS_MAX];
    const char *file;                /* of the packet at hand; interned */
    const char *stem;                /* interned */
    const struct comments *comments; /* of the packets at hand, or NULL */
    int64_t latest;                  /* time of the last datagram; 0: none */
    struct lending *lending;
    GQueue waiting; /* struct session: over, and may yet be lent a sign-on; oldest first */
    struct crowd crowd;
    struct qs_numbering numbering;
    bool keep; /* unfinished demos at the end */
};

static bool is_chosen(const struct session_options *options, unsigned number)
{
    for (guint i = 0; i < options->chosen->len; i++)
        if (g_array_index(options->chosen, unsigned, i) == number)
            return true;
    return options->chosen->len == 0;
}

bool sessions_want(const struct session_options *options, const struct session *session)
{
    return session ? session->chosen : options->chosen->len == 0;
}

bool sessions_take_as_captured(const struct sessions *sessions)
{
    return sessions->handler->as_captured || sessions->comments;
}

/* --- Flow and protocol ----------------------------------------------------------------------- */

static struct conversation *begin_conversation(struct sessions *sessions, int protocol,
                                               const struct qs_address *a,
                                               const struct qs_address *b, int64_t now)
{
    struct conversation *conversation =
        conversation_new(sessions->options->selection, protocol, a, b);

    conversation->order = order_new();
    flow_add(sessions->flows, &conversation->flow, a, b, now);
    return conversation;
}

/* What is held is of the protocol that it was held for. */
static bool is_settled(const struct conversation *conversation)
{
    return conversation->session || conversation->announced || order_holds(conversation->order);
}

/*
 * The conversation of a datagram, or NULL where it is of no known game. As long as no session has
 * come of a conversation, it may turn out to be of another protocol.
 */
static struct conversation *find_conversation(struct sessions *sessions, struct qs_packet *packet)
{
    const struct protocol_selection *selection = sessions->options->selection;
    struct conversation *conversation = (struct conversation *)flow_find(sessions->flows, packet);
    int protocol;

    if (conversation && is_settled(conversation))
        return conversation;
    protocol = protocol_selection_find(selection, packet,
                                       conversation ? conversation->protocol : PROTOCOL_NONE);
    if (protocol == PROTOCOL_NONE)
        return NULL;
    if (!conversation) {
        packet->from = QS_END_A;
        return begin_conversation(sessions, protocol, &packet->source, &packet->destination,
                                  packet->time);
    }
    if (protocol != conversation->protocol)
        conversation_set_protocol(conversation, selection, protocol);
    return conversation;
}

/* The same for a connection, which keeps its conversation. */
static struct conversation *find_connection(const struct sessions *sessions,
                                            const struct tcp_piece *piece)
{
    const struct protocol_selection *selection = sessions->options->selection;
    int protocol;

    if (piece->connection->reader)
        return piece->connection->reader;
    protocol = protocol_selection_find_stream(selection, &piece->packet);
    if (protocol == PROTOCOL_NONE)
        return NULL;
    return conversation_new_stream(selection, protocol, &piece->packet);
}

/* --- Decode ---------------------------------------------------------------------------------- */

static struct qs_decoder *decoder_of(struct sessions *sessions,
                                     const struct conversation *conversation)
{
    return &sessions->decoders[conversation->protocol];
}

static void mark_server_ports(const struct conversation *conversation, struct qs_packet *packet)
{
    const bool from_a = packet->from == QS_END_A;

    packet->source_is_server_port = conversation->is_server_port[from_a ? QS_END_A : QS_END_B];
    packet->destination_is_server_port = conversation->is_server_port[from_a ? QS_END_B : QS_END_A];
}

/* The time of a demo's block follows from its decode. */
static void decode_block(struct sessions *sessions, struct conversation *demo,
                         struct qs_packet *block)
{
    struct qs_decoder *decoder = decoder_of(sessions, demo);

    qs_decode_block(decoder, recording_demo_format(demo->recording)->decode_block, demo->state,
                    sessions->handler->sink, block, demo->block_offset);
    block->time = recording_time(demo->recording, decoder);
}

static void decode(struct sessions *sessions, struct conversation *conversation,
                   struct qs_packet *packet)
{
    struct qs_decoder *decoder = decoder_of(sessions, conversation);

    if (conversation->recording) {
        decode_block(sessions, conversation, packet);
        return;
    }
    mark_server_ports(conversation, packet);
    if (conversation->stream)
        qs_decode_unit(decoder, conversation->state, sessions->handler->sink, packet);
    else
        qs_decode(decoder, conversation->state, sessions->handler->sink, packet);
}

/* --- Session --------------------------------------------------------------------------------- */

static const char *comment_of(const struct sessions *sessions, const struct qs_packet *packet)
{
    return comments_find(sessions->comments, packet->number);
}

/* Each may hold a temporary file. */
enum { WAITING_MAX = 64 };

static struct qs_address client_of(const struct conversation *conversation)
{
    const enum qs_end server = conversation_server(conversation);

    return conversation->flow.ends[server == QS_END_A ? QS_END_B : QS_END_A];
}

static struct qs_address server_of(const struct conversation *conversation)
{
    return conversation->flow.ends[conversation_server(conversation)];
}

/* It may be another one under another address. Who asks for a session by its number gets it. */
static void look_for_twins(struct sessions *sessions, const struct conversation *conversation,
                           int64_t now)
{
    const struct flow *other = flow_latest(sessions->flows, FLOW_LIVE, &conversation->flow);

    if (conversation->flow.class == FLOW_LIVE && other && other->last >= now - TWIN_LAG &&
        !sessions->options->chosen->len)
        twins_begin(sessions->twins);
}

static void begin_session(struct sessions *sessions, struct conversation *conversation,
                          unsigned number, const struct qs_packet *first)
{
    const struct session_options *options = sessions->options;
    const struct session_handler *handler = sessions->handler;
    const struct session_setup setup = {
        .number = number,
        .recorded = conversation->recording ? recording_demo_format(conversation->recording) : NULL,
        .chosen = is_chosen(options, number),
        .rebuild = handler->want_rebuild,
        .file = sessions->file,
        .comment = comment_of(sessions, first),
        .lending = sessions->lending,
        .client = client_of(conversation),
        .server = server_of(conversation),
        .demo = {.naming = handler->write_demos ? options->naming : NULL,
                 .demo_options = options->demo,
                 .capture = sessions->stem,
                 .session = number},
    };

    conversation->session = session_new(&setup, decoder_of(sessions, conversation), first);
    look_for_twins(sessions, conversation, first->time);
}

static void tell_session(struct sessions *sessions, const struct session *session)
{
    if (session->chosen && sessions->handler->session_end)
        sessions->handler->session_end(sessions->handler, session);
}

static void leave_out_session(struct sessions *sessions, const struct session *session)
{
    if (sessions->handler->session_left_out)
        sessions->handler->session_left_out(sessions->handler, session);
}

static void finish_session(struct sessions *sessions, struct session *session)
{
    session_end(session, sessions->keep);
    if (session_has_content(session) || sessions->options->chosen->len ||
        crowd_tells(&sessions->crowd, session->packets))
        tell_session(sessions, session);
    else
        leave_out_session(sessions, session);
    session_free(session);
}

/* One that began late may be lent a sign-on by a client that comes later, unless time counts. */
static bool keeps_waiting(const struct sessions *sessions, const struct session *session)
{
    return sessions->options->may_wait && session_waits(session);
}

static void end_session(struct sessions *sessions, struct conversation *conversation)
{
    struct session *session = conversation->session;

    conversation->session = NULL;
    if (conversation->flow.class == FLOW_LIVE) {
        twins_decide(session);
        twins_end(sessions->twins, session);
    }
    session->server = server_of(conversation);
    session->client = client_of(conversation);
    session_over(session, conversation->state);
    if (!keeps_waiting(sessions, session)) {
        finish_session(sessions, session);
        return;
    }
    g_queue_push_tail(&sessions->waiting, session);
    if (g_queue_get_length(&sessions->waiting) > WAITING_MAX)
        finish_session(sessions, g_queue_pop_head(&sessions->waiting));
}

/* There is no more input. */
static void end_waiting(struct sessions *sessions)
{
    struct session *session;

    while ((session = g_queue_pop_head(&sessions->waiting)))
        finish_session(sessions, session);
}

/* The packet that was just decoded may end a session, or begin one. A demo is one session. */
static void follow_session(struct sessions *sessions, struct conversation *conversation,
                           const struct qs_packet *packet)
{
    const struct qs_decoder *decoder = decoder_of(sessions, conversation);
    const bool demo = conversation->recording != NULL;
    const uint32_t number =
        qs_number_session(&sessions->numbering, &conversation->numbered,
                          demo ? 0 : conversation->state->connection, demo || decoder->accepted);

    if (conversation->session && conversation->session->number != number)
        end_session(sessions, conversation);
    if (number && !conversation->session)
        begin_session(sessions, conversation, number, packet);
    if (conversation->session)
        session_packet(conversation->session, sessions->file, comment_of(sessions, packet), decoder,
                       packet);
}

/* --- The way --------------------------------------------------------------------------------- */

static void report_numbered(struct sessions *sessions, const struct conversation *conversation,
                            const struct qs_packet *packet)
{
    struct session_handler *handler = sessions->handler;
    const struct decoded_packet decoded = {
        .location = {.file = sessions->file,
                     .packet = packet->number,
                     .block = conversation->recording != NULL},
        .packet = packet,
        .decoder = decoder_of(sessions, conversation),
        .session = conversation->session,
        .conversation = conversation->number,
    };

    if (handler->packet)
        handler->packet(handler, &decoded);
}

static void report_packet(struct sessions *sessions, struct conversation *conversation,
                          const struct qs_packet *packet)
{
    if (!conversation->number)
        conversation->number = ++sessions->conversations;
    report_numbered(sessions, conversation, packet);
}

static void take(struct sessions *sessions, struct conversation *conversation,
                 struct qs_packet *packet)
{
    decode(sessions, conversation, packet);
    follow_session(sessions, conversation, packet);
    report_packet(sessions, conversation, packet);
}

/* --- Order ----------------------------------------------------------------------------------- */

static void find_place(const struct conversation *conversation, const struct qs_packet *packet,
                       struct qs_place *place)
{
    const struct qs_protocol *protocol = qs_protocols[conversation->protocol];

    if (!protocol->place || !protocol->place(conversation->state, packet, place))
        *place = (struct qs_place){0};
}

/* The packet's turn has come. */
static void take_in_turn(struct sessions *sessions, struct conversation *conversation,
                         struct qs_packet *packet, const struct qs_place *place)
{
    const uint32_t connection = conversation->state->connection;

    take(sessions, conversation, packet);
    if (conversation->session && conversation->flow.class == FLOW_LIVE)
        twins_packet(sessions->twins, conversation->session, packet);
    if (conversation->state->connection != connection)
        order_restart(conversation->order, packet->from, place);
}

/* What its place still was unknown of when it was held, the packets before it may have told. */
static void take_held(struct sessions *sessions, struct conversation *conversation, bool all)
{
    struct qs_packet *packet;
    struct qs_place place;

    while ((packet = order_next(conversation->order, all, &place)))
        take_in_turn(sessions, conversation, packet, &place);
}

static void take_as_captured(struct sessions *sessions, struct conversation *conversation,
                             struct qs_packet *packet)
{
    struct qs_place place;

    find_place(conversation, packet, &place);
    order_follow(conversation->order, packet, &place);
    take_in_turn(sessions, conversation, packet, &place);
}

static void take_ordered(struct sessions *sessions, struct conversation *conversation,
                         struct qs_packet *packet)
{
    struct qs_place place;

    if (order_is_copy(conversation->order, packet))
        return;
    find_place(conversation, packet, &place);
    if (order_passes(conversation->order, packet, &place)) {
        take_in_turn(sessions, conversation, packet, &place);
        return;
    }
    order_hold(conversation->order, packet, &place);
    take_held(sessions, conversation, false);
}

static void take_datagram(struct sessions *sessions, struct conversation *conversation,
                          struct qs_packet *packet)
{
    if (sessions_take_as_captured(sessions))
        take_as_captured(sessions, conversation, packet);
    else
        take_ordered(sessions, conversation, packet);
}

/* --- Unclaimed datagrams --------------------------------------------------------------------- */

struct claim {
    struct sessions *sessions;
    struct conversation *conversation;
};

static void take_claimed(void *user, struct qs_packet *packet)
{
    const struct claim *claim = user;

    packet->from = flow_end_of(&claim->conversation->flow, &packet->source);
    take_datagram(claim->sessions, claim->conversation, packet);
}

/* Takes what came of the conversation before it was known what it is. */
static void claim(struct sessions *sessions, struct conversation *conversation)
{
    struct claim claim = {sessions, conversation};
    const struct qs_address *ends = conversation->flow.ends;

    unclaimed_claim(sessions->unclaimed, &ends[QS_END_A], &ends[QS_END_B], take_claimed, &claim);
}

/* The server goes on from another port: that conversation has its protocol before a packet. */
static void expect_announced(struct sessions *sessions, int protocol, int64_t now)
{
    const struct qs_announcement *announced = &sessions->decoders[protocol].announced;
    struct conversation *next;

    if (!announced->valid)
        return;
    next = (struct conversation *)flow_between(sessions->flows, &announced->client,
                                               &announced->server);
    if (next && next->session && !next->state->disconnected)
        return;
    if (next)
        flow_end(sessions->flows, &next->flow);
    next = begin_conversation(sessions, protocol, &announced->client, &announced->server, now);
    next->state->server = QS_END_B;
    next->announced = true;
    flow_raise(sessions->flows, &next->flow, FLOW_ANSWERED);
    claim(sessions, next);
}

/* It may show what its conversation is, by the packets before it. */
static void keep_unclaimed(struct sessions *sessions, const struct qs_packet *packet)
{
    struct conversation *conversation;
    struct qs_address server;
    const int protocol = unclaimed_add(sessions->unclaimed, packet, &server);

    if (protocol == PROTOCOL_NONE)
        return;
    conversation =
        begin_conversation(sessions, protocol, &packet->source, &packet->destination, packet->time);
    conversation->state->server = flow_end_of(&conversation->flow, &server);
    claim(sessions, conversation);
}

/* --- The clock ------------------------------------------------------------------------------- */

/*
 * A recorder's clock may be set while sessions go on: by hours, where it was wrong. Then the
 * numbers go on all the same. The conversations of that moment keep the old clock.
 */
static bool is_step(const struct sessions *sessions, const struct qs_packet *packet)
{
    const int64_t step = packet->time - sessions->latest;

    return sessions->latest && (step >= FLOW_IDLE || step < -CLOCK_BACK);
}

static bool goes_on(const struct sessions *sessions, struct qs_packet *packet)
{
    const struct conversation *conversation = (const struct conversation *)flow_between(
        sessions->flows, &packet->source, &packet->destination);
    struct qs_place place;

    if (!conversation)
        return false;
    packet->from = flow_end_of(&conversation->flow, &packet->source);
    find_place(conversation, packet, &place);
    return order_continues(conversation->order, packet, &place);
}

static void set_back(struct flow *flow, void *user)
{
    ((struct conversation *)flow)->clock -= *(const int64_t *)user;
}

static void follow_clock(struct sessions *sessions, struct qs_packet *packet)
{
    int64_t step = packet->time - sessions->latest;

    if (is_step(sessions, packet) && goes_on(sessions, packet)) {
        flow_table_each(sessions->flows, set_back, &step);
        flow_table_shift(sessions->flows, step);
    }
    sessions->latest = packet->time;
}

/* --- Live sessions --------------------------------------------------------------------------- */

/* Nothing more is heard of the conversation. */
static void leave_out(struct sessions *sessions, struct conversation *conversation)
{
    struct session *session = conversation->session;

    sessions->crowd.left_out++;
    conversation->session = NULL;
    conversation->left_out = true;
    session_over(session, conversation->state);
    session_end(session, false);
    leave_out_session(sessions, session);
    session_free(session);
}

/* A live session that was idle for long ends. False: there is none. */
static bool make_room(struct sessions *sessions, int64_t now)
{
    struct flow *oldest = flow_oldest(sessions->flows, FLOW_LIVE);

    if (!oldest || now - oldest->last < CROWD_BUSY)
        return false;
    sessions->crowd.ended += ((const struct conversation *)oldest)->session != NULL;
    flow_end(sessions->flows, oldest);
    return true;
}

/* A session that has shown to be one is not to end for the sake of those that have not. */
static void follow_liveness(struct sessions *sessions, struct conversation *conversation,
                            int64_t now)
{
    if (conversation->flow.class == FLOW_LIVE || !conversation->session ||
        !session_is_live(conversation->session))
        return;
    if (!crowd_has_room(&sessions->crowd, flow_count(sessions->flows, FLOW_LIVE)) &&
        !make_room(sessions, now)) {
        leave_out(sessions, conversation);
        return;
    }
    flow_raise(sessions->flows, &conversation->flow, FLOW_LIVE);
    look_for_twins(sessions, conversation, now);
}

/* --- Datagrams ------------------------------------------------------------------------------- */

void sessions_datagram(struct sessions *sessions, struct qs_packet *packet)
{
    const int64_t now = packet->time;
    struct conversation *conversation;
    int protocol;

    follow_clock(sessions, packet);
    conversation = find_conversation(sessions, packet);
    if (!conversation) {
        keep_unclaimed(sessions, packet);
        return;
    }
    if (conversation->left_out)
        return;
    protocol = conversation->protocol;
    packet->time += conversation->clock;
    take_datagram(sessions, conversation, packet);
    follow_liveness(sessions, conversation, now);
    expect_announced(sessions, protocol, now);
}

static void end_source(struct flow *flow, void *user)
{
    take_held(user, (struct conversation *)flow, true);
}

void sessions_end_source(struct sessions *sessions)
{
    flow_table_each(sessions->flows, end_source, sessions);
    unclaimed_forget(sessions->unclaimed);
}

static void report_over(struct sessions *sessions, const struct conversation *conversation)
{
    struct session_handler *handler = sessions->handler;

    if (conversation->number && handler->conversation_over)
        handler->conversation_over(handler, conversation->number,
                                   qs_protocols[conversation->protocol]);
}

static void end_conversation(struct flow *flow, void *user)
{
    struct conversation *conversation = (struct conversation *)flow;

    if (conversation->order)
        end_source(flow, user);
    if (conversation->session)
        end_session(user, conversation);
    report_over(user, conversation);
    conversation_free(conversation);
}

/* --- Streams --------------------------------------------------------------------------------- */

static void take_bytes(struct sessions *sessions, const struct tcp_piece *piece)
{
    struct conversation *conversation = find_connection(sessions, piece);
    struct qs_packet unit;

    if (!conversation) {
        tcp_ignore(piece->connection);
        return;
    }
    piece->connection->reader = conversation;
    stream_add(conversation->stream, &piece->packet);
    while (stream_next(conversation->stream, conversation->state, &unit))
        take(sessions, conversation, &unit);
}

/* What is left of units that have begun is decoded as far as it goes. */
static void end_connection(struct sessions *sessions, struct conversation *conversation,
                           uint64_t number)
{
    struct qs_packet unit;

    for (int end = QS_END_A; end <= QS_END_B; end++) {
        if (!stream_rest(conversation->stream, conversation->state, (enum qs_end)end, &unit))
            continue;
        unit.number = number;
        take(sessions, conversation, &unit);
    }
    end_conversation(&conversation->flow, sessions);
}

void sessions_piece(struct sessions *sessions, const struct tcp_piece *piece)
{
    if (!piece->over)
        take_bytes(sessions, piece);
    else if (piece->connection->reader)
        end_connection(sessions, piece->connection->reader, piece->packet.number);
}

/* --- Demos ----------------------------------------------------------------------------------- */

void sessions_begin_demo(struct sessions *sessions, struct recording *recording)
{
    sessions->demo = conversation_new_demo(recording);
}

void sessions_block(struct sessions *sessions, const struct qs_demo_block *block)
{
    struct qs_packet packet = {.data = block->bytes.data,
                               .size = block->bytes.size,
                               .wire_size = block->bytes.size,
                               .number = block->number,
                               .from = QS_END_UNKNOWN};

    sessions->demo->block_offset = block->offset;
    take(sessions, sessions->demo, &packet);
}

void sessions_end_demo(struct sessions *sessions)
{
    end_conversation(&sessions->demo->flow, sessions);
    sessions->demo = NULL;
}

/* --- All of them ----------------------------------------------------------------------------- */

struct sessions *sessions_new(const struct session_options *options,
                              struct session_handler *handler)
{
    struct sessions *sessions = g_new0(struct sessions, 1);

    sessions->options = options;
    sessions->handler = handler;
    sessions->keep = true;
    crowd_init(&sessions->crowd, options->sessions_max);
    sessions->flows = flow_table_new(end_conversation, sessions);
    flow_table_limit(sessions->flows, FLOW_ONE_SIDED, CROWD_WAITING_MAX);
    flow_table_limit(sessions->flows, FLOW_ANSWERED, CROWD_WAITING_MAX);
    flow_table_limit(sessions->flows, FLOW_LIVE, options->sessions_max);
    sessions->unclaimed = unclaimed_new(options->protocol_options);
    sessions->lending = lending_new(options->sign_ons);
    g_queue_init(&sessions->waiting);
    sessions->twins = twins_new();
    for (int i = 0; qs_protocols[i]; i++) {
        qs_decoder_init(&sessions->decoders[i], qs_protocols[i]);
        sessions->decoders[i].options = options->protocol_options[i];
        sessions->decoders[i].want_summary = handler->want_summary;
        sessions->decoders[i].want_transfers = handler->want_transfers;
    }
    return sessions;
}

void sessions_set_source(struct sessions *sessions, const char *file, const char *stem)
{
    sessions->file = g_intern_string(file);
    sessions->stem = g_intern_string(stem);
}

void sessions_set_comments(struct sessions *sessions, const struct comments *comments)
{
    sessions->comments = comments;
}

static void report_crowd(struct sessions *sessions)
{
    const struct crowd_others *others = &sessions->crowd.others;

    if (others->sessions && sessions->handler->others)
        sessions->handler->others(sessions->handler, others);
    crowd_report(&sessions->crowd);
}

void sessions_free(struct sessions *sessions, bool keep)
{
    sessions->keep = keep;
    flow_table_free(sessions->flows);
    unclaimed_free(sessions->unclaimed);
    end_waiting(sessions);
    report_crowd(sessions);
    lending_free(sessions->lending);
    twins_free(sessions->twins);
    for (int i = 0; qs_protocols[i]; i++)
        qs_decoder_clear(&sessions->decoders[i]);
    g_free(sessions);
}
