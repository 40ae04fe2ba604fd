/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/dm2.h"

enum { LENGTH_SIZE = 4 };

enum dm2_status dm2_read_block(struct qs_reader *in, struct qs_view *block)
{
    const uint32_t left = qs_reader_left(in);
    uint32_t length;

    *block = (struct qs_view){0};
    if (!left)
        return DM2_NO_MARK;
    if (left < LENGTH_SIZE)
        return DM2_CUT;
    length = qs_le32(in->data + in->pos);
    if (length == UINT32_MAX)
        return DM2_END;
    /* Server-side recordings begin with a block of this size too; no engine writes longer ones. */
    if (length > DM2_EXTENDED_BLOCK_MAX)
        return DM2_BAD;
    if (length > left - LENGTH_SIZE)
        return DM2_CUT;
    qs_reader_take(in, LENGTH_SIZE);
    *block = (struct qs_view){qs_reader_take(in, length), length};
    return DM2_OK;
}

static void append_length(GByteArray *out, uint32_t length)
{
    const uint32_t bytes = GUINT32_TO_LE(length);

    g_byte_array_append(out, (const uint8_t *)&bytes, LENGTH_SIZE);
}

void dm2_append_block(GByteArray *out, struct qs_view messages)
{
    append_length(out, messages.size);
    if (messages.size)
        g_byte_array_append(out, messages.data, messages.size);
}

void dm2_append_end(GByteArray *out)
{
    append_length(out, UINT32_MAX);
}
