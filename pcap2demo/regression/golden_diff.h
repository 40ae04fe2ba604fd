/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the packets of a golden with today's, and then the lines of those that differ.
 *
 * At a difference it searches both sides for the nearest matching packets, within GOLDEN_WINDOW
 * packets: an extra or missing packet is one difference, and the packets after it are compared with
 * their counterparts. The same for lines. So the work is proportional to the size of both sides,
 * for any contents.
 */
#ifndef PCAP2DEMO_GOLDEN_DIFF_H
#define PCAP2DEMO_GOLDEN_DIFF_H

#include "pcap2demo/regression/golden.h"

enum { GOLDEN_WINDOW = 256 };

/* Maximum lines of a difference, and bytes of a line, followed by "…". */
enum { GOLDEN_LINES_MAX = 20, GOLDEN_LINE_SIZE_MAX = 4000 };

/* A packet that differs. */
struct golden_difference {
    uint64_t was, is; /* the packet's number in the golden, and today; 0: missing */
    GPtrArray *lines; /* char *: "-" and a line of the golden, "+" and one of today */
    guint more;       /* lines that were not kept */
};

/* Callers only read the first members. */
struct golden_diff {
    uint64_t packets;       /* of the golden, compared */
    uint64_t total;         /* differences */
    GPtrArray *differences; /* struct golden_difference: the first of them, in order */
    bool renumbered;        /* matching packets have other numbers than in the golden */

    struct golden_reader *golden;
    guint max;           /* differences to keep */
    GPtrArray *was, *is; /* struct packet: not compared yet */
    gsize waiting;       /* bytes of both */
    bool over;           /* the golden has no more */
    bool damaged;
};

/* Compares with the packets that the reader has from here on; keeps the first `max` differences. */
struct golden_diff *golden_diff_new(struct golden_reader *golden, guint max);
void golden_diff_free(struct golden_diff *diff);

/* Today's next packet: see golden_packet_append(). */
void golden_diff_add(struct golden_diff *diff, uint64_t number, const GString *packet);

/* Ends today's packets. False if the golden is damaged: see golden_error(). */
bool golden_diff_finish(struct golden_diff *diff);

#endif
