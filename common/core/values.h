/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that read values from the packet and emit them, one call for each value. Each returns
 * the value, or 0 after an overrun (see reader.h).
 */
#ifndef QS_CORE_VALUES_H
#define QS_CORE_VALUES_H

#include "common/core/emit.h"

/* Returns the remaining bytes of the source. */
static inline struct qs_view qs_rest(const struct qs_decoder *d)
{
    return (struct qs_view){d->in.data + d->in.pos, qs_reader_left(&d->in)};
}

/* Return the next value without reading it; 0 if fewer bytes are left. */
static inline uint16_t qs_peek_u16(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) >= 2 ? qs_le16(d->in.data + d->in.pos) : 0;
}

static inline uint32_t qs_peek_u32(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) >= 4 ? qs_le32(d->in.data + d->in.pos) : 0;
}

/* Defines a function that reads a value of `size` bytes as `type` and emits it with `emit`. */
#define QS_VALUE_READER(function, type, read, size, emit)                                          \
    static inline type function(struct qs_decoder *d, unsigned id)                                 \
    {                                                                                              \
        const uint32_t at = d->in.pos;                                                             \
        const type value = (type)read(&d->in);                                                     \
                                                                                                   \
        emit(d, id, at, size, value);                                                              \
        return value;                                                                              \
    }

QS_VALUE_READER(qs_u8, uint8_t, qs_reader_u8, 1, qs_emit_uint)
QS_VALUE_READER(qs_u16, uint16_t, qs_reader_u16, 2, qs_emit_uint)
QS_VALUE_READER(qs_u32, uint32_t, qs_reader_u32, 4, qs_emit_uint)
QS_VALUE_READER(qs_u64, uint64_t, qs_reader_u64, 8, qs_emit_uint)
QS_VALUE_READER(qs_u16be, uint16_t, qs_reader_u16be, 2, qs_emit_uint)
QS_VALUE_READER(qs_u32be, uint32_t, qs_reader_u32be, 4, qs_emit_uint)
QS_VALUE_READER(qs_i8, int8_t, qs_reader_u8, 1, qs_emit_int)
QS_VALUE_READER(qs_i16, int16_t, qs_reader_u16, 2, qs_emit_int)
QS_VALUE_READER(qs_i32, int32_t, qs_reader_u32, 4, qs_emit_int)
/* An unsigned byte for a row of signed numbers, which other messages send with a sign. */
QS_VALUE_READER(qs_unsigned_byte, uint8_t, qs_reader_u8, 1, qs_emit_int)

static inline float qs_f32(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const float value = qs_reader_float(&d->in);

    qs_emit_double(d, id, at, 4, (double)value);
    return value;
}

static inline double qs_f64(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint64_t bits = qs_reader_u64(&d->in);
    double value;

    memcpy(&value, &bits, sizeof value);
    qs_emit_double(d, id, at, 8, value);
    return value;
}

/* The same for a value that counts in steps of `scale` (volume: 1/255, attenuation: 1/64). The
 * function returns the raw value. */
#define QS_SCALED_READER(function, type, read, size)                                               \
    static inline type function(struct qs_decoder *d, unsigned id, double scale)                   \
    {                                                                                              \
        const uint32_t at = d->in.pos;                                                             \
        const type value = (type)read(&d->in);                                                     \
                                                                                                   \
        if (qs_value_wanted(d, id))                                                                \
            qs_emit_double(d, id, at, size, value *scale);                                         \
        return value;                                                                              \
    }

QS_SCALED_READER(qs_scaled_u8, uint8_t, qs_reader_u8, 1)
QS_SCALED_READER(qs_scaled_i8, int8_t, qs_reader_u8, 1)
QS_SCALED_READER(qs_scaled_i16, int16_t, qs_reader_u16, 2)
QS_SCALED_READER(qs_scaled_u16, uint16_t, qs_reader_u16, 2)

/* Read angles of a fixed width and return the raw value. */
static inline int8_t qs_angle8(struct qs_decoder *d, unsigned id)
{
    return qs_scaled_i8(d, id, 360.0 / 256);
}

static inline int16_t qs_angle16(struct qs_decoder *d, unsigned id)
{
    return qs_scaled_i16(d, id, 360.0 / 65536);
}

/* Read a coordinate or angle in the session's format, and return units or degrees. */
double qs_coord(struct qs_decoder *d, unsigned id);
double qs_angle(struct qs_decoder *d, unsigned id);
/* Read three of them; `id` is the group's row (VEC3 or ANGLES). */
void qs_coord3_values(struct qs_decoder *d, unsigned id, double values[3]);
void qs_angle3_values(struct qs_decoder *d, unsigned id, double values[3]);

/* The same, without returning the values. */
static inline void qs_coord3(struct qs_decoder *d, unsigned id)
{
    qs_coord3_values(d, id, (double[3]){0});
}

static inline void qs_angle3(struct qs_decoder *d, unsigned id)
{
    qs_angle3_values(d, id, (double[3]){0});
}

/* Reads a NUL-terminated text; the field's length includes the NUL. */
struct qs_view qs_text(struct qs_decoder *d, unsigned id);
/* Reads `size` bytes as they are, or a text of this size without a NUL. */
struct qs_view qs_bytes(struct qs_decoder *d, unsigned id, uint32_t size);
/*
 * Reads the rows from `first` to `last`; rows with a mask are parts of the row before. A row's type
 * is its width on the wire: QS_X16 is a word, VEC3 three coordinates. Not for QS_DOUBLE.
 */
void qs_rows(struct qs_decoder *d, unsigned first, unsigned last);

/* Defines a reader of messages that consist of such rows. */
#define QS_ROWS_READER(function, first, last)                                                      \
    static void function(struct qs_decoder *d)                                                     \
    {                                                                                              \
        qs_rows(d, first, last);                                                                   \
    }

/* Defines a reader of messages that consist of one text. */
#define QS_TEXT_READER(function, row)                                                              \
    static void function(struct qs_decoder *d)                                                     \
    {                                                                                              \
        qs_label_text(d, ": ", qs_text(d, row), "");                                               \
    }

/* Emit the rest of the source, or up to offset `end`, as undecoded; also after an overrun. */
void qs_undecoded(struct qs_decoder *d);
void qs_undecoded_to(struct qs_decoder *d, uint32_t end);

#endif
