/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/sessions.h"

#include "common/sessions/conversation.h"
#include "common/protocols.h"
#include "common/core/findings.h"

/* Nanoseconds: a recorder of several queues may be as late. */
#define CLOCK_BACK (INT64_C(1) * 1000000000)

/* Conversations without a live session: of those that were answered, and of others. */
enum { CONVERSATIONS_MAX = 4096 };

unsigned qs_sessions_count(const struct qs_sessions *sessions)
{
    return sessions->numbering.count;
}

bool qs_sessions_is_as_captured(const struct qs_sessions *sessions)
{
    return sessions->as_captured;
}

/* --- The conversation of a packet ------------------------------------------------------------ */

static struct qs_conversation *begin_conversation(struct qs_sessions *sessions, int protocol,
                                                  const struct qs_address *a,
                                                  const struct qs_address *b, int64_t now)
{
    struct qs_conversation *conversation =
        qs_conversation_new(sessions->options->selection, protocol, a, b);

    conversation->order = qs_order_new();
    conversation->clock = qs_flow_table_shifted(sessions->flows);
    qs_flow_add(sessions->flows, &conversation->flow, a, b, now);
    return conversation;
}

static void find_place(const struct qs_conversation *conversation, const struct qs_packet *packet,
                       struct qs_seqinfo *place)
{
    const struct qs_protocol *protocol = qs_protocols[conversation->protocol];

    if (!protocol->seqinfo || !protocol->seqinfo(conversation->state, packet, place))
        *place = (struct qs_seqinfo){0};
}

/*
 * The conversation of a datagram, or NULL where it is of no known game. As long as no session has
 * come of a conversation, it may turn out to be of another protocol; but packets that are held are
 * of the protocol that they were held for.
 */
static struct qs_conversation *find_conversation(struct qs_sessions *sessions,
                                                 struct qs_conversation *conversation,
                                                 struct qs_packet *packet)
{
    const struct qs_sessions_options *options = sessions->options;
    int protocol;

    if (conversation &&
        (conversation->session || conversation->announced || qs_order_holds(conversation->order)))
        return conversation;
    protocol = qs_protocol_selection_find(options->selection, packet,
                                          conversation ? conversation->protocol : QS_PROTOCOL_NONE);
    if (protocol == QS_PROTOCOL_NONE && options->find_protocol)
        protocol = options->find_protocol(packet);
    if (protocol == QS_PROTOCOL_NONE)
        return NULL;
    if (!conversation) {
        packet->from = QS_END_A;
        return begin_conversation(sessions, protocol, &packet->source, &packet->destination,
                                  packet->time);
    }
    if (protocol != conversation->protocol)
        qs_conversation_set_protocol(conversation, options->selection, protocol);
    return conversation;
}

/* --- Decode, update, report ------------------------------------------------------------------ */

static void decode_packet(struct qs_sessions *sessions, struct qs_conversation *conversation,
                          struct qs_decoder *decoder, struct qs_packet *packet)
{
    struct qs_sink *sink = sessions->handler->sink;
    const bool from_a = packet->from == QS_END_A;

    if (conversation->demo) {
        struct qs_demo_reader *reader = &conversation->demo->reader;

        qs_decode_block(decoder, reader->format->decode_block, conversation->state, sink, packet,
                        conversation->block_offset);
        packet->time = qs_demo_time(reader, decoder);
        return;
    }
    packet->source_is_server_port = conversation->is_server_port[from_a ? QS_END_A : QS_END_B];
    packet->destination_is_server_port = conversation->is_server_port[from_a ? QS_END_B : QS_END_A];
    if (conversation->stream)
        qs_decode_unit(decoder, conversation->state, sink, packet);
    else
        qs_decode(decoder, conversation->state, sink, packet);
}

static const char *name_of_file(const struct qs_sessions *sessions, const struct qs_packet *packet)
{
    const struct qs_capture_file *file = packet->file ? packet->file : sessions->file;

    return file ? file->name : NULL;
}

