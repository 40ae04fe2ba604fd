/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sparse table of byte strings by index (precache lists, config strings, player names),
 * copied on write: copying a table shares its storage, and setting an entry of a shared table
 * copies only the part that changes. A copy for each packet costs few bytes.
 *
 * Strings are raw text without a NUL inside (see text.h to show them), or bytes of a fixed size.
 */
#ifndef QS_CORE_CONTAINERS_H
#define QS_CORE_CONTAINERS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

/* First index that qs_table_set() ignores: no message makes a table larger than this. */
#define QS_TABLE_LIMIT 16384u

struct qs_table {
    struct qs_table_node *root; /* NULL if the table is empty */
};

/* Makes `to` a copy of `from` without clearing `to` first. Free the copy with qs_table_clear(). */
void qs_table_copy(struct qs_table *to, const struct qs_table *from);
void qs_table_clear(struct qs_table *table);

/* True if one table is an unchanged copy of the other. */
static inline bool qs_table_shares(const struct qs_table *a, const struct qs_table *b)
{
    return a->root == b->root;
}

/* Copies `text` into the table. An empty view removes the entry. */
void qs_table_set(struct qs_table *table, uint32_t index, struct qs_view text);

/* Like qs_table_set() for a file name, cut to 127 bytes: MAX_QPATH is 128 in FTE, 64 in other
 * engines. */
static inline void qs_table_set_name(struct qs_table *table, uint32_t index, struct qs_view name)
{
    name.size = name.size < 127 ? name.size : 127;
    qs_table_set(table, index, name);
}

/* Returns the string, NUL-terminated and valid until the table changes, or NULL if none is set. */
const char *qs_table_get(const struct qs_table *table, uint32_t index);

/* Returns a number above all indices that are set. */
uint32_t qs_table_end(const struct qs_table *table);

/* Moves `*index` to the first entry at or after it. Returns false if no entry follows. */
bool qs_table_next(const struct qs_table *table, uint32_t *index);

/* --- Lists that only grow --------------------------------------------------------------------- */

/*
 * A list that only grows, in blocks: items are never moved, and the list never reserves twice its
 * size. Items are numbered from 1. Old items may be freed ("forgotten").
 */

struct qs_chunks {
    GPtrArray *blocks; /* NULL for a block whose items are forgotten */
    uint32_t item_size;
    uint32_t count;  /* number of items, including forgotten ones */
    uint32_t kept;   /* minimum number of latest items that are kept; 0: all */
    void *forgotten; /* item of zeros that stands for all forgotten items */
};

/* Initializes an empty list. Free its contents with qs_chunks_clear(). */
void qs_chunks_init(struct qs_chunks *chunks, uint32_t item_size, uint32_t kept);
void qs_chunks_clear(struct qs_chunks *chunks);

/* Appends an item of zeros and returns it. */
void *qs_chunks_add(struct qs_chunks *chunks);

/* Returns the item, valid until it is forgotten. For a forgotten item and for number 0, returns an
 * item of zeros that is valid until the next call. */
void *qs_chunks_at(const struct qs_chunks *chunks, uint32_t number);

/*
 * Arrays that each packet fills from the start. g_array_append_val() costs more than reading a
 * message of some bytes, so these arrays reserve memory early, keep it, and only change `len`.
 * Elements must not need a clear function.
 */

enum { QS_ARRAY_ROOM_MIN = 8 };

/* Adds an element and returns its index. `*room`: number of elements that fit, initially 0. */
static inline guint qs_array_add(GArray *array, guint *room)
{
    const guint count = array->len;

    if (count == *room) {
        *room = MAX(2 * count, QS_ARRAY_ROOM_MIN);
        g_array_set_size(array, *room);
    }
    array->len = count + 1;
    return count;
}

/* Sets the length to 0 and keeps the memory. */
static inline void qs_array_empty(GArray *array)
{
    array->len = 0;
}

/* The same for bytes. */
static inline void qs_bytes_empty(GByteArray *bytes)
{
    bytes->len = 0;
}

#endif
