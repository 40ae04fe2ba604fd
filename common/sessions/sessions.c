/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/sessions.h"

#include "common/sessions/life.h"
#include "common/sessions/state.h"
#include "common/protocols.h"
#include "common/core/findings.h"

/* Nanoseconds: a recorder of several queues may be as late. */
#define CLOCK_BACK (INT64_C(1) * 1000000000)

bool qs_sessions_want(const struct qs_sessions_options *options,
                      const struct qs_client_session *session)
{
    return session ? session->chosen : options->chosen->len == 0;
}

unsigned qs_sessions_count(const struct qs_sessions *sessions)
{
    return sessions->numbering.count;
}

bool qs_sessions_take_as_captured(const struct qs_sessions *sessions)
{
    return sessions->handler->as_captured || sessions->comments;
}

/* --- Flow and protocol ----------------------------------------------------------------------- */

static struct qs_conversation *begin_conversation(struct qs_sessions *sessions, int protocol,
                                                  const struct qs_address *a,
                                                  const struct qs_address *b, int64_t now)
{
    struct qs_conversation *conversation =
        qs_conversation_new(sessions->options->selection, protocol, a, b);

    conversation->order = qs_resequence_new();
    conversation->clock = qs_flow_table_shifted(sessions->flows);
    qs_flow_add(sessions->flows, &conversation->flow, a, b, now);
    return conversation;
}

/* What is held is of the protocol that it was held for. */
static bool is_settled(const struct qs_conversation *conversation)
{
    return conversation->session || conversation->announced ||
           qs_resequence_holds(conversation->order);
}

/*
 * The conversation of a datagram, or NULL where it is of no known game. As long as no session has
 * come of a conversation, it may turn out to be of another protocol.
 */
static struct qs_conversation *find_conversation(struct qs_sessions *sessions,
                                                 struct qs_packet *packet)
{
    const struct qs_protocol_selection *selection = sessions->options->selection;
    struct qs_conversation *conversation =
        (struct qs_conversation *)qs_flow_find(sessions->flows, packet);
    int protocol;

    if (conversation && is_settled(conversation))
        return conversation;
    protocol = qs_protocol_selection_find(selection, packet,
                                          conversation ? conversation->protocol : QS_PROTOCOL_NONE);
    if (protocol == QS_PROTOCOL_NONE && sessions->options->claim)
        protocol = sessions->options->claim(sessions->options->claim_user, packet);
    if (protocol == QS_PROTOCOL_NONE)
        return NULL;
    if (!conversation) {
        packet->from = QS_END_A;
        return begin_conversation(sessions, protocol, &packet->source, &packet->destination,
                                  packet->time);
    }
    if (protocol != conversation->protocol)
        qs_conversation_set_protocol(conversation, selection, protocol);
    return conversation;
}

/* The same for a connection that begins. */
static struct qs_conversation *find_connection(const struct qs_sessions *sessions,
                                               const struct qs_packet *bytes)
{
    const struct qs_protocol_selection *selection = sessions->options->selection;
    const int protocol = qs_protocol_selection_find_stream(selection, bytes);

    if (protocol == QS_PROTOCOL_NONE)
        return NULL;
    return qs_conversation_new_stream(selection, protocol, bytes);
}

/* --- Decode ---------------------------------------------------------------------------------- */

static void mark_server_ports(const struct qs_conversation *conversation, struct qs_packet *packet)
{
    const bool from_a = packet->from == QS_END_A;

    packet->source_is_server_port = conversation->is_server_port[from_a ? QS_END_A : QS_END_B];
    packet->destination_is_server_port = conversation->is_server_port[from_a ? QS_END_B : QS_END_A];
}

/* The time of a demo's block follows from its decode. */
static void decode_block(struct qs_sessions *sessions, struct qs_conversation *demo,
                         struct qs_packet *block)
{
    struct qs_decoder *decoder = qs_sessions_decoder(sessions, demo);

    qs_decode_block(decoder, qs_demo_input_demo_format(demo->recording)->decode_block, demo->state,
                    sessions->handler->sink, block, demo->block_offset);
    block->time = qs_demo_input_time(demo->recording, decoder);
}