static void process_packet(struct qs_sessions *sessions, struct qs_conversation *conversation,
                           struct qs_packet *packet)
{
    struct qs_sessions_handler *handler = sessions->handler;
    struct qs_decoder *decoder = &sessions->decoders[conversation->protocol];
    struct qs_decoded_packet decoded = {
        .location = {.file = name_of_file(sessions, packet),
                     .packet = packet->number,
                     .block = conversation->demo != NULL},
        .packet = packet,
        .decoder = decoder,
    };

    if (conversation->left_out || sessions->packets == sessions->until)
        return;
    decode_packet(sessions, conversation, decoder, packet);
    if (!conversation->number)
        conversation->number = ++sessions->conversations;
    qs_conversation_update_session(sessions, conversation, &decoded);
    sessions->packets++;
    decoded.session = conversation->session;
    decoded.conversation = conversation->number;
    if (handler->packet)
        handler->packet(handler, &decoded);
}

/* --- Datagrams in order ---------------------------------------------------------------------- */

static void set_qport(struct qs_sessions *sessions, struct qs_conversation *conversation,
                      uint32_t qport)
{
    qs_qports_remove(sessions->qports, conversation->found_by);
    conversation->found_by =
        qs_qports_add(sessions->qports, qs_conversation_address(conversation, true),
                      qs_conversation_address(conversation, false), qport, conversation);
    conversation->qport = qport;
}

static void process_in_order(struct qs_sessions *sessions, struct qs_conversation *conversation,
                             struct qs_packet *packet, const struct qs_seqinfo *place)
{
    const uint32_t connection = conversation->state->connection;

    process_packet(sessions, conversation, packet);
    if (conversation->session && place->qport && place->qport != conversation->qport) {
        set_qport(sessions, conversation, place->qport);
        conversation->session->server = *qs_conversation_address(conversation, true);
        conversation->session->client = *qs_conversation_address(conversation, false);
    }
    if (conversation->state->connection != connection)
        qs_order_restart(conversation->order, packet->from, place);
}

/* `all`: packets wait no longer for those before them. */
static void process_held(struct qs_sessions *sessions, struct qs_conversation *conversation,
                         bool all)
{
    struct qs_packet *packet;
    struct qs_seqinfo place;

    while ((packet = qs_order_next(conversation->order, all, &place)))
        process_in_order(sessions, conversation, packet, &place);
}

static void process_datagram(struct qs_sessions *sessions, struct qs_conversation *conversation,
                             struct qs_packet *packet)
{
    const bool as_captured = sessions->as_captured;
    struct qs_seqinfo place;

    find_place(conversation, packet, &place);
    if (as_captured)
        qs_order_follow(conversation->order, packet->from, &place);
    if (as_captured || qs_order_passes(conversation->order, packet, &place)) {
        process_in_order(sessions, conversation, packet, &place);
        return;
    }
    qs_order_hold(conversation->order, packet, &place);
    process_held(sessions, conversation, false);
}

/* --- Datagrams of no known game -------------------------------------------------------------- */

/* Processes the packets that came before it was known what the conversation is. */
static void process_earlier(struct qs_sessions *sessions, struct qs_conversation *conversation)
{
    const struct qs_address *a = &conversation->flow.ends[QS_END_A];
    const struct qs_address *b = &conversation->flow.ends[QS_END_B];
    unsigned count;
    struct qs_packet *packets = qs_heuristic_packets(sessions->heuristic, a, b, &count);

    for (unsigned i = 0; i < count; i++) {
        packets[i].from = qs_flow_end_of(&conversation->flow, &packets[i].source);
        process_datagram(sessions, conversation, &packets[i]);
    }
    qs_heuristic_remove(sessions->heuristic, a, b);
}

/* The server answers from another port: that conversation has its protocol before a packet. */
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
    if (next) {
        next->announced = false; /* it is announced again */
        qs_flow_end(sessions->flows, &next->flow);
    }
    next = begin_conversation(sessions, protocol, &announced->client, &announced->server, now);
    next->state->server = QS_END_B;
    next->announced = true;
    qs_flow_raise(sessions->flows, &next->flow, QS_FLOW_ANSWERED);
    process_earlier(sessions, next);
}

