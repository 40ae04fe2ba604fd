/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/netchan.h"

struct qs_fragment {
    unsigned references;
    uint32_t count;  /* number of fragments up to this one */
    uint32_t before; /* number of bytes in the earlier ones */
    uint32_t size;
    uint64_t packet;
    struct qs_fragment *earlier;
    uint8_t data[];
};

void qs_fragments_copy(struct qs_fragments *to, const struct qs_fragments *from)
{
    *to = *from;
    if (to->newest)
        to->newest->references++;
}

/* A loop instead of a recursion, because a hostile sender makes the chain as long as allowed. */
void qs_fragments_clear(struct qs_fragments *list)
{
    struct qs_fragment *fragment = list->newest;

    list->newest = NULL;
    while (fragment && !--fragment->references) {
        struct qs_fragment *earlier = fragment->earlier;

        g_free(fragment);
        fragment = earlier;
    }
}

uint32_t qs_fragments_count(const struct qs_fragments *list)
{
    return list->newest ? list->newest->count : 0;
}

uint32_t qs_fragments_size(const struct qs_fragments *list)
{
    return list->newest ? list->newest->before + list->newest->size : 0;
}

bool qs_fragments_follows(struct qs_fragments *list, uint32_t message, uint32_t offset)
{
    if (list->message != message)
        qs_fragments_clear(list);
    list->message = message;
    return offset == qs_fragments_size(list);
}

bool qs_fragments_fits(const struct qs_fragments *list, uint32_t size, uint32_t max)
{
    return qs_fragments_count(list) < QS_FRAGMENTS_MAX && size <= max &&
           qs_fragments_size(list) <= max - size;
}

bool qs_fragments_add(struct qs_fragments *list, struct qs_view bytes, uint64_t packet,
                      uint32_t max)
{
    struct qs_fragment *fragment;

    if (!qs_fragments_fits(list, bytes.size, max))
        return false;
    fragment = g_malloc(sizeof *fragment + bytes.size);
    fragment->references = 1;
    fragment->earlier = list->newest; /* takes over the list's reference */
    fragment->packet = packet;
    fragment->count = qs_fragments_count(list) + 1;
    fragment->before = qs_fragments_size(list);
    fragment->size = bytes.size;
    if (bytes.size)
        memcpy(fragment->data, bytes.data, bytes.size);
    list->newest = fragment;
    return true;
}

GBytes *qs_fragments_join(const struct qs_fragments *list, struct qs_view last)
{
    const uint32_t before = qs_fragments_size(list);
    uint8_t *joined = g_malloc((gsize)before + last.size + 1); /* never NULL */

    for (const struct qs_fragment *f = list->newest; f; f = f->earlier)
        memcpy(joined + f->before, f->data, f->size);
    if (last.size)
        memcpy(joined + before, last.data, last.size);
    return g_bytes_new_take(joined, (gsize)before + last.size);
}

void qs_fragments_packets(const struct qs_fragments *list, uint64_t *numbers)
{
    for (const struct qs_fragment *f = list->newest; f; f = f->earlier)
        numbers[f->count - 1] = f->packet;
}
