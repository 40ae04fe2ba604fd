/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svc_temp_entity: short effects. A game has a table of its types; each type is a row of parts in
 * wire order. Sources: qwd-format, tables 9 to 11; QuakeSpasm cl_tent.c, CL_ParseTEnt; DarkPlaces
 * cl_parse.c, CL_ParseTempEntity; fteqw protocol.h and cl_tent.c, CL_ParseTEnt and
 * CL_ParseTEnt_Sized.
 */
#include "common/fte/fte.h"

enum part {
    NO_PART,
    ORIGIN,
    END,
    ENTITY,
    MODEL,
    COUNT,
    COUNT16,
    COLOR,
    COLORS,
    LIGHT,
    FLAGS,
    DURATION,
    SKIN,
    SPRAY,
    MIN_CORNER,
    MAX_CORNER,
    VELOCITY,
    SPEED,
    JITTER,
    GRAVITY,
    RED,
    GREEN,
    BLUE,
    RADIUS,
    LIFETIME
};

enum { PARTS_MAX = 7 };

static const uint8_t shapes[][PARTS_MAX] = {
    [FTE_SHAPE_POINT] = {ORIGIN},
    [FTE_SHAPE_LINE] = {ORIGIN, END},
    [FTE_SHAPE_BEAM] = {ENTITY, ORIGIN, END},
    [FTE_SHAPE_MODEL_BEAM] = {MODEL, ENTITY, ORIGIN, END},
    [FTE_SHAPE_COUNTED] = {COUNT, ORIGIN},
    [FTE_SHAPE_COLORED] = {ORIGIN, COLOR, COLORS},
    [FTE_SHAPE_LIT] = {ORIGIN, LIGHT},
    [FTE_SHAPE_STREAM] = {ENTITY, FLAGS, DURATION, ORIGIN, END},
    [FTE_SHAPE_COLORED_STREAM] = {ENTITY, FLAGS, DURATION, SKIN, ORIGIN, END},
    [FTE_SHAPE_SPRAY] = {ORIGIN, SPRAY, COUNT},
    [FTE_SHAPE_SHOWER] = {MIN_CORNER, MAX_CORNER, SPEED, COUNT16},
    [FTE_SHAPE_RGB] = {ORIGIN, RED, GREEN, BLUE},
    [FTE_SHAPE_WEATHER] = {MIN_CORNER, MAX_CORNER, VELOCITY, COUNT16, COLOR},
    [FTE_SHAPE_CUBE] = {MIN_CORNER, MAX_CORNER, VELOCITY, COUNT16, COLOR, GRAVITY, JITTER},
    [FTE_SHAPE_FLASH] = {ORIGIN, RADIUS, LIFETIME, RED, GREEN, BLUE},
    [FTE_SHAPE_JET] = {ORIGIN, VELOCITY, COUNT},
    [FTE_SHAPE_TRAIL] = {ORIGIN, END, VELOCITY},
};

enum reader { U8, U16, I8_VECTOR, COORD, COORD_VECTOR, ENTITY_NUMBER, FILE_NAME, TWENTIETHS };

