/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/entity_states.h"

#include "common/core/writer.h"
#include "common/quakeworld/decode.h"

/*
 * Offsets of the fields in a state. Coordinates and angles have room for their longest format;
 * bytes that the current format does not use have no meaning.
 */
enum {
    MODEL = 0, /* u16, because with MODELDBL numbers exceed a byte */
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
    DELTA_MAX = 2 + 1 + 2 + STATE_END, /* size of the longest delta (bytes) */
    MODEL_HIGH = 256                   /* added to a model's number if MODELDBL accompanies MODEL */
};

/* Fields in wire order, after the model. */
const struct qw_entity_field qw_entity_fields[QW_ENTITY_FIELDS] = {
    {U_FRAME, 0, FRAME, QW_SIZE_FIXED, 1, QW_ENTITY_FRAME, 1},
    {U_COLORMAP, 0, COLORMAP, QW_SIZE_FIXED, 1, QW_ENTITY_COLORMAP, 1},
    {U_SKIN, 0, SKIN, QW_SIZE_FIXED, 1, QW_ENTITY_SKIN, 1},
    {U_EFFECTS, 0, EFFECTS, QW_SIZE_FIXED, 1, QW_ENTITY_EFFECTS, 1},
    {U_ORIGIN1, 0, ORIGIN1, QW_SIZE_COORD, 0, QW_ENTITY_X, 1},
    {U_ANGLE1, 0, ANGLE1, QW_SIZE_ANGLE, 0, QW_ENTITY_PITCH, 1},
    {U_ORIGIN2, 0, ORIGIN2, QW_SIZE_COORD, 0, QW_ENTITY_Y, 1},
    {U_ANGLE2, 0, ANGLE2, QW_SIZE_ANGLE, 0, QW_ENTITY_YAW, 1},
    {U_ORIGIN3, 0, ORIGIN3, QW_SIZE_COORD, 0, QW_ENTITY_Z, 1},
    {U_ANGLE3, 0, ANGLE3, QW_SIZE_ANGLE, 0, QW_ENTITY_ROLL, 1},
    {QW_EVENMORE(U_FTE_SCALE), FTE_SCALE, SCALE, QW_SIZE_FIXED, 1, QW_ENTITY_SCALE, 1},
    {QW_EVENMORE(U_FTE_TRANS), FTE_TRANS, TRANS, QW_SIZE_FIXED, 1, QW_ENTITY_ALPHA, 1},
    {QW_EVENMORE(U_FTE_FATNESS), FTE_FATNESS, FATNESS, QW_SIZE_FIXED, 1, QW_ENTITY_FATNESS, 1},
    {QW_YETMORE(U_FTE_DRAWFLAGS), FTE_HEXEN2, DRAWFLAGS, QW_SIZE_FIXED, 1, QW_ENTITY_DRAWFLAGS, 1},
    {QW_YETMORE(U_FTE_ABSLIGHT), FTE_HEXEN2, ABSLIGHT, QW_SIZE_FIXED, 1, QW_ENTITY_ABSLIGHT, 1},
    {QW_YETMORE(U_FTE_COLOURMOD), FTE_COLOURMOD, COLOURMOD, QW_SIZE_FIXED, 3, QW_ENTITY_RED, 3},
    {QW_YETMORE(U_FTE_DPFLAGS), 0, DPFLAGS, QW_SIZE_FIXED, 1, QW_ENTITY_DPFLAGS, 1},
    {QW_YETMORE(U_FTE_TAGINFO), 0, TAGINFO, QW_SIZE_FIXED, 4, QW_ENTITY_TAG_ENTITY, 2},
    {QW_YETMORE(U_FTE_LIGHT), 0, LIGHT, QW_SIZE_FIXED, 10, QW_ENTITY_LIGHT_RED, 6},
    {QW_YETMORE(U_FTE_EFFECTS16), 0, EFFECTS16, QW_SIZE_FIXED, 1, QW_ENTITY_EFFECTS_HIGH, 1},
};

