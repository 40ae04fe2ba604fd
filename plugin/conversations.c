/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/conversations.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>

#include "common/core/lists.h"
#include "common/netchan/seqinfo.h"
#include "common/protocols.h"
#include "common/sessions/protocol_selection.h"
#include "common/sessions/qports.h"
#include "plugin/snapshots.h"

/* --- Sessions in a Wireshark memory pool, cleared when it is freed --- */

struct owner {
    const struct qs_protocol *protocol;
    struct qs_session *session;
};

static ws_bool clear_session(wmem_allocator_t *pool, wmem_cb_event_t event, void *data)
{
    const struct owner *owner = data;

    (void)pool, (void)event;
    owner->protocol->session_clear(owner->session);
    return FALSE; /* once is enough */
}

/* The caller must initialize `*session` at once. */
static struct qs_session *allocate(wmem_allocator_t *pool, const struct qs_protocol *protocol)
{
    struct owner *owner = wmem_new(pool, struct owner);

    owner->protocol = protocol;
    owner->session = wmem_alloc(pool, protocol->session_size);
    wmem_register_callback(pool, clear_session, owner);
    return owner->session;
}

/* --- Numbers of sessions --- */

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
struct stream {
    bool known;
    uint32_t next;    /* sequence number of the next byte */
    uint32_t missing; /* bytes lost before its next unit */
};

/* The state of a conversation; lives until the capture is closed. */
struct conversation_state {
    const struct qs_protocol *protocol;
    bool begun;                  /* its first packet was seen */
    uint32_t first;              /* number of that packet */
    struct qs_address announced; /* of its server, if another conversation announced it */
    address known;               /* of the end `known_end`, once begun: of its first sender */
    uint32_t known_port;
    enum qs_end known_end;
    struct qs_qport *found_by; /* its client, if its address changes; NULL: it sends no qport */
    uint32_t qport;
    struct stream streams[2];   /* of TCP, by enum qs_end */
    struct qs_session *session; /* after the last packet of the first pass */
    struct qs_snapshot_base snapshots;
    struct qs_links *links;
    struct qs_session_number number;
};

/* --- Packets: the state of each, and of each stream unit, for later passes. A row in one table,
 * since memory per packet limits large captures. --- */

struct packet_state {
    struct conversation_state *conversation; /* NULL: none, or quoted by an error message */
    uint32_t frame;                          /* its number */
    uint32_t number;                         /* of its session; 0: it belongs to none */
    uint32_t snapshot;                       /* of the session before it; see plugin/snapshots.h */
    uint32_t missing;                        /* bytes that the capture lacks before the unit */
    uint32_t layer : 8;                      /* of the frame: its curr_layer_num */
    uint32_t from : 2;                       /* enum qs_end */
    uint32_t unit : 22;                      /* from 1 on; 0: a datagram */
};

/* Masks. */
enum { PACKET_STATE_LAYER = 0xff, PACKET_STATE_END = 0x3, PACKET_STATE_UNIT = 0x3fffff };

/* Of one capture. */
struct packet_states {
    struct qs_chunks rows; /* struct packet_state, in the order of frame, layer, unit */
    uint32_t used;         /* of them; the rest waits to be used again */
    uint32_t found;        /* number of the row found last: frames mostly come in order */
    int64_t offset;        /* in the file, of the frame that came last in the first pass */
    struct qs_snapshots *snapshots;
    struct qs_qports *qports; /* to struct conversation_state */
};

void packet_states_free(struct dissector *dissector)
{
    struct packet_states *states = dissector->packet_states;

    if (!states)
        return;
    qs_chunks_clear(&states->rows);
    qs_snapshots_free(states->snapshots);
    qs_qports_free(states->qports);
    g_free(states);
    dissector->packet_states = NULL;
}

static struct packet_states *states_of(struct dissector *dissector)
{
    struct packet_states *states = dissector->packet_states;

    if (states)
        return states;
    states = g_new0(struct packet_states, 1);
    qs_chunks_init(&states->rows, sizeof(struct packet_state), 0);
    states->snapshots = qs_snapshots_new(dissector->protocol);
    states->qports = qs_qports_new();
    dissector->packet_states = states;
    return states;
}

static int compare(const struct packet_state *state, const struct packet_state *key)
{
    if (state->frame != key->frame)
        return state->frame < key->frame ? -1 : 1;
    if (state->layer != key->layer)
        return state->layer < key->layer ? -1 : 1;
    return state->unit < key->unit ? -1 : state->unit > key->unit;
}

static struct packet_state *row_at(const struct packet_states *states, uint32_t number)
{
    return qs_chunks_at(&states->rows, number);
}