static G_GNUC_NO_INLINE void try_heuristic(struct qs_sessions *sessions, struct qs_packet *packet)
{
    const struct qs_protocol_selection *selection = sessions->options->selection;
    const int by_port = qs_protocol_selection_by_port(selection, packet);
    struct qs_heuristic_found found;
    struct qs_conversation *conversation;

    packet->source_is_server_port =
        by_port != QS_PROTOCOL_NONE &&
        qs_protocol_selection_is_server(selection, by_port, packet->source.port);
    if (!qs_heuristic_add(sessions->heuristic, packet, by_port, &found))
        return;
    conversation = begin_conversation(sessions, found.protocol, &packet->source,
                                      &packet->destination, packet->time);
    conversation->state->server = qs_flow_end_of(&conversation->flow, &found.server);
    process_earlier(sessions, conversation);
}

/* --- Clients whose address changes ----------------------------------------------------------- */

/* How far a packet's numbers are from the last ones of its connection, and from those of the next
 * packets. */
enum { APART_MAX = 64, NEXT_MAX = 8 };

static bool continues(void *owner, const struct qs_packet *packet, bool same_host)
{
    const struct qs_conversation *conversation = owner;

    return conversation->session &&
           qs_session_continues(qs_protocols[conversation->protocol], conversation->state, packet,
                                conversation->qport, same_host);
}

/* The client of the conversation has this address from now on. */
static struct qs_conversation *move_client(struct qs_sessions *sessions,
                                           struct qs_conversation *conversation,
                                           struct qs_packet *packet, bool from_server)
{
    const enum qs_end server = conversation->state->server;
    const enum qs_end client = server == QS_END_A ? QS_END_B : QS_END_A;

    qs_flow_move(sessions->flows, &conversation->flow, client,
                 from_server ? &packet->destination : &packet->source);
    set_qport(sessions, conversation, conversation->qport);
    process_earlier(sessions, conversation);
    return (struct qs_conversation *)qs_flow_find(sessions->flows, packet);
}

/* The conversation that a packet between unknown ends continues, at its client's new address. */
static struct qs_conversation *find_moved(struct qs_sessions *sessions, struct qs_packet *packet)
{
    struct qs_conversation *conversation = qs_qports_find(sessions->qports, packet, continues);

    return conversation ? move_client(sessions, conversation, packet, false) : NULL;
}

/* Whether the server's packet, under any address, has numbers within `apart` of the last ones. */
static bool is_near(const struct qs_conversation *conversation, const struct qs_packet *packet,
                    int64_t apart)
{
    const struct qs_session *state = conversation->state;
    struct qs_packet sent = *packet;
    struct qs_seqinfo place;

    sent.from = state->server;
    find_place(conversation, &sent, &place);
    return place.numbered &&
           ABS((int64_t)(place.number >> QS_SEQINFO_SHIFT) - state->to_client.sequence) <= apart &&
           ABS((int64_t)place.echo - state->to_server.sequence) <= apart;
}

static bool continues_server(void *owner, const struct qs_packet *packet, bool same_host)
{
    const struct qs_conversation *conversation = owner;
    const struct qs_session *state = conversation->state;

    (void)same_host;
    return conversation->session && state->server != QS_END_UNKNOWN && state->to_client.started &&
           state->to_server.started && is_near(conversation, packet, NEXT_MAX);
}

static bool has_qport(const struct qs_conversation *conversation, const struct qs_packet *packet)
{
    enum { OFFSET = 8 };
    const unsigned width = conversation->qport >> 16;
    const uint16_t qport = (uint16_t)conversation->qport;

    return packet->size < OFFSET + 2 ||
           qport == (width == 1 ? packet->data[OFFSET] : qs_le16(packet->data + OFFSET));
}

/*
 * Routers give two clients of one host each other's port, too: whose a packet is then, the qport
 * tells and the server's numbers. NULL: it is of no other conversation.
 */
static struct qs_conversation *find_exchanged(struct qs_sessions *sessions,
                                              struct qs_conversation *conversation,
                                              struct qs_packet *packet)
{
    const bool from_server = packet->from == conversation->state->server;
    struct qs_conversation *other;

