/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sparse table of byte strings by index (precache lists, config strings, player names),
 * copied on write: copying a table shares its storage, and setting an entry of a shared table
 * copies only the part that changes. A copy for each packet costs few bytes.
 *
 * Strings are raw text without a NUL inside (see text.h to show them), or bytes of a fixed size.
 */
#ifndef QS_CORE_TABLE_H
#define QS_CORE_TABLE_H

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

#endif
