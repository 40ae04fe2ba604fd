/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/table.h"

#include <glib.h>

enum { CHUNK = 64, CHUNKS = QS_TABLE_LIMIT / CHUNK };

/* References are counted without locks: a session belongs to one thread. */
struct chunk {
    unsigned references;
    char *text[CHUNK]; /* GRefString */
};

struct qs_table_root {
    unsigned references;
    unsigned count; /* chunks */
    struct chunk *chunks[];
};

static void release_chunk(struct chunk *chunk)
{
    if (!chunk || --chunk->references)
        return;
    for (unsigned i = 0; i < CHUNK; i++)
        if (chunk->text[i])
            g_ref_string_release(chunk->text[i]);
    g_free(chunk);
}

/* A chunk that only the caller refers to, with the same text. Takes over the caller's reference. */
static struct chunk *own_chunk(struct chunk *chunk)
{
    struct chunk *copy;

    if (chunk && chunk->references == 1)
        return chunk;
    copy = g_new0(struct chunk, 1);
    copy->references = 1;
    for (unsigned i = 0; chunk && i < CHUNK; i++)
        if (chunk->text[i])
            copy->text[i] = g_ref_string_acquire(chunk->text[i]);
    release_chunk(chunk);
    return copy;
}

static void release_root(struct qs_table_root *root)
{
    if (!root || --root->references)
        return;
    for (unsigned i = 0; i < root->count; i++)
        release_chunk(root->chunks[i]);
    g_free(root);
}

/* The same for the root, with room for `count` chunks at least. */
static struct qs_table_root *own_root(struct qs_table_root *root, unsigned count)
{
    const unsigned old = root ? root->count : 0;
    struct qs_table_root *copy;

    if (root && root->references == 1 && count <= old)
        return root;
    if (count < old)
        count = old;
    copy = g_malloc0(sizeof *copy + count * sizeof copy->chunks[0]);
    copy->references = 1;
    copy->count = count;
    for (unsigned i = 0; i < old; i++) {
        copy->chunks[i] = root->chunks[i];
        if (copy->chunks[i])
            copy->chunks[i]->references++;
    }
    release_root(root);
    return copy;
}

void qs_table_copy(struct qs_table *to, const struct qs_table *from)
{
    to->root = from->root;
    if (to->root)
        to->root->references++;
}

void qs_table_clear(struct qs_table *table)
{
    release_root(table->root);
    table->root = NULL;
}

/* Clients of a server have most texts in common. */
static char *new_text(struct qs_view text)
{
    char copy[128];

    if (text.size >= sizeof copy || memchr(text.data, 0, text.size))
        return g_ref_string_new_len((const char *)text.data, text.size);
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    return g_ref_string_new_intern(copy);
}

void qs_table_set(struct qs_table *table, uint32_t index, struct qs_view text)
{
    const char *old = qs_table_get(table, index);
    struct chunk **chunk;
    char **slot;

    if (index >= QS_TABLE_LIMIT)
        return;
    if (old ? g_ref_string_length((char *)old) == text.size &&
                  memcmp(old, text.data, text.size) == 0
            : text.size == 0)
        return;
    table->root = own_root(table->root, index / CHUNK + 1);
    chunk = &table->root->chunks[index / CHUNK];
    *chunk = own_chunk(*chunk);
    slot = &(*chunk)->text[index % CHUNK];
    if (*slot)
        g_ref_string_release(*slot);
    *slot = text.size ? new_text(text) : NULL;
}

const char *qs_table_get(const struct qs_table *table, uint32_t index)
{
    const struct chunk *chunk;

    if (!table->root || index / CHUNK >= table->root->count)
        return NULL;
    chunk = table->root->chunks[index / CHUNK];
    return chunk ? chunk->text[index % CHUNK] : NULL;
}

uint32_t qs_table_end(const struct qs_table *table)
{
    return table->root ? table->root->count * CHUNK : 0;
}
