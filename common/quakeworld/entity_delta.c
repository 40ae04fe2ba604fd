/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/entity_delta.h"

#include "common/core/writer.h"
#include "common/quakeworld/constants.h"

/* Bits of a delta in one word: those of its own word where they stand, then byte by byte the
 * further ones. The number's place holds the bits of the second byte. */
#define MORE(bit) ((uint32_t)(bit))
#define WORD(bit) ((uint32_t)(bit))
#define EVENMORE(bit) ((uint32_t)(bit) << 16)
#define YETMORE(bit) ((uint32_t)(bit) << 24)

enum { COORD = 250, ANGLE, WIDEST_COORD = 4, WIDEST_ANGLE = 2 };

/* A field: the bit that announces it, the extension that it needs, its length, COORD or ANGLE, and
 * where a state has its bytes. */
struct row {
    uint32_t bit;
    uint32_t fte; /* 0: none */
    uint8_t size;
    uint8_t at;
};

/* In wire order, behind the model. */
static const struct row rows[] = {
    {WORD(U_FRAME), 0, 1, 2},
    {MORE(U_COLORMAP), 0, 1, 3},
    {MORE(U_SKIN), 0, 1, 4},
    {MORE(U_EFFECTS), 0, 1, 5},
    {WORD(U_ORIGIN1), 0, COORD, 6},
    {MORE(U_ANGLE1), 0, ANGLE, 18},
    {WORD(U_ORIGIN2), 0, COORD, 10},
    {WORD(U_ANGLE2), 0, ANGLE, 20},
    {WORD(U_ORIGIN3), 0, COORD, 14},
    {MORE(U_ANGLE3), 0, ANGLE, 22},
    {EVENMORE(U_FTE_SCALE), FTE_SCALE, 1, 24},
    {EVENMORE(U_FTE_TRANS), FTE_TRANS, 1, 25},
    {EVENMORE(U_FTE_FATNESS), FTE_FATNESS, 1, 26},
    {YETMORE(U_FTE_DRAWFLAGS), FTE_HEXEN2, 1, 27},
    {YETMORE(U_FTE_ABSLIGHT), FTE_HEXEN2, 1, 28},
    {YETMORE(U_FTE_COLOURMOD), FTE_COLOURMOD, 3, 29},
    {YETMORE(U_FTE_DPFLAGS), 0, 1, 32},
    {YETMORE(U_FTE_TAGINFO), 0, 4, 33},
    {YETMORE(U_FTE_LIGHT), 0, 10, 37},
    {YETMORE(U_FTE_EFFECTS16), 0, 1, 47},
};

enum { FIRST_EXTRA = 10, LAST_BYTE = 47 }; /* rows before it need no extension */
_Static_assert((int)LAST_BYTE < (int)QW_ENTITY_BYTES, "a state holds all fields");

/* The model comes first, and has a form of its own: a byte, which MODELDBL raises by 256, or with
 * MODELDBL alone a u16. A state holds the whole number. */
enum { MODEL_AT = 0, MODEL_SIZE = 2, MODEL_HIGH = 256 };

struct qw_delta_format qw_delta_format(const struct fte_session *session)
{
    const bool floats = session->fte & FTE_FLOATCOORDS;
    const bool wide = session->mvd1 & MVD1_FLOATCOORDS;

    return (struct qw_delta_format){.fte = session->fte,
                                    .coord_size = floats || wide ? 4 : 2,
                                    .angle_size = floats ? 2 : 1,
                                    .short_baselines = wide && !floats};
}

/* --- Reading --- */

static uint32_t read_further_bits(struct qs_reader *in, const struct qw_delta_format *format)
{
    uint32_t bits = qs_reader_u8(in);

    if (!(bits & U_FTE_EVENMORE) || !(format->fte & FTE_EVENMORE))
        return bits;
    bits |= EVENMORE(qs_reader_u8(in));
    if (bits & EVENMORE(U_FTE_YETMORE))
        bits |= YETMORE(qs_reader_u8(in));
    return bits;
}

static uint16_t number_of(uint16_t word, uint32_t bits)
{
    return (uint16_t)((word & U_NUMBER) + (bits & EVENMORE(U_FTE_ENTITYDBL) ? 512 : 0) +
                      (bits & EVENMORE(U_FTE_ENTITYDBL2) ? 1024 : 0));
}

