/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/fte/update.h"

#include <stddef.h>

#include "common/fte/fte.h"

/* Bytes of what the extensions widen. */
struct widths {
    uint32_t coord, angle;
    bool predinfo, sizes; /* PREDINFO, NEWSIZEENCODING */
};

static struct widths widths_of(const struct fte_session *agreed)
{
    const bool floats = (agreed->fte & FTE_FLOATCOORDS) || (agreed->mvd1 & MVD1_FLOATCOORDS);

    return (struct widths){.coord = floats ? 4 : 2,
                           .angle = agreed->fte & FTE_FLOATCOORDS ? 2 : 1,
                           .predinfo = agreed->fte2 & FTE2_PREDINFO,
                           .sizes = agreed->fte2 & FTE2_NEWSIZEENCODING};
}

/* Fields of one size, by their bits. */
struct field {
    uint32_t bit;
    uint8_t size;
};

static void skip_fields(struct qs_reader *in, uint32_t bits, const struct field *fields,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bits & fields[i].bit)
            qs_reader_take(in, fields[i].size);
}

static uint32_t read_bits(struct qs_reader *in)
{
    uint32_t bits = qs_reader_u8(in);

    if (bits & UF_EXTEND1)
        bits |= (uint32_t)qs_reader_u8(in) << 8;
    if (bits & UF_EXTEND2)
        bits |= (uint32_t)qs_reader_u8(in) << 16;
    if (bits & UF_EXTEND3)
        bits |= (uint32_t)qs_reader_u8(in) << 24;
    return bits;
}

static void skip_place(struct qs_reader *in, uint32_t bits, const struct widths *widths)
{
    const uint32_t angle = (bits & UF_PREDINFO) && !widths->predinfo ? 2 : widths->angle;

    if (bits & UF_ORIGINXY)
        qs_reader_take(in, 2 * widths->coord);
    if (bits & UF_ORIGINZ)
        qs_reader_take(in, widths->coord);
    if (bits & UF_ANGLESXZ)
        qs_reader_take(in, 2 * angle);
    if (bits & UF_ANGLESY)
        qs_reader_take(in, angle);
}

static void skip_effects(struct qs_reader *in, uint32_t bits)
{
    const uint32_t both = UF_EFFECTS | UF_EFFECTS2;

    if ((bits & both) == both)
        qs_reader_take(in, 4);
    else if (bits & UF_EFFECTS2)
        qs_reader_take(in, 2);
    else if (bits & UF_EFFECTS)
        qs_reader_take(in, 1);
}

static void skip_view(struct qs_reader *in, uint32_t bits, const struct widths *widths)
{
    if (!widths->predinfo) {
        if (qs_reader_u8(in) & 0x80) /* the weapon's frame */
            qs_reader_u8(in);
        return;
    }
    if (bits & UF_ANGLESXZ)
        qs_reader_take(in, 4);
    if (bits & UF_ANGLESY)
        qs_reader_take(in, 2);
}

static uint8_t read_predinfo(struct qs_reader *in, uint32_t bits, const struct widths *widths)
{
    static const struct field fields[] = {
        {UFP_FORWARD, 2},    {UFP_SIDE, 2},      {UFP_UP, 2},  {UFP_MOVETYPE, 1},
        {UFP_VELOCITYXY, 4}, {UFP_VELOCITYZ, 2}, {UFP_MSEC, 1}};
    const uint8_t predbits = qs_reader_u8(in);

    skip_fields(in, predbits, fields, sizeof fields / sizeof fields[0]);
    if (predbits & UFP_VIEWANGLE)
        skip_view(in, bits, widths);
    return predbits;
}

static void skip_solid(struct qs_reader *in, const struct widths *widths)
{
    uint8_t encoding;

    if (!widths->sizes) {
        qs_reader_take(in, 2);
        return;
    }
    encoding = qs_reader_u8(in);
    if (encoding == SOLID_SIZE16)
        qs_reader_take(in, 2);
    else if (encoding == SOLID_SIZE32)
        qs_reader_take(in, 4);
}

static void skip_tag(struct qs_reader *in)
{
    if (qs_reader_u16(in) & 0x8000) /* a large entity */
        qs_reader_u8(in);
    qs_reader_u8(in);
}

static void skip_looks(struct qs_reader *in, uint32_t bits, uint32_t index)
{
    static const struct field fields[] = {{UF_COLORMOD, 3}, {UF_GLOW, 5}, {UF_FATNESS, 1}};

    if (bits & UF_ALPHA)
        qs_reader_u8(in);
    if (bits & UF_SCALE)
        qs_reader_u8(in);
    if (bits & UF_DRAWFLAGS && (qs_reader_u8(in) & DRAWFLAGS_MLS) >= MLS_ADDLIGHT)
        qs_reader_u8(in);
    if (bits & UF_TAGINFO)
        skip_tag(in);
    if (bits & UF_LIGHT)
        qs_reader_take(in, 10);
    if (bits & UF_TRAILEFFECT && (qs_reader_u16(in) & TRAIL_EMITS))
        qs_reader_take(in, 2);
    skip_fields(in, bits, fields, sizeof fields / sizeof fields[0]);
    if (bits & UF_MODELINDEX2)
        qs_reader_take(in, index);
    if (bits & UF_GRAVITYDIR)
        qs_reader_take(in, 2);
}

/* In wire order, as read_common() and read_looks() of entities.c. */
static void read_update(struct qs_reader *in, const struct widths *widths,
                        struct fte_update *update)
{
    const uint32_t bits = update->bits;
    const uint32_t index = bits & UF_16BIT_LERPTIME ? 2 : 1;

    if (bits & UF_FRAME)
        qs_reader_take(in, index);
    skip_place(in, bits, widths);
    skip_effects(in, bits);
    if (bits & UF_PREDINFO)
        update->predbits = read_predinfo(in, bits, widths);
    if (bits & UF_MODEL)
        qs_reader_take(in, index);
    if (bits & UF_SKIN)
        qs_reader_take(in, index);
    if (bits & UF_COLORMAP)
        qs_reader_u8(in);
    if (bits & UF_SOLID)
        skip_solid(in, widths);
    if (bits & UF_FLAGS)
        qs_reader_u8(in);
    skip_looks(in, bits, index);
}

bool fte_next_update(struct qs_reader *in, const struct fte_session *agreed,
                     struct fte_update *update)
{
    const struct widths widths = widths_of(agreed);
    const uint32_t at = in->pos;
    const uint16_t word = qs_reader_u16(in);

    *update = (struct fte_update){.number = word & UPDATE_NUMBER, .removes = word & UPDATE_REMOVE};
    if (word & UPDATE_EXTENDED)
        update->number |= (uint32_t)qs_reader_u8(in) << 14;
    if (!word || (agreed->fte2 & FTE2_LERPTIME))
        return false;
    if (!update->removes) {
        update->bits = read_bits(in);
        if (update->bits & (UF_UNUSED1 | UF_EXTEND4 | UF_BONEDATA))
            return false;
        read_update(in, &widths, update);
    }
    update->bytes = (struct qs_view){in->data + at, in->pos - at};
    return !in->overrun;
}
