/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's ways to write numbers in few bytes. Source: PROTOCOL.md, section 5; fteqw
 * common.c MSG_ReadULEB128, MSG_ReadUInt64, MSG_ReadInt64, MSG_ReadBigEntity.
 */
#include "common/fte/fte.h"

/* Seven bits a byte, the lowest first; the top bit is set where more follow. */
static uint64_t read_uleb128(struct qs_reader *in)
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

uint32_t fte_uleb128(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint32_t value = (uint32_t)read_uleb128(&d->in);

    qs_emit_uint(d, id, at, d->in.pos - at, value);
    return value;
}

uint16_t fte_uleb128_short(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint16_t value = (uint16_t)read_uleb128(&d->in);

    qs_emit_uint(d, id, at, d->in.pos - at, value);
    return value;
}

int32_t fte_uleb128_biased(struct qs_decoder *d, unsigned id, int32_t bias)
{
    const uint32_t at = d->in.pos;
    const int32_t value = (int32_t)((uint32_t)read_uleb128(&d->in) - (uint32_t)bias);

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

uint32_t fte_varint(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint32_t value = (uint32_t)read_varint(&d->in);

    qs_emit_uint(d, id, at, d->in.pos - at, value);
    return value;
}

/* The lowest bit is the sign: 0, -1, 1, -2, … */
static int64_t unfold(uint64_t folded)
{
    return folded & 1 ? -1 - (int64_t)(folded >> 1) : (int64_t)(folded >> 1);
}

int16_t fte_varint_signed(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const int16_t value = (int16_t)unfold(read_varint(&d->in));

    qs_emit_int(d, id, at, d->in.pos - at, value);
    return value;
}

void fte_varint64(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint64_t value = read_varint(&d->in);

    qs_emit_uint(d, id, at, d->in.pos - at, value);
}

void fte_varint64_signed(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const int64_t value = unfold(read_varint(&d->in));

    qs_emit_int(d, id, at, d->in.pos - at, value);
}

uint32_t fte_big_entity(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    uint32_t entity = qs_reader_u16(&d->in);

    if (entity & 0x8000)
        entity = (entity & 0x7fff) << 8 | qs_reader_u8(&d->in);
    qs_emit_uint(d, id, at, d->in.pos - at, entity);
    return entity;
}

uint32_t fte_entity(struct qs_decoder *d, unsigned id)
{
    return fte_session(d)->fte2 & FTE2_REPLACEMENTDELTAS ? fte_big_entity(d, id) : qs_u16(d, id);
}
