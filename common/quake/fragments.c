/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake/fragments.h"

#include "common/quake/constants.h"

struct nq_fragment {
    gatomicrefcount references;
    struct nq_fragment *earlier;
    uint64_t packet;
    uint32_t count;  /* fragments up to this one */
    uint32_t before; /* bytes in the earlier ones */
    uint32_t size;
    uint8_t data[];
};

void nq_fragments_copy(struct nq_fragments *to, const struct nq_fragments *from)
{
    to->newest = from->newest;
    if (to->newest)
        g_atomic_ref_count_inc(&to->newest->references);
}

/* A loop, since the chain is as long as a hostile sender likes within the bounds. */
void nq_fragments_clear(struct nq_fragments *list)
{
    struct nq_fragment *fragment = list->newest;

    list->newest = NULL;
    while (fragment && g_atomic_ref_count_dec(&fragment->references)) {
        struct nq_fragment *earlier = fragment->earlier;

        g_free(fragment);
        fragment = earlier;
    }
}

uint32_t nq_fragments_count(const struct nq_fragments *list)
{
    return list->newest ? list->newest->count : 0;
}

uint32_t nq_fragments_size(const struct nq_fragments *list)
{
    return list->newest ? list->newest->before + list->newest->size : 0;
}

bool nq_fragments_add(struct nq_fragments *list, struct qs_view bytes, uint64_t packet)
{
    struct nq_fragment *fragment;

    if (nq_fragments_count(list) == NQ_FRAGMENTS_MAX ||
        bytes.size > NET_MAXMESSAGE - nq_fragments_size(list)) {
        nq_fragments_clear(list);
        return false;
    }
    fragment = g_malloc(sizeof *fragment + bytes.size);
    g_atomic_ref_count_init(&fragment->references);
    fragment->earlier = list->newest; /* takes over the list's reference */
    fragment->packet = packet;
    fragment->count = nq_fragments_count(list) + 1;
    fragment->before = nq_fragments_size(list);
    fragment->size = bytes.size;
    if (bytes.size)
        memcpy(fragment->data, bytes.data, bytes.size);
    list->newest = fragment;
    return true;
}

GBytes *nq_fragments_join(const struct nq_fragments *list, struct qs_view last)
{
    const uint32_t before = nq_fragments_size(list);
    uint8_t *joined = g_malloc((gsize)before + last.size + 1); /* never NULL */

    for (const struct nq_fragment *f = list->newest; f; f = f->earlier)
        memcpy(joined + f->before, f->data, f->size);
    if (last.size)
        memcpy(joined + before, last.data, last.size);
    return g_bytes_new_take(joined, (gsize)before + last.size);
}

void nq_fragments_packets(const struct nq_fragments *list, uint64_t *numbers)
{
    for (const struct nq_fragment *f = list->newest; f; f = f->earlier)
        numbers[f->count - 1] = f->packet;
}