enum { COMMON_FIELDS = 10 }; /* number of the first fields, which all protocols have */
#define COMMON_BITS                                                                                \
    (U_FRAME | U_COLORMAP | U_SKIN | U_EFFECTS | U_ORIGIN1 | U_ANGLE1 | U_ORIGIN2 | U_ANGLE2 |     \
     U_ORIGIN3 | U_ANGLE3)

unsigned qw_entity_field_count(uint32_t bits)
{
    return bits >> 16 ? QW_ENTITY_FIELDS : COMMON_FIELDS;
}

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

static uint32_t read_further_bits(struct qs_reader *in, uint32_t fte)
{
    uint32_t bits = qs_reader_u8(in);

    if (!(bits & U_FTE_EVENMORE) || !(fte & FTE_EVENMORE))
        return bits;
    bits |= QW_EVENMORE(qs_reader_u8(in));
    if (bits & QW_EVENMORE(U_FTE_YETMORE))
        bits |= QW_YETMORE(qs_reader_u8(in));
    return bits;
}

static uint16_t number_of(uint16_t word, uint32_t bits)
{
    return (uint16_t)((word & U_NUMBER) + (bits & QW_EVENMORE(U_FTE_ENTITYDBL) ? 512 : 0) +
                      (bits & QW_EVENMORE(U_FTE_ENTITYDBL2) ? 1024 : 0));
}

struct qw_delta qw_read_delta(struct qs_reader *in, uint32_t fte)
{
    const uint16_t word = qs_reader_u16(in);
    struct qw_delta delta = {.removes = word & U_REMOVE, .bits = word & 0xfe00u};

    if ((word & U_MOREBITS) && (!delta.removes || (fte & FTE_ENTITYDBL)))
        delta.bits |= read_further_bits(in, fte);
    delta.number = number_of(word, delta.bits);
    return delta;
}

static uint8_t size_of(const struct qw_entity_field *field, const struct qw_delta_format *format)
{
    switch (field->size) {
    case QW_SIZE_COORD:
        return format->coord_size;
    case QW_SIZE_ANGLE:
        return format->angle_size;
    case QW_SIZE_FIXED:
        break;
    }
    return field->bytes;
}

/* Reads the model at `from`, which must have two bytes. Returns the address after it. */
static const uint8_t *read_model(const uint8_t *from, uint32_t bits, struct qw_entity *entity)
{
    const bool high = bits & QW_EVENMORE(U_FTE_MODELDBL);

    entity->known |= U_MODEL;
    entity->bytes[MODEL] = from[0];
    if (bits & U_MODEL) {
        entity->bytes[MODEL + 1] = high ? MODEL_HIGH >> 8 : 0;
        return from + 1;
    }
    entity->bytes[MODEL + 1] = from[1];
    return from + 2;
}

void qw_read_delta_fields(struct qs_reader *in, const struct qw_delta_format *format,
                          const struct qw_delta *delta, struct qw_entity *entity)
{
    const uint32_t left = qs_reader_left(in);
    const uint8_t *start = in->data + in->pos, *end;
    uint8_t last[DELTA_MAX] = {0};

    if (left < DELTA_MAX)
        start = memcpy(last, start, left);
    end = start;
    if (delta->bits & (U_MODEL | QW_EVENMORE(U_FTE_MODELDBL)))
        end = read_model(end, delta->bits, entity);
    for (unsigned i = 0; i < qw_entity_field_count(delta->bits); i++) {
        const struct qw_entity_field *field = &qw_entity_fields[i];

        if (!qw_delta_has_field(delta, field, format->fte))
            continue;
        memcpy(entity->bytes + field->at, end, size_of(field, format));
        end += size_of(field, format);
        entity->known |= field->bit;
    }
    entity->number = delta->number;
    /* U_SOLID has no field, and holds for one delta only. */
    entity->known = (entity->known & ~(uint32_t)U_SOLID) | (delta->bits & U_SOLID);
    qs_reader_bytes(in, (uint32_t)(end - start));
}

/* --- Baselines --- */

