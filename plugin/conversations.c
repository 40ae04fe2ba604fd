/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/conversations.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>

#include "common/netchan/seqinfo.h"
#include "common/protocols.h"
#include "common/sessions/heuristic.h"
#include "common/sessions/flow.h"
#include "common/sessions/order.h"
#include "plugin/snapshots.h"

/* --- Sessions in a Wireshark memory pool, which clears them when it is freed --- */

struct owner {
    const struct qs_protocol *protocol;
    struct qs_session *session;
};

static ws_bool clear_session(wmem_allocator_t *pool, wmem_cb_event_t event, void *data)
{
    const struct owner *owner = data;

    (void)pool, (void)event;
    owner->protocol->session_clear(owner->session);
    return FALSE; /* no further calls */
}

static void clear_with(wmem_allocator_t *pool, const struct qs_protocol *protocol,
                       struct qs_session *session)
{
    struct owner *owner = wmem_new(pool, struct owner);

    *owner = (struct owner){protocol, session};
    wmem_register_callback(pool, clear_session, owner);
}

/* Returns memory that the pool clears as a session. The caller must initialize it at once. */
static struct qs_session *allocate(wmem_allocator_t *pool, const struct qs_protocol *protocol)
{
    struct qs_session *session = wmem_alloc(pool, protocol->session_size);

    clear_with(pool, protocol, session);
    return session;
}

/* --- Session numbers --- */

static struct qs_session_numbers numbering;

void session_numbers_restart(void)
{
    numbering = (struct qs_session_numbers){0};
}

uint32_t session_numbers_count(void)
{
    return numbering.count;
}

/* One direction of a TCP connection. */
struct tcp_direction {
    bool known;
    uint32_t next;    /* sequence number of the next byte */
    uint32_t missing; /* number of bytes lost before its next PDU */
};

/* State of a conversation, valid until the capture is closed. */
struct conversation_state {
    const struct qs_protocol *protocol;
    bool begun;                  /* the first packet has been dissected */
    uint32_t first;              /* number of the first packet */
    int64_t time;                /* time of the last packet, in nanoseconds */
    struct qs_address announced; /* address of its server, if another conversation announced it */
    address known;               /* address of the end `known_end`, once begun */
    uint32_t known_port;
    enum qs_end known_end;
    struct qs_qport *found_by; /* its client in the table of qports; NULL: sends no qport */
    uint32_t qport;
    struct tcp_direction streams[2]; /* TCP only, by enum qs_end */
    struct qs_session *session;      /* session after the last packet of the first pass */
    struct shared_state *shared;     /* base of the latest packets' snapshots; NULL: none yet */
    struct qs_session *present;      /* raw memory for the next packet's session */
    struct packet_state *last;       /* NULL: the next snapshot is based on `shared` */
    struct qs_session *last_session; /* session before `last`; its pointers belong to `shared` */
    struct qs_links *links;
    struct qs_session_number number;
};

/* --- Packets: the state of each datagram and PDU, stored as data of its frame --- */

/* A complete session on which the snapshots of several packets are based. */
struct shared_state {
    struct conversation_state *conversation;
    struct qs_session *session;
};

/*
 * Snapshot of the session before a packet: the difference from the session before the
 * conversation's last packet; after DEPTH_MAX packets, from a session that all these packets share.
 */
struct packet_state {
    union {
        const struct packet_state *before;
        const struct shared_state *shared; /* if `depth` is 0; NULL: no conversation */
    };
    uint32_t number;  /* session number; 0: none */
    uint32_t missing; /* number of bytes before the PDU that the capture lacks */
    uint8_t from;     /* enum qs_end */
    uint8_t depth;    /* number of states before it */
    uint8_t size;
    uint8_t changes[]; /* see plugin/snapshots.h */
};

static const struct shared_state *shared_of(const struct packet_state *state)
{
    while (state->depth)
        state = state->before;
    return state->shared;
}

enum { PDU_SHIFT = 8, DEPTH_MAX = 7, PACKET_STATE_SIZE = offsetof(struct packet_state, changes) };

/* Returns a key for the layer of the frame and the PDU in it, from 1; 0 for a datagram. */
static uint32_t key_of(uint32_t layer, uint32_t pdu)
{
    return layer | pdu << PDU_SHIFT;
}

static struct packet_state *find_packet(const struct dissector *dissector, packet_info *pinfo,
                                        uint32_t pdu)
{
    return p_get_proto_data(wmem_file_scope(), pinfo, dissector->proto,
                            key_of(pinfo->curr_layer_num, pdu));
}

