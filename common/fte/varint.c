/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's ways to write numbers in few bytes. Source: PROTOCOL.md, section 5; fteqw
 * common.c MSG_ReadULEB128, MSG_ReadUInt64, MSG_ReadInt64, MSG_ReadBigEntity.
 */
#include "common/fte/fte.h"

uint64_t fte_read_uleb128(struct qs_reader *in)
{
    uint64_t value = 0;
    uint8_t byte;
    unsigned shift = 0;

    do {
        byte = qs_reader_u8(in);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

int32_t fte_uleb128_biased(struct qs_decoder *d, unsigned id, int32_t bias)
{
    const uint32_t at = d->in.pos;
    const int32_t value = (int32_t)((uint32_t)fte_read_uleb128(&d->in) - (uint32_t)bias);

    qs_emit_int(d, id, at, d->in.pos - at, value);
    return value;
}

/* The number of leading ones in the first byte is the number of bytes behind it, highest first. */
static uint64_t read_varint(struct qs_reader *in)
{
    uint8_t first = qs_reader_u8(in);
    unsigned more = 0;
    uint64_t value;

    for (unsigned bit = 0x80; first & bit; bit >>= 1) {
        first = (uint8_t)(first & ~bit);
        more++;
    }
    value = more < 8 ? (uint64_t)first << (more * 8) : 0;
    while (more--)
        value |= (uint64_t)qs_reader_u8(in) << (more * 8);
    return value;
}

/* The lowest bit is the sign: 0, -1, 1, -2, … */
static int64_t read_signed_varint(struct qs_reader *in)
{
    const uint64_t folded = read_varint(in);

    return folded & 1 ? -1 - (int64_t)(folded >> 1) : (int64_t)(folded >> 1);
}

static uint32_t read_big_entity(struct qs_reader *in)
{
    const uint32_t entity = qs_reader_u16(in);

    return entity & 0x8000 ? (entity & 0x7fff) << 8 | qs_reader_u8(in) : entity;
}

#define FTE_VALUE_READER(function, type, read, emit)                                               \
    type function(struct qs_decoder *d, unsigned id)                                               \
    {                                                                                              \
        const uint32_t at = d->in.pos;                                                             \
        const type value = (type)read(&d->in);                                                     \
                                                                                                   \
        emit(d, id, at, d->in.pos - at, value);                                                    \
        return value;                                                                              \
    }

FTE_VALUE_READER(fte_uleb128, uint32_t, fte_read_uleb128, qs_emit_uint)
FTE_VALUE_READER(fte_uleb128_short, uint16_t, fte_read_uleb128, qs_emit_uint)
FTE_VALUE_READER(fte_varint, uint32_t, read_varint, qs_emit_uint)
FTE_VALUE_READER(fte_varint_signed, int16_t, read_signed_varint, qs_emit_int)
FTE_VALUE_READER(fte_varint64, uint64_t, read_varint, qs_emit_uint)
FTE_VALUE_READER(fte_varint64_signed, int64_t, read_signed_varint, qs_emit_int)
FTE_VALUE_READER(fte_big_entity, uint32_t, read_big_entity, qs_emit_uint)

uint32_t fte_entity(struct qs_decoder *d, unsigned id)
{
    return fte_session(d)->fte2 & FTE2_REPLACEMENTDELTAS ? fte_big_entity(d, id) : qs_u16(d, id);
}
