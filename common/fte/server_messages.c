/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Server messages except entities. Source: PROTOCOL.md, sections 6 and 7; fteqw cl_parse.c, and the
 * functions named below, which it calls.
 */
#include "common/fte/fte.h"

/* --- The view --- */

/* Reads the angles by which the view turns, which have 16 bits in every angle format. */
void fte_read_setangledelta(struct qs_decoder *d)
{
    const enum qs_angle_format format = d->angle_format;

    d->angle_format = QS_ANGLE_SHORT;
    qs_angle3(d, FTE_SETANGLEDELTA);
    d->angle_format = format;
}

/* Source: CL_ParseBaseAngle. */
void fte_read_setanglebase(struct qs_decoder *d)
{
    const uint8_t flags = qs_u8(d, FTE_ANGLEBASE_FLAGS);
    uint16_t *base = fte_session(d)->angle_base;

    for (unsigned i = 0; i < 3; i++)
        base[i] = flags >> i & ANGLEBASE_PITCH
                      ? (uint16_t)qs_angle16(d, FTE_ANGLEBASE_ANGLES_PITCH + i)
                      : 0;
}

/* --- Speech --- */

/* Reads compressed speech. Source: S_Voip_Parse. */
void fte_read_voicechat(struct qs_decoder *d)
{
    fte_session(d)->game->read_player(d, FTE_VOICE_SENDER);
    fte_read_client_voicechat(d);
}

/* --- Data of the mod --- */

/* Adds a note that only the server's mod can read what follows, and ends the message loop. */
static void stop_at_mod_data(struct qs_decoder *d, const char *message)
{
    if (d->in.overrun)
        return;
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, qs_reader_left(&d->in),
            "%s not decoded: only the server's mod knows its length", message);
    d->stop = true;
}

void fte_read_cgamepacket(struct qs_decoder *d)
{
    stop_at_mod_data(d, "svcfte_cgamepacket");
}

void fte_read_cgamepacket_sized(struct qs_decoder *d)
{
    qs_bytes(d, FTE_MOD_DATA, qs_u16(d, FTE_MOD_SIZE));
}

/* Reads a number, like replacement deltas if these are agreed. Source: CSQC_ParseEntities. */
static uint16_t read_mod_entity(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const bool longer = fte_session(d)->fte2 & FTE2_REPLACEMENTDELTAS;
    const uint16_t word = qs_u16(d, FTE_MOD_ENTITY_WORD);
    uint32_t number = word & (longer ? UPDATE_NUMBER : UPDATE_NUMBER | UPDATE_EXTENDED);

    if (longer && (word & UPDATE_EXTENDED))
        number |= (uint32_t)qs_u8(d, FTE_MOD_ENTITY_HIGH) << 14;
    qs_emit_generated_uint(d, FTE_MOD_ENTITY, at, d->in.pos - at, number);
    return word;
}

static void read_mod_entities(struct qs_decoder *d, bool sized)
{
    while (!d->in.overrun && !d->stop) {
        const uint16_t word = read_mod_entity(d);

        if (word == 0)
            return;
        if (word & UPDATE_REMOVE)
            continue;
        if (sized)
            fte_read_cgamepacket_sized(d);
        else
            stop_at_mod_data(d, "svcfte_csqcentities");
    }
}

void fte_read_csqcentities(struct qs_decoder *d)
{
    read_mod_entities(d, false);
}

void fte_read_csqcentities_sized(struct qs_decoder *d)
{
    read_mod_entities(d, true);
}

/* --- Particle effects --- */

void fte_read_trailparticles(struct qs_decoder *d)
{
    fte_entity(d, FTE_PARTICLES_ENTITY);
    qs_rows(d, FTE_PARTICLES_EFFECT, FTE_PARTICLES_END);
}

void fte_read_pointparticles(struct qs_decoder *d)
{
    qs_u16(d, FTE_PARTICLES_EFFECT);
    qs_coord3(d, FTE_PARTICLES_START);
    qs_coord3(d, FTE_PARTICLES_VELOCITY);
    qs_u16(d, FTE_PARTICLES_COUNT);
}

void fte_read_pointparticles1(struct qs_decoder *d)
{
    qs_rows(d, FTE_PARTICLES_EFFECT, FTE_PARTICLES_START);
}

/* --- Temporary entities ----------------------------------------------------------------------- */

/*
 * svc_temp_entity: short effects. A game has a table of types; each type is a list of parts in wire
 * order. Sources: qwd-format, tables 9 to 11; QuakeSpasm cl_tent.c, CL_ParseTEnt; DarkPlaces
 * cl_parse.c, CL_ParseTempEntity; fteqw protocol.h and cl_tent.c, CL_ParseTEnt and
 * CL_ParseTEnt_Sized.
 */

enum { PARTS_MAX = 7 };