/* --- Conversations --- */

/* Frees the state's members; the table of qports is freed already. */
static ws_bool clear_state(wmem_allocator_t *pool, wmem_cb_event_t event, void *user)
{
    struct conversation_state *state = user;

    (void)pool, (void)event;
    qs_links_free(state->links);
    g_free(state->found_by);
    return FALSE; /* no further calls */
}

static struct conversation_state *new_state(const struct dissector *dissector,
                                            conversation_t *conversation)
{
    struct conversation_state *state = wmem_new0(wmem_file_scope(), struct conversation_state);

    state->protocol = dissector->protocol;
    state->session = allocate(wmem_file_scope(), dissector->protocol);
    state->present = wmem_alloc(wmem_file_scope(), dissector->protocol->session_size);
    state->last_session = wmem_alloc(wmem_file_scope(), dissector->protocol->session_size);
    state->protocol->session_init(state->session);
    state->links = qs_links_new(0);
    wmem_register_callback(wmem_file_scope(), clear_state, state);
    conversation_add_proto_data(conversation, dissector->proto, state);
    return state;
}

/* Returns the address without its port; it points into `from`. */
static address wireshark_address(const struct qs_address *from)
{
    address to = ADDRESS_INIT_NONE;

    if (from->family == 4)
        set_address(&to, AT_IPv4, 4, from->bytes);
    else if (from->family == 6)
        set_address(&to, AT_IPv6, 16, from->bytes);
    return to;
}

static void set_known(struct conversation_state *state, const address *known, uint32_t port,
                      enum qs_end end)
{
    copy_address_wmem(wmem_file_scope(), &state->known, known);
    state->known_port = port;
    state->known_end = end;
}

/* Begins the conversation with its first packet. */
static void begin(struct conversation_state *state, const packet_info *pinfo)
{
    const address server = wireshark_address(&state->announced);

    state->begun = true;
    state->first = pinfo->num;
    set_known(state, &pinfo->src, pinfo->srcport, QS_END_A);
    if (state->announced.family)
        state->session->server =
            pinfo->srcport == state->announced.port && addresses_equal(&pinfo->src, &server)
                ? QS_END_A
                : QS_END_B;
}

static struct conversation_state *state_in(const struct dissector *dissector,
                                           const conversation_t *conversation)
{
    return conversation ? conversation_get_proto_data(conversation, dissector->proto) : NULL;
}

/* --- Clients whose address changes: see common/sessions/flow.h --- */

static bool continues(void *owner, const struct qs_packet *packet, bool same_host)
{
    const struct conversation_state *state = owner;

    return qs_session_continues(state->protocol, state->session, packet, state->qport, same_host);
}

static struct conversation_state *find_moved(const struct dissector *dissector,
                                             const struct qs_packet *packet)
{
    return packet ? qs_qports_find(dissector->qports, packet, continues) : NULL;
}

/* Shares the state of a client's old address with the Wireshark conversation of its new address. */
static struct conversation_state *follow_moved(const struct dissector *dissector,
                                               const packet_info *pinfo,
                                               conversation_t *conversation,
                                               const struct qs_packet *packet)
{
    struct conversation_state *state = find_moved(dissector, packet);

    if (!state)
        return NULL;
    set_known(state, &pinfo->dst, pinfo->destport, state->session->server);
    conversation_add_proto_data(conversation, dissector->proto, state);
    return state;
}

void conversation_update_qport(const struct dissector *dissector,
                               const struct packet_context *context)
{
    struct conversation_state *state = context->current;
    const struct qs_packet *packet = dissector->decoder.packet;
    struct qs_seqinfo seqinfo;

    if (dissector->decoder.found.direction == QS_S2C || !state->protocol->seqinfo ||
        !state->protocol->seqinfo(state->session, packet, &seqinfo) || !seqinfo.from_client ||
        !seqinfo.qport || seqinfo.qport == state->qport)
        return;
    qs_qports_remove(dissector->qports, state->found_by);
    state->qport = seqinfo.qport;
    state->found_by = qs_qports_add(dissector->qports, &packet->destination, &packet->source,
                                    state->qport, state);
}

static enum qs_end sender_of(const struct conversation_state *state, const packet_info *pinfo)
{
    const bool known =
        pinfo->srcport == state->known_port && addresses_equal(&pinfo->src, &state->known);

    return known == (state->known_end == QS_END_A) ? QS_END_A : QS_END_B;
}

