/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the encoder share (encode.h): values as demos hold them. */
#ifndef Q2_ENCODE_PUT_H
#define Q2_ENCODE_PUT_H

#include <glib.h>
#include <string.h>

#include "common/quake2/variant.h"
#include "common/quake2/states.h"

/* Writes at the end of an array, which is longer than what was written until q2_end_writing(). It
 * keeps its room, as in array.h. */
struct q2_writer {
    uint8_t *at, *end;
    GByteArray *array;
};

/* Makes room behind the bytes that were written. Seldom: it stays out of the way of what is put for
 * each value. */
void q2_make_room(struct q2_writer *out, guint written);

static inline struct q2_writer q2_begin_writing(GByteArray *array)
{
    struct q2_writer out = {.array = array};

    q2_make_room(&out, array->len);
    return out;
}

static inline void q2_end_writing(const struct q2_writer *out)
{
    out->array->len = (guint)(out->at - out->array->data);
}

static inline void q2_put_u8(struct q2_writer *out, uint8_t value)
{
    if (out->at == out->end)
        q2_make_room(out, (guint)(out->at - out->array->data));
    *out->at++ = value;
}

static inline void q2_put_u16(struct q2_writer *out, uint16_t value)
{
    q2_put_u8(out, (uint8_t)value);
    q2_put_u8(out, (uint8_t)(value >> 8));
}

static inline void q2_put_u32(struct q2_writer *out, uint32_t value)
{
    q2_put_u16(out, (uint16_t)value);
    q2_put_u16(out, (uint16_t)(value >> 16));
}

static inline void q2_put_bytes(struct q2_writer *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        q2_put_u8(out, bytes[i]);
}

enum { Q2_STEP_MAX = 0x3fff }; /* of a variable coordinate in two bytes, down to -Q2_STEP_MAX - 1 */

/* In 16 bits; with variable coordinates as a step from `from`, or in 23 bits where that is too far.
 */
static inline void q2_put_coordinate(struct q2_writer *out, const struct q2_variant *variant,
                                     int32_t from, int32_t to)
{
    const int32_t step = to - from;

    if (!variant->extensions2) {
        q2_put_u16(out, (uint16_t)to);
    } else if (step >= -Q2_STEP_MAX - 1 && step <= Q2_STEP_MAX) {
        q2_put_u16(out, (uint16_t)((uint32_t)step << 1));
    } else {
        q2_put_u16(out, (uint16_t)((uint32_t)to << 1 | 1));
        q2_put_u8(out, (uint8_t)((uint32_t)to >> 15));
    }
}

static inline void q2_put_vector(struct q2_writer *out, const struct q2_variant *variant,
                                 const int32_t from[3], const int32_t to[3])
{
    for (unsigned i = 0; i < 3; i++)
        q2_put_coordinate(out, variant, from[i], to[i]);
}

static inline void q2_put_position(struct q2_writer *out, const struct q2_variant *variant,
                                   const int32_t position[3])
{
    static const int32_t nowhere[3];

    q2_put_vector(out, variant, nowhere, position);
}

static inline void q2_put_angles(struct q2_writer *out, const int16_t angles[3])
{
    for (unsigned i = 0; i < 3; i++)
        q2_put_u16(out, (uint16_t)angles[i]);
}

static inline void q2_put_quarters(struct q2_writer *out, const int8_t quarters[3])
{
    for (unsigned i = 0; i < 3; i++)
        q2_put_u8(out, (uint8_t)quarters[i]);
}

static inline bool q2_same_position(const int32_t a[3], const int32_t b[3])
{
    return memcmp(a, b, 3 * sizeof a[0]) == 0;
}

/* svc_playerinfo: the delta that makes `to` of `from`. In encode_player.c. */
void q2_put_player(struct q2_writer *out, const struct q2_variant *variant,
                   const struct q2_player *from, const struct q2_player *to);

#endif