/* The number of the first row that is not before the key; one past the last where all are. */
static uint32_t lower_bound(const struct packet_states *states, const struct packet_state *key)
{
    uint32_t low = 1, high = states->used + 1;
    const uint32_t near = MIN(states->found, states->used);

    if (near && compare(row_at(states, near), key) < 0) {
        low = near + 1;
        if (low < high && compare(row_at(states, low), key) >= 0)
            high = low;
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (compare(row_at(states, middle), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct packet_state key_of(const packet_info *pinfo, uint32_t unit)
{
    return (struct packet_state){.frame = pinfo->num,
                                 .layer = pinfo->curr_layer_num & PACKET_STATE_LAYER,
                                 .unit = unit & PACKET_STATE_UNIT};
}

/*
 * Where a filter leaves a frame out of two passes, the next one gets its number, and the left out
 * one is not seen again. The first pass tells the two apart by where they are in the file. Later
 * that does not identify a frame: File > Save moves it.
 */
static void drop_left_out(struct packet_states *states, const packet_info *pinfo)
{
    if (PINFO_FD_VISITED(pinfo) || pinfo->fd->file_off == states->offset)
        return;
    states->offset = pinfo->fd->file_off;
    while (states->used && row_at(states, states->used)->frame == pinfo->num)
        states->used--;
}

/* The state of the frame's datagram or unit, or NULL. Valid until another one is added. */
static struct packet_state *find_packet(const struct dissector *dissector, const packet_info *pinfo,
                                        uint32_t unit)
{
    const struct packet_state key = key_of(pinfo, unit);
    struct packet_states *states = dissector->packet_states;
    uint32_t number;

    if (!states)
        return NULL;
    drop_left_out(states, pinfo);
    number = lower_bound(states, &key);
    if (number > states->used || compare(row_at(states, number), &key) != 0)
        return NULL;
    states->found = number;
    return row_at(states, number);
}

/* Moves the last row to its place: frames come in order, but what stands in one may not. */
static struct packet_state *put_in_order(struct packet_states *states)
{
    uint32_t number = states->used;
    struct packet_state *state = row_at(states, number);
    const struct packet_state added = *state;

    for (; number > 1 && compare(row_at(states, number - 1), &added) > 0; number--) {
        struct packet_state *before = row_at(states, number - 1);

        *state = *before;
        state = before;
    }
    *state = added;
    return state;
}

/* A new one, all zeros except its key. Frames come in order. */
static struct packet_state *add_packet(struct dissector *dissector, const packet_info *pinfo,
                                       uint32_t unit)
{
    struct packet_states *states = states_of(dissector);

    drop_left_out(states, pinfo);
    if (states->used == states->rows.count)
        qs_chunks_add(&states->rows);
    states->found = ++states->used;
    *row_at(states, states->used) = key_of(pinfo, unit);
    return put_in_order(states);
}

/* --- Conversations --- */

/* The table of qports is gone by then. */
static ws_bool clear_state(wmem_allocator_t *pool, wmem_cb_event_t event, void *user)
{
    struct conversation_state *state = user;

    (void)pool, (void)event;
    qs_links_free(state->links);
    g_free(state->found_by);
    return FALSE; /* once */
}

static struct conversation_state *new_state(const struct dissector *dissector,
                                            conversation_t *conversation)
{
    struct conversation_state *state = wmem_new0(wmem_file_scope(), struct conversation_state);

    state->protocol = dissector->protocol;
    state->session = allocate(wmem_file_scope(), dissector->protocol);
    state->protocol->session_init(state->session);
    state->links = qs_links_new(0);
    wmem_register_callback(wmem_file_scope(), clear_state, state);
    conversation_add_proto_data(conversation, dissector->proto, state);
    return state;
}

/* Without its port; it points to `from`. */
static address wireshark_address(const struct qs_address *from)
{
    address to = ADDRESS_INIT_NONE;

    if (from->family == 4)
        set_address(&to, AT_IPv4, 4, from->bytes);
    else if (from->family == 6)
        set_address(&to, AT_IPv6, 16, from->bytes);
    return to;
}

static bool sent_by(const packet_info *pinfo, const struct qs_address *end)
{
    const address known = wireshark_address(end);

    return pinfo->srcport == end->port && addresses_equal(&pinfo->src, &known);
}

static void set_known(struct conversation_state *state, const address *known, uint32_t port,
                      enum qs_end end)
{
    copy_address_wmem(wmem_file_scope(), &state->known, known);
    state->known_port = port;
    state->known_end = end;
}

/* The packet is the conversation's first. */
static void begin(struct conversation_state *state, const packet_info *pinfo)
{
    state->begun = true;
    state->first = pinfo->num;
    set_known(state, &pinfo->src, pinfo->srcport, QS_END_A);
    if (state->announced.family)
        state->session->server = sent_by(pinfo, &state->announced) ? QS_END_A : QS_END_B;
}

static struct conversation_state *state_in(const struct dissector *dissector,
                                           const conversation_t *conversation)
{
    return conversation ? conversation_get_proto_data(conversation, dissector->proto) : NULL;
}

/* --- Clients whose address changes: see common/sessions/qports.h --- */

static bool continues(void *owner, const struct qs_packet *packet, bool same_host)
{
    const struct conversation_state *state = owner;

    return qs_session_continues(state->protocol, state->session, packet, state->qport, same_host);
}

static struct conversation_state *find_moved(const struct dissector *dissector,
                                             const struct qs_packet *packet)
{
    const struct packet_states *states = dissector->packet_states;

    return packet && states ? qs_qports_find(states->qports, packet, continues) : NULL;
}

/* Wireshark's conversation of the client's new address shares the state of the former one. */
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
    struct qs_qports *qports = dissector->packet_states->qports;
    struct qs_seqinfo seqinfo;

    if (dissector->decoder.direction == QS_S2C || !state->protocol->seqinfo ||
        !state->protocol->seqinfo(state->session, packet, &seqinfo) || !seqinfo.from_client ||
        !seqinfo.qport || seqinfo.qport == state->qport)
        return;
    qs_qports_remove(qports, state->found_by);
    state->qport = seqinfo.qport;
    state->found_by =
        qs_qports_add(qports, &packet->destination, &packet->source, state->qport, state);
}

static struct conversation_state *find_or_begin(const struct dissector *dissector,
                                                packet_info *pinfo, const struct qs_packet *packet)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    struct conversation_state *state = state_in(dissector, conversation);

    if (!state)
        state = follow_moved(dissector, pinfo, conversation, packet);
    if (!state)
        state = new_state(dissector, conversation);
    if (!state->begun)
        begin(state, pinfo);
    return state;
}

/* NULL: none has begun. */
static struct conversation_state *find(const struct dissector *dissector, packet_info *pinfo)
{
    struct conversation_state *state = state_in(dissector, find_conversation_pinfo(pinfo, 0));

    return state && state->begun ? state : NULL;
}

static enum qs_end sender_of(const struct conversation_state *state, const packet_info *pinfo)
{
    const bool known =
        pinfo->srcport == state->known_port && addresses_equal(&pinfo->src, &state->known);

    return known == (state->known_end == QS_END_A) ? QS_END_A : QS_END_B;
}

/* A packet quoted in an ICMP error was sent before: it never changes the conversation. */
static bool is_first_pass(const packet_info *pinfo)
{
    return !pinfo->flags.in_error_pkt && !PINFO_FD_VISITED(pinfo);
}

bool conversation_has_moved(const struct dissector *dissector, const packet_info *pinfo,
                            const struct qs_packet *packet)
{
    return is_first_pass(pinfo) ? find_moved(dissector, packet) != NULL
                                : find_packet(dissector, pinfo, 0) != NULL;
}

struct conversation_state *conversation_known(const struct dissector *dissector, packet_info *pinfo)
{
    const struct packet_state *state =
        PINFO_FD_VISITED(pinfo) ? find_packet(dissector, pinfo, 0) : NULL;
    struct conversation_state *conversation =
        state && state->conversation ? state->conversation : find(dissector, pinfo);

    /* It was none in the first pass: the client came to this address later. */
    if (PINFO_FD_VISITED(pinfo) && !state && pinfo->ptype == PT_UDP && !pinfo->flags.in_error_pkt)
        return NULL;
    return conversation && conversation->first <= pinfo->num ? conversation : NULL;
}

/* `packet`: NULL for a stream. */
static struct conversation_state *conversation_of(const struct dissector *dissector,
                                                  packet_info *pinfo,
                                                  const struct qs_packet *packet)
{
    return is_first_pass(pinfo) ? find_or_begin(dissector, pinfo, packet) : find(dissector, pinfo);
}

/* --- Contexts --- */

/* In the first pass, the conversation's session is the state before this packet. A later pass that
 * dissects a packet for the first time stores nothing. */
static struct packet_state *new_packet_state(struct dissector *dissector, packet_info *pinfo,
                                             uint32_t unit, struct conversation_state *conversation)
{
    struct packet_state *state = PINFO_FD_VISITED(pinfo)
                                     ? wmem_new0(pinfo->pool, struct packet_state)
                                     : add_packet(dissector, pinfo, unit);

    state->conversation = pinfo->flags.in_error_pkt ? NULL : conversation;
    state->from = (conversation ? sender_of(conversation, pinfo) : QS_END_A) & PACKET_STATE_END;
    if (conversation)
        state->snapshot = qs_snapshots_take(states_of(dissector)->snapshots,
                                            &conversation->snapshots, conversation->session);
    return state;
}

/* `conversation`: NULL if its session may not change. */
static struct packet_context context_of(struct dissector *dissector, const packet_info *pinfo,
                                        struct conversation_state *conversation,
                                        struct packet_state *state)
{
    struct packet_context context = {.missing = state->missing,
                                     .from = (enum qs_end)state->from,
                                     .conversation = state->conversation,
                                     .links =
                                         state->conversation ? state->conversation->links : NULL,
                                     .current = is_first_pass(pinfo) ? conversation : NULL,
                                     .number = &state->number};

    if (context.current) {
        context.session = conversation->session;
        return context;
    }
    context.session = allocate(pinfo->pool, dissector->protocol);
    qs_snapshots_restore(states_of(dissector)->snapshots, state->snapshot, context.session);
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
        state = new_packet_state(dissector, pinfo, 0, conversation);
    }
    return context_of(dissector, pinfo, conversation, state);
}

/* --- Streams --- */

/* The number of units dissected in this pass over the packet. */
static uint32_t *units_done(const struct dissector *dissector, packet_info *pinfo)
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
    struct stream *stream;
    int32_t ahead;

    if (!segment || !is_first_pass(pinfo))
        return;
    conversation = find_or_begin(dissector, pinfo, NULL);
    stream = &conversation->streams[sender_of(conversation, pinfo)];
    ahead = (int32_t)(segment->seq - stream->next);
    if (stream->known && ahead > 0)
        stream->missing += (uint32_t)ahead;
    stream->known = true;
    stream->next = segment->nxtseq - cut;
}