/* Like qs_order_continues(), with the numbers of the session. */
static bool has_next_number(const struct conversation_state *state, const packet_info *pinfo,
                            const struct qs_packet *packet)
{
    const struct qs_session *session = state->session;
    struct qs_packet sent = *packet;
    struct qs_seqinfo seqinfo;
    int64_t ahead;

    sent.from = sender_of(state, pinfo);
    if (!state->protocol->seqinfo || !state->protocol->seqinfo(session, &sent, &seqinfo) ||
        !seqinfo.numbered)
        return false;
    ahead = (int64_t)(seqinfo.number >> QS_SEQINFO_SHIFT) -
            (sent.from == session->server ? session->to_client : session->to_server).sequence;
    return ahead > 0 && ahead <= QS_ORDER_CONTINUES_MAX;
}

/* True if a conversation of datagrams ended by silence before this packet. */
static bool is_over(const struct conversation_state *state, const packet_info *pinfo,
                    const struct qs_packet *packet)
{
    return state && state->begun && packet && packet->time - state->time >= QS_FLOW_IDLE &&
           !has_next_number(state, pinfo, packet);
}

static struct conversation_state *find_or_begin(const struct dissector *dissector,
                                                packet_info *pinfo, const struct qs_packet *packet)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    struct conversation_state *state = state_in(dissector, conversation);

    if (is_over(state, pinfo, packet)) { /* the next state replaces it */
        qs_qports_remove(dissector->qports, state->found_by);
        state->found_by = NULL;
        state = NULL;
    }
    if (!state)
        state = follow_moved(dissector, pinfo, conversation, packet);
    if (!state)
        state = new_state(dissector, conversation);
    if (!state->begun)
        begin(state, pinfo);
    return state;
}

/* Returns the packet's conversation, or NULL if it has not begun. */
static struct conversation_state *find(const struct dissector *dissector, packet_info *pinfo)
{
    struct conversation_state *state = state_in(dissector, find_conversation_pinfo(pinfo, 0));

    return state && state->begun ? state : NULL;
}

/* True in the first pass. A packet quoted in an ICMP error was sent earlier: it changes nothing. */
static bool is_first_pass(const packet_info *pinfo)
{
    return !pinfo->flags.in_error_pkt && !PINFO_FD_VISITED(pinfo);
}

bool conversation_has_moved(const struct dissector *dissector, packet_info *pinfo,
                            const struct qs_packet *packet)
{
    return is_first_pass(pinfo) ? find_moved(dissector, packet) != NULL
                                : find_packet(dissector, pinfo, 0) != NULL;
}

struct conversation_state *conversation_known(const struct dissector *dissector, packet_info *pinfo,
                                              const struct qs_packet *packet)
{
    const struct packet_state *state =
        PINFO_FD_VISITED(pinfo) ? find_packet(dissector, pinfo, 0) : NULL;
    struct conversation_state *conversation =
        state && shared_of(state) ? shared_of(state)->conversation : find(dissector, pinfo);

    /* Without a state from the first pass, the client moved to this address later. */
    if (PINFO_FD_VISITED(pinfo) && !state && pinfo->ptype == PT_UDP && !pinfo->flags.in_error_pkt)
        return NULL;
    if (is_first_pass(pinfo) && is_over(conversation, pinfo, packet))
        return NULL;
    return conversation && conversation->first <= pinfo->num ? conversation : NULL;
}

bool conversation_is_connected(const struct conversation_state *conversation)
{
    return conversation && conversation->session->connection;
}

uint32_t conversation_first(packet_info *pinfo)
{
    uint32_t first = pinfo->num;

    for (int i = 0; dissectors[i]; i++) {
        const struct conversation_state *state = find(dissectors[i], pinfo);

        if (state)
            first = MIN(first, state->first);
    }
    return first;
}

/* `packet` is NULL for a stream. */
static struct conversation_state *conversation_of(const struct dissector *dissector,
                                                  packet_info *pinfo,
                                                  const struct qs_packet *packet)
{
    return is_first_pass(pinfo) ? find_or_begin(dissector, pinfo, packet) : find(dissector, pinfo);
}

/* --- Contexts --- */

