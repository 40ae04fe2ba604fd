/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/sessions_state.h"
#include "common/protocols.h"

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

/* Changes the protocol of a conversation and resets its state. */
static void set_protocol(struct qs_conversation *conversation,
                         const struct qs_protocol_selection *selection, int protocol)
{
    free_state(conversation);
    init_state(conversation, protocol);
    find_server_ports(conversation, selection);
}

enum qs_end qs_conversation_server(const struct qs_conversation *conversation)
{
    if (conversation->state->server != QS_END_UNKNOWN)
        return conversation->state->server;
    return conversation->is_server_port[QS_END_A] ? QS_END_A : QS_END_B;
}

const struct qs_address *qs_conversation_address(const struct qs_conversation *conversation,
                                                 bool server)
{
    const enum qs_end end = qs_conversation_server(conversation);

    return &conversation->flow.ends[server ? end : qs_other_end(end)];
}

/* --- Conversations of a known game ----------------------------------------------------------- */

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

void qs_conversation_read_seqinfo(const struct qs_conversation *conversation,
                                  const struct qs_packet *packet, struct qs_seqinfo *seqinfo)
{
    const struct qs_protocol *protocol = qs_protocols[conversation->protocol];

    if (!protocol->seqinfo || !protocol->seqinfo(conversation->state, packet, seqinfo))
        *seqinfo = (struct qs_seqinfo){0};
}

/*
 * True if the protocol cannot change any more: the conversation has a session, was announced, or
 * holds packets, whose numbers its protocol has read.
 */
static bool is_decided(const struct qs_conversation *conversation)
{
    return conversation->session || conversation->announced || qs_order_holds(conversation->order);
}

/* Finds the protocol of an undecided conversation. Begins a new one if `conversation` is NULL.
 * Returns NULL if no protocol fits. */
static struct qs_conversation *find_protocol(struct qs_sessions *sessions,
                                             struct qs_conversation *conversation,
                                             struct qs_packet *packet)
{
    const struct qs_sessions_options *options = sessions->options;
    int protocol;

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
        set_protocol(conversation, options->selection, protocol);
    return conversation;
}

/* Begins the conversation if its numbers reveal the game (heuristic.h); otherwise returns NULL. */
static G_GNUC_NO_INLINE struct qs_conversation *find_by_numbers(struct qs_sessions *sessions,
                                                                struct qs_packet *packet)
{
    const struct qs_protocol_selection *selection = sessions->options->selection;
    const int by_port = qs_protocol_selection_by_port(selection, packet);
    struct qs_heuristic_found found;
    struct qs_conversation *conversation;

    packet->source_is_server_port =
        by_port != QS_PROTOCOL_NONE &&
        qs_protocol_selection_is_server(selection, by_port, packet->source.port);
    if (!qs_heuristic_add(sessions->heuristic, packet, by_port, &found))
        return NULL;
    conversation = begin_conversation(sessions, found.protocol, &packet->source,
                                      &packet->destination, packet->time);
    conversation->state->server = qs_flow_end_of(&conversation->flow, &found.server);
    return conversation;
}

void qs_conversation_forget_announcement(struct qs_sessions *sessions,
                                         struct qs_conversation *conversation)
{
    const struct qs_address *client = &conversation->flow.ends[QS_END_A];

    if (g_hash_table_lookup(sessions->announced, client) == conversation)
        g_hash_table_remove(sessions->announced, client);
}

void qs_conversation_drop_announcement(struct qs_sessions *sessions,
                                       const struct qs_address *client,
                                       const struct qs_address *server)
{
    struct qs_conversation *conversation = g_hash_table_lookup(sessions->announced, client);
    struct qs_address expected;

    if (!conversation)
        return;
    expected = conversation->flow.ends[QS_END_B];
    expected.port = server->port;
    if (!qs_address_equal(&expected, server))
        return;
    qs_conversation_forget_announcement(sessions, conversation);
    conversation->announced = false;
}