    if (!conversation->session || !conversation->qport ||
        (from_server
             ? !conversation->state->to_client.started || is_near(conversation, packet, APART_MAX)
             : has_qport(conversation, packet)))
        return NULL;
    other = from_server ? qs_qports_find_host(sessions->qports, &packet->source,
                                              &packet->destination, packet, continues_server)
                        : qs_qports_find(sessions->qports, packet, continues);
    return other && other != conversation ? move_client(sessions, other, packet, from_server)
                                          : NULL;
}

/* The conversation that the packet belongs to, of those that are known; or NULL. At a former
 * address only what the server sent before it knew of the new one. */
static struct qs_conversation *find_known(struct qs_sessions *sessions, struct qs_packet *packet)
{
    struct qs_conversation *conversation =
        (struct qs_conversation *)qs_flow_find(sessions->flows, packet);
    struct qs_conversation *exchanged;
    struct qs_seqinfo place;

    if (!conversation)
        return find_moved(sessions, packet);
    exchanged = find_exchanged(sessions, conversation, packet);
    if (exchanged)
        return exchanged;
    if (!conversation->flow.moved || !qs_flow_is_other(&conversation->flow, packet))
        return conversation;
    find_place(conversation, packet, &place);
    if (packet->from == conversation->state->server && place.numbered)
        return conversation;
    qs_flow_forget_other(sessions->flows, &conversation->flow);
    return find_moved(sessions, packet);
}

/* --- The clock ------------------------------------------------------------------------------- */

static G_GNUC_NO_INLINE bool goes_on(const struct qs_sessions *sessions, struct qs_packet *packet)
{
    const struct qs_conversation *conversation = (const struct qs_conversation *)qs_flow_between(
        sessions->flows, &packet->source, &packet->destination);
    struct qs_seqinfo place;

    if (!conversation)
        return false;
    packet->from = qs_flow_end_of(&conversation->flow, &packet->source);
    find_place(conversation, packet, &place);
    return qs_order_continues(conversation->order, packet, &place);
}

/*
 * A recorder's clock may be set while sessions go on: by hours, where it was wrong. Then the
 * numbers go on all the same. The conversations of that moment keep the old clock.
 */
static void follow_clock(struct qs_sessions *sessions, struct qs_packet *packet)
{
    const int64_t step = packet->time - sessions->clock;

    if (sessions->clock && (step >= QS_FLOW_IDLE || step < -CLOCK_BACK) &&
        goes_on(sessions, packet))
        qs_flow_table_shift(sessions->flows, step);
    sessions->clock = packet->time;
}

/* --- Copies ---------------------------------------------------------------------------------- */

/*
 * A datagram of a session came by under other addresses: the capture was made at both sides of a
 * NAT. Both pairs of addresses are those of one conversation from now on.
 */
static void join_sides(struct qs_sessions *sessions, struct qs_conversation *conversation,
                       const struct qs_packet *packet)
{
    struct qs_flow *other = qs_flow_between(sessions->flows, &packet->source, &packet->destination);

    if (other == &conversation->flow)
        return;
    if (other) {
        struct qs_conversation *same = (struct qs_conversation *)other;

        if (same->session)
            qs_conversation_leave_out(sessions, same);
        same->announced = false; /* it is not missing */
        qs_flow_end(sessions->flows, other);
    }
    qs_flow_add_ends(sessions->flows, &conversation->flow, packet->from, packet);
}

/*
 * Returns whether the packet is a copy, which is dropped. Under other addresses only a session's
 * numbered packet is one: clients send the same bytes outside of connections.
 */
