/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/align.h"

#include <string.h>

/* FNV-1a. */
guint align_hash(const char *text, gsize length)
{
    guint hash = 2166136261u;

    for (gsize i = 0; i < length; i++)
        hash = (hash ^ (guchar)text[i]) * 16777619u;
    return hash;
}

bool align_same(const struct piece *a, const struct piece *b)
{
    return a->hash == b->hash && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* The nearest pieces that are the same end the gap at the heads. Without any it is all there is. */
static void measure_gap(const struct piece *was, const struct piece *is, guint *was_gap,
                        guint *is_gap)
{
    const guint was_count = *was_gap, is_count = *is_gap;

    for (guint skipped = 1; skipped + 1 < was_count + is_count; skipped++) {
        const guint last = MIN(skipped, was_count - 1);

        for (guint i = skipped < is_count ? 0 : skipped - is_count + 1; i <= last; i++) {
            if (align_same(&was[i], &is[skipped - i])) {
                *was_gap = i;
                *is_gap = skipped - i;
                return;
            }
        }
    }
}

/* The index of the first piece with this key, or `count`. */
static guint find_key(const struct piece *pieces, guint count, uint64_t key)
{
    guint location = 0;

    while (location < count && pieces[location].key != key)
        location++;
    return location;
}

/* No two pieces of the gap are the same. */
static enum align_step align_gap(const struct piece *was, guint was_gap, const struct piece *is,
                                 guint is_gap)
{
    guint was_later, is_later;

    if (was[0].key == is[0].key)
        return ALIGN_CHANGED;
    was_later = find_key(is, is_gap, was[0].key);
    is_later = find_key(was, was_gap, is[0].key);
    if (was_later < is_gap && (is_later == was_gap || was_later <= is_later))
        return ALIGN_ADDED;
    return ALIGN_REMOVED;
}

enum align_step align_heads(const struct piece *was, guint was_count, const struct piece *is,
                            guint is_count)
{
    guint was_gap = MIN(was_count, ALIGN_WINDOW);
    guint is_gap = MIN(is_count, ALIGN_WINDOW);

    if (!was_gap)
        return ALIGN_ADDED;
    if (!is_gap)
        return ALIGN_REMOVED;
    if (align_same(was, is))
        return ALIGN_SAME;
    measure_gap(was, is, &was_gap, &is_gap);
    if (!was_gap)
        return ALIGN_ADDED;
    if (!is_gap)
        return ALIGN_REMOVED;
    return align_gap(was, was_gap, is, is_gap);
}