struct qs_conversation *qs_conversation_announce(struct qs_sessions *sessions, int protocol,
                                                 const struct qs_announcement *announced,
                                                 int64_t now)
{
    struct qs_conversation *next = (struct qs_conversation *)qs_flow_between(
        sessions->flows, &announced->client, &announced->server);

    if (next && next->session && !next->state->disconnected)
        return NULL;
    if (next) {
        next->announced = false; /* not missed, but announced again */
        qs_flow_end(sessions->flows, &next->flow);
    }
    next = begin_conversation(sessions, protocol, &announced->client, &announced->server, now);
    next->state->server = QS_END_B;
    next->announced = true;
    g_hash_table_replace(sessions->announced, &next->flow.ends[QS_END_A], next);
    qs_flow_raise(sessions->flows, &next->flow, QS_FLOW_ANSWERED);
    return next;
}

/* --- Clients whose address changes ----------------------------------------------------------- */

/* Maximum distance of a packet's numbers from the latest ones: to stay in its conversation, and to
 * be moved to another one. */
enum { APART_MAX = 64, NEXT_MAX = 8 };

void qs_conversation_set_qport(struct qs_sessions *sessions, struct qs_conversation *conversation,
                               uint32_t qport)
{
    qs_qports_remove(sessions->qports, conversation->found_by);
    conversation->found_by =
        qs_qports_add(sessions->qports, qs_conversation_address(conversation, true),
                      qs_conversation_address(conversation, false), qport, conversation);
    conversation->qport = qport;
}

/* Moves the client to its address in the packet, and reads the packet's numbers again. */
static struct qs_conversation *move_client(struct qs_sessions *sessions,
                                           struct qs_conversation *conversation,
                                           struct qs_packet *packet, bool from_server,
                                           struct qs_conversation_found *found)
{
    const enum qs_end server = conversation->state->server;
    const enum qs_end client = qs_other_end(server);

    qs_flow_move(sessions->flows, &conversation->flow, client,
                 from_server ? &packet->destination : &packet->source);
    qs_conversation_set_qport(sessions, conversation, conversation->qport);
    qs_flow_find(sessions->flows, packet);
    qs_conversation_read_seqinfo(conversation, packet, &found->seqinfo);
    found->has_earlier = true;
    return conversation;
}

/* True if the server has this address; the qport may have been added for the other end. */
static bool is_of_server(const struct qs_conversation *conversation,
                         const struct qs_address *server)
{
    return conversation->state->server != QS_END_UNKNOWN &&
           qs_address_equal(qs_conversation_address(conversation, true), server);
}

static bool continues(void *owner, const struct qs_packet *packet, bool same_host)
{
    const struct qs_conversation *conversation = owner;

    return conversation->session && is_of_server(conversation, &packet->destination) &&
           qs_session_continues(qs_protocols[conversation->protocol], conversation->state, packet,
                                conversation->qport, same_host);
}

/* Finds the conversation that a packet from a client's new address continues, and moves the client.
 * Returns NULL if none fits. */
static struct qs_conversation *find_moved(struct qs_sessions *sessions, struct qs_packet *packet,
                                          struct qs_conversation_found *found)
{
    struct qs_conversation *conversation = qs_qports_find(sessions->qports, packet, continues);

    return conversation ? move_client(sessions, conversation, packet, false, found) : NULL;
}

/* Distance of a server's packet from the latest ones, by its number and by its acknowledgement. */
struct advance {
    int64_t number, acked;
};

static struct advance advance_of(const struct qs_session *state, const struct qs_seqinfo *seqinfo)
{
    return (struct advance){(int64_t)(seqinfo->number >> QS_SEQINFO_SHIFT) -
                                state->to_client.sequence,
                            (int64_t)seqinfo->acked_id - state->to_server.sequence};
}

static bool continues_server(void *owner, const struct qs_packet *packet, bool same_host)
{
    const struct qs_conversation *conversation = owner;
    const struct qs_session *state = conversation->state;
    struct qs_packet sent = *packet;
    struct qs_seqinfo seqinfo;
    struct advance advance;

    (void)same_host;
    if (!conversation->session || !is_of_server(conversation, &packet->source) ||
        !state->to_client.started || !state->to_server.started)
        return false;
    sent.from = state->server;
    qs_conversation_read_seqinfo(conversation, &sent, &seqinfo);
    advance = advance_of(state, &seqinfo);
    return seqinfo.numbered && ABS(advance.number) <= NEXT_MAX && ABS(advance.acked) <= NEXT_MAX;
}

