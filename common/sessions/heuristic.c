/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/heuristic.h"

#include <glib.h>

#include "common/core/decode.h"
#include "common/core/reader.h"
#include "common/sessions/flow.h"
#include "common/sessions/protocol_selection.h"
#include "common/protocols.h"

enum {
    HEADER_SIZE = 8,
    PACKETS_MIN = 4, /* of either end: fewer are no evidence */
    TRY_EVERY = 8,   /* packets */
    STEP_MAX = 64,   /* between numbers of packets that follow each other */
    BAD_SHARE = 8    /* one in so many packets may be late, lost or unreadable */
};

/* Engines' numbers, without the bits for reliable messages, fragments and STUNAWARE's bias. */
#define NUMBER_MASK UINT32_C(0x3fffffff)

struct candidate {
    struct qs_flow flow;
    struct qs_packet packets[QS_HEURISTIC_PACKETS_MAX]; /* own their data */
    guint count, bytes;
    bool given_up;
};

struct qs_heuristic {
    struct qs_flow_table *flows;
    uint32_t *const *protocol_options;
    struct qs_heuristic_evidence evidence; /* of what was recognised last */
    uint16_t likely_ports[2];              /* see qs_heuristic_likely_ports() */
};

static void forget(struct candidate *candidate)
{
    for (guint i = 0; i < candidate->count; i++)
        g_free((void *)candidate->packets[i].data);
    candidate->count = candidate->bytes = 0;
}

static void over(struct qs_flow *flow, void *user)
{
    (void)user;
    forget((struct candidate *)flow);
    g_free(flow);
}

struct qs_heuristic *qs_heuristic_new(uint32_t *const *protocol_options)
{
    struct qs_heuristic *heuristic = g_new0(struct qs_heuristic, 1);

    heuristic->flows = qs_flow_table_new(over, NULL);
    heuristic->protocol_options = protocol_options;
    return heuristic;
}

void qs_heuristic_free(struct qs_heuristic *heuristic)
{
    qs_flow_table_free(heuristic->flows);
    g_free(heuristic);
}

/* --- Numbers --------------------------------------------------------------------------------- */

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

/* The newest number of the other end, or one shortly before it. */
static bool is_ack_of(const struct count *other, uint32_t ack)
{
    return !other->started || other->number - ack <= STEP_MAX;
}

/* Whether the packet's numbers follow those before it. */
static bool counts_on(struct count *own, const struct count *other, uint32_t number, uint32_t ack)
{
    const bool good =
        !own->started || (is_step(own->number, number, 1) && is_step(own->ack, ack, 0));

    *own = (struct count){true, number, ack, own->packets + 1};
    return good && is_ack_of(other, ack);
}

static bool is_numbered(const struct candidate *candidate, read_word *word, int ends)
{
    int counting = 0;
    struct count counts[2] = {0};
    guint bad = 0;

    for (guint i = 0; i < candidate->count; i++) {
        const struct qs_packet *packet = &candidate->packets[i];
        const enum qs_end other = packet->from == QS_END_A ? QS_END_B : QS_END_A;

        if (packet->size < HEADER_SIZE ||
            !counts_on(&counts[packet->from], &counts[other], word(packet->data) & NUMBER_MASK,
                       word(packet->data + 4) & NUMBER_MASK))
            bad++;
    }
    for (int end = QS_END_A; end <= QS_END_B; end++)
        counting += counts[end].packets >= PACKETS_MIN;
    return bad <= candidate->count / BAD_SHARE && counting >= ends;
}

/* --- Messages -------------------------------------------------------------------------------- */

/* Packets of one end: those that can be read and have a move; and the unreadable. */
struct reading {
    guint moves, bad;
};

/*
 * The moves of clients have checksums. What a server sends may not be readable: that may need what
 * was agreed upon before the capture began.
 */
static bool is_client_like(const struct reading *reading)
{
    return reading->moves >= PACKETS_MIN && reading->bad <= reading->moves / BAD_SHARE;
}

static bool has_move(const struct qs_decoder *decoder)
{
    for (guint i = 0; i < decoder->messages->len; i++) {
        const uint16_t id = g_array_index(decoder->messages, struct qs_message, i).id;

        if (id < 32 && decoder->protocol->moves >> id & 1)
            return true;
    }
    return false;
}

static bool is_readable(const struct candidate *candidate, struct qs_decoder *decoder,
                        struct qs_session *session, struct qs_heuristic_evidence *evidence)
{
    struct reading readings[2] = {0};
    const struct reading *client;

    for (guint i = 0; i < candidate->count; i++) {
        struct reading *reading = &readings[candidate->packets[i].from];

        qs_decode(decoder, session, NULL, &candidate->packets[i]);
        if (qs_decoder_problems(decoder))
            reading->bad++;
        else
            reading->moves += has_move(decoder);
    }
    if (session->server == QS_END_UNKNOWN)
        return false;
    client = &readings[session->server == QS_END_A ? QS_END_B : QS_END_A];
    *evidence = (struct qs_heuristic_evidence){candidate->count, client->moves};
    return is_client_like(client);
}

/* Reads the packets. `server`: which end it is, as far as that is known; in return what was found
 * out. */
static bool try_to_read(const struct candidate *candidate, struct qs_decoder *decoder,
                        enum qs_end *server, struct qs_heuristic_evidence *evidence)
{
    struct qs_session *session = g_malloc(decoder->protocol->session_size);
    bool readable;

