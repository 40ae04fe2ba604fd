/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coordinates. Source: engine, common.c MSG_ReadPos; extended limits: PROTOCOL.md, section 10. */
#include "common/quake2/decode.h"

static int32_t sign_extended(uint32_t value, unsigned bits)
{
    const uint32_t sign = UINT32_C(1) << (bits - 1);

    return (int32_t)((value ^ sign) - sign);
}

/* Reads a coordinate of two bytes, or of three if bit 0 is set. Three bytes are always absolute. */
static int32_t variable_coordinate(struct qs_decoder *d, bool *absolute)
{
    uint32_t word = qs_reader_u16(&d->in);

    *absolute = word & 1;
    if (!*absolute)
        return sign_extended(word >> 1, 15);
    word |= (uint32_t)qs_reader_u8(&d->in) << 16;
    return sign_extended(word >> 1, 23);
}

static void emit(struct qs_decoder *d, unsigned id, uint32_t at, int32_t eighths)
{
    if (d->fields_wanted)
        qs_emit_double(d, id, at, d->in.pos - at, eighths / 8.0);
}

/* Values outside of any map become 0; the field shows them. */
int32_t q2_read_plain_coordinate(struct qs_decoder *d, unsigned id, bool is_float)
{
    const uint32_t at = d->in.pos;
    int16_t eighths;

    if (is_float) {
        const float units = qs_f32(d, id);

        return units > -1e6f && units < 1e6f ? (int32_t)(units * 8) : 0;
    }
    eighths = (int16_t)qs_reader_u16(&d->in);
    emit(d, id, at, eighths);
    return eighths;
}

void q2_read_stepped_coordinate(struct qs_decoder *d, unsigned id, int32_t *from)
{
    const uint32_t at = d->in.pos;
    bool absolute;
    int32_t value;

    if (q2_variant(d)->floats || !q2_variant(d)->extensions2) {
        *from = q2_read_plain_coordinate(d, id, q2_variant(d)->floats);
        return;
    }
    value = variable_coordinate(d, &absolute);
    /* A malicious chain of steps may overflow; the wire distinguishes only 23 bits. */
    *from = absolute ? value : sign_extended((uint32_t)(*from + value) & 0x7fffff, 23);
    emit(d, id, at, absolute ? *from : value);
}

int32_t q2_read_coordinate(struct qs_decoder *d, unsigned id)
{
    int32_t value = 0; /* a step from 0 is the absolute value */

    q2_read_stepped_coordinate(d, id, &value);
    return value;
}

void q2_read_position(struct qs_decoder *d, unsigned id, int32_t to[3])
{
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        to[i] = q2_read_coordinate(d, id + 1 + i);
    if (d->fields_wanted)
        qs_label(d, ": (%g %g %g)", to[0] / 8.0, to[1] / 8.0, to[2] / 8.0);
    qs_close(d);
}

void q2_read_float_position(struct qs_decoder *d, unsigned id, int32_t to[3])
{
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        to[i] = q2_read_plain_coordinate(d, id + 1 + i, true);
    qs_close(d);
}

void q2_read_quarters(struct qs_decoder *d, unsigned id, int8_t to[3])
{
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        to[i] = qs_scaled_i8(d, id + 1 + i, 0.25);
    if (d->fields_wanted)
        qs_label(d, ": (%g %g %g)", to[0] / 4.0, to[1] / 4.0, to[2] / 4.0);
    qs_close(d);
}
