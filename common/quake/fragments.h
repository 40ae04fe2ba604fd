/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fragments of a reliable message, while it is incomplete.
 *
 * A list is a reference to its newest fragment, which holds the one before it: copying a list is
 * cheap, and a copy stays what it was when the original grows. Fragments never change.
 */
#ifndef NQ_FRAGMENTS_H
#define NQ_FRAGMENTS_H

#include <glib.h>

#include "common/core/reader.h"

/* A message that has more or is longer is none: nothing is kept of it. Engines cut at 1024 bytes
 * and more, so that the greatest message (NET_MAXMESSAGE) has 64 pieces. */
enum { NQ_FRAGMENTS_MAX = 1024 };

struct nq_fragment;

/* Zeroed: no fragment. */
struct nq_fragments {
    struct nq_fragment *newest;
};

/* `to` is overwritten without being cleared. */
void nq_fragments_copy(struct nq_fragments *to, const struct nq_fragments *from);
void nq_fragments_clear(struct nq_fragments *list);

/* Copies the bytes; `packet` is the number of the packet that carried them. False, with the list
 * cleared, when the message grew too long. */
bool nq_fragments_add(struct nq_fragments *list, struct qs_view bytes, uint64_t packet);

uint32_t nq_fragments_count(const struct nq_fragments *list);
uint32_t nq_fragments_size(const struct nq_fragments *list);

/* The bytes of all fragments and `last` behind them. */
GBytes *nq_fragments_join(const struct nq_fragments *list, struct qs_view last);

/* The numbers of the packets, oldest first: `numbers` has room for the list's count. */
void nq_fragments_packets(const struct nq_fragments *list, uint64_t *numbers);

#endif