static void decode(struct qs_sessions *sessions, struct qs_conversation *conversation,
                   struct qs_packet *packet)
{
    struct qs_decoder *decoder = qs_sessions_decoder(sessions, conversation);

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

/* --- The way --------------------------------------------------------------------------------- */

static void report_numbered(struct qs_sessions *sessions,
                            const struct qs_conversation *conversation,
                            const struct qs_packet *packet)
{
    struct qs_sessions_handler *handler = sessions->handler;
    const struct qs_decoded_packet decoded = {
        .location = {.file = sessions->file,
                     .packet = packet->number,
                     .block = conversation->recording != NULL},
        .packet = packet,
        .decoder = qs_sessions_decoder(sessions, conversation),
        .session = conversation->session,
        .conversation = conversation->number,
    };

    handler->packet(handler, &decoded);
}

static void report_packet(struct qs_sessions *sessions, struct qs_conversation *conversation,
                          const struct qs_packet *packet)
{
    if (!conversation->number)
        conversation->number = ++sessions->conversations;
    if (sessions->handler->packet)
        report_numbered(sessions, conversation, packet);
}

static inline void take(struct qs_sessions *sessions, struct qs_conversation *conversation,
                        struct qs_packet *packet)
{
    decode(sessions, conversation, packet);
    qs_life_packet(sessions, conversation, packet);
    report_packet(sessions, conversation, packet);
    qs_life_end_if_left(sessions, conversation);
}

/* --- Order ----------------------------------------------------------------------------------- */

static inline void find_place(const struct qs_conversation *conversation,
                              const struct qs_packet *packet, struct qs_seqinfo *place)
{
    const struct qs_protocol *protocol = qs_protocols[conversation->protocol];

    if (!protocol->seqinfo || !protocol->seqinfo(conversation->state, packet, place))
        *place = (struct qs_seqinfo){0};
}

/* The packet's turn has come. */
static inline void take_in_turn(struct qs_sessions *sessions, struct qs_conversation *conversation,
                                struct qs_packet *packet, const struct qs_seqinfo *place)
{
    const uint32_t connection = conversation->state->connection;

    take(sessions, conversation, packet);
    if (conversation->session && conversation->flow.class == QS_FLOW_LIVE)
        qs_nat_duplicates_packet(sessions->twins, conversation->session, packet);
    if (conversation->state->connection != connection)
        qs_resequence_restart(conversation->order, packet->from, place);
}

/* What its place still was unknown of when it was held, the packets before it may have told. */
static void take_held(struct qs_sessions *sessions, struct qs_conversation *conversation, bool all)
{
    struct qs_packet *packet;
    struct qs_seqinfo place;

    while ((packet = qs_resequence_next(conversation->order, all, &place)))
        take_in_turn(sessions, conversation, packet, &place);
}

static void take_as_captured(struct qs_sessions *sessions, struct qs_conversation *conversation,
                             struct qs_packet *packet)
{
    struct qs_seqinfo place;

    find_place(conversation, packet, &place);
    qs_resequence_follow(conversation->order, packet, &place);
    take_in_turn(sessions, conversation, packet, &place);
}

static void take_ordered(struct qs_sessions *sessions, struct qs_conversation *conversation,
                         struct qs_packet *packet)
{
    struct qs_seqinfo place;