struct qw_delta qw_read_delta(struct qs_reader *in, const struct qw_delta_format *format)
{
    const uint16_t word = qs_reader_u16(in);
    struct qw_delta delta = {.removes = word & U_REMOVE, .bits = word & 0xfe00u};

    if ((word & U_MOREBITS) && (!delta.removes || (format->fte & FTE_ENTITYDBL)))
        delta.bits |= read_further_bits(in, format);
    delta.number = number_of(word, delta.bits);
    return delta;
}

static uint8_t size_of(const struct row *row, const struct qw_delta_format *format)
{
    if (row->size == COORD)
        return format->coord_size;
    return row->size == ANGLE ? format->angle_size : row->size;
}

static void keep_bytes(struct qs_reader *in, struct qw_entity *entity, const struct row *row,
                       uint8_t size)
{
    const uint8_t *bytes = qs_reader_take(in, size);

    if (!bytes)
        return;
    memcpy(entity->bytes + row->at, bytes, size);
    entity->known |= row->bit;
}

static void keep_model(struct qw_entity *entity, uint16_t model)
{
    entity->bytes[MODEL_AT] = (uint8_t)model;
    entity->bytes[MODEL_AT + 1] = (uint8_t)(model >> 8);
    entity->known |= MORE(U_MODEL);
}

static void read_model(struct qs_reader *in, uint32_t bits, struct qw_entity *entity)
{
    const bool high = bits & EVENMORE(U_FTE_MODELDBL);

    if (bits & MORE(U_MODEL))
        keep_model(entity, (uint16_t)(qs_reader_u8(in) + (high ? MODEL_HIGH : 0)));
    else if (high)
        keep_model(entity, qs_reader_u16(in));
}

void qw_read_delta_fields(struct qs_reader *in, const struct qw_delta_format *format,
                          const struct qw_delta *delta, struct qw_entity *entity)
{
    const unsigned count = delta->bits >> 16 ? G_N_ELEMENTS(rows) : FIRST_EXTRA;

    entity->number = delta->number;
    read_model(in, delta->bits, entity);
    for (unsigned i = 0; i < count; i++)
        if ((delta->bits & rows[i].bit) && (!rows[i].fte || (format->fte & rows[i].fte)))
            keep_bytes(in, entity, &rows[i], size_of(&rows[i], format));
    /* The bit has no field, and belongs to each delta anew. */
    entity->known = (entity->known & ~MORE(U_SOLID)) | (delta->bits & MORE(U_SOLID));
}

/* --- Baselines --- */

