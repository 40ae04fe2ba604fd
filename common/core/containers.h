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

/* qs_table_set() ignores indices at or above: no message makes a table larger than this. */
#define QS_TABLE_LIMIT 16384u

struct qs_table {
    struct qs_table_node *root; /* NULL: empty */
};

/* Overwrites `to` without clearing it. */
void qs_table_copy(struct qs_table *to, const struct qs_table *from);
void qs_table_clear(struct qs_table *table);

/* Whether one is an unchanged copy of the other. */
static inline bool qs_table_shares(const struct qs_table *a, const struct qs_table *b)
{
    return a->root == b->root;
}

/* Copies the text. An empty view removes the entry. */
void qs_table_set(struct qs_table *table, uint32_t index, struct qs_view text);

/* The same for a name of a file, of which as much is kept as engines have room for: FTE's MAX_QPATH
 * is 128, others' 64. */
static inline void qs_table_set_name(struct qs_table *table, uint32_t index, struct qs_view name)
{
    name.size = name.size < 127 ? name.size : 127;
    qs_table_set(table, index, name);
}

/* The string, NUL-terminated and valid until the table changes, or NULL where none was set. */
const char *qs_table_get(const struct qs_table *table, uint32_t index);

/* One past the highest index that may be set. */
uint32_t qs_table_end(const struct qs_table *table);

/* Moves `*index` to the first entry from there on. False: there is none. */
bool qs_table_next(const struct qs_table *table, uint32_t *index);

/* --- Lists that only grow --------------------------------------------------------------------- */

/*
 * A list that only grows, in blocks: nothing is moved and no room is kept for twice as much. Items
 * are numbered from 1. Old ones may be forgotten.
 */

struct qs_chunks {
    GPtrArray *blocks; /* NULL: its items are forgotten */
    uint32_t item_size;
    uint32_t count;  /* of items, with those that are forgotten */
    uint32_t kept;   /* so many of the last items are kept, at least; 0: all */
    void *forgotten; /* stands for all items that are not there */
};

void qs_chunks_init(struct qs_chunks *chunks, uint32_t item_size, uint32_t kept);
void qs_chunks_clear(struct qs_chunks *chunks);

/* Adds an item of zeros. */
void *qs_chunks_add(struct qs_chunks *chunks);

/* The item, valid until it is forgotten. Of one that is forgotten, and of number 0, an item of
 * zeros that is nobody's. */
void *qs_chunks_at(const struct qs_chunks *chunks, uint32_t number);

/*
 * Arrays that each packet fills from the start. To append with g_array_append_val() costs more than
 * to read a message of some bytes. So the array gets its room early and keeps it, and `len` alone
 * tells how much of it is used. For elements that need no clearing.
 */

enum { QS_ARRAY_ROOM_MIN = 8 };

/* Room for one more element, whose index is returned. `*room`: so many fit; 0 to begin with. */
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

/* The room stays. */
static inline void qs_array_empty(GArray *array)
{
    array->len = 0;
}

/* The same of bytes. */
static inline void qs_bytes_empty(GByteArray *bytes)
{
    bytes->len = 0;
}

#endif