static bool drop_copy(struct qs_sessions *sessions, struct qs_packet *packet)
{
    const struct qs_sighting *first = qs_copies_find(sessions->copies, packet);
    struct qs_conversation *conversation;
    struct qs_seqinfo place;

    if (!first)
        return false;
    conversation = (struct qs_conversation *)qs_flow_between(sessions->flows, &first->source,
                                                             &first->destination);
    if (!conversation)
        return true;
    packet->from = qs_flow_end_of(&conversation->flow, &first->source);
    find_place(conversation, packet, &place);
    if (conversation->session && place.numbered) {
        join_sides(sessions, conversation, packet);
        if (!place.stream)
            qs_client_session_copy(conversation->session, packet->from,
                                   (uint32_t)(place.number >> QS_SEQINFO_SHIFT), packet->time);
        return true;
    }
    return qs_flow_between(sessions->flows, &packet->source, &packet->destination) ==
           &conversation->flow;
}

/* --- Datagrams ------------------------------------------------------------------------------- */

static void add_datagram(struct qs_sessions *sessions, struct qs_packet *packet)
{
    const int64_t now = packet->time;
    struct qs_conversation *conversation;
    int protocol;

    conversation = find_conversation(sessions, find_known(sessions, packet), packet);
    if (!conversation) {
        try_heuristic(sessions, packet);
        return;
    }
    /* Where servers of the protocol listen, what came before the first packet that can be read
     * alone is of the same game. */
    if (!conversation->number &&
        (conversation->is_server_port[QS_END_A] || conversation->is_server_port[QS_END_B]))
        process_earlier(sessions, conversation);
    if (conversation->left_out)
        return;
    protocol = conversation->protocol;
    packet->time = qs_time_moved(now, conversation->clock - qs_flow_table_shifted(sessions->flows));
    process_datagram(sessions, conversation, packet);
    qs_conversation_limit_sessions(sessions, conversation, now);
    expect_announced(sessions, protocol, now);
}

/* A datagram that waited for an answer: later ones have set the clock. */
static void add_unanswered(void *user, struct qs_packet *packet)
{
    struct qs_sessions *sessions = user;

    if (sessions->as_captured || !drop_copy(sessions, packet))
        add_datagram(sessions, packet);
}

void qs_sessions_datagram(struct qs_sessions *sessions, struct qs_packet *packet)
{
    if (sessions->unanswered &&
        !qs_flow_between(sessions->flows, &packet->source, &packet->destination) &&
        !qs_unanswered_pass(sessions->unanswered, packet, add_unanswered, sessions))
        return;
    if (!sessions->as_captured && drop_copy(sessions, packet))
        return;
    follow_clock(sessions, packet);
    add_datagram(sessions, packet);
}

static void end_source(struct qs_flow *flow, void *user)
{
    process_held(user, (struct qs_conversation *)flow, true);
}

void qs_sessions_end_source(struct qs_sessions *sessions)
{
    qs_flow_table_each(sessions->flows, end_source, sessions);
    qs_heuristic_forget(sessions->heuristic);
}

static void end_conversation(struct qs_flow *flow, void *user)
{
    struct qs_conversation *conversation = (struct qs_conversation *)flow;
    struct qs_sessions *sessions = user;
    struct qs_sessions_handler *handler = sessions->handler;

    if (conversation->order)
        process_held(sessions, conversation, true);
    qs_qports_remove(sessions->qports, conversation->found_by);
    if (conversation->announced && !conversation->number) {
        sessions->missed.announced++;
        sessions->missed.server = conversation->flow.ends[QS_END_B];
    }
    qs_conversation_end_session(sessions, conversation,
                                sessions->ending ? QS_SESSION_INPUT_OVER : QS_SESSION_SILENT);
    if (conversation->number && handler->conversation_over)
        handler->conversation_over(handler, conversation->number,
                                   qs_protocols[conversation->protocol]);
    qs_conversation_free(conversation);
}

/* Nanoseconds that an end may go on that has not heard that the other has left. */
#define LEFT_FOR (INT64_C(10) * 1000000000)

struct waiting {
    struct qs_sessions *sessions;
    int64_t now;
    GPtrArray *over; /* conversations */
};

static void find_left(struct qs_flow *flow, void *user)
{
    const struct waiting *waiting = user;
    const struct qs_conversation *conversation = (const struct qs_conversation *)flow;

    if (conversation->session && conversation->state->disconnected &&
        waiting->now - qs_flow_last(waiting->sessions->flows, flow) >= LEFT_FOR)
        g_ptr_array_add(waiting->over, flow);
}

