/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fragments of an incomplete message.
 *
 * A list is a reference to its newest fragment, which refers to the one before it. Fragments never
 * change: copying a list is cheap, and a copy does not change when the original grows. References
 * are counted without locks: a session belongs to one thread.
 *
 * Bounds: a list has at most QS_FRAGMENTS_MAX fragments, and as many bytes as its user allows.
 */
#ifndef QS_NETCHAN_FRAGMENTS_H
#define QS_NETCHAN_FRAGMENTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

/* Maximum number of fragments of a message; engines send fewer. */
enum { QS_FRAGMENTS_MAX = 1024 };

struct qs_fragment;

/* A list of fragments. Empty if zeroed. */
struct qs_fragments {
    struct qs_fragment *newest;
    uint32_t message; /* number of the message; see qs_fragments_follows() */
    uint32_t cut;     /* number of a message with a packet that the capture cut; 0: none */
};

/* Copies a list. Overwrites `to` without clearing it. */
void qs_fragments_copy(struct qs_fragments *to, const struct qs_fragments *from);
void qs_fragments_clear(struct qs_fragments *list);

/* True if both hold the same fragments, like copies that have not changed. */
static inline bool qs_fragments_shares(const struct qs_fragments *a, const struct qs_fragments *b)
{
    return a->newest == b->newest;
}

/*
 * True if a fragment at byte `offset` of message `message` is the next one. If the list is of
 * another message, clears it first.
 */
bool qs_fragments_follows(struct qs_fragments *list, uint32_t message, uint32_t offset);

/* True if a fragment of `size` bytes may be added: at most `max` bytes, and not too many
 * fragments. */
bool qs_fragments_fits(const struct qs_fragments *list, uint32_t size, uint32_t max);

/*
 * Adds a copy of the bytes, which packet number `packet` carried. Returns false, with the list
 * unchanged, if it would have more than `max` bytes or QS_FRAGMENTS_MAX fragments.
 */
bool qs_fragments_add(struct qs_fragments *list, struct qs_view bytes, uint64_t packet,
                      uint32_t max);

uint32_t qs_fragments_count(const struct qs_fragments *list);
uint32_t qs_fragments_size(const struct qs_fragments *list);

/* Returns the bytes of all fragments, followed by `last`; the caller unrefs them. */
GBytes *qs_fragments_join(const struct qs_fragments *list, struct qs_view last);

/* Stores the packets' numbers, oldest first. `numbers` has room for qs_fragments_count(). */
void qs_fragments_packets(const struct qs_fragments *list, uint64_t *numbers);

#endif