/* Rows of the parts; 0: end. */
static const uint16_t shapes[][PARTS_MAX] = {
    [FTE_SHAPE_POINT] = {FTE_TE_ORIGIN},
    [FTE_SHAPE_LINE] = {FTE_TE_ORIGIN, FTE_TE_END},
    [FTE_SHAPE_BEAM] = {FTE_TE_ENTITY, FTE_TE_ORIGIN, FTE_TE_END},
    [FTE_SHAPE_MODEL_BEAM] = {FTE_TE_MODEL, FTE_TE_ENTITY, FTE_TE_ORIGIN, FTE_TE_END},
    [FTE_SHAPE_COUNTED] = {FTE_TE_COUNT, FTE_TE_ORIGIN},
    [FTE_SHAPE_COLORED] = {FTE_TE_ORIGIN, FTE_TE_COLOR, FTE_TE_COLOR_COUNT},
    [FTE_SHAPE_LIT] = {FTE_TE_ORIGIN, FTE_TE_LIGHT},
    [FTE_SHAPE_STREAM] = {FTE_TE_ENTITY, FTE_TE_STREAM_FLAGS, FTE_TE_STREAM_DURATION, FTE_TE_ORIGIN,
                          FTE_TE_END},
    [FTE_SHAPE_COLORED_STREAM] = {FTE_TE_ENTITY, FTE_TE_STREAM_FLAGS, FTE_TE_STREAM_DURATION,
                                  FTE_TE_STREAM_SKIN, FTE_TE_ORIGIN, FTE_TE_END},
    [FTE_SHAPE_SPRAY] = {FTE_TE_ORIGIN, FTE_TE_SPRAY, FTE_TE_COUNT},
    [FTE_SHAPE_SHOWER] = {FTE_TE_MIN, FTE_TE_MAX, FTE_TE_SPEED, FTE_TE_COUNT16},
    [FTE_SHAPE_RGB] = {FTE_TE_ORIGIN, FTE_TE_RED, FTE_TE_GREEN, FTE_TE_BLUE},
    [FTE_SHAPE_WEATHER] = {FTE_TE_MIN, FTE_TE_MAX, FTE_TE_VELOCITY, FTE_TE_COUNT16, FTE_TE_COLOR},
    [FTE_SHAPE_CUBE] = {FTE_TE_MIN, FTE_TE_MAX, FTE_TE_VELOCITY, FTE_TE_COUNT16, FTE_TE_COLOR,
                        FTE_TE_GRAVITY, FTE_TE_JITTER},
    [FTE_SHAPE_FLASH] = {FTE_TE_ORIGIN, FTE_TE_RADIUS, FTE_TE_LIFETIME, FTE_TE_RED, FTE_TE_GREEN,
                         FTE_TE_BLUE},
    [FTE_SHAPE_JET] = {FTE_TE_ORIGIN, FTE_TE_VELOCITY, FTE_TE_COUNT},
    [FTE_SHAPE_TRAIL] = {FTE_TE_ORIGIN, FTE_TE_END, FTE_TE_VELOCITY},
};

static void read_part(struct qs_decoder *d, unsigned row)
{
    switch (row) {
    case FTE_TE_ENTITY:
        fte_entity(d, row);
        break;
    case FTE_TE_SPRAY:
        qs_open(d, row);
        qs_rows(d, FTE_TE_SPRAY_X, FTE_TE_SPRAY_Z);
        qs_close(d);
        break;
    case FTE_TE_LIGHT:
        qs_coord3(d, row);
        break;
    case FTE_TE_COLOR_COUNT:
        qs_u8(d, row);
        break;
    case FTE_TE_STREAM_DURATION:
        qs_scaled_u8(d, row, 0.05);
        break;
    default:
        qs_rows(d, row, row);
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

void fte_read_temp_entity(struct qs_decoder *d)
{
    const struct fte_session *session = fte_session(d);
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_u8(d, session->game->rows.temp_entity_type);
    const struct fte_temp_entity *entity = find_type(d, type);

    if (d->in.overrun)
        return;
    if (!entity) {
        qs_label(d, ": unknown type");
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, at, 1, "Unknown temporary entity %u", type);
        d->stop = true;
        return;
    }
    qs_label(d, ": %s", entity->name);
    for (unsigned i = 0; i < PARTS_MAX && shapes[entity->shape][i]; i++)
        read_part(d, shapes[entity->shape][i]);
}

/*
 * Reads a temporary entity with a size before it; skips what the mod added after a known type, or a
 * type that only the mod knows.
 */
void fte_read_temp_entity_sized(struct qs_decoder *d)
{
    const uint16_t word = qs_u16(d, FTE_TE_SIZE);
    const uint32_t size = word & TE_SIZE_MASK, start = d->in.pos, end = start + size;
    const bool own = (word & TE_SIZE_QUAKE) == fte_session(d)->game->temp_entity_numbering;

    if (own && size && size <= qs_reader_left(&d->in) && find_type(d, d->in.data[start]))
        fte_read_temp_entity(d);
    if (d->in.pos < end) {
        qs_bytes(d, FTE_MOD_DATA, end - d->in.pos);
    } else if (d->in.pos > end) {
        qs_note(d, QS_NOTE_MALFORMED, start, d->in.pos - start,
                "Temporary entity longer than its %u bytes", size);
        d->stop = true;
    }
}