void qs_sessions_wait(struct qs_sessions *sessions, int64_t since)
{
    struct waiting waiting = {sessions, sessions->clock + since, g_ptr_array_new()};

    qs_flow_table_each(sessions->flows, find_left, &waiting);
    for (guint i = 0; i < waiting.over->len; i++)
        qs_flow_end(sessions->flows, g_ptr_array_index(waiting.over, i));
    g_ptr_array_free(waiting.over, TRUE);
    qs_flow_table_expire(sessions->flows, waiting.now);
}

/* --- Streams --------------------------------------------------------------------------------- */

/* NULL: the connection is of no known game. */
static struct qs_conversation *begin_connection(const struct qs_sessions *sessions,
                                                const struct qs_packet *first)
{
    const struct qs_protocol_selection *selection = sessions->options->selection;
    const int protocol = qs_protocol_selection_find_stream(selection, first);
    const bool from_a = first->from == QS_END_A;
    struct qs_conversation *conversation;

    if (protocol == QS_PROTOCOL_NONE)
        return NULL;
    conversation =
        qs_conversation_new(selection, protocol, from_a ? &first->source : &first->destination,
                            from_a ? &first->destination : &first->source);
    conversation->stream = qs_stream_new(qs_protocols[protocol]);
    return conversation;
}

bool qs_sessions_bytes(struct qs_sessions *sessions, void **reader, const struct qs_packet *bytes)
{
    struct qs_conversation *conversation = *reader;
    struct qs_packet unit;

    if (!conversation)
        *reader = conversation = begin_connection(sessions, bytes);
    if (!conversation)
        return false;
    qs_stream_add(conversation->stream, bytes);
    while (qs_stream_next(conversation->stream, conversation->state, &unit))
        process_packet(sessions, conversation, &unit);
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
        process_packet(sessions, conversation, &unit);
    }
    end_conversation(&conversation->flow, sessions);
}

/* --- Demos ----------------------------------------------------------------------------------- */

void qs_sessions_begin_demo(struct qs_sessions *sessions, struct qs_demo_input *demo)
{
    sessions->demo = qs_conversation_new(NULL, qs_demo_input_protocol(demo), NULL, NULL);
    sessions->demo->demo = demo;
}

void qs_sessions_block(struct qs_sessions *sessions, const struct qs_demo_block *block)
{
    struct qs_packet packet = {.data = block->bytes.data,
                               .size = block->bytes.size,
                               .wire_size = block->bytes.size,
                               .number = block->number,
                               .from = QS_END_UNKNOWN};

    sessions->demo->block_offset = block->offset;
    process_packet(sessions, sessions->demo, &packet);
}

void qs_sessions_end_demo(struct qs_sessions *sessions)
{
    end_conversation(&sessions->demo->flow, sessions);
    sessions->demo = NULL;
}

/* --- Donors ---------------------------------------------------------------------------------- */

static void follow_session(struct qs_flow *flow, void *user)
{
    const struct qs_conversation *conversation = (const struct qs_conversation *)flow;

    if (conversation->session)
        qs_client_session_use_donor(conversation->session, user, conversation->state);
}

/* As if sessions had been donors from the beginning: all is done again, up to this packet. */
static void catch_up(struct qs_donors *donors, void *user)
{
    struct qs_sessions *sessions = user, *again;
    struct qs_sessions_handler handler = {.want_rebuild = true,
                                          .unchecked = sessions->handler->unchecked,
                                          .as_captured = sessions->handler->as_captured};

    again = qs_sessions_new(sessions->options, &handler);
    again->until = sessions->packets;
    sessions->read_again(again, sessions->user);
    qs_sessions_end_source(again); /* it may be the end that brought the packet */
    qs_donors_move(donors, again->donors);
    qs_flow_table_each(sessions->flows, follow_session, donors);
    qs_donors_end_others(donors);
    qs_sessions_free(again, false);
}

