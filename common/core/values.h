/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads values off the packet and emits them, one call a value. Each returns the value, 0 after an
 * overrun (see reader.h).
 */
#ifndef QS_CORE_VALUES_H
#define QS_CORE_VALUES_H

#include "common/core/emit.h"

/* The next value without reading it; 0 where fewer bytes are left. */
static inline uint16_t qs_peek_u16(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) >= 2 ? qs_le16(d->in.data + d->in.pos) : 0;
}

static inline uint32_t qs_peek_u32(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) >= 4 ? qs_le32(d->in.data + d->in.pos) : 0;
}

static inline uint8_t qs_u8(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint8_t value = qs_reader_u8(&d->in);

    qs_emit_uint(d, id, at, 1, value);
    return value;
}

static inline uint16_t qs_u16(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint16_t value = qs_reader_u16(&d->in);

    qs_emit_uint(d, id, at, 2, value);
    return value;
}

static inline uint32_t qs_u32(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint32_t value = qs_reader_u32(&d->in);

    qs_emit_uint(d, id, at, 4, value);
    return value;
}

static inline uint16_t qs_u16be(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint16_t value = qs_reader_u16be(&d->in);

    qs_emit_uint(d, id, at, 2, value);
    return value;
}

static inline uint32_t qs_u32be(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint32_t value = qs_reader_u32be(&d->in);

    qs_emit_uint(d, id, at, 4, value);
    return value;
}

static inline int8_t qs_i8(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const int8_t value = (int8_t)qs_reader_u8(&d->in);

    qs_emit_int(d, id, at, 1, value);
    return value;
}

/* A byte without a sign, for a row of signed numbers: other messages have a sign there. */
static inline uint8_t qs_unsigned_byte(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint8_t value = qs_reader_u8(&d->in);

    qs_emit_int(d, id, at, 1, value);
    return value;
}

static inline int16_t qs_i16(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const int16_t value = (int16_t)qs_reader_u16(&d->in);

    qs_emit_int(d, id, at, 2, value);
    return value;
}

static inline int32_t qs_i32(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const int32_t value = (int32_t)qs_reader_u32(&d->in);

    qs_emit_int(d, id, at, 4, value);
    return value;
}

static inline float qs_f32(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const float value = qs_float_of_bits(qs_reader_u32(&d->in));

    qs_emit_double(d, id, at, 4, (double)value);
    return value;
}

/* A u8 that counts in steps of `scale` (volume: 1/255, attenuation: 1/64). Returns the raw byte. */
uint8_t qs_scaled_u8(struct qs_decoder *d, unsigned id, double scale);
/* An i8 or i16 in steps of `scale`. Returns the raw value. */
int8_t qs_scaled_i8(struct qs_decoder *d, unsigned id, double scale);
int16_t qs_scaled_i16(struct qs_decoder *d, unsigned id, double scale);

/* A coordinate or angle in the session's format; the value in units or degrees. */
double qs_coord(struct qs_decoder *d, unsigned id);
double qs_angle(struct qs_decoder *d, unsigned id);
/* Angles of a fixed width. They return the raw value. */
int8_t qs_angle8(struct qs_decoder *d, unsigned id);
int16_t qs_angle16(struct qs_decoder *d, unsigned id);
/* Three in a row; `id` is the group's row (VEC3 or ANGLES). */
void qs_coord3(struct qs_decoder *d, unsigned id);
void qs_angle3(struct qs_decoder *d, unsigned id);

/* A NUL-terminated text; the field's length includes the NUL. */
struct qs_view qs_text(struct qs_decoder *d, unsigned id);
/* `size` bytes as they are. */
struct qs_view qs_bytes(struct qs_decoder *d, unsigned id, uint32_t size);
/* `size` bytes that are text without a NUL. */
struct qs_view qs_text_sized(struct qs_decoder *d, unsigned id, uint32_t size);
/* All that is left in the packet, as bytes nothing decoded; or only up to offset `end`. */
void qs_undecoded(struct qs_decoder *d);
void qs_undecoded_to(struct qs_decoder *d, uint32_t end);

#endif
