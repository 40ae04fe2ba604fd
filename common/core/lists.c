/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/lists.h"

#include <string.h>

/* The first block is small: most lists of a flood have one item. */
enum { BLOCK_ITEMS = 128, FIRST_ITEMS = 4 };

void qs_chunks_init(struct qs_chunks *chunks, uint32_t item_size, uint32_t kept)
{
    *chunks = (struct qs_chunks){.blocks = g_ptr_array_new_with_free_func(g_free),
                                 .item_size = item_size,
                                 .kept = kept,
                                 .forgotten = g_malloc0(item_size)};
}

void qs_chunks_clear(struct qs_chunks *chunks)
{
    g_ptr_array_free(chunks->blocks, TRUE);
    g_free(chunks->forgotten);
}

/* A block begins: frees the last block whose items are all dropped. */
static void forget(struct qs_chunks *chunks)
{
    const uint32_t blocks_kept = 1 + (chunks->kept + BLOCK_ITEMS - 1) / BLOCK_ITEMS;

    if (chunks->kept && chunks->blocks->len > blocks_kept)
        g_clear_pointer(&chunks->blocks->pdata[chunks->blocks->len - 1 - blocks_kept], g_free);
}

static uint32_t block_of(uint32_t index)
{
    return index < FIRST_ITEMS ? 0 : 1 + (index - FIRST_ITEMS) / BLOCK_ITEMS;
}

static uint32_t place_in_block(uint32_t index)
{
    return index < FIRST_ITEMS ? index : (index - FIRST_ITEMS) % BLOCK_ITEMS;
}

void *qs_chunks_add(struct qs_chunks *chunks)
{
    if (block_of(chunks->count) == chunks->blocks->len) {
        g_ptr_array_add(chunks->blocks,
                        g_malloc0_n(chunks->count ? BLOCK_ITEMS : FIRST_ITEMS, chunks->item_size));
        forget(chunks);
    }
    return qs_chunks_at(chunks, ++chunks->count);
}

void *qs_chunks_at(const struct qs_chunks *chunks, uint32_t number)
{
    char *block = number && number <= chunks->count
                      ? g_ptr_array_index(chunks->blocks, block_of(number - 1))
                      : NULL;

    if (block)
        return block + (size_t)place_in_block(number - 1) * chunks->item_size;
    memset(chunks->forgotten, 0, chunks->item_size);
    return chunks->forgotten;
}