/* Converts an i16 in steps of 1/8 to the float that deltas have. */
static void widen_coord(uint8_t *bytes)
{
    const uint32_t word = qs_bits_of_float((float)(int16_t)qs_le16(bytes) / 8);

    for (unsigned i = 0; i < COORD_MAX; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

static void read_bytes(struct qs_reader *in, struct qw_entity *baseline, unsigned at, uint32_t size)
{
    const uint8_t *bytes = qs_reader_bytes(in, size);

    if (bytes)
        memcpy(baseline->bytes + at, bytes, size);
}

/* Reads a baseline, which has no effects. */
static void read_baseline(struct qs_reader *in, const struct qw_delta_format *format,
                          struct qw_entity *baseline)
{
    *baseline = (struct qw_entity){.number = qs_reader_u16(in), .known = COMMON_BITS | U_MODEL};
    read_bytes(in, baseline, MODEL, 1);
    read_bytes(in, baseline, FRAME, 1);
    read_bytes(in, baseline, COLORMAP, 1);
    read_bytes(in, baseline, SKIN, 1);
    for (unsigned axis = 0; axis < 3; axis++) {
        const unsigned origin = ORIGIN1 + COORD_MAX * axis;

        read_bytes(in, baseline, origin, format->short_baselines ? 2 : format->coord_size);
        if (format->short_baselines)
            widen_coord(baseline->bytes + origin);
        read_bytes(in, baseline, ANGLE1 + ANGLE_MAX * axis, format->angle_size);
    }
}

bool qw_read_baseline(struct qs_view body, bool as_delta, const struct qw_delta_format *format,
                      struct qw_entity *baseline)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);
    struct qw_delta delta;

    if (as_delta) {
        delta = qw_read_delta(&in, format->fte);
        *baseline = (struct qw_entity){0};
        qw_read_delta_fields(&in, format, &delta, baseline);
    } else {
        read_baseline(&in, format, baseline);
    }
    return !in.overrun;
}

/* --- Writing --- */

static bool differs(const struct qw_entity *from, const struct qw_entity *to, uint32_t bit,
                    uint8_t at, uint8_t size)
{
    return (to->known & bit) &&
           (!from || !(from->known & bit) || memcmp(from->bytes + at, to->bytes + at, size) != 0);
}

uint16_t qw_entity_model(const struct qw_entity *entity)
{
    return entity->known & U_MODEL ? qs_le16(entity->bytes + MODEL) : 0;
}

static uint32_t model_bits(const struct qw_entity *from, const struct qw_entity *to)
{
    const uint16_t model = qs_le16(to->bytes + MODEL);

    if (!differs(from, to, U_MODEL, MODEL, 2))
        return 0;
    if (model < MODEL_HIGH)
        return U_MODEL;
    return QW_EVENMORE(U_FTE_MODELDBL) | (model < 2 * MODEL_HIGH ? U_MODEL : 0);
}

static uint32_t number_bits(uint16_t number)
{
    return (number & 512 ? QW_EVENMORE(U_FTE_ENTITYDBL) : 0) |
           (number & 1024 ? QW_EVENMORE(U_FTE_ENTITYDBL2) : 0);
}

/* Adds the bits that announce further bytes of bits. */
static uint32_t with_announcements(uint32_t bits, uint16_t number)
{
    if (bits & QW_YETMORE(0xff))
        bits |= QW_EVENMORE(U_FTE_YETMORE);
    if (bits & QW_EVENMORE(0xff))
        bits |= U_FTE_EVENMORE;
    /* A word of 0 would end the message. */
    if ((bits & 0xff) || (!(number & U_NUMBER) && !(bits & 0xffff)))
        bits |= U_MOREBITS;
    return bits;
}

/* True if the format can carry the field. Some fields of the last byte of bits only FTE reads. */
static bool has_field(const struct qw_delta_format *format, const struct qw_entity_field *field)
{
    if (!(field->bit >> 16))
        return true;
    return (format->fte & FTE_EVENMORE) &&
           (field->fte ? format->fte & field->fte : format->only_fte);
}