/* Chooses the base of the snapshot before this packet, and writes the difference from it. */
static void set_snapshot(struct conversation_state *conversation, struct packet_state *state,
                         uint8_t changes[SNAPSHOT_CHANGES_MAX])
{
    const struct qs_protocol *protocol = conversation->protocol;
    const struct packet_state *last = conversation->last;
    const bool follows = last && last->depth < DEPTH_MAX;
    struct qs_session *present = conversation->present;
    int size = -1;

    protocol->session_copy(present, conversation->session);
    if (protocol->session_forget_packet)
        protocol->session_forget_packet(present);
    if (conversation->shared && protocol->session_shares(conversation->shared->session, present))
        size = snapshot_compare(
            protocol, follows ? conversation->last_session : conversation->shared->session, present,
            changes);
    memcpy(conversation->last_session, present, protocol->session_size);
    if (size < 0) { /* this packet's and later snapshots are based on `present` */
        clear_with(wmem_file_scope(), protocol, present);
        conversation->shared = wmem_new(wmem_file_scope(), struct shared_state);
        *conversation->shared = (struct shared_state){conversation, present};
        conversation->present = wmem_alloc(wmem_file_scope(), protocol->session_size);
    } else {
        protocol->session_clear(present);
    }
    if (size >= 0 && follows) {
        state->before = last;
        state->depth = last->depth + 1;
    } else {
        state->shared = conversation->shared;
    }
    state->size = (uint8_t)MAX(size, 0);
}

static void restore_session(const struct qs_protocol *protocol, const struct packet_state *state,
                            struct qs_session *session)
{
    if (state->depth)
        restore_session(protocol, state->before, session);
    else if (state->shared)
        protocol->session_copy(session, state->shared->session);
    else
        protocol->session_init(session);
    snapshot_apply(state->changes, state->size, session);
}

/* Adds a state. In the first pass, the conversation's session is the state before this packet. A
 * later pass that dissects a packet for the first time stores nothing. */
static struct packet_state *new_packet_state(const struct dissector *dissector, packet_info *pinfo,
                                             uint32_t pdu, struct conversation_state *conversation)
{
    const bool visited = PINFO_FD_VISITED(pinfo);
    uint8_t changes[SNAPSHOT_CHANGES_MAX];
    struct packet_state taken = {0}, *state;

    if (conversation) {
        taken.from = (uint8_t)sender_of(conversation, pinfo);
        set_snapshot(conversation, &taken, changes);
    }
    state = wmem_alloc(visited ? pinfo->pool : wmem_file_scope(), PACKET_STATE_SIZE + taken.size);
    memcpy(state, &taken, PACKET_STATE_SIZE);
    memcpy(state->changes, changes, taken.size);
    if (conversation)
        conversation->last = visited ? NULL : state;
    if (!visited)
        p_add_proto_data(wmem_file_scope(), pinfo, dissector->proto,
                         key_of(pinfo->curr_layer_num, pdu), state);
    return state;
}

/* `conversation` is NULL if its session must not change. */
static struct packet_context context_of(struct dissector *dissector, const packet_info *pinfo,
                                        struct conversation_state *conversation,
                                        struct packet_state *state)
{
    const struct shared_state *shared = pinfo->flags.in_error_pkt ? NULL : shared_of(state);
    struct packet_context context = {.missing = state->missing,
                                     .from = (enum qs_end)state->from,
                                     .conversation = shared ? shared->conversation : NULL,
                                     .links = shared ? shared->conversation->links : NULL,
                                     .current = is_first_pass(pinfo) ? conversation : NULL,
                                     .number = &state->number};

    if (context.current) {
        context.session = conversation->session;
        return context;
    }
    context.session = allocate(pinfo->pool, dissector->protocol);
    restore_session(dissector->protocol, state, context.session);
    return context;
}

struct packet_context packet_context(struct dissector *dissector, packet_info *pinfo,
                                     const struct qs_packet *packet,
                                     struct conversation_state *known)
{
    struct packet_state *state = find_packet(dissector, pinfo, 0);
    struct conversation_state *conversation = NULL;

    if (!state) {
        conversation = known ? known : conversation_of(dissector, pinfo, packet);
        if (conversation && is_first_pass(pinfo))
            conversation->time = packet->time;
        state = new_packet_state(dissector, pinfo, 0, conversation);
    }
    return context_of(dissector, pinfo, conversation, state);
}

/* --- Streams --- */

/* Returns the number of PDUs dissected in this pass over the packet. */
static uint32_t *pdus_done(const struct dissector *dissector, packet_info *pinfo)
{
    uint32_t *done = p_get_proto_data(pinfo->pool, pinfo, dissector->proto, pinfo->curr_layer_num);

    if (!done) {
        done = wmem_new0(pinfo->pool, uint32_t);
        p_add_proto_data(pinfo->pool, pinfo, dissector->proto, pinfo->curr_layer_num, done);
    }
    return done;
}