static struct packet_state *new_unit_state(struct dissector *dissector, packet_info *pinfo,
                                           uint32_t unit, struct conversation_state *conversation)
{
    struct packet_state *state = new_packet_state(dissector, pinfo, unit, conversation);

    if (conversation && is_first_pass(pinfo)) {
        state->missing = conversation->streams[state->from].missing;
        conversation->streams[state->from].missing = 0;
    }
    return state;
}

struct packet_context unit_context(struct dissector *dissector, packet_info *pinfo)
{
    const uint32_t unit = *units_done(dissector, pinfo) + 1;
    struct conversation_state *conversation = conversation_of(dissector, pinfo, NULL);
    struct packet_state *state = find_packet(dissector, pinfo, unit);
    struct packet_context context;

    if (!state)
        state = new_unit_state(dissector, pinfo, unit, conversation);
    context = context_of(dissector, pinfo, conversation, state);
    context.unit = unit;
    return context;
}

void unit_done(const struct dissector *dissector, packet_info *pinfo)
{
    ++*units_done(dissector, pinfo);
}

/* --- Sessions --- */

uint32_t packet_session_number(const struct packet_context *context,
                               const struct qs_decoder *decoder)
{
    if (context->current)
        *context->number = qs_number_session(&numbering, &context->current->number,
                                             decoder->session->connection, decoder->accepted);
    return *context->number;
}

uint32_t packet_session_number_again(const struct dissector *dissector, packet_info *pinfo)
{
    const struct packet_state first = {.frame = pinfo->num};
    const struct packet_states *states = dissector->packet_states;

    if (!states)
        return 0;
    for (uint32_t number = lower_bound(states, &first); number <= states->used; number++) {
        const struct packet_state *state = row_at(states, number);

        if (state->frame != first.frame)
            break;
        if (state->number)
            return state->number;
    }
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
    const struct qs_announcement *announced = &dissector->decoder.announced;
    const address server = wireshark_address(&announced->server);
    const address client = wireshark_address(&announced->client);
    const uint32_t ports[] = {announced->server.port, announced->client.port};
    conversation_t *conversation =
        find_conversation(pinfo->num, &server, &client, CONVERSATION_UDP, ports[0], ports[1], 0);
    struct conversation_state *state = state_in(dissector, conversation);

    if (state && !state->session->disconnected)
        return;
    if (state || !conversation)
        conversation =
            conversation_new(pinfo->num, &server, &client, CONVERSATION_UDP, ports[0], ports[1], 0);
    conversation_set_dissector_from_frame_number(conversation, pinfo->num, dissector->handle);
    state = new_state(dissector, conversation);
    state->announced = announced->server;
}
