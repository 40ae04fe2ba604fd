/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/heuristic.h"

#include <glib.h>

#include "common/core/decode.h"
#include "common/core/reader.h"
#include "common/sessions/flow.h"
#include "common/protocols.h"

enum {
    HEADER_SIZE = 8,
    PACKETS_MIN = 4, /* minimum number of an end's packets, to be evidence */
    TRY_EVERY = 8,   /* number of packets between two attempts */
    STEP_MAX = 64,   /* maximum distance between numbers of consecutive packets */
    BAD_SHARE = 8    /* one in this many packets may be late, lost or unreadable */
};

/* Clears the bits of a sequence number that mark reliable messages and fragments, and STUNAWARE's
 * bias. */
#define NUMBER_MASK UINT32_C(0x3fffffff)

struct candidate {
    struct qs_flow flow;
    struct qs_packet packets[QS_HEURISTIC_PACKETS_MAX]; /* packets with data of their own */
    guint count, bytes;
    bool given_up;
};

struct qs_heuristic {
    struct qs_flow_table *flows;
    uint32_t *const *protocol_options;
    uint16_t likely_ports[2];
};

static void forget(struct qs_flow *flow, void *user)
{
    struct candidate *candidate = (struct candidate *)flow;

    (void)user;
    for (guint i = 0; i < candidate->count; i++)
        g_free((void *)candidate->packets[i].data);
    candidate->count = candidate->bytes = 0;
}

static void over(struct qs_flow *flow, void *user)
{
    forget(flow, user);
    g_free(flow);
}

struct qs_heuristic *qs_heuristic_new(uint32_t *const *protocol_options)
{
    struct qs_heuristic *heuristic = g_new0(struct qs_heuristic, 1);

    heuristic->flows = qs_flow_table_new(0, over, NULL);
    heuristic->protocol_options = protocol_options;
    return heuristic;
}

void qs_heuristic_free(struct qs_heuristic *heuristic)
{
    qs_flow_table_free(heuristic->flows);
    g_free(heuristic);
}

/* --- Sequence numbers ------------------------------------------------------------------------ */

struct count {
    bool started;
    uint32_t number, ack;
    guint packets;
};

typedef uint32_t read_word(const uint8_t *bytes);

static bool is_step(uint32_t before, uint32_t now, uint32_t least)
{
    return now - before >= least && now - before <= STEP_MAX;
}

/* True if the packet's numbers follow those before it. */
static bool counts_on(struct count *own, const struct count *other, uint32_t number, uint32_t ack)
{
    const bool good =
        !own->started || (is_step(own->number, number, 1) && is_step(own->ack, ack, 0));

    *own = (struct count){true, number, ack, own->packets + 1};
    /* `ack` is the newest number of the other end, or shortly before it. */
    return good && (!other->started || other->number - ack <= STEP_MAX);
}

static bool is_numbered(const struct candidate *candidate, read_word *word, int ends)
{
    int counting = 0;
    struct count counts[2] = {0};
    guint bad = 0;

    for (guint i = 0; i < candidate->count; i++) {
        const struct qs_packet *packet = &candidate->packets[i];
        const enum qs_end other = qs_other_end(packet->from);

        if (packet->size < HEADER_SIZE ||
            !counts_on(&counts[packet->from], &counts[other], word(packet->data) & NUMBER_MASK,
                       word(packet->data + 4) & NUMBER_MASK))
            bad++;
    }
    for (int end = QS_END_A; end <= QS_END_B; end++)
        counting += counts[end].packets >= PACKETS_MIN;
    return bad <= candidate->count / BAD_SHARE && counting >= ends;
}

/* --- Moves of clients ------------------------------------------------------------------------ */

static bool has_move(const struct qs_decoder *decoder)
{
    for (guint i = 0; i < decoder->found.messages->len; i++) {
        const uint16_t id = g_array_index(decoder->found.messages, struct qs_message, i).id;

        if (id < 32 && decoder->protocol->moves >> id & 1)
            return true;
    }
    return false;
}

/*
 * Returns the number of the client's readable moves, or 0 if it is no evidence: moves have
 * checksums. The server's packets need not be readable, because extensions may have been agreed
 * upon before the capture. `*server` is its end, if known; receives what the packets reveal.
 */
static unsigned read_moves(const struct candidate *candidate, struct qs_decoder *decoder,
                           enum qs_end *server)
{
    struct qs_session *session = g_malloc(decoder->protocol->session_size);
    unsigned moves[2] = {0}, bad[2] = {0};
    enum qs_end client;

    decoder->protocol->session_init(session);
    session->server = *server;
    for (guint i = 0; i < candidate->count; i++) {
        const enum qs_end from = candidate->packets[i].from;

        qs_decode(decoder, session, NULL, &candidate->packets[i]);
        if (qs_decoder_problems(decoder))
            bad[from]++;
        else
            moves[from] += has_move(decoder);
    }
    *server = session->server;
    decoder->protocol->session_clear(session);
    g_free(session);
    client = qs_other_end(*server);
    return *server != QS_END_UNKNOWN && moves[client] >= PACKETS_MIN &&
                   bad[client] <= moves[client] / BAD_SHARE
               ? moves[client]
               : 0;
}