/* An i16 in steps of 1/8, as the float that deltas have. */
static void widen_coord(uint8_t *bytes)
{
    const uint32_t word = qs_bits_of_float((float)(int16_t)qs_le16(bytes) / 8);

    for (unsigned i = 0; i < WIDEST_COORD; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

static const struct row *row_of(uint32_t bit)
{
    const struct row *row = rows;

    while (row->bit != bit)
        row++;
    return row;
}

static void read_baseline_coord(struct qs_reader *in, const struct qw_delta_format *format,
                                uint32_t bit, struct qw_entity *baseline)
{
    const struct row *row = row_of(bit);

    keep_bytes(in, baseline, row, format->short_baselines ? 2 : format->coord_size);
    if (format->short_baselines)
        widen_coord(baseline->bytes + row->at);
}

static void read_baseline_angle(struct qs_reader *in, const struct qw_delta_format *format,
                                uint32_t bit, struct qw_entity *baseline)
{
    keep_bytes(in, baseline, row_of(bit), format->angle_size);
}

void qw_read_baseline(struct qs_reader *in, const struct qw_delta_format *format,
                      struct qw_entity *baseline)
{
    *baseline = (struct qw_entity){.number = qs_reader_u16(in)};
    keep_model(baseline, qs_reader_u8(in));
    keep_bytes(in, baseline, row_of(WORD(U_FRAME)), 1);
    keep_bytes(in, baseline, row_of(MORE(U_COLORMAP)), 1);
    keep_bytes(in, baseline, row_of(MORE(U_SKIN)), 1);
    read_baseline_coord(in, format, WORD(U_ORIGIN1), baseline);
    read_baseline_angle(in, format, MORE(U_ANGLE1), baseline);
    read_baseline_coord(in, format, WORD(U_ORIGIN2), baseline);
    read_baseline_angle(in, format, WORD(U_ANGLE2), baseline);
    read_baseline_coord(in, format, WORD(U_ORIGIN3), baseline);
    read_baseline_angle(in, format, MORE(U_ANGLE3), baseline);
    baseline->known |= MORE(U_EFFECTS); /* none */
}

void qw_read_delta_baseline(struct qs_reader *in, const struct qw_delta_format *format,
                            struct qw_entity *baseline)
{
    const struct qw_delta delta = qw_read_delta(in, format);

    *baseline = (struct qw_entity){0};
    qw_read_delta_fields(in, format, &delta, baseline);
}

/* --- Writing --- */

static bool differs(const struct qw_entity *from, const struct qw_entity *to, uint32_t bit,
                    uint8_t at, uint8_t size)
{
    return (to->known & bit) &&
           (!from || !(from->known & bit) || memcmp(from->bytes + at, to->bytes + at, size) != 0);
}

static uint32_t model_bits(const struct qw_entity *from, const struct qw_entity *to)
{
    const uint16_t model = qs_le16(to->bytes + MODEL_AT);

    if (!differs(from, to, MORE(U_MODEL), MODEL_AT, MODEL_SIZE))
        return 0;
    if (model < MODEL_HIGH)
        return MORE(U_MODEL);
    return EVENMORE(U_FTE_MODELDBL) | (model < 2 * MODEL_HIGH ? MORE(U_MODEL) : 0);
}

static uint32_t number_bits(uint16_t number)
{
    return (number & 512 ? EVENMORE(U_FTE_ENTITYDBL) : 0) |
           (number & 1024 ? EVENMORE(U_FTE_ENTITYDBL2) : 0);
}

/* The bits that announce the bytes of further bits. */
static uint32_t with_announcements(uint32_t bits, uint16_t number)
{
    if (bits & YETMORE(0xff))
        bits |= EVENMORE(U_FTE_YETMORE);
    if (bits & EVENMORE(0xff))
        bits |= MORE(U_FTE_EVENMORE);
    /* A word of 0 would end the message. */
    if ((bits & MORE(0xff)) || (!(number & U_NUMBER) && !(bits & 0xffff)))
        bits |= WORD(U_MOREBITS);
    return bits;
}

static uint32_t bits_between(const struct qw_delta_format *format, const struct qw_entity *from,
                             const struct qw_entity *to)
{
    uint32_t bits = model_bits(from, to) | number_bits(to->number) | (to->known & MORE(U_SOLID));

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
        if (differs(from, to, rows[i].bit, rows[i].at, size_of(&rows[i], format)))
            bits |= rows[i].bit;
    return with_announcements(bits, to->number);
}

static void append_head(GByteArray *to, uint16_t number, uint32_t bits)
{
    qs_write_u16(to, (uint16_t)((number & U_NUMBER) | (bits & 0xfe00)));
    if (bits & WORD(U_MOREBITS))
        qs_write_u8(to, (uint8_t)bits);
    if (bits & MORE(U_FTE_EVENMORE))
        qs_write_u8(to, (uint8_t)(bits >> 16));
    if (bits & EVENMORE(U_FTE_YETMORE))
        qs_write_u8(to, (uint8_t)(bits >> 24));
}

static void append_model(GByteArray *to, uint32_t bits, const struct qw_entity *entity)
{
    if (bits & MORE(U_MODEL))
        qs_write_u8(to, entity->bytes[MODEL_AT]);
    else if (bits & EVENMORE(U_FTE_MODELDBL))
        qs_write_u16(to, qs_le16(entity->bytes + MODEL_AT));
}

void qw_append_delta(GByteArray *to, const struct qw_delta_format *format,
                     const struct qw_entity *baseline, const struct qw_entity *entity)
{
    const uint32_t bits = bits_between(format, baseline, entity);

    append_head(to, entity->number, bits);
    append_model(to, bits, entity);
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
        if (bits & rows[i].bit)
            g_byte_array_append(to, entity->bytes + rows[i].at, size_of(&rows[i], format));
}