    if (qs_resequence_is_copy(conversation->order, packet))
        return;
    find_place(conversation, packet, &place);
    if (qs_resequence_passes(conversation->order, packet, &place)) {
        take_in_turn(sessions, conversation, packet, &place);
        return;
    }
    qs_resequence_hold(conversation->order, packet, &place);
    take_held(sessions, conversation, false);
}

static void take_datagram(struct qs_sessions *sessions, struct qs_conversation *conversation,
                          struct qs_packet *packet)
{
    if (qs_sessions_take_as_captured(sessions))
        take_as_captured(sessions, conversation, packet);
    else
        take_ordered(sessions, conversation, packet);
}

/* --- Unclaimed datagrams --------------------------------------------------------------------- */

struct claim {
    struct qs_sessions *sessions;
    struct qs_conversation *conversation;
};

static void take_claimed(void *user, struct qs_packet *packet)
{
    const struct claim *claim = user;

    packet->from = qs_flow_end_of(&claim->conversation->flow, &packet->source);
    take_datagram(claim->sessions, claim->conversation, packet);
}

/* Takes what came of the conversation before it was known what it is. */
static void claim(struct qs_sessions *sessions, struct qs_conversation *conversation)
{
    struct claim claim = {sessions, conversation};
    const struct qs_address *ends = conversation->flow.ends;

    qs_heuristic_release(sessions->unclaimed, &ends[QS_END_A], &ends[QS_END_B], take_claimed,
                         &claim);
}

/* Where servers of the protocol listen, what came before the first packet that can be read alone is
 * of the same game. */
static void claim_by_port(struct qs_sessions *sessions, struct qs_conversation *conversation)
{
    if (conversation->is_server_port[QS_END_A] || conversation->is_server_port[QS_END_B])
        claim(sessions, conversation);
}

/* The server goes on from another port: that conversation has its protocol before a packet. */
static void expect_announced(struct qs_sessions *sessions, int protocol, int64_t now)
{
    const struct qs_announcement *announced = &sessions->decoders[protocol].announced;
    struct qs_conversation *next;

    if (!announced->valid)
        return;
    next = (struct qs_conversation *)qs_flow_between(sessions->flows, &announced->client,
                                                     &announced->server);
    if (next && next->session && !next->state->disconnected)
        return;
    if (next)
        qs_flow_end(sessions->flows, &next->flow);
    next = begin_conversation(sessions, protocol, &announced->client, &announced->server, now);
    next->state->server = QS_END_B;
    next->announced = true;
    qs_flow_raise(sessions->flows, &next->flow, QS_FLOW_ANSWERED);
    claim(sessions, next);
}

static int add_unclaimed(struct qs_sessions *sessions, const struct qs_packet *packet,
                         struct qs_address *server)
{
    const struct qs_protocol_selection *selection = sessions->options->selection;
    const int by_port = qs_protocol_selection_by_port(selection, packet);
    struct qs_packet copy = *packet;

