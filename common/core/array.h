/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays that each packet fills anew. To append with g_array_append_val() costs more than to read
 * a message of some bytes. So the array gets its room early and keeps it, and `len` alone tells how
 * much of it is used. For elements that need no clearing.
 */
#ifndef QS_CORE_ARRAY_H
#define QS_CORE_ARRAY_H

#include <glib.h>

enum { QS_ARRAY_ROOM_MIN = 64 };

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
