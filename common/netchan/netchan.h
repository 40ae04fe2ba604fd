/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One direction of a netchan: packets with a sequence number that only grows, and what arrived of
 * them. Headers with 31-bit numbers have the reliable bit above them. The receiver's rules
 * stand below.
 */
#ifndef QS_NETCHAN_NETCHAN_H
#define QS_NETCHAN_NETCHAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/decoder.h"
#include "common/core/packet.h"
#include "common/netchan/fragments.h"

#define QS_SEQUENCE_MASK UINT32_C(0x7fffffff)
#define QS_RELIABLE_BIT UINT32_C(0x80000000)

enum qs_arrival {
    QS_ARRIVAL_NEXT,      /* accepted, nothing missing before it */
    QS_ARRIVAL_GAP,       /* accepted, numbers are missing before it */
    QS_ARRIVAL_DUPLICATE, /* dropped: seen before */
    QS_ARRIVAL_STALE      /* dropped: a later one was accepted already */
};

/* A packet arrives. `*skipped` gets how many numbers were skipped before it. */
enum qs_arrival qs_netchan_arrive(struct qs_netchan *chan, uint32_t sequence, uint32_t *skipped);

/*
 * Whether the number is so far below the last one that reordering cannot explain it: a new
 * connection's numbers, if one may have begun.
 */
bool qs_netchan_starts_over(const struct qs_netchan *chan, uint32_t sequence);

/* The same of a packet that comes: whether so many before it were that a new connection has begun,
 * though the capture lacks its handshake. */
bool qs_netchan_restarted(struct qs_netchan *chan, uint32_t sequence);

/*
 * The other end acknowledges `ack` of this direction. True, once, if the receiver has that packet
 * and the capture lacks it.
 */
bool qs_netchan_acknowledge(struct qs_netchan *chan, uint32_t ack);

/*
 * Whether the packet can begin with a number and an acknowledgement of a running game: no game
 * lasts QS_NUMBERS_MAX packets (15 hours of 77 each second), and neither end sends more than
 * `ratio` times as many as the other, except QS_NUMBERS_APART unanswered ones. `word` reads a
 * number, with flags in its upper two bits, in the protocol's byte order.
 */
bool qs_may_begin_with_numbers(const struct qs_packet *packet, uint32_t (*word)(const uint8_t *),
                               uint32_t ratio);
enum { QS_NUMBERS_MAX = 1 << 22, QS_NUMBERS_APART = 4096 };

/*
 * The receiver of packets with sequence numbers, the same for all netchans: it accepts or drops a
 * packet, joins fragments, and tracks which of its own packets arrived. Notes of one kind have the
 * same wording in every game.
 *
 * A netchan reads its header, calls qs_receive() with the number and qs_receive_acknowledgement(),
 * then qs_read_received() with the function that reads the messages.
 */

/* The bytes of the packet that a note is about. */
struct qs_span {
    uint32_t offset, length;
};

/* The packet's direction, and the opposite one. */
static inline struct qs_netchan *qs_netchan_forth(const struct qs_decoder *d)
{
    return d->found.direction == QS_S2C ? &d->session->to_client : &d->session->to_server;
}

static inline struct qs_netchan *qs_netchan_back(const struct qs_decoder *d)
{
    return d->found.direction == QS_S2C ? &d->session->to_server : &d->session->to_client;
}

static inline enum qs_direction qs_direction_back(const struct qs_decoder *d)
{
    return d->found.direction == QS_S2C ? QS_C2S : QS_S2C;
}

/*
 * The packet is a client's with this qport (see qs_seqinfo_qport(); 0: it has none). Returns
 * whether the server takes it for the connection's client; if not, adds a note. The first one is
 * the connection's. Source: SV_ReadPackets of QuakeWorld's and Quake II's servers.
 */
bool qs_receive_qport(struct qs_decoder *d, uint32_t qport, struct qs_span span);

/*
 * The current packet, numbered d->sequence, arrives: sets d->accepted, with a note if the receiver
 * drops it. Returns how many numbers were skipped before it.
 */
uint32_t qs_receive(struct qs_decoder *d, struct qs_netchan *chan, struct qs_span number);

/*
 * Notes the skipped numbers, if any, after the packet was read. The sender has announced that it
 * skipped `choked` numbers on purpose. Returns whether it is a burst: both ends skipped numbers
 * since the other's last packet. Networks seldom lose both at once, captures do. So the numbers of
 * a burst count as not captured, and those of a gap of which the other end has acknowledged one.
 */
bool qs_note_gap(struct qs_decoder *d, struct qs_span number, uint32_t skipped, uint32_t choked);

/* The packet acknowledges number d->found.acknowledged of `chan`. Returns whether the capture lacks
 * that, with a note. Do not call it for a packet that its receiver drops. */
bool qs_receive_acknowledgement(struct qs_decoder *d, struct qs_netchan *chan, struct qs_span ack);

/* The reliable bit of the packet's number, and that of its acknowledgement; nothing for a packet
 * that its receiver drops. */
void qs_receive_reliable(struct qs_decoder *d, bool reliable, bool bit);

/* Whether the client's packet shows that the capture lacks a reliable packet of the level's
 * sign-on.
 */
bool qs_lacks_sign_on(const struct qs_decoder *d);

/* The packet carries again what was sent before and must arrive. */
void qs_note_retransmission(struct qs_decoder *d, struct qs_span number);

/* The receiver has that many numbers before the packet's; otherwise the sender would have waited.
 */
void qs_note_lacking(struct qs_decoder *d, struct qs_span number, uint32_t lacking);

/* --- Fragments */

/* The fragment would make its message too long. */
void qs_note_overlong(struct qs_decoder *d, struct qs_span fragment);

/*
 * The packet at hand has the `last` fragment of a message: emits which packets it is joined of, as
 * the rows from `row` on: a group, a packet's number, the number of packets, the bytes of all.
 */
void qs_emit_fragments(struct qs_decoder *d, unsigned row, const struct qs_fragments *earlier,
                       struct qs_span last);

/* For netchans whose fragments have an offset. */
struct qs_fragment_format {
    struct qs_span number; /* where the sequence number stands */
    unsigned row;          /* the field of a fragment's bytes */
    unsigned list_row;     /* see qs_emit_fragments() */
    uint32_t max;          /* bytes in a message; engines join no more */
};

/*
 * The rest of the packet is the fragment at byte `offset` of message d->sequence; `more` follow.
 * Accepts whole fragments in order and drops others. Returns the message if it is complete: then it
 * arrives. Else NULL, and the packet is done, unless qs_ends_cut_message().
 */
GBytes *qs_receive_fragment(struct qs_decoder *d, struct qs_fragments *list,
                            const struct qs_fragment_format *format, uint32_t offset, bool more);

/* Whether the fragment is the last one of a message of which the capture cut a packet: the receiver
 * had it, and it arrives without its messages. */
bool qs_ends_cut_message(const struct qs_decoder *d, const struct qs_fragments *list, bool more);

/* --- Messages */

/* Calls `read` with the session if the receiver accepts the packet, else as below. */
void qs_read_received(struct qs_decoder *d, void (*read)(struct qs_decoder *));

/* Decodes a packet that the receiver drops, without changing the session: `read` gets a copy, which
 * is discarded. */
void qs_read_dropped(struct qs_decoder *d, void (*read)(struct qs_decoder *));

/* Calls `read` on the joined `message`. */
void qs_read_joined(struct qs_decoder *d, GBytes *message, void (*read)(struct qs_decoder *));

#endif
