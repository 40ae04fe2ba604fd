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

/* --- Files */

/* The first and the last line. New. */
char *golden_head(const GPtrArray *ignored);
char *golden_foot(uint64_t packets);

/*
 * Appends lines of a compact dump to a packet: those of the packet itself, or of a further unit of
 * a stream that belongs to it. Removes the number from the packet's first line, so that frames of
 * other protocols before the packet make no difference.
 */
void golden_packet_append(GString *packet, const char *lines);

enum golden_status { GOLDEN_PACKET, GOLDEN_END, GOLDEN_DAMAGED };

/* Callers only read the first members. */
struct golden_reader {
    GPtrArray *ignored; /* names of fields that are left out */
    char *error;        /* after GOLDEN_DAMAGED: the line and what is wrong with it */

    char *text, *at;          /* of the file, and the next line */
    uint64_t packets, number; /* packets so far; number of the last one */
};

/* NULL on failure; then `*error` is a new string that names the line. */
struct golden_reader *golden_open(const char *path, char **error);
void golden_close(struct golden_reader *reader);

/* Reads the next packet's number and lines, in the form of golden_packet_append(), into `packet`.
 */
enum golden_status golden_next(struct golden_reader *reader, GString *packet, uint64_t *number);

/* --- Comparing */

/* Callers only read the first members. */
struct golden_diff {
    uint64_t packets;       /* of the golden, compared */
    uint64_t total;         /* differences */
    GPtrArray *differences; /* struct golden_difference: the first of them, in order */

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