static uint32_t bits_between(const struct qw_delta_format *format, const struct qw_entity *from,
                             const struct qw_entity *to)
{
    uint32_t bits = model_bits(from, to) | number_bits(to->number) | (to->known & U_SOLID);

    if (!(format->fte & FTE_MODELDBL))
        bits &= ~QW_EVENMORE(U_FTE_MODELDBL);
    for (unsigned i = 0; i < QW_ENTITY_FIELDS; i++)
        if (has_field(format, &qw_entity_fields[i]) &&
            differs(from, to, qw_entity_fields[i].bit, qw_entity_fields[i].at,
                    size_of(&qw_entity_fields[i], format)))
            bits |= qw_entity_fields[i].bit;
    return with_announcements(bits, to->number);
}

static void append_head(GByteArray *to, uint16_t number, uint32_t bits)
{
    qs_write_u16(to, (uint16_t)((number & U_NUMBER) | (bits & 0xfe00)));
    if (bits & U_MOREBITS)
        qs_write_u8(to, (uint8_t)bits);
    if (bits & U_FTE_EVENMORE)
        qs_write_u8(to, (uint8_t)(bits >> 16));
    if (bits & QW_EVENMORE(U_FTE_YETMORE))
        qs_write_u8(to, (uint8_t)(bits >> 24));
}

static void append_model(GByteArray *to, uint32_t bits, const struct qw_entity *entity)
{
    if (bits & U_MODEL)
        qs_write_u8(to, entity->bytes[MODEL]);
    else if (bits & QW_EVENMORE(U_FTE_MODELDBL))
        qs_write_u16(to, qs_le16(entity->bytes + MODEL));
}

void qw_append_delta(GByteArray *to, const struct qw_delta_format *format,
                     const struct qw_entity *baseline, const struct qw_entity *entity)
{
    const uint32_t bits = bits_between(format, baseline, entity);

    append_head(to, entity->number, bits);
    append_model(to, bits, entity);
    for (unsigned i = 0; i < QW_ENTITY_FIELDS; i++)
        if (bits & qw_entity_fields[i].bit)
            g_byte_array_append(to, entity->bytes + qw_entity_fields[i].at,
                                size_of(&qw_entity_fields[i], format));
}

/* --- States by number --- */

enum { STEP = 16 }; /* number of entities that each reallocation adds */

/* Returns the index of the state with this number, or the index at which to insert it. */
static uint32_t index_of(const struct qw_states *states, uint16_t number)
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
    return at((struct qw_states *)states, index_of(states, number), number);
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

/* Makes room for a state at `index`. Returns NULL, with `*states` unchanged, if there are `max`. */
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
    const uint32_t index = index_of(states, entity->number);
    struct qw_entity *slot = at(states, index, entity->number);

    if (!slot)
        slot = insert(&states, index, QW_STATES_MAX);
    if (slot)
        *slot = *entity;
    return states;
}

static void remove_state(struct qw_states *states, uint16_t number)
{
    const uint32_t index = index_of(states, number);

    if (at(states, index, number)) {
        states->count--;
        memmove(&states->entities[index], &states->entities[index + 1],
                (states->count - index) * sizeof *states->entities);
    }
}

struct qw_states *qw_states_copy(const struct qw_states *states)
{
    return states ? g_memdup2(states, size_for(states->room)) : NULL;
}

/* Returns the state that a delta changes, initially its baseline. NULL: too many states. */
static struct qw_entity *state_to_change(struct qw_states **states,
                                         const struct qw_states *baselines, uint16_t number)
{
    const uint32_t index = index_of(*states, number);
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
        const struct qw_delta delta = qw_read_delta(&in, format->fte);
        struct qw_entity *state;

        if (delta.removes) {
            remove_state(states, delta.number);
            continue;
        }
        state = state_to_change(&states, baselines, delta.number);
        if (!state)
            break;
        qw_read_delta_fields(&in, format, &delta, state);
    }
    return states;
}