    copy.source_is_server_port =
        by_port != QS_PROTOCOL_NONE &&
        qs_protocol_selection_is_server(selection, by_port, packet->source.port);
    return qs_heuristic_add(sessions->unclaimed, &copy, by_port, server);
}

/* It may show what its conversation is, by the packets before it. */
static void keep_unclaimed(struct qs_sessions *sessions, const struct qs_packet *packet)
{
    struct qs_conversation *conversation;
    struct qs_address server;
    const int protocol = add_unclaimed(sessions, packet, &server);

    if (protocol == QS_PROTOCOL_NONE)
        return;
    conversation =
        begin_conversation(sessions, protocol, &packet->source, &packet->destination, packet->time);
    conversation->state->server = qs_flow_end_of(&conversation->flow, &server);
    claim(sessions, conversation);
}

/* --- The clock ------------------------------------------------------------------------------- */

/*
 * A recorder's clock may be set while sessions go on: by hours, where it was wrong. Then the
 * numbers go on all the same. The conversations of that moment keep the old clock.
 */
static bool is_step(const struct qs_sessions *sessions, const struct qs_packet *packet)
{
    const int64_t step = packet->time - sessions->clock.last;

    return sessions->clock.last && (step >= QS_FLOW_IDLE || step < -CLOCK_BACK);
}

static bool goes_on(const struct qs_sessions *sessions, struct qs_packet *packet)
{
    const struct qs_conversation *conversation = (const struct qs_conversation *)qs_flow_between(
        sessions->flows, &packet->source, &packet->destination);
    struct qs_seqinfo place;

    if (!conversation)
        return false;
    packet->from = qs_flow_end_of(&conversation->flow, &packet->source);
    find_place(conversation, packet, &place);
    return qs_resequence_continues(conversation->order, packet, &place);
}

static void follow_clock(struct qs_sessions *sessions, struct qs_packet *packet)
{
    if (is_step(sessions, packet) && goes_on(sessions, packet))
        qs_flow_table_shift(sessions->flows, packet->time - sessions->clock.last);
    sessions->clock.last = packet->time;
    sessions->clock.furthest = MAX(sessions->clock.furthest, packet->time);
}

/* By the clock that the conversation began with. */
static int64_t time_of(const struct qs_sessions *sessions,
                       const struct qs_conversation *conversation, const struct qs_packet *packet)
{
    return qs_time_moved(packet->time,
                         conversation->clock - qs_flow_table_shifted(sessions->flows));
}

/* --- Datagrams ------------------------------------------------------------------------------- */

void qs_sessions_datagram(struct qs_sessions *sessions, struct qs_packet *packet)
{
    const int64_t now = packet->time;
    struct qs_conversation *conversation;
    int protocol;

    follow_clock(sessions, packet);
    conversation = find_conversation(sessions, packet);
    if (!conversation) {
        keep_unclaimed(sessions, packet);
        return;
    }
    if (!conversation->number)
        claim_by_port(sessions, conversation);
    if (conversation->left_out)
        return;
    protocol = conversation->protocol;
    packet->time = time_of(sessions, conversation, packet);
    take_datagram(sessions, conversation, packet);
    qs_life_raise(sessions, conversation, now);
    expect_announced(sessions, protocol, now);
}

static void end_source(struct qs_flow *flow, void *user)
{
    take_held(user, (struct qs_conversation *)flow, true);
}

void qs_sessions_end_source(struct qs_sessions *sessions)
{
    qs_flow_table_each(sessions->flows, end_source, sessions);
    qs_heuristic_forget(sessions->unclaimed);
}

static void report_over(struct qs_sessions *sessions, const struct qs_conversation *conversation)
{
    struct qs_sessions_handler *handler = sessions->handler;

    if (conversation->number && handler->conversation_over)
        handler->conversation_over(handler, conversation->number,
                                   qs_protocols[conversation->protocol]);
}

static void end_conversation(struct qs_flow *flow, void *user)
{
    struct qs_conversation *conversation = (struct qs_conversation *)flow;
    const struct qs_sessions *sessions = user;

    if (conversation->order)
        end_source(flow, user);
    if (conversation->session)
        qs_life_end(user, conversation,
                    sessions->ending ? QS_SESSION_INPUT_OVER : QS_SESSION_SILENT);
    report_over(user, conversation);
    qs_conversation_free(conversation);
}

/* --- Time that passes ------------------------------------------------------------------------- */

/* What was not captured by then will not be. */
#define HELD_FOR (INT64_C(1) * 1000000000)

/* So long an end may go on that has not heard that the other has left. */
#define LEFT_FOR (INT64_C(10) * 1000000000)

struct waiting {
    struct qs_sessions *sessions;
    int64_t now;
    GPtrArray *over; /* conversations */
};

static void look_after(struct qs_flow *flow, void *user)
{
    const struct waiting *waiting = user;
    struct qs_conversation *conversation = (struct qs_conversation *)flow;
    const int64_t silent = waiting->now - qs_flow_last(waiting->sessions->flows, flow);

    if (silent >= HELD_FOR && qs_resequence_holds(conversation->order))
        take_held(waiting->sessions, conversation, true);
    if (conversation->session)
        qs_client_session_settle(conversation->session);
    if (silent >= LEFT_FOR && conversation->finished && !conversation->session)
        g_ptr_array_add(waiting->over, flow);
}

void qs_sessions_wait(struct qs_sessions *sessions, int64_t since)
{
    struct waiting waiting = {sessions, sessions->clock.last + since, g_ptr_array_new()};

    qs_flow_table_each(sessions->flows, look_after, &waiting);
    for (guint i = 0; i < waiting.over->len; i++)
        qs_flow_end(sessions->flows, g_ptr_array_index(waiting.over, i));
    g_ptr_array_free(waiting.over, TRUE);
    qs_flow_table_expire(sessions->flows, waiting.now);
}

/* --- Streams --------------------------------------------------------------------------------- */

bool qs_sessions_bytes(struct qs_sessions *sessions, void **reader, const struct qs_packet *bytes)
{
    struct qs_conversation *conversation = *reader;
    struct qs_packet unit;

    if (!conversation)
        *reader = conversation = find_connection(sessions, bytes);
    if (!conversation)
        return false;
    qs_stream_add(conversation->stream, bytes);
    while (qs_stream_next(conversation->stream, conversation->state, &unit))
        take(sessions, conversation, &unit);
    return true;
}

/* What is left of units that have begun is decoded as far as it goes. */
void qs_sessions_end_bytes(struct qs_sessions *sessions, void *reader, uint64_t number)
{
    struct qs_conversation *conversation = reader;
    struct qs_packet unit;

    if (!conversation)
        return;
    for (int end = QS_END_A; end <= QS_END_B; end++) {
        if (!qs_stream_rest(conversation->stream, conversation->state, (enum qs_end)end, &unit))
            continue;
        unit.number = number;
        take(sessions, conversation, &unit);
    }
    end_conversation(&conversation->flow, sessions);
}

/* --- Demos ----------------------------------------------------------------------------------- */

void qs_sessions_begin_demo(struct qs_sessions *sessions, struct qs_demo_input *recording)
{
    sessions->demo = qs_conversation_new_demo(recording);
}

void qs_sessions_block(struct qs_sessions *sessions, const struct qs_demo_block *block)
{
    struct qs_packet packet = {.data = block->bytes.data,
                               .size = block->bytes.size,
                               .wire_size = block->bytes.size,
                               .number = block->number,
                               .from = QS_END_UNKNOWN};

    sessions->demo->block_offset = block->offset;
    take(sessions, sessions->demo, &packet);
}

void qs_sessions_end_demo(struct qs_sessions *sessions)
{
    end_conversation(&sessions->demo->flow, sessions);
    sessions->demo = NULL;
}

/* --- All of them ----------------------------------------------------------------------------- */

struct qs_sessions *qs_sessions_new(const struct qs_sessions_options *options,
                                    struct qs_sessions_handler *handler)
{
    struct qs_sessions *sessions = g_new0(struct qs_sessions, 1);

