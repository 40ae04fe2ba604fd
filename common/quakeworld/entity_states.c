/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/entity_states.h"

#include "common/core/writer.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/messages.h"

/* Bits of a delta in one word: those of its own word where they stand, then byte by byte the
 * further ones. The number's place holds the bits of the second byte. */
#define MORE(bit) ((uint32_t)(bit))
#define WORD(bit) ((uint32_t)(bit))
#define EVENMORE(bit) ((uint32_t)(bit) << 16)
#define YETMORE(bit) ((uint32_t)(bit) << 24)

/*
 * Where a state has its fields. Coordinates and angles have room for their longest form; bytes that
 * the form in force does not use have no meaning.
 */
enum {
    MODEL = 0, /* u16: with MODELDBL numbers go beyond a byte */
    FRAME = 2,
    COLORMAP = 3,
    SKIN = 4,
    EFFECTS = 5,
    ORIGIN1 = 6,
    ORIGIN2 = 10,
    ORIGIN3 = 14,
    ANGLE1 = 18,
    ANGLE2 = 20,
    ANGLE3 = 22,
    SCALE = 24,
    TRANS = 25,
    FATNESS = 26,
    DRAWFLAGS = 27,
    ABSLIGHT = 28,
    COLOURMOD = 29,
    DPFLAGS = 32,
    TAGINFO = 33,
    LIGHT = 37,
    EFFECTS16 = 47,
    STATE_END = 48
};
_Static_assert((int)STATE_END <= (int)QW_ENTITY_BYTES, "a state holds all fields");

enum {
    COORD_MAX = 4,
    ANGLE_MAX = 2,
    DELTA_MAX = 2 + 1 + 2 + STATE_END, /* bytes of the longest delta */
    MODEL_HIGH = 256                   /* MODELDBL beside MODEL adds as much */
};

/* The fields that any protocol has, but for the model. */
#define COMMON                                                                                     \
    (WORD(U_FRAME | U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3 | U_ANGLE2) |                                \
     MORE(U_COLORMAP | U_SKIN | U_EFFECTS | U_ANGLE1 | U_ANGLE3))

/* What decides how long a field is. */
enum length { BYTES, COORD, ANGLE };

/* A field: the bit that announces it, the extension that it needs, and its length. */
struct row {
    uint32_t bit;
    uint32_t fte; /* 0: none */
    uint8_t at;
    enum length length;
    uint8_t bytes;
};

/* In wire order, behind the model. */
static const struct row rows[] = {
    {WORD(U_FRAME), 0, FRAME, BYTES, 1},
    {MORE(U_COLORMAP), 0, COLORMAP, BYTES, 1},
    {MORE(U_SKIN), 0, SKIN, BYTES, 1},
    {MORE(U_EFFECTS), 0, EFFECTS, BYTES, 1},
    {WORD(U_ORIGIN1), 0, ORIGIN1, COORD, 0},
    {MORE(U_ANGLE1), 0, ANGLE1, ANGLE, 0},
    {WORD(U_ORIGIN2), 0, ORIGIN2, COORD, 0},
    {WORD(U_ANGLE2), 0, ANGLE2, ANGLE, 0},
    {WORD(U_ORIGIN3), 0, ORIGIN3, COORD, 0},
    {MORE(U_ANGLE3), 0, ANGLE3, ANGLE, 0},
    {EVENMORE(U_FTE_SCALE), FTE_SCALE, SCALE, BYTES, 1},
    {EVENMORE(U_FTE_TRANS), FTE_TRANS, TRANS, BYTES, 1},
    {EVENMORE(U_FTE_FATNESS), FTE_FATNESS, FATNESS, BYTES, 1},
    {YETMORE(U_FTE_DRAWFLAGS), FTE_HEXEN2, DRAWFLAGS, BYTES, 1},
    {YETMORE(U_FTE_ABSLIGHT), FTE_HEXEN2, ABSLIGHT, BYTES, 1},
    {YETMORE(U_FTE_COLOURMOD), FTE_COLOURMOD, COLOURMOD, BYTES, 3},
    {YETMORE(U_FTE_DPFLAGS), 0, DPFLAGS, BYTES, 1},
    {YETMORE(U_FTE_TAGINFO), 0, TAGINFO, BYTES, 4},
    {YETMORE(U_FTE_LIGHT), 0, LIGHT, BYTES, 10},
    {YETMORE(U_FTE_EFFECTS16), 0, EFFECTS16, BYTES, 1},
};

