/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/acknex/units.h"

#include "common/acknex/acknex.h"

double acknex_fixed(struct qs_decoder *d, unsigned row)
{
    const uint32_t at = d->in.pos;
    const double value = (int32_t)qs_reader_u32(&d->in) / 1024.0;

    qs_emit_double(d, row, at, 4, value);
    return value;
}

double acknex_packed(struct qs_decoder *d, unsigned row)
{
    const uint32_t at = d->in.pos;
    const uint8_t *bytes = qs_reader_take(&d->in, 3);
    const int32_t raw = bytes ? qs_le16(bytes) + (int8_t)bytes[2] * 0x10000 : 0;
    const double value = raw / 128.0;

    qs_emit_double(d, row, at, 3, value);
    return value;
}

double acknex_quarter(struct qs_decoder *d, unsigned row)
{
    return qs_scaled_i16(d, row, 1.0 / 256) / 256.0;
}

double acknex_angle(struct qs_decoder *d, unsigned row)
{
    const uint32_t at = d->in.pos;
    const bool intel = qs_option(d, ACKNEX_ANGLE_BYTE_ORDER) == ACKNEX_ANGLE_INTEL;
    const uint16_t raw = intel ? qs_reader_u16(&d->in) : qs_reader_u16be(&d->in);
    const double degrees = raw * 360.0 / 65535;

    qs_emit_double(d, row, at, 2, degrees);
    return degrees;
}

double acknex_scaled(struct qs_decoder *d, unsigned row, unsigned range)
{
    const uint32_t at = d->in.pos;
    const double value = qs_reader_u8(&d->in) * range / 255.0;

    qs_emit_double(d, row, at, 1, value);
    return value;
}

void acknex_vector(struct qs_decoder *d, unsigned row, acknex_number *read)
{
    double x, y, z;

    qs_open(d, row);
    x = read(d, row + 1);
    y = read(d, row + 2);
    z = read(d, row + 3);
    qs_label(d, ": (%g %g %g)", x, y, z);
    qs_close(d);
}

void acknex_cposition(struct qs_decoder *d, unsigned row)
{
    const bool fixed = qs_option(d, ACKNEX_POS_RESOLUTION) == ACKNEX_POS_FIXED;

    acknex_vector(d, row, fixed ? acknex_fixed : acknex_packed);
}
