/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of two sequences' pieces belong together: decided step by step at their heads, looking only
 * so far ahead, so that sequences may be streams.
 *
 * Pieces with the same text are the same. Pieces with the same key may be one piece that changed.
 */
#ifndef PCAP2DEMO_ALIGN_H
#define PCAP2DEMO_ALIGN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* No step looks farther ahead than this. */
enum { ALIGN_WINDOW = 32 };

struct piece {
    uint64_t key;
    guint hash; /* of the text */
    const char *text;
    gsize length;
};

/* Of whole lines of text. */
guint align_hash(const char *text, gsize length);

bool align_same(const struct piece *a, const struct piece *b);

/* What becomes of the heads: taken from both, or an addition, or a removal. */
enum align_step { ALIGN_SAME, ALIGN_CHANGED, ALIGN_ADDED, ALIGN_REMOVED };

/* At least one of the two counts is not 0. */
enum align_step align_heads(const struct piece *was, guint was_count, const struct piece *is,
                            guint is_count);

#endif