    decoder->protocol->session_init(session);
    session->server = *server;
    readable = is_readable(candidate, decoder, session, evidence);
    *server = session->server;
    decoder->protocol->session_clear(session);
    g_free(session);
    return readable;
}

/* The first packets of a connection may be readable only when later ones have shown which end is
 * the server. */
static bool can_be(const struct qs_heuristic *heuristic, const struct candidate *candidate,
                   int protocol, enum qs_end *server, struct qs_heuristic_evidence *evidence)
{
    struct qs_decoder decoder;
    bool readable;

    *server = QS_END_UNKNOWN;
    qs_decoder_init(&decoder, qs_protocols[protocol]);
    decoder.options = heuristic->protocol_options[protocol];
    readable = try_to_read(candidate, &decoder, server, evidence);
    if (!readable && *server != QS_END_UNKNOWN)
        readable = try_to_read(candidate, &decoder, server, evidence);
    qs_decoder_clear(&decoder);
    return readable;
}

/* The only protocol whose client's moves can be read, and which end is its server. */
static int recognise_moves(struct qs_heuristic *heuristic, const struct candidate *candidate,
                           enum qs_end *server)
{
    struct qs_heuristic_evidence evidence;
    enum qs_end end;
    int found = QS_PROTOCOL_NONE;

    if (!is_numbered(candidate, qs_le32, 2) && !is_numbered(candidate, qs_be32, 2))
        return QS_PROTOCOL_NONE;
    for (int i = 0; qs_protocols[i]; i++) {
        if (!qs_protocols[i]->moves || !can_be(heuristic, candidate, i, &end, &evidence))
            continue;
        if (found != QS_PROTOCOL_NONE)
            return QS_PROTOCOL_NONE;
        found = i;
        heuristic->evidence = evidence;
        *server = end;
    }
    return found;
}

/* The protocol of the port, if it has such numbers. */
static int recognise_port(struct qs_heuristic *heuristic, const struct candidate *candidate,
                          int by_port, enum qs_end *server)
{
    const struct qs_packet *last = &candidate->packets[candidate->count - 1];
    const enum qs_end other = last->from == QS_END_A ? QS_END_B : QS_END_A;

    if (by_port == QS_PROTOCOL_NONE || !qs_protocols[by_port]->moves ||
        (!is_numbered(candidate, qs_le32, 1) && !is_numbered(candidate, qs_be32, 1)))
        return QS_PROTOCOL_NONE;
    heuristic->evidence = (struct qs_heuristic_evidence){.packets = candidate->count};
    *server = last->source_is_server_port ? last->from : other;
    return by_port;
}

static int recognise(struct qs_heuristic *heuristic, const struct candidate *candidate, int by_port,
                     enum qs_end *server)
{
    const int protocol = recognise_moves(heuristic, candidate, server);

    return protocol == QS_PROTOCOL_NONE ? recognise_port(heuristic, candidate, by_port, server)
                                        : protocol;
}

/* --- Packets --------------------------------------------------------------------------------- */

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

static void keep(struct candidate *candidate, const struct qs_packet *packet)
{
    struct qs_packet *kept = &candidate->packets[candidate->count++];

    *kept = *packet;
    kept->data = g_memdup2(packet->data, packet->size);
    candidate->bytes += packet->size;
}

static void give_up(struct qs_heuristic *heuristic, struct candidate *candidate)
{
    const uint16_t a = candidate->flow.ends[QS_END_A].port, b = candidate->flow.ends[QS_END_B].port;

    if (!heuristic->likely_ports[0] && candidate->count == QS_HEURISTIC_PACKETS_MAX &&
        (is_numbered(candidate, qs_le32, 1) || is_numbered(candidate, qs_be32, 1))) {
        heuristic->likely_ports[0] = MIN(a, b);
        heuristic->likely_ports[1] = MAX(a, b);
    }
    forget(candidate);
    candidate->given_up = true;
}

int qs_heuristic_add(struct qs_heuristic *heuristic, const struct qs_packet *packet, int by_port,
                     struct qs_address *server)
{
    struct qs_packet copy = *packet;
    struct candidate *candidate = find(heuristic, &copy);
    enum qs_end end;
    int protocol;

    if (candidate->given_up)
        return QS_PROTOCOL_NONE;
    keep(candidate, &copy);
    if (candidate->count % TRY_EVERY == 0) {
        protocol = recognise(heuristic, candidate, by_port, &end);
        if (protocol != QS_PROTOCOL_NONE) {
            *server = candidate->flow.ends[end];
            return protocol;
        }
    }
    if (candidate->count == QS_HEURISTIC_PACKETS_MAX || candidate->bytes > QS_HEURISTIC_BYTES_MAX)
        give_up(heuristic, candidate);
    return QS_PROTOCOL_NONE;
}

const uint16_t *qs_heuristic_likely_ports(const struct qs_heuristic *heuristic)
{
    return heuristic->likely_ports;
}

struct qs_heuristic_evidence qs_heuristic_evidence(const struct qs_heuristic *heuristic)
{
    return heuristic->evidence;
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

static void forget_flow(struct qs_flow *flow, void *user)
{
    (void)user;
    forget((struct candidate *)flow);
}

void qs_heuristic_forget(struct qs_heuristic *heuristic)
{
    qs_flow_table_each(heuristic->flows, forget_flow, NULL);
}
