/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fragments of an incomplete message.
 *
 * A list is a reference to its newest fragment, which refers to the one before it. Fragments never
 * change: copying a list is cheap, and a copy does not change when the original grows.
 * References are counted without locks: a session belongs to one thread.
 *
 * Bounds: a list has no more than QS_FRAGMENTS_MAX fragments, and no more bytes than its user
 * allows.
 */
#ifndef QS_NETCHAN_FRAGMENTS_H
#define QS_NETCHAN_FRAGMENTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

/* No engine splits a message into that many. */
enum { QS_FRAGMENTS_MAX = 1024 };

struct qs_fragment;

/* Zeroed: no fragment. */
struct qs_fragments {
    struct qs_fragment *newest;
    uint32_t message; /* what the fragments are of; see qs_fragments_follows() */
    uint32_t cut;     /* the number of a message of which the capture cut a packet; 0: none */
};

/* Overwrites `to` without clearing it. */
void qs_fragments_copy(struct qs_fragments *to, const struct qs_fragments *from);
void qs_fragments_clear(struct qs_fragments *list);

/* Whether both hold the same fragments, as copies do that have not changed since. */
static inline bool qs_fragments_shares(const struct qs_fragments *a, const struct qs_fragments *b)
{
    return a->newest == b->newest;
}

/*
 * Whether a fragment that begins at byte `offset` of the message numbered `message` is the next
 * one. A fragment of another message than before drops those that are there.
 */
bool qs_fragments_follows(struct qs_fragments *list, uint32_t message, uint32_t offset);

/* Whether a fragment of `size` bytes may be added: no more than `max` bytes, nor too many. */
bool qs_fragments_fits(const struct qs_fragments *list, uint32_t size, uint32_t max);

/*
 * Copies the bytes; `packet` is the number of the packet that carried them. False, with the list
 * unchanged, where there would be more than `max` bytes or too many fragments.
 */
bool qs_fragments_add(struct qs_fragments *list, struct qs_view bytes, uint64_t packet,
                      uint32_t max);

uint32_t qs_fragments_count(const struct qs_fragments *list);
uint32_t qs_fragments_size(const struct qs_fragments *list);

/* The bytes of all fragments, and `last` behind them. */
GBytes *qs_fragments_join(const struct qs_fragments *list, struct qs_view last);

/* The numbers of the packets, oldest first: `numbers` has room for the list's count. */
void qs_fragments_packets(const struct qs_fragments *list, uint64_t *numbers);

#endif