    sessions->options = options;
    sessions->handler = handler;
    sessions->keep = true;
    qs_crowd_init(&sessions->crowd, options->sessions_max, options->has_memory);
    sessions->flows = qs_flow_table_new(end_conversation, sessions);
    qs_flow_table_limit(sessions->flows, QS_FLOW_ONE_SIDED, QS_CROWD_WAITING_MAX);
    qs_flow_table_limit(sessions->flows, QS_FLOW_ANSWERED, QS_CROWD_WAITING_MAX);
    qs_flow_table_limit(sessions->flows, QS_FLOW_LIVE, options->sessions_max);
    if (options->idle)
        qs_flow_table_set_idle(sessions->flows, options->idle);
    sessions->unclaimed = qs_heuristic_new(options->protocol_options);
    sessions->donors = qs_donors_new(options->sign_ons);
    g_queue_init(&sessions->waiting);
    sessions->twins = qs_nat_duplicates_new();
    for (int i = 0; qs_protocols[i]; i++) {
        qs_decoder_init(&sessions->decoders[i], qs_protocols[i]);
        sessions->decoders[i].options = options->protocol_options[i];
        sessions->decoders[i].want_summary = handler->want_summary;
        sessions->decoders[i].want_transfers = handler->want_transfers;
        sessions->decoders[i].want_entities =
            handler->want_rebuild ? QS_ENTITIES_KEPT : QS_ENTITIES_NONE;
        sessions->decoders[i].unchecked = handler->unchecked;
        sessions->decoders[i].guard = handler->guard;
    }
    return sessions;
}

void qs_sessions_set_source(struct qs_sessions *sessions, const char *file, const char *stem)
{
    sessions->file = g_intern_string(file);
    sessions->stem = g_intern_string(stem);
}

void qs_sessions_set_comments(struct qs_sessions *sessions, const struct qs_comments *comments)
{
    sessions->comments = comments;
}

static void report_crowd(struct qs_sessions *sessions)
{
    const struct qs_crowd_others *others = &sessions->crowd.others;

    if (others->sessions && sessions->handler->others)
        sessions->handler->others(sessions->handler, others);
    if ((sessions->crowd.ended || sessions->crowd.left_out) && sessions->options->crowded)
        sessions->options->crowded(&sessions->crowd);
}

void qs_sessions_free(struct qs_sessions *sessions, bool keep)
{
    sessions->keep = keep;
    sessions->ending = true;
    qs_flow_table_free(sessions->flows);
    qs_heuristic_free(sessions->unclaimed);
    qs_life_end_waiting(sessions);
    report_crowd(sessions);
    qs_donors_free(sessions->donors);
    qs_nat_duplicates_free(sessions->twins);
    for (int i = 0; qs_protocols[i]; i++)
        qs_decoder_clear(&sessions->decoders[i]);
    g_free(sessions);
}
