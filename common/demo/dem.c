/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/dem.h"

#include <stdlib.h>

/* DarkPlaces' mark of what the client sent (DEMOMSG_CLIENT_TO_SERVER), in the length. */
#define FROM_CLIENT UINT32_C(0x80000000)

/* --- Reading */

enum dem_status dem_read_header(struct qs_reader *in, int32_t *track)
{
    const uint32_t left = MIN(qs_reader_left(in), (uint32_t)DEM_HEADER_MAX);
    const uint8_t *line = in->data + in->pos;
    const uint8_t *feed = left ? memchr(line, '\n', left) : NULL;
    char text[DEM_HEADER_MAX];
    char *end;
    long number;

    if (!feed)
        return left == DEM_HEADER_MAX ? DEM_BAD : DEM_CUT;
    memcpy(text, line, (size_t)(feed - line));
    text[feed - line] = '\0';
    number = strtol(text, &end, 10);
    if (end == text || *end || number < INT32_MIN || number > INT32_MAX)
        return DEM_BAD;
    *track = (int32_t)number;
    qs_reader_take(in, (uint32_t)(feed - line) + 1);
    return DEM_OK;
}

static float read_float(struct qs_reader *in)
{
    return qs_float_of_bits(qs_reader_u32(in));
}

enum dem_status dem_read_block(struct qs_reader *in, struct dem_block *block)
{
    struct qs_reader from = *in;
    uint32_t length;

    if (!qs_reader_left(in))
        return DEM_END;
    length = qs_reader_u32(&from);
    block->from_client = length & FROM_CLIENT;
    length &= ~FROM_CLIENT;
    if (!from.overrun && length > DEM_BLOCK_MAX)
        return DEM_BAD;
    block->view.pitch = read_float(&from);
    block->view.yaw = read_float(&from);
    block->view.roll = read_float(&from);
    block->messages = (struct qs_view){qs_reader_take(&from, length), length};
    if (from.overrun)
        return DEM_CUT;
    *in = from;
    return DEM_OK;
}

/* --- Writing */

static void put_u32(uint8_t *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void put_float(uint8_t *to, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_u32(to, bits);
}

void dem_append_header(GByteArray *out, int32_t track)
{
    char *line = g_strdup_printf("%d\n", track);

    g_byte_array_append(out, (const guint8 *)line, (guint)strlen(line));
    g_free(line);
}

void dem_set_view(uint8_t *block, const struct dem_angles *view)
{
    put_float(block + 4, view->pitch);
    put_float(block + 8, view->yaw);
    put_float(block + 12, view->roll);
}

void dem_append_block(GByteArray *out, const struct dem_angles *view, struct qs_view messages)
{
    uint8_t header[DEM_BLOCK_HEADER];

    put_u32(header, messages.size);
    dem_set_view(header, view);
    g_byte_array_append(out, header, sizeof header);
    g_byte_array_append(out, messages.data, messages.size);
}
