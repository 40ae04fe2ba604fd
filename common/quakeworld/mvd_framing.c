/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/mvd_framing.h"

/* Whether there is a type of that number. */
static bool is_type(unsigned number)
{
    return number >= MVD_READ && number <= MVD_ALL;
}

/* Where the length of the payload stands, or where dem_set's numbers do. */
static uint32_t header_size(enum mvd_type type)
{
    return MVD_HEADER_MIN + (type == MVD_MULTIPLE ? 4 : 0);
}

uint32_t qw_mvd_block_size(struct qs_view begun)
{
    enum mvd_type type;
    uint32_t body, length;

    if (begun.size < MVD_HEADER_MIN)
        return MVD_HEADER_MIN;
    type = begun.data[1] & MVD_TYPE_MASK;
    if (!is_type(type))
        return 0;
    body = header_size(type);
    if (type == MVD_SET)
        return body + 8;
    if (begun.size < body + 4)
        return body + 4;
    length = qs_le32(begun.data + body);
    return length <= MVD_PAYLOAD_MAX ? body + 4 + length : 0;
}

static void read_body(struct qs_reader *in, struct mvd_block *block)
{
    uint32_t length;

    if (block->type == MVD_SET) {
        block->outgoing = qs_reader_u32(in);
        block->incoming = qs_reader_u32(in);
        return;
    }
    block->players = block->type == MVD_MULTIPLE ? qs_reader_u32(in) : 0;
    length = qs_reader_u32(in);
    block->payload = (struct qs_view){qs_reader_take(in, length), length};
}

bool qw_mvd_read_block(struct qs_reader *in, struct mvd_block *block)
{
    const uint32_t left = qs_reader_left(in);
    const uint32_t size = qw_mvd_block_size((struct qs_view){in->data + in->pos, left});
    uint8_t type_byte;

    if (!size || size > left)
        return false;
    block->milliseconds = qs_reader_u8(in);
    type_byte = qs_reader_u8(in);
    block->type = type_byte & MVD_TYPE_MASK;
    block->player = type_byte >> MVD_PLAYER_SHIFT;
    read_body(in, block);
    return true;
}
