/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/values.h"

#include "common/core/text.h"

static double read_coord(struct qs_decoder *d)
{
    double units;

    switch (d->coord_format) {
    case QS_COORD_WHOLE:
        return (int16_t)qs_reader_u16(&d->in);
    case QS_COORD_24BIT:
        units = (int16_t)qs_reader_u16(&d->in);
        return units + qs_reader_u8(&d->in) / 255.0;
    case QS_COORD_INT32:
        return (int32_t)qs_reader_u32(&d->in) / 16.0;
    case QS_COORD_FLOAT32:
        return (double)qs_reader_float(&d->in);
    case QS_COORD_SHORT:
        break;
    }
    return (int16_t)qs_reader_u16(&d->in) / 8.0;
}

double qs_coord(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const double value = read_coord(d);

    qs_emit_double(d, id, at, d->in.pos - at, value);
    return value;
}

double qs_angle(struct qs_decoder *d, unsigned id)
{
    switch (d->angle_format) {
    case QS_ANGLE_SHORT:
        return qs_angle16(d, id) * (360.0 / 65536);
    case QS_ANGLE_FLOAT32:
        return (double)qs_f32(d, id);
    case QS_ANGLE_BYTE:
        break;
    }
    return qs_angle8(d, id) * (360.0 / 256);
}

void qs_coord3_values(struct qs_decoder *d, unsigned id, double values[3])
{
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        values[i] = qs_coord(d, id + 1 + i);
    if (qs_label_wanted(d))
        qs_label(d, ": (%g %g %g)", values[0], values[1], values[2]);
    qs_close(d);
}

void qs_angle3_values(struct qs_decoder *d, unsigned id, double values[3])
{
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        values[i] = qs_angle(d, id + 1 + i);
    if (qs_label_wanted(d))
        qs_label(d, ": (%g° %g° %g°)", values[0], values[1], values[2]);
    qs_close(d);
}

struct qs_view qs_text(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const struct qs_view text = qs_reader_string(&d->in);

    qs_emit_bytes(d, id, at, d->in.pos - at, text);
    return text;
}

struct qs_view qs_bytes(struct qs_decoder *d, unsigned id, uint32_t size)
{
    const uint32_t at = d->in.pos;
    const uint8_t *data = qs_reader_bytes(&d->in, size);
    const struct qs_view bytes = {data, data ? size : 0};

    qs_emit_bytes(d, id, at, size, bytes);
    return bytes;
}

static void read_integer(struct qs_decoder *d, unsigned id)
{
    const enum qs_type type = d->protocol->fields[id].type;
    const uint32_t at = d->in.pos, size = (qs_type_bits(type) + 7) / 8;
    const uint8_t *bytes = qs_reader_bytes(&d->in, size);
    const unsigned above = (64 - 8 * size) & 63; /* bits beyond the value's size */
    uint64_t value = 0;

    for (uint32_t i = size; bytes && i; i--)
        value = value << 8 | bytes[i - 1];
    if (qs_type_kind(type) == QS_KIND_SIGNED)
        qs_emit_int(d, id, at, size, (int64_t)(value << above) >> above);
    else
        qs_emit_uint(d, id, at, size, value);
}

/* Reads one row, or a vector. Returns the last row that it read. */
static unsigned read_row(struct qs_decoder *d, unsigned id)
{
    switch (d->protocol->fields[id].type) {
    case QS_GROUP:
        if (d->protocol->fields[id + 1].type == QS_COORD)
            qs_coord3(d, id);
        else
            qs_angle3(d, id);
        return id + 3;
    case QS_COORD:
        qs_coord(d, id);
        break;
    case QS_ANGLE:
        qs_angle(d, id);
        break;
    case QS_FLOAT:
        qs_f32(d, id);
        break;
    case QS_TEXT:
        qs_text(d, id);
        break;
    default:
        read_integer(d, id);
        break;
    }
    return id;
}

void qs_rows(struct qs_decoder *d, unsigned first, unsigned last)
{
    for (unsigned id = first; id <= last; id++)
        if (!d->protocol->fields[id].mask)
            id = read_row(d, id);
}

void qs_undecoded_to(struct qs_decoder *d, uint32_t end)
{
    const uint32_t left = end > d->in.pos ? end - d->in.pos : 0;

    /* An overrun has closed the range; reopens it to emit the remaining bytes. */
    d->in.limit = d->in.size;
    d->in.overrun = false;
    if (!left)
        return;
    d->found.problems += !d->found.undecoded;
    d->found.undecoded += left;
    qs_bytes(d, d->protocol->undecoded, left);
}

void qs_undecoded(struct qs_decoder *d)
{
    qs_undecoded_to(d, d->in.size);
}
