/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <string.h>

#include "common/core/hash.h"
#include "common/core/containers.h"

enum { CHUNK = 64 };

/* Reference counts need no locks: a session belongs to one thread. */
struct text {
    unsigned references;
    uint32_t size, hash;
    char bytes[]; /* with a NUL at the end */
};

/* Node of a table: items[i] has the index first + i. The root's items are chunks, a chunk's are
 * texts. */
struct qs_table_node {
    unsigned references;
    uint16_t first, count;
    void *items[];
};

/* --- Texts, shared because clients of a server have most in common --- */

static _Thread_local GHashTable *shared; /* struct text; NULL until the first one is set */

static guint text_hash(gconstpointer key)
{
    return ((const struct text *)key)->hash;
}

static gboolean text_equal(gconstpointer a, gconstpointer b)
{
    const struct text *one = a, *other = b;

    return one->size == other->size && memcmp(one->bytes, other->bytes, one->size) == 0;
}

static void release_text(struct text *text)
{
    if (!text || --text->references)
        return;
    g_hash_table_remove(shared, text);
    g_free(text);
}

static struct text *text_of(struct qs_view view)
{
    struct text *text = g_malloc(sizeof *text + view.size + 1), *same;

    *text = (struct text){1, view.size, (uint32_t)qs_view_hash(view)};
    memcpy(text->bytes, view.data, view.size);
    text->bytes[view.size] = '\0';
    if (!shared)
        shared = g_hash_table_new(text_hash, text_equal);
    same = g_hash_table_lookup(shared, text);
    if (!same) {
        g_hash_table_add(shared, text);
        return text;
    }
    g_free(text);
    same->references++;
    return same;
}

/* --- Nodes --- */

static void release_node(struct qs_table_node *node, bool is_root)
{
    if (!node || --node->references)
        return;
    for (unsigned i = 0; i < node->count; i++)
        if (is_root)
            release_node(node->items[i], false);
        else
            release_text(node->items[i]);
    g_free(node);
}

/* Returns a node with the items of `node` and room for `index`, to which only the caller refers.
 * Takes over the caller's reference to `node`, which may be NULL. */
static struct qs_table_node *own_node(struct qs_table_node *node, unsigned index, bool is_root)
{
    const unsigned old = node ? node->count : 0;
    const unsigned first = old ? MIN(node->first, index) : index;
    const unsigned size = (old ? MAX(node->first + old, index + 1) : index + 1) - first;
    const unsigned count =
        size == old || is_root ? size : MIN(size + 3 + old / 2, (unsigned)CHUNK - first);
    struct qs_table_node *copy;

    if (node && node->references == 1 && count == old)
        return node;
    copy = g_malloc0(sizeof *copy + count * sizeof copy->items[0]);
    *copy =
        (struct qs_table_node){.references = 1, .first = (uint16_t)first, .count = (uint16_t)count};
    for (unsigned i = 0; i < old; i++) {
        copy->items[node->first - first + i] = node->items[i];
        if (node->items[i])
            ++*(unsigned *)node->items[i]; /* both kinds of items begin with `references` */
    }
    release_node(node, is_root);
    return copy;
}

static void *item_of(const struct qs_table_node *node, unsigned index)
{
    const unsigned offset = node ? index - node->first : 0;

    return node && offset < node->count ? node->items[offset] : NULL;
}

/* --- Tables --- */

void qs_table_copy(struct qs_table *to, const struct qs_table *from)
{
    to->root = from->root;
    if (to->root)
        to->root->references++;
}

void qs_table_clear(struct qs_table *table)
{
    release_node(table->root, true);
    table->root = NULL;
}

static struct text *find(const struct qs_table *table, uint32_t index)
{
    return item_of(item_of(table->root, index / CHUNK), index % CHUNK);
}

void qs_table_set(struct qs_table *table, uint32_t index, struct qs_view text)
{
    const struct text *old = find(table, index);
    struct qs_table_node *chunk;
    void **slot;

    if (index >= QS_TABLE_LIMIT)
        return;
    if (old ? old->size == text.size && memcmp(old->bytes, text.data, text.size) == 0
            : text.size == 0)
        return;
    table->root = own_node(table->root, index / CHUNK, true);
    slot = &table->root->items[index / CHUNK - table->root->first];
    *slot = chunk = own_node(*slot, index % CHUNK, false);
    slot = &chunk->items[index % CHUNK - chunk->first];
    release_text(*slot);
    *slot = text.size ? text_of(text) : NULL;
}

const char *qs_table_get(const struct qs_table *table, uint32_t index)
{
    const struct text *text = find(table, index);

    return text ? text->bytes : NULL;
}

uint32_t qs_table_end(const struct qs_table *table)
{
    return table->root ? (table->root->first + table->root->count) * (uint32_t)CHUNK : 0;
}

bool qs_table_next(const struct qs_table *table, uint32_t *index)
{
    for (; *index < qs_table_end(table); ++*index) {
        const struct qs_table_node *chunk = item_of(table->root, *index / CHUNK);

        if (item_of(chunk, *index % CHUNK))
            return true;
        if (!chunk)
            *index |= CHUNK - 1;
    }
    return false;
}

/* --- Lists that only grow --------------------------------------------------------------------- */

/* The first block is small because most lists have one item in a flood of conversations. */
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

static uint32_t block_of(uint32_t index)
{
    return index < FIRST_ITEMS ? 0 : 1 + (index - FIRST_ITEMS) / BLOCK_ITEMS;
}

static uint32_t offset_in_block(uint32_t index)
{
    return index < FIRST_ITEMS ? index : (index - FIRST_ITEMS) % BLOCK_ITEMS;
}

void *qs_chunks_add(struct qs_chunks *chunks)
{
    if (block_of(chunks->count) == chunks->blocks->len) {
        const uint32_t blocks_kept = 1 + (chunks->kept + BLOCK_ITEMS - 1) / BLOCK_ITEMS;

        g_ptr_array_add(chunks->blocks,
                        g_malloc0_n(chunks->count ? BLOCK_ITEMS : FIRST_ITEMS, chunks->item_size));
        /* Frees the newest block whose items are all dropped. */
        if (chunks->kept && chunks->blocks->len > blocks_kept)
            g_clear_pointer(&chunks->blocks->pdata[chunks->blocks->len - 1 - blocks_kept], g_free);
    }
    return qs_chunks_at(chunks, ++chunks->count);
}

void *qs_chunks_at(const struct qs_chunks *chunks, uint32_t number)
{
    char *block = number && number <= chunks->count
                      ? g_ptr_array_index(chunks->blocks, block_of(number - 1))
                      : NULL;

    if (block)
        return block + (size_t)offset_in_block(number - 1) * chunks->item_size;
    memset(chunks->forgotten, 0, chunks->item_size);
    return chunks->forgotten;
}
