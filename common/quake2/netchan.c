/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets with sequence numbers. Source: engine, net_chan.c; what R1Q2 and Q2PRO changed:
 * PROTOCOL.md, section 4; Q2PRO, net/chan.c.
 */
#include "common/quake2/client_messages.h"
#include "common/quake2/fields.h"
#include "common/quake2/netchan.h"
#include "common/quake2/server_messages.h"
#include "common/quake2/session.h"

enum {
    HEADER_SIZE = 8,
    FIRST_NUMBERS = 2,  /* sequence numbers up to this begin a connection */
    REORDERED_MAX = 16, /* a packet later than by so many is not late but of a new connection */
    FRAGMENT_MORE = 0x8000,
    JOINED_MAX = 32768 /* Q2PRO's longest message */
};

#define FRAGMENT_BIT UINT32_C(0x40000000)

/* The header of a packet. */
struct header {
    uint32_t sequence, acknowledged;
    bool fragment, more;
    uint32_t fragment_offset;
};

static void read_sequence(struct qs_decoder *d, struct header *header)
{
    const bool fragments = q2_session_of(d->session)->new_netchan;
    const uint32_t at = d->in.pos;
    const uint32_t word = qs_reader_u32(&d->in);
    const uint32_t ack = qs_reader_u32(&d->in);
    const uint32_t mask = fragments ? QS_SEQUENCE_MASK & ~FRAGMENT_BIT : QS_SEQUENCE_MASK;

    header->sequence = word & mask;
    header->acknowledged = ack & mask;
    header->fragment = fragments && word & FRAGMENT_BIT;
    qs_emit_uint(d, Q2_SEQUENCE_RELIABLE, at, 4, word >> 31);
    if (fragments)
        qs_emit_uint(d, Q2_SEQUENCE_FRAGMENT, at, 4, header->fragment);
    qs_emit_uint(d, Q2_SEQUENCE, at, 4, header->sequence);
    qs_emit_uint(d, Q2_ACK_RELIABLE, at + 4, 4, ack >> 31);
    qs_emit_uint(d, Q2_ACK, at + 4, 4, header->acknowledged);
}

static void read_qport(struct qs_decoder *d)
{
    switch (q2_session_of(d->session)->qport_width) {
    case Q2_QPORT_NONE:
        break;
    case Q2_QPORT_BYTE:
        qs_u8(d, Q2_QPORT);
        break;
    case Q2_QPORT_SHORT:
    case Q2_QPORT_UNKNOWN:
        qs_u16(d, Q2_QPORT);
        break;
    }
}

static void read_fragment_word(struct qs_decoder *d, struct header *header)
{
    const uint16_t word = qs_u16(d, Q2_FRAGMENT_WORD);

    header->more = word & FRAGMENT_MORE;
    header->fragment_offset = word & (FRAGMENT_MORE - 1);
}

static struct header read_header(struct qs_decoder *d)
{
    struct header header = {0};

    qs_open(d, Q2_HEADER);
    read_sequence(d, &header);
    if (d->direction == QS_C2S)
        read_qport(d);
    if (header.fragment)
        read_fragment_word(d, &header);
    qs_label(d, ": %u, acknowledges %u", header.sequence, header.acknowledged);
    qs_close(d);
    d->sequence = header.sequence;
    d->acknowledged = header.acknowledged;
    qs_summary(d, " seq %u ack %u", header.sequence, header.acknowledged);
    return header;
}

/* --- Sequence numbers --- */

static struct qs_netchan *chan_of(struct qs_decoder *d, enum qs_direction direction)
{
    return direction == QS_C2S ? &d->session->to_server : &d->session->to_client;
}

static void note_arrival(struct qs_decoder *d, enum qs_arrival arrival, uint32_t skipped)
{
    switch (arrival) {
    case QS_ARRIVAL_NEXT:
        break;
    case QS_ARRIVAL_GAP:
        qs_note(d, QS_NOTE_SEQUENCE_GAP, 0, 4, "%u sequence number%s missing before this one",
                skipped, skipped == 1 ? " is" : "s are");
        break;
    case QS_ARRIVAL_DUPLICATE:
        qs_note(d, QS_NOTE_SEQUENCE_DUPLICATE, 0, 4, "Packet %u came before", d->sequence);
        break;
    case QS_ARRIVAL_STALE:
        qs_note(d, QS_NOTE_SEQUENCE_STALE, 0, 4, "Packet %u comes too late", d->sequence);
        break;
    }
}

static void note_acknowledgement(struct qs_decoder *d)
{
    const enum qs_direction other = d->direction == QS_C2S ? QS_S2C : QS_C2S;

    if (qs_netchan_acknowledge(chan_of(d, other), d->acknowledged))
        qs_note(d, QS_NOTE_NOT_CAPTURED, 4, 4, "The capture lacks packet %u", d->acknowledged);
}

