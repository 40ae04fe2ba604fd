/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first line of a packet in the compact form: "packet +2 qw s2c session=3 size=86". */
#ifndef PCAP2DEMO_GOLDEN_HEADS_H
#define PCAP2DEMO_GOLDEN_HEADS_H

#include "pcap2demo/regression/golden_pieces.h"

/* A packet has no more of them. */
enum { GOLDEN_HEADS_MAX = 8 };

/* What it says of the packet: "session" and "3". */
struct golden_heads {
    struct golden_head {
        const char *name, *value;
    } at[GOLDEN_HEADS_MAX];
    guint count;
    bool has_size; /* else the packet ends with its last field */
    uint32_t size;
    char **words;
};

/*
 * Goes behind "packet" and the number, which becomes that of a packet behind `before`. False where
 * something else stands there.
 */
bool golden_take_packet(struct golden_rest *rest, uint64_t before, uint64_t *number);

/*
 * Takes the words that follow. `session`: where none is named it is the first, else there is none.
 * False where they are none of a first line; what is in it must be cleared all the same.
 */
bool golden_heads_take(struct golden_heads *heads, struct golden_rest rest, bool session);
void golden_heads_clear(struct golden_heads *heads);

#endif
