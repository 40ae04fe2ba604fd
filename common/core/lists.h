/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list that only grows, in blocks: nothing is moved and no room is kept for twice as much. Items
 * are numbered from 1. Old ones may be forgotten.
 */
#ifndef QS_CORE_LISTS_H
#define QS_CORE_LISTS_H

#include <glib.h>
#include <stdint.h>

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