/* Whether the other end's client_connect is late: its first packets may overtake it. */
static bool overtakes_answer(const struct q2_session *session, uint32_t sequence)
{
    return !session->base.connection && session->wanted.version &&
           !session->base.to_server.started && !session->base.to_client.started &&
           sequence <= FIRST_NUMBERS;
}

/*
 * A client that was accepted while traffic went on, or of whose new connection the capture lacks
 * the beginning, has really begun anew when the numbers begin anew. Which netchan it uses now is
 * not known yet, so the bit that may mean a fragment is left out.
 */
static void settle_connect(struct qs_decoder *d)
{
    struct q2_session *session = q2_session_of(d->session);
    const uint32_t sequence = qs_le32(d->in.data) & QS_SEQUENCE_MASK & ~FRAGMENT_BIT;
    const struct qs_netchan *chan = chan_of(d, d->direction);
    const bool expected = session->connect_pending || session->base.disconnected;

    if (overtakes_answer(session, sequence) ||
        (expected && chan->started && sequence <= FIRST_NUMBERS &&
         chan->sequence > FIRST_NUMBERS + REORDERED_MAX))
        q2_session_connect(session);
    else if (session->connect_pending && sequence > chan->sequence)
        session->connect_pending = false;
}

/* --- Fragments --- */

static struct q2_fragments *fragments_of(struct qs_decoder *d)
{
    return &q2_session_of(d->session)->fragments[d->direction == QS_C2S ? 0 : 1];
}

static GBytes *joined(GBytes *before, struct qs_view piece)
{
    const gsize size = before ? g_bytes_get_size(before) : 0;
    uint8_t *all = g_malloc(size + piece.size);

    if (size)
        memcpy(all, g_bytes_get_data(before, NULL), size);
    if (piece.size)
        memcpy(all + size, piece.data, piece.size);
    return g_bytes_new_take(all, size + piece.size);
}

/* Takes a piece that fits. All pieces of a message have its sequence number, and are sent in order;
 * false: it is lost or out of order. */
static bool take_fragment(struct qs_decoder *d, const struct header *header, struct qs_view piece)
{
    struct q2_fragments *fragments = fragments_of(d);
    GBytes *all;
    gsize size;

    if (fragments->sequence != header->sequence || !header->fragment_offset)
        g_clear_pointer(&fragments->data, g_bytes_unref);
    fragments->sequence = header->sequence;
    size = fragments->data ? g_bytes_get_size(fragments->data) : 0;
    if (header->fragment_offset != size || size + piece.size > JOINED_MAX)
        return false;
    all = joined(fragments->data, piece);
    g_clear_pointer(&fragments->data, g_bytes_unref);
    fragments->data = all;
    return true;
}

/* --- Messages --- */

static void read_messages(struct qs_decoder *d)
{
    if (d->direction == QS_C2S)
        q2_read_client_messages(d);
    else if (d->direction == QS_S2C)
        q2_read_server_messages(d);
    else
        qs_undecoded(d);
}

static void accept_packet(struct qs_decoder *d, const struct header *header)
{
    uint32_t skipped;
    const enum qs_arrival arrival =
        qs_netchan_arrive(chan_of(d, d->direction), header->sequence, &skipped);

    note_arrival(d, arrival, skipped);
    d->accepted = qs_arrival_accepted(arrival);
    if (d->accepted)
        note_acknowledgement(d);
}

static void read_joined(struct qs_decoder *d)
{
    struct q2_fragments *fragments = fragments_of(d);
    GBytes *all = g_steal_pointer(&fragments->data);

    q2_read_source(d, "Joined fragments", all, read_messages);
    g_bytes_unref(all);
}

/* A stale packet's pieces are shown, but not joined. */
static void read_fragment(struct qs_decoder *d, const struct header *header)
{
    const struct qs_netchan *chan = chan_of(d, d->direction);
    const uint32_t at = d->in.pos;
    const struct qs_view piece = qs_bytes(d, Q2_FRAGMENT_DATA, qs_reader_left(&d->in));

    if (chan->started && header->sequence <= chan->sequence) {
        accept_packet(d, header);
        return;
    }
    if (!take_fragment(d, header, piece)) {
        qs_note(d, QS_NOTE_SEQUENCE_GAP, at, piece.size, "A fragment before this one is missing");
        return;
    }
    if (header->more)
        return;
    accept_packet(d, header);
    read_joined(d);
}

void q2_decode_netchan(struct qs_decoder *d)
{
    struct q2_session *session = q2_session_of(d->session);
    struct header header;

    if (d->in.size < HEADER_SIZE) {
        qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "Too short for a netchan header");
        qs_undecoded(d);
        return;
    }
    if (d->direction != QS_DIRECTION_UNKNOWN)
        settle_connect(d);
    header = read_header(d);
    session->moved = false;
    if (header.fragment) {
        read_fragment(d, &header);
        return;
    }
    if (d->direction != QS_DIRECTION_UNKNOWN)
        accept_packet(d, &header);
    read_messages(d);
}
