/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One direction of a netchan: packets with a sequence number that only grows, and what arrived of
 * them. Headers with 31-bit numbers have the reliable bit above them. What is done about it is in
 * receiver.h.
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
 * Whether the number is so far below the last one that no detour explains it: a new connection's
 * numbers, if one may have begun.
 */
bool qs_netchan_starts_over(const struct qs_netchan *chan, uint32_t sequence);

/*
 * The other end acknowledges `ack` of this direction. True, once, where that packet was not
 * captured: it was received, and only the capture lacks it.
 */
bool qs_netchan_acknowledge(struct qs_netchan *chan, uint32_t ack);

/*
 * Whether the packet can begin with a number and an acknowledgement of a game that goes on: no game
 * lasts QS_NUMBERS_MAX packets, 15 hours of 77 each second; and neither end sends more than `ratio`
 * times as many as the other, but for QS_NUMBERS_APART that were not answered yet. `word` reads a
 * number, with flags in its upper two bits: in the game's byte order.
 */
bool qs_may_begin_with_numbers(const struct qs_packet *packet, uint32_t (*word)(const uint8_t *),
                               uint32_t ratio);
enum { QS_NUMBERS_MAX = 1 << 22, QS_NUMBERS_APART = 4096 };

static inline bool qs_arrival_accepted(enum qs_arrival arrival)
{
    return arrival == QS_ARRIVAL_NEXT || arrival == QS_ARRIVAL_GAP;
}

/*
 * What the receiver of a packet with a sequence number does with it, the same for all netchans: it
 * takes the packet or drops it, joins fragments, and learns what its own packets became of. Notes
 * of one kind have the same wording in every game.
 *
 * A netchan reads its header, calls qs_receive() with the number and qs_receive_acknowledgement(),
 * then qs_read_received() with the function that reads the messages.
 */

/* The bytes of the packet that a note is about. */
struct qs_span {
    uint32_t offset, length;
};

/* What goes in the packet's direction, and what goes the other way. */
static inline struct qs_netchan *qs_netchan_forth(const struct qs_decoder *d)
{
    return d->direction == QS_S2C ? &d->session->to_client : &d->session->to_server;
}

static inline struct qs_netchan *qs_netchan_back(const struct qs_decoder *d)
{
    return d->direction == QS_S2C ? &d->session->to_server : &d->session->to_client;
}

/*
 * The packet at hand, numbered d->sequence, arrives: sets d->accepted, with a note where the
 * receiver drops it. Returns how many numbers were skipped before it.
 */
uint32_t qs_receive(struct qs_decoder *d, struct qs_netchan *chan, struct qs_span number);

/* The note of that; none where nothing was skipped. The sender told of `choked` numbers that it
 * skipped on purpose. */
void qs_note_gap(struct qs_decoder *d, struct qs_span number, uint32_t skipped, uint32_t choked);

/* The packet acknowledges d->acknowledged of `chan`: a note where the capture lacks that. Not to be
 * called of a packet that its receiver drops. */
void qs_receive_acknowledgement(struct qs_decoder *d, struct qs_netchan *chan, struct qs_span ack);

/* The packet carries again what was sent before and must arrive. */
void qs_note_retransmission(struct qs_decoder *d, struct qs_span number);

/* As many numbers before the packet's were received, or the sender would not have gone on. */
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

/* Of netchans whose fragments tell where they belong. */
struct qs_fragment_format {
    struct qs_span number; /* where the sequence number stands */
    unsigned row;          /* the field of a fragment's bytes */
    unsigned list_row;     /* see qs_emit_fragments() */
    uint32_t max;          /* bytes in a message; engines join no more */
};

/*
 * The rest of the packet is the fragment at byte `offset` of message d->sequence; `more` follow.
 * Fragments are taken in order, and dropped otherwise. Returns the message where it is whole now:
 * then it arrives. Else NULL, and the packet is done.
 */
GBytes *qs_receive_fragment(struct qs_decoder *d, struct qs_fragments *list,
                            const struct qs_fragment_format *format, uint32_t offset, bool more);

/* --- Messages */

/* `read` in the session as it is where the receiver takes the packet, else as below. */
void qs_read_received(struct qs_decoder *d, void (*read)(struct qs_decoder *));

/* What the receiver drops is shown all the same, but the session learns nothing: `read` sees a copy
 * of it, which is thrown away. */
void qs_read_dropped(struct qs_decoder *d, void (*read)(struct qs_decoder *));

/* `read` reads `message`, which was joined. */
void qs_read_joined(struct qs_decoder *d, GBytes *message, void (*read)(struct qs_decoder *));

#endif
