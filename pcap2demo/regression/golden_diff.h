/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two streams of packets, the golden's and today's, and reports what differs.
 *
 * Packets, then messages, then fields are aligned (see align.h), so that one more or less of them
 * does not make all that follows differ. A position that changed is reported only in packets whose
 * other differences are new fields, since everything behind a field that grew has moved; offsets
 * count from the first field that both packets have, since a block of a demo has its place in the
 * file.
 */
#ifndef PCAP2DEMO_GOLDEN_DIFF_H
#define PCAP2DEMO_GOLDEN_DIFF_H

#include "pcap2demo/regression/golden.h"

/* A difference in a packet, message or field: `message` and `field` are NULL where it is not in
 * one. */
struct difference {
    uint64_t was_packet, is_packet; /* see has_was, has_is */
    bool has_was, has_is;           /* the packet is in the golden, in today's decode */
    uint32_t offset;                /* of the field or message, today's where it is there */
    char *message;                  /* "qw.svc_damage" */
    char *field;                    /* "qw.damage.health" */
    char *was, *is;                 /* readable; NULL: it was, or is not there */
};

struct golden_diff;

/* Gives the golden's next packet. What follows where the golden is damaged is not compared. */
typedef enum golden_status golden_source(void *user, struct golden_packet *packet);

/* Of the differences the first `max` are kept. */
struct golden_diff *golden_diff_new(golden_source *next, void *user, guint max);
void golden_diff_free(struct golden_diff *diff);

/* Takes today's next packet over, and gives back another to fill. */
struct golden_packet *golden_diff_take(struct golden_diff *diff, struct golden_packet *packet);

/*
 * Whether both streams are at the same place, with no packet waiting. Then the caller who finds
 * that their next packets are the same, numbers and positions too, may report just that.
 */
bool golden_diff_is_level(const struct golden_diff *diff);
void golden_diff_take_same(struct golden_diff *diff);

/* There are no more. */
void golden_diff_finish(struct golden_diff *diff);

/* struct difference *, in order, which is then the caller's; and the number of all. */
GPtrArray *golden_diff_take_differences(struct golden_diff *diff, uint64_t *total);

/* Packets of the golden that were looked at. */
uint64_t golden_diff_packets(const struct golden_diff *diff);

/*
 * The names (keys) of the fields that were added, where nothing of the golden is missing, moved or
 * changed; NULL where something is. If the golden has none of these names at all, only the program
 * has learnt.
 */
GHashTable *golden_diff_new_names(const struct golden_diff *diff);

#endif