static const struct {
    unsigned row;
    enum reader reader;
} parts[] = {
    [ORIGIN] = {FTE_TE_ORIGIN, COORD_VECTOR},
    [END] = {FTE_TE_END, COORD_VECTOR},
    [ENTITY] = {FTE_TE_ENTITY, ENTITY_NUMBER},
    [MODEL] = {FTE_TE_MODEL, FILE_NAME},
    [COUNT] = {FTE_TE_COUNT, U8},
    [COUNT16] = {FTE_TE_COUNT16, U16},
    [COLOR] = {FTE_TE_COLOR, U8},
    [COLORS] = {FTE_TE_COLOR_COUNT, U8},
    [LIGHT] = {FTE_TE_LIGHT, COORD_VECTOR},
    [FLAGS] = {FTE_TE_STREAM_FLAGS, U8},
    [DURATION] = {FTE_TE_STREAM_DURATION, TWENTIETHS},
    [SKIN] = {FTE_TE_STREAM_SKIN, U8},
    [SPRAY] = {FTE_TE_SPRAY, I8_VECTOR},
    [MIN_CORNER] = {FTE_TE_MIN, COORD_VECTOR},
    [MAX_CORNER] = {FTE_TE_MAX, COORD_VECTOR},
    [VELOCITY] = {FTE_TE_VELOCITY, COORD_VECTOR},
    [SPEED] = {FTE_TE_SPEED, COORD},
    [JITTER] = {FTE_TE_JITTER, COORD},
    [GRAVITY] = {FTE_TE_GRAVITY, U8},
    [RED] = {FTE_TE_RED, U8},
    [GREEN] = {FTE_TE_GREEN, U8},
    [BLUE] = {FTE_TE_BLUE, U8},
    [RADIUS] = {FTE_TE_RADIUS, U8},
    [LIFETIME] = {FTE_TE_LIFETIME, U8},
};

static void read_part(struct qs_decoder *d, unsigned row, enum reader reader)
{
    switch (reader) {
    case U8:
        qs_u8(d, row);
        break;
    case U16:
        qs_u16(d, row);
        break;
    case I8_VECTOR:
        qs_open(d, row);
        for (unsigned axis = 1; axis <= 3; axis++)
            qs_i8(d, row + axis);
        qs_close(d);
        break;
    case COORD:
        qs_coord(d, row);
        break;
    case COORD_VECTOR:
        qs_coord3(d, row);
        break;
    case ENTITY_NUMBER:
        fte_entity(d, row);
        break;
    case FILE_NAME:
        qs_text(d, row);
        break;
    case TWENTIETHS:
        qs_scaled_u8(d, row, 0.05);
        break;
    }
}

static const struct fte_temp_entity *find_type(const struct qs_decoder *d, uint8_t type)
{
    const struct fte_session *session = fte_session(d);
    const struct fte_temp_entity *entity;

    if (type >= session->game->temp_entity_count)
        return NULL;
    entity = &session->game->temp_entities[type];
    if (!entity->name)
        return NULL;
    return !entity->extension || session->fte || session->fte2 ? entity : NULL;
}

const struct fte_temp_entity *fte_read_temp_entity(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_u8(d, fte_session(d)->game->rows.temp_entity_type);
    const struct fte_temp_entity *entity = find_type(d, type);
    const uint8_t *shape;

    if (d->in.overrun)
        return NULL;
    if (!entity) {
        qs_label(d, ": unknown type");
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, at, 1, "Unknown temporary entity %u", type);
        d->stop = true;
        return NULL;
    }
    qs_label(d, ": %s", entity->name);
    shape = shapes[entity->shape];
    for (unsigned i = 0; i < PARTS_MAX && shape[i] != NO_PART; i++)
        read_part(d, parts[shape[i]].row, parts[shape[i]].reader);
    return entity;
}

/*
 * With a size before it: what the mod added behind a known type, or a type that only the mod knows,
 * is skipped.
 */
const struct fte_temp_entity *fte_read_temp_entity_sized(struct qs_decoder *d)
{
    const uint16_t word = qs_u16(d, FTE_TE_SIZE);
    const uint32_t size = word & TE_SIZE_MASK, start = d->in.pos, end = start + size;
    const bool own = (word & TE_SIZE_QUAKE) == fte_session(d)->game->temp_entity_numbering;
    const struct fte_temp_entity *entity = NULL;

    if (own && size && size <= qs_reader_left(&d->in) && find_type(d, d->in.data[start]))
        entity = fte_read_temp_entity(d);
    if (d->in.pos < end) {
        qs_bytes(d, FTE_MOD_DATA, end - d->in.pos);
    } else if (d->in.pos > end) {
        qs_note(d, QS_NOTE_MALFORMED, start, d->in.pos - start,
                "Temporary entity longer than its %u bytes", size);
        d->stop = true;
    }
    return entity;
}