void stream_add_segment(const struct dissector *dissector, packet_info *pinfo,
                        const struct tcpinfo *segment, uint32_t cut)
{
    struct conversation_state *conversation;
    struct tcp_direction *stream;
    uint32_t end; /* of the early segments that Wireshark passes with this one; 0: it joins none */
    int32_t ahead;

    if (!segment || !is_first_pass(pinfo))
        return;
    end = get_tcp_conversation_data(NULL, pinfo)->fwd->maxnextseq;
    conversation = find_or_begin(dissector, pinfo, NULL);
    stream = &conversation->streams[sender_of(conversation, pinfo)];
    ahead = (int32_t)(segment->seq - stream->next);
    if (stream->known && ahead > 0)
        stream->missing += (uint32_t)ahead;
    stream->known = true;
    stream->next = end && (int32_t)(end - segment->nxtseq) > 0 ? end : segment->nxtseq - cut;
}

static struct packet_state *new_pdu_state(const struct dissector *dissector, packet_info *pinfo,
                                          uint32_t pdu, struct conversation_state *conversation)
{
    struct packet_state *state = new_packet_state(dissector, pinfo, pdu, conversation);

    if (conversation && is_first_pass(pinfo)) {
        state->missing = conversation->streams[state->from].missing;
        conversation->streams[state->from].missing = 0;
    }
    return state;
}

struct packet_context pdu_context(struct dissector *dissector, packet_info *pinfo)
{
    const uint32_t pdu = *pdus_done(dissector, pinfo) + 1;
    struct conversation_state *conversation = conversation_of(dissector, pinfo, NULL);
    struct packet_state *state = find_packet(dissector, pinfo, pdu);
    struct packet_context context;

    if (!state)
        state = new_pdu_state(dissector, pinfo, pdu, conversation);
    context = context_of(dissector, pinfo, conversation, state);
    context.pdu = pdu;
    return context;
}

void pdu_done(const struct dissector *dissector, packet_info *pinfo)
{
    ++*pdus_done(dissector, pinfo);
}

/* --- Sessions --- */

uint32_t packet_session_number(const struct packet_context *context,
                               const struct qs_decoder *decoder)
{
    if (context->current) {
        const uint32_t number =
            qs_number_session(&numbering, &context->current->number, decoder->session->connection,
                              decoder->found.accepted);

        *context->number = decoder->found.is_outside ? 0 : number;
    }
    return *context->number;
}

uint32_t packet_session_number_again(const struct dissector *dissector, packet_info *pinfo)
{
    const struct packet_state *state;

    for (uint32_t layer = 1; layer <= wmem_list_count(pinfo->layers); layer++)
        for (uint32_t pdu = 0; (state = p_get_proto_data(wmem_file_scope(), pinfo, dissector->proto,
                                                         key_of(layer, pdu))) != NULL ||
                               !pdu;
             pdu++)
            if (state && state->number)
                return state->number;
    return 0;
}

int conversation_protocol(const struct qs_packet *packet)
{
    const address source = wireshark_address(&packet->source);
    const address destination = wireshark_address(&packet->destination);
    const conversation_t *conversation =
        find_conversation((uint32_t)packet->number, &source, &destination, CONVERSATION_UDP,
                          packet->source.port, packet->destination.port, 0);

    for (int i = 0; conversation && qs_protocols[i]; i++)
        if (conversation_get_proto_data(conversation,
                                        proto_get_id_by_filter_name(qs_protocols[i]->name)))
            return i;
    return QS_PROTOCOL_NONE;
}

/* --- Conversations announced by another one --- */

void conversation_announce(const struct dissector *dissector, const packet_info *pinfo)
{
    const struct qs_announcement *announced = &dissector->decoder.found.announced;
    const address server = wireshark_address(&announced->server);
    const address client = wireshark_address(&announced->client);
    const uint32_t ports[] = {announced->server.port, announced->client.port};
    conversation_t *conversation =
        find_conversation(pinfo->num, &server, &client, CONVERSATION_UDP, ports[0], ports[1], 0);
    struct conversation_state *state = state_in(dissector, conversation);

    if (state && !state->session->disconnected &&
        dissector->decoder.packet->time - state->time < QS_FLOW_IDLE)
        return;
    if (state || !conversation)
        conversation =
            conversation_new(pinfo->num, &server, &client, CONVERSATION_UDP, ports[0], ports[1], 0);
    conversation_set_dissector_from_frame_number(conversation, pinfo->num, dissector->handle);
    state = new_state(dissector, conversation);
    state->announced = announced->server;
}