void qs_sessions_set_read_again(struct qs_sessions *sessions,
                                void (*read_again)(struct qs_sessions *again, void *user),
                                void *user)
{
    if (sessions->options->chosen->len || sessions->handler->guard)
        return;
    sessions->read_again = read_again;
    sessions->user = user;
    qs_donors_postpone(sessions->donors, catch_up, sessions);
}

bool qs_sessions_have_enough(const struct qs_sessions *sessions)
{
    return sessions->packets == sessions->until;
}

/* --- All of them ----------------------------------------------------------------------------- */

struct qs_sessions *qs_sessions_new(const struct qs_sessions_options *options,
                                    struct qs_sessions_handler *handler)
{
    struct qs_sessions *sessions = g_new0(struct qs_sessions, 1);

    sessions->options = options;
    sessions->handler = handler;
    sessions->keep = true;
    sessions->files = g_ptr_array_new_with_free_func(g_free);
    sessions->until = UINT64_MAX;
    sessions->as_captured = handler->as_captured;
    sessions->limits.max = options->sessions_max;
    sessions->flows = qs_flow_table_new(options->idle, end_conversation, sessions);
    qs_flow_table_limit(sessions->flows, QS_FLOW_ONE_SIDED, CONVERSATIONS_MAX);
    qs_flow_table_limit(sessions->flows, QS_FLOW_ANSWERED, CONVERSATIONS_MAX);
    qs_flow_table_limit(sessions->flows, QS_FLOW_LIVE, options->sessions_max);
    sessions->heuristic = qs_heuristic_new(options->protocol_options);
    sessions->qports = qs_qports_new();
    sessions->unanswered = options->both_ends ? qs_unanswered_new() : NULL;
    sessions->donors = qs_donors_new(options->sign_ons);
    sessions->copies = qs_copies_new();
    for (int i = 0; qs_protocols[i]; i++) {
        struct qs_decoder *decoder = &sessions->decoders[i];

        qs_decoder_init(decoder, qs_protocols[i]);
        decoder->options = options->protocol_options[i];
        decoder->want_summary = handler->want_summary;
        decoder->want_transfers = handler->want_transfers;
        decoder->want_entities = handler->want_rebuild ? QS_ENTITIES_KEPT : QS_ENTITIES_NONE;
        decoder->unchecked = handler->unchecked;
        decoder->guard = handler->guard;
    }
    return sessions;
}

const struct qs_capture_file *qs_sessions_set_source(struct qs_sessions *sessions, const char *name,
                                                     const char *stem)
{
    struct qs_capture_file *file = g_new(struct qs_capture_file, 1);

    *file = (struct qs_capture_file){g_intern_string(name), g_intern_string(stem)};
    g_ptr_array_add(sessions->files, file);
    return sessions->file = file;
}

void qs_sessions_free(struct qs_sessions *sessions, bool keep)
{
    struct qs_sessions_handler *handler = sessions->handler;
    const struct qs_session_limits *limits = &sessions->limits;

    sessions->keep = keep;
    sessions->ending = true;
    qs_flow_table_free(sessions->flows);
    memcpy(sessions->missed.ports, qs_heuristic_likely_ports(sessions->heuristic),
           sizeof sessions->missed.ports);
    qs_heuristic_free(sessions->heuristic);
    qs_qports_free(sessions->qports);
    g_clear_pointer(&sessions->unanswered, qs_unanswered_free);
    qs_conversation_end_waiting(sessions);
    if (sessions->others.sessions && handler->others)
        handler->others(handler, &sessions->others);
    if ((sessions->missed.ports[0] || sessions->missed.announced) && handler->missed)
        handler->missed(handler, &sessions->missed);
    if ((limits->ended || limits->left_out) && sessions->options->limited &&
        !qs_sessions_have_enough(sessions))
        sessions->options->limited(limits);
    qs_donors_free(sessions->donors);
    qs_copies_free(sessions->copies);
    for (int i = 0; qs_protocols[i]; i++)
        qs_decoder_clear(&sessions->decoders[i]);
    g_ptr_array_free(sessions->files, TRUE);
    g_free(sessions);
}
