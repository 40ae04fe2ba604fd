/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/encode_put.h"

enum { ROOM = 4096 }; /* that a writer makes at once */

void q2_make_room(struct q2_writer *out, guint written)
{
    g_byte_array_set_size(out->array, written + ROOM);
    out->at = out->array->data + written;
    out->end = out->at + ROOM;
}
