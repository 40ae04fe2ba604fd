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

#include "common/core/packet.h"

#define QS_SEQUENCE_MASK UINT32_C(0x7fffffff)
#define QS_RELIABLE_BIT UINT32_C(0x80000000)

enum qs_arrival {
    QS_ARRIVAL_NEXT,      /* accepted, nothing missing before it */
    QS_ARRIVAL_GAP,       /* accepted, numbers are missing before it */
    QS_ARRIVAL_DUPLICATE, /* dropped: seen before */
    QS_ARRIVAL_STALE      /* dropped: a later one was accepted already */
};

struct qs_netchan {
    bool started;
    uint32_t sequence; /* of the last packet accepted */
    uint64_t seen;     /* bit n: the packet of number sequence - n was captured */
    /* Totals since the start. */
    uint32_t accepted, stale, duplicates;
    uint32_t gaps, missing;   /* holes, and the numbers in them */
    uint32_t not_captured;    /* numbers that the other end acknowledged but the capture lacks; of
                               * those that come later this is taken back */
    uint32_t last_uncaptured; /* the newest such number, so that it is counted once */
    uint64_t lacking;         /* bit n: number last_uncaptured - n is such a one */
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

#endif