/* Like read_moves() for a protocol. Reads twice if only later packets reveal the server's end. */
static unsigned find_moves(const struct qs_heuristic *heuristic, const struct candidate *candidate,
                           int protocol, enum qs_end *server)
{
    struct qs_decoder decoder;
    unsigned moves;

    *server = QS_END_UNKNOWN;
    qs_decoder_init(&decoder, qs_protocols[protocol]);
    decoder.options = heuristic->protocol_options[protocol];
    moves = read_moves(candidate, &decoder, server);
    if (!moves && *server != QS_END_UNKNOWN)
        moves = read_moves(candidate, &decoder, server);
    qs_decoder_clear(&decoder);
    return moves;
}

/* Finds the only protocol by which the client's moves can be read. False if none fits, or
 * several. */
static bool recognize_moves(const struct qs_heuristic *heuristic, const struct candidate *candidate,
                            struct qs_heuristic_found *found)
{
    found->protocol = QS_PROTOCOL_NONE;
    if (!is_numbered(candidate, qs_le32, 2) && !is_numbered(candidate, qs_be32, 2))
        return false;
    for (int i = 0; qs_protocols[i]; i++) {
        enum qs_end server;
        const unsigned moves =
            qs_protocols[i]->moves ? find_moves(heuristic, candidate, i, &server) : 0;

        if (moves && found->protocol != QS_PROTOCOL_NONE)
            return false;
        if (moves)
            *found = (struct qs_heuristic_found){i, candidate->flow.ends[server], candidate->count,
                                                 moves};
    }
    return found->protocol != QS_PROTOCOL_NONE;
}

/* Selects the protocol of the port. False if the packets are not numbered like its packets. */
static bool recognize_port(const struct candidate *candidate, int by_port,
                           struct qs_heuristic_found *found)
{
    const struct qs_packet *last = &candidate->packets[candidate->count - 1];

    if (by_port == QS_PROTOCOL_NONE || !qs_protocols[by_port]->moves ||
        (!is_numbered(candidate, qs_le32, 1) && !is_numbered(candidate, qs_be32, 1)))
        return false;
    *found = (struct qs_heuristic_found){
        by_port, last->source_is_server_port ? last->source : last->destination, candidate->count,
        0};
    return true;
}

/* --- Packets that are kept ------------------------------------------------------------------- */

static struct candidate *find(struct qs_heuristic *heuristic, struct qs_packet *packet)
{
    struct candidate *candidate = (struct candidate *)qs_flow_find(heuristic->flows, packet);

    if (candidate)
        return candidate;
    candidate = g_new0(struct candidate, 1);
    packet->from = QS_END_A;
    qs_flow_add(heuristic->flows, &candidate->flow, &packet->source, &packet->destination,
                packet->time);
    return candidate;
}

static void abandon(struct qs_heuristic *heuristic, struct candidate *candidate)
{
    const uint16_t a = candidate->flow.ends[QS_END_A].port, b = candidate->flow.ends[QS_END_B].port;

    if (!heuristic->likely_ports[0] && candidate->count == QS_HEURISTIC_PACKETS_MAX &&
        (is_numbered(candidate, qs_le32, 1) || is_numbered(candidate, qs_be32, 1))) {
        heuristic->likely_ports[0] = MIN(a, b);
        heuristic->likely_ports[1] = MAX(a, b);
    }
    forget(&candidate->flow, NULL);
    candidate->given_up = true;
}

bool qs_heuristic_add(struct qs_heuristic *heuristic, const struct qs_packet *packet, int by_port,
                      struct qs_heuristic_found *found)
{
    struct qs_packet copy = *packet;
    struct candidate *candidate = find(heuristic, &copy);

    if (candidate->given_up)
        return false;
    copy.data = g_memdup2(packet->data, packet->size);
    candidate->packets[candidate->count++] = copy;
    candidate->bytes += packet->size;
    if (candidate->count % TRY_EVERY == 0 &&
        (recognize_moves(heuristic, candidate, found) || recognize_port(candidate, by_port, found)))
        return true;
    if (candidate->count == QS_HEURISTIC_PACKETS_MAX || candidate->bytes > QS_HEURISTIC_BYTES_MAX)
        abandon(heuristic, candidate);
    return false;
}

const uint16_t *qs_heuristic_likely_ports(const struct qs_heuristic *heuristic)
{
    return heuristic->likely_ports;
}

struct qs_packet *qs_heuristic_packets(const struct qs_heuristic *heuristic,
                                       const struct qs_address *a, const struct qs_address *b,
                                       unsigned *count)
{
    struct candidate *candidate = (struct candidate *)qs_flow_between(heuristic->flows, a, b);

    *count = candidate ? candidate->count : 0;
    return candidate ? candidate->packets : NULL;
}

void qs_heuristic_remove(struct qs_heuristic *heuristic, const struct qs_address *a,
                         const struct qs_address *b)
{
    struct qs_flow *flow = qs_flow_between(heuristic->flows, a, b);

    if (flow)
        qs_flow_end(heuristic->flows, flow);
}

void qs_heuristic_forget(struct qs_heuristic *heuristic)
{
    qs_flow_table_each(heuristic->flows, forget, NULL);
}