enum { FIRST_EXTRA = 10 }; /* the row of the first field that needs further bits */

struct qw_delta_format qw_delta_format(const struct fte_session *session)
{
    const bool floats = session->fte & FTE_FLOATCOORDS;
    const bool wide = session->mvd1 & MVD1_FLOATCOORDS;

    return (struct qw_delta_format){.fte = session->fte,
                                    .coord_size = floats || wide ? 4 : 2,
                                    .angle_size = floats ? 2 : 1,
                                    .entities = session->fte & FTE_256PACKETENTITIES ? 256 : 64,
                                    .only_fte = qw_only_fte_reads(session),
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
    switch (row->length) {
    case COORD:
        return format->coord_size;
    case ANGLE:
        return format->angle_size;
    case BYTES:
        break;
    }
    return row->bytes;
}

/* Each of these takes a field from `from` and returns where the next one stands. They may read
 * behind the field: callers see to it that there is something. */

static const uint8_t *take_model(const uint8_t *from, uint32_t bits, struct qw_entity *entity)
{
    const bool high = bits & EVENMORE(U_FTE_MODELDBL);

    entity->known |= MORE(U_MODEL);
    entity->bytes[MODEL] = from[0];
    if (bits & MORE(U_MODEL)) {
        entity->bytes[MODEL + 1] = high ? MODEL_HIGH >> 8 : 0;
        return from + 1;
    }
    entity->bytes[MODEL + 1] = from[1];
    return from + 2;
}

static inline const uint8_t *take_byte(const uint8_t *from, struct qw_entity *entity, unsigned at)
{
    entity->bytes[at] = *from;
    return from + 1;
}

static inline const uint8_t *take_coord(const uint8_t *from, const struct qw_delta_format *format,
                                        struct qw_entity *entity, unsigned at)
{
    memcpy(entity->bytes + at, from, COORD_MAX);
    return from + format->coord_size;
}

static inline const uint8_t *take_angle(const uint8_t *from, const struct qw_delta_format *format,
                                        struct qw_entity *entity, unsigned at)
{
    memcpy(entity->bytes + at, from, ANGLE_MAX);
    return from + format->angle_size;
}

/* The same as the first rows, written out: this is done for each delta of each packet. */
static const uint8_t *take_common(const uint8_t *from, const struct qw_delta_format *format,
                                  uint32_t bits, struct qw_entity *entity)
{
    if (bits & (MORE(U_MODEL) | EVENMORE(U_FTE_MODELDBL)))
        from = take_model(from, bits, entity);
    if (bits & WORD(U_FRAME))
        from = take_byte(from, entity, FRAME);
    if (bits & MORE(U_COLORMAP))
        from = take_byte(from, entity, COLORMAP);
    if (bits & MORE(U_SKIN))
        from = take_byte(from, entity, SKIN);
    if (bits & MORE(U_EFFECTS))
        from = take_byte(from, entity, EFFECTS);
    if (bits & WORD(U_ORIGIN1))
        from = take_coord(from, format, entity, ORIGIN1);
    if (bits & MORE(U_ANGLE1))
        from = take_angle(from, format, entity, ANGLE1);
    if (bits & WORD(U_ORIGIN2))
        from = take_coord(from, format, entity, ORIGIN2);
    if (bits & WORD(U_ANGLE2))
        from = take_angle(from, format, entity, ANGLE2);
    if (bits & WORD(U_ORIGIN3))
        from = take_coord(from, format, entity, ORIGIN3);
    if (bits & MORE(U_ANGLE3))
        from = take_angle(from, format, entity, ANGLE3);
    entity->known |= bits & COMMON;
    return from;
}

static const uint8_t *take_extras(const uint8_t *from, const struct qw_delta_format *format,
                                  uint32_t bits, struct qw_entity *entity)
{
    for (unsigned i = FIRST_EXTRA; i < G_N_ELEMENTS(rows); i++) {
        const struct row *row = &rows[i];

        if (!(bits & row->bit) || (row->fte && !(format->fte & row->fte)))
            continue;
        memcpy(entity->bytes + row->at, from, row->bytes);
        entity->known |= row->bit;
        from += row->bytes;
    }
    return from;
}

void qw_read_delta_fields(struct qs_reader *in, const struct qw_delta_format *format,
                          const struct qw_delta *delta, struct qw_entity *entity)
{
    const uint32_t left = qs_reader_left(in);
    const uint8_t *start = in->data + in->pos, *end;
    uint8_t last[DELTA_MAX] = {0};

    if (left < DELTA_MAX)
        start = memcpy(last, start, left);
    end = take_common(start, format, delta->bits, entity);
    if (delta->bits >> 16)
        end = take_extras(end, format, delta->bits, entity);
    entity->number = delta->number;
    /* The bit has no field, and belongs to each delta anew. */
    entity->known = (entity->known & ~MORE(U_SOLID)) | (delta->bits & MORE(U_SOLID));
    qs_reader_take(in, (uint32_t)(end - start));
}

/* --- Baselines --- */

/* An i16 in steps of 1/8, as the float that deltas have. */
static void widen_coord(uint8_t *bytes)
{
    const uint32_t word = qs_bits_of_float((float)(int16_t)qs_le16(bytes) / 8);

    for (unsigned i = 0; i < COORD_MAX; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

/* And back. */
static void narrow_coord(uint8_t *bytes)
{
    const float steps = qs_float_of_bits(qs_le32(bytes)) * 8;
    const int16_t word = steps > INT16_MIN + 1 && steps < INT16_MAX - 1
                             ? (int16_t)(steps + (steps < 0 ? -0.5f : 0.5f))
                             : 0;

    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)((uint16_t)word >> 8);
}

static void read_bytes(struct qs_reader *in, struct qw_entity *baseline, unsigned at, uint32_t size)
{
    const uint8_t *bytes = qs_reader_take(in, size);

    if (bytes)
        memcpy(baseline->bytes + at, bytes, size);
}

static void read_baseline_axis(struct qs_reader *in, const struct qw_delta_format *format,
                               struct qw_entity *baseline, unsigned origin, unsigned angle)
{
    read_bytes(in, baseline, origin, format->short_baselines ? 2 : format->coord_size);
    if (format->short_baselines)
        widen_coord(baseline->bytes + origin);
    read_bytes(in, baseline, angle, format->angle_size);
}

/* It has no effects. */
void qw_read_baseline(struct qs_reader *in, const struct qw_delta_format *format,
                      struct qw_entity *baseline)
{
    *baseline = (struct qw_entity){.number = qs_reader_u16(in), .known = COMMON | MORE(U_MODEL)};
    read_bytes(in, baseline, MODEL, 1);
    read_bytes(in, baseline, FRAME, 1);
    read_bytes(in, baseline, COLORMAP, 1);
    read_bytes(in, baseline, SKIN, 1);
    read_baseline_axis(in, format, baseline, ORIGIN1, ANGLE1);
    read_baseline_axis(in, format, baseline, ORIGIN2, ANGLE2);
    read_baseline_axis(in, format, baseline, ORIGIN3, ANGLE3);
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

/* Whether one of the two is told something of a field that the other is not. */
static bool differ(const struct qw_entity *a, const struct qw_entity *b, uint32_t bit, uint8_t at,
                   uint8_t size)
{
    return differs(a, b, bit, at, size) || differs(b, a, bit, at, size);
}

uint16_t qw_entity_model(const struct qw_entity *entity)
{
    return entity->known & MORE(U_MODEL) ? qs_le16(entity->bytes + MODEL) : 0;
}

bool qw_entities_equal(const struct qw_delta_format *format, const struct qw_entity *a,
                       const struct qw_entity *b)
{
    /* Most are: what stands still. */
    if (a->known == b->known && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0)
        return true;
    if (qw_entity_model(a) != qw_entity_model(b))
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
        if (differ(a, b, rows[i].bit, rows[i].at, size_of(&rows[i], format)))
            return false;
    return true;
}

static uint32_t model_bits(const struct qw_entity *from, const struct qw_entity *to)
{
    const uint16_t model = qs_le16(to->bytes + MODEL);

    if (!differs(from, to, MORE(U_MODEL), MODEL, 2))
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

/* Fields of the last byte of bits that need no extension are read by FTE alone. */
static bool has_field(const struct qw_delta_format *format, const struct row *row)
{
    if (!(row->bit >> 16))
        return true;
    return (format->fte & FTE_EVENMORE) && (row->fte ? format->fte & row->fte : format->only_fte);
}

static uint32_t bits_between(const struct qw_delta_format *format, const struct qw_entity *from,
                             const struct qw_entity *to)
{
    uint32_t bits = model_bits(from, to) | number_bits(to->number) | (to->known & MORE(U_SOLID));

    if (!(format->fte & FTE_MODELDBL))
        bits &= ~EVENMORE(U_FTE_MODELDBL);
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
        if (has_field(format, &rows[i]) &&
            differs(from, to, rows[i].bit, rows[i].at, size_of(&rows[i], format)))
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
        qs_write_u8(to, entity->bytes[MODEL]);
    else if (bits & EVENMORE(U_FTE_MODELDBL))
        qs_write_u16(to, qs_le16(entity->bytes + MODEL));
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

static void append_baseline_axis(GByteArray *to, const struct qw_delta_format *format,
                                 const struct qw_entity *baseline, unsigned origin, unsigned angle)
{
    uint8_t coord[COORD_MAX];

    memcpy(coord, baseline->bytes + origin, sizeof coord);
    if (format->short_baselines)
        narrow_coord(coord);
    g_byte_array_append(to, coord, format->short_baselines ? 2 : format->coord_size);
    g_byte_array_append(to, baseline->bytes + angle, format->angle_size);
}

void qw_append_baseline(GByteArray *to, const struct qw_delta_format *format,
                        const struct qw_entity *baseline, bool number)
{
    if (number)
        qs_write_u16(to, baseline->number);
    qs_write_u8(to, baseline->bytes[MODEL]);
    qs_write_u8(to, baseline->bytes[FRAME]);
    qs_write_u8(to, baseline->bytes[COLORMAP]);
    qs_write_u8(to, baseline->bytes[SKIN]);
    append_baseline_axis(to, format, baseline, ORIGIN1, ANGLE1);
    append_baseline_axis(to, format, baseline, ORIGIN2, ANGLE2);
    append_baseline_axis(to, format, baseline, ORIGIN3, ANGLE3);
}

/* --- Other formats --- */

static void translate_coord(uint8_t *bytes, uint8_t from, uint8_t to)
{
    if (from < to)
        widen_coord(bytes);
    else if (from > to)
        narrow_coord(bytes);
}

/* An angle of 16 bits, and its upper byte. */
static void translate_angle(uint8_t *bytes, uint8_t from, uint8_t to)
{
    if (from < to) {
        bytes[1] = bytes[0];
        bytes[0] = 0;
    } else if (from > to) {
        bytes[0] = (uint8_t)((qs_le16(bytes) + 128) >> 8);
    }
}

/* DIST_EPSILON, which traces keep off planes: id's qwsv, world.c, SV_RecursiveHullCheck. */
#define ABOVE_FLOOR (1.0f / 32)

void qw_entity_lie_on_floor(struct qw_entity *entity)
{
    const float height = qs_float_of_bits(qs_le32(entity->bytes + ORIGIN3));
    uint32_t word;

    if (!(height > INT16_MIN && height < INT16_MAX) || height != (float)(int)height)
        return;
    word = qs_bits_of_float(height + ABOVE_FLOOR);
    for (unsigned i = 0; i < COORD_MAX; i++)
        entity->bytes[ORIGIN3 + i] = (uint8_t)(word >> (8 * i));
}

static bool has_number(const struct qw_delta_format *format, uint16_t number)
{
    return (!(number & 512) || (format->fte & FTE_ENTITYDBL)) &&
           (!(number & 1024) || (format->fte & FTE_ENTITYDBL2));
}

bool qw_entity_translate(struct qw_entity *entity, const struct qw_delta_format *from,
                         const struct qw_delta_format *to)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        uint8_t *bytes = entity->bytes + rows[i].at;

        if (!has_field(to, &rows[i]))
            entity->known &= ~rows[i].bit;
        if (rows[i].length == COORD)
            translate_coord(bytes, from->coord_size, to->coord_size);
        else if (rows[i].length == ANGLE)
            translate_angle(bytes, from->angle_size, to->angle_size);
    }
    return has_number(to, entity->number) &&
           (qw_entity_model(entity) < MODEL_HIGH || (to->fte & FTE_MODELDBL));
}

/* --- States by number --- */

enum { STEP = 16 }; /* room is made for so many more */

uint32_t qw_states_index(const struct qw_states *states, uint16_t number)
{
    uint32_t first = 0, end = states ? states->count : 0;

    while (first < end) {
        const uint32_t middle = (first + end) / 2;

        if (states->entities[middle].number < number)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static struct qw_entity *at(struct qw_states *states, uint32_t index, uint16_t number)
{
    if (!states || index == states->count || states->entities[index].number != number)
        return NULL;
    return &states->entities[index];
}

const struct qw_entity *qw_states_find(const struct qw_states *states, uint16_t number)
{
    return at((struct qw_states *)states, qw_states_index(states, number), number);
}

static size_t size_for(uint32_t room)
{
    return sizeof(struct qw_states) + room * sizeof(struct qw_entity);
}

static struct qw_states *with_room(struct qw_states *states)
{
    const uint32_t count = states ? states->count : 0;

    if (states && count < states->room)
        return states;
    states = g_realloc(states, size_for(count + STEP));
    states->count = count;
    states->room = count + STEP;
    return states;
}

/* Room for one more at that place; NULL, and `*states` is as it was: there are `max`. */
static struct qw_entity *insert(struct qw_states **states, uint32_t index, uint32_t max)
{
    struct qw_states *all = *states;

    if (all && all->count >= max)
        return NULL;
    all = *states = with_room(all);
    memmove(&all->entities[index + 1], &all->entities[index],
            (all->count - index) * sizeof *all->entities);
    all->count++;
    return &all->entities[index];
}

struct qw_states *qw_states_set(struct qw_states *states, const struct qw_entity *entity)
{
    const uint32_t index = qw_states_index(states, entity->number);
    struct qw_entity *place = at(states, index, entity->number);

    if (!place)
        place = insert(&states, index, QW_STATES_MAX);
    if (place)
        *place = *entity;
    return states;
}

static void remove_at(struct qw_states *states, uint32_t index)
{
    states->count--;
    memmove(&states->entities[index], &states->entities[index + 1],
            (states->count - index) * sizeof *states->entities);
}

void qw_states_remove(struct qw_states *states, uint16_t number)
{
    const uint32_t index = qw_states_index(states, number);

    if (at(states, index, number))
        remove_at(states, index);
}

struct qw_states *qw_states_copy(const struct qw_states *states)
{
    return states ? g_memdup2(states, size_for(states->room)) : NULL;
}

/* The state that a delta changes; where there was none, the baseline's. NULL: there are too many.
 */
static struct qw_entity *state_to_change(struct qw_states **states,
                                         const struct qw_states *baselines, uint16_t number)
{
    const uint32_t index = qw_states_index(*states, number);
    struct qw_entity *state = at(*states, index, number);
    const struct qw_entity *baseline;

    if (state)
        return state;
    baseline = qw_states_find(baselines, number);
    state = insert(states, index, QW_STATES_IN_FRAME_MAX);
    if (state)
        *state = baseline ? *baseline : (struct qw_entity){.number = number};
    return state;
}

static bool at_end(const struct qs_reader *in)
{
    return qs_reader_left(in) < 2 || qs_le16(in->data + in->pos) == 0;
}

struct qw_states *qw_states_apply(struct qw_states *states, const struct qw_states *baselines,
                                  const struct qw_delta_format *format, struct qs_reader in)
{
    while (!at_end(&in)) {
        const struct qw_delta delta = qw_read_delta(&in, format);
        struct qw_entity *state;

        if (delta.removes) {
            qw_states_remove(states, delta.number);
            continue;
        }
        state = state_to_change(&states, baselines, delta.number);
        if (!state)
            break;
        qw_read_delta_fields(&in, format, &delta, state);
    }
    return states;
}