/* True if a number continues its direction: it is near the latest one, or higher after a pause in
 * which the capture may lack packets. */
static bool is_continued(const struct qs_netchan *chan, int64_t advance, int64_t time)
{
    enum { WHILE = 500000000 /* ns */ };

    return ABS(advance) <= APART_MAX || (advance > 0 && time - chan->time >= WHILE);
}

static bool has_foreign_numbers(const struct qs_session *state, const struct qs_packet *packet,
                                const struct qs_seqinfo *seqinfo)
{
    const struct advance advance = advance_of(state, seqinfo);

    return state->to_client.started &&
           (!seqinfo->numbered || !is_continued(&state->to_client, advance.number, packet->time) ||
            !is_continued(&state->to_server, advance.acked, packet->time));
}

/* True if the qport or the server's numbers show that the packet is of another conversation. */
static bool is_foreign(const struct qs_conversation *conversation, const struct qs_packet *packet,
                       const struct qs_seqinfo *seqinfo)
{
    const struct qs_session *state = conversation->state;

    if (!conversation->session || !conversation->qport)
        return false;
    if (packet->from != state->server)
        return packet->size >= QS_QPORT_END &&
               conversation->qport != qs_qport_of(packet, conversation->qport >> 16);
    return has_foreign_numbers(state, packet, seqinfo);
}

/* Finds the conversation of another client on the same host, because routers also swap the ports of
 * two clients. Returns `conversation` if no other one fits. */
static G_GNUC_NO_INLINE struct qs_conversation *find_exchanged(struct qs_sessions *sessions,
                                                               struct qs_conversation *conversation,
                                                               struct qs_packet *packet,
                                                               struct qs_conversation_found *found)
{
    const bool from_server = packet->from == conversation->state->server;
    struct qs_conversation *other =
        from_server ? qs_qports_find_host(sessions->qports, &packet->source, &packet->destination,
                                          packet, continues_server)
                    : qs_qports_find(sessions->qports, packet, continues);

    return other && other != conversation ? move_client(sessions, other, packet, from_server, found)
                                          : conversation;
}

/* --- Conversations of datagrams -------------------------------------------------------------- */

/* Finds the known conversation of the packet, or returns NULL. At a client's former address,
 * accepts only packets that the server sent before it learned the new one. */
static struct qs_conversation *find_known(struct qs_sessions *sessions, struct qs_packet *packet,
                                          struct qs_conversation_found *found)
{
    struct qs_conversation *conversation =
        (struct qs_conversation *)qs_flow_find(sessions->flows, packet);

    if (!conversation)
        return find_moved(sessions, packet, found);
    qs_conversation_read_seqinfo(conversation, packet, &found->seqinfo);
    if (is_foreign(conversation, packet, &found->seqinfo))
        conversation = find_exchanged(sessions, conversation, packet, found);
    if (found->has_earlier || !conversation->flow.moved ||
        !qs_flow_is_other(&conversation->flow, packet) ||
        (packet->from == conversation->state->server && found->seqinfo.numbered))
        return conversation;
    qs_flow_forget_other(sessions->flows, &conversation->flow);
    return find_moved(sessions, packet, found);
}

void qs_conversation_find(struct qs_sessions *sessions, struct qs_packet *packet,
                          struct qs_conversation_found *found)
{
    struct qs_conversation *conversation;

    found->has_earlier = found->is_kept = false;
    conversation = find_known(sessions, packet, found);
    if (!conversation || !is_decided(conversation)) {
        conversation = find_protocol(sessions, conversation, packet);
        if (conversation)
            qs_conversation_read_seqinfo(conversation, packet, &found->seqinfo);
        else if ((conversation = find_by_numbers(sessions, packet)))
            found->has_earlier = found->is_kept = true;
    }
    /* If servers of the protocol listen on one of the ports, packets before the first recognized
     * one are of the same game. */
    if (conversation && !conversation->number &&
        (conversation->is_server_port[QS_END_A] || conversation->is_server_port[QS_END_B]))
        found->has_earlier = true;
    found->conversation = conversation;
}
