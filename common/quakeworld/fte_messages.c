/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Server messages that FTE adds, but for entities (fte_entities.c) and temporary entities
 * (temp_entities.c). Source: common/fte/PROTOCOL.md, sections 6 and 7; fteqw cl_parse.c and what it
 * calls, where the function is named.
 *
 * Not decodable from the packets alone:
 *   - svcfte_csqcentities, once an entity is updated, and svcfte_cgamepacket: only the server's mod
 *     knows their length, and so where the next message begins (their sized forms are passed over);
 *   - svcfte_customtempent, where the capture lacks the effect's definition;
 *   - packets compressed by the extension HUFF, whose table is not sent;
 *   - svc_deltapacketsprojectiles, which has a number but no layout that any engine knows.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/messages.h"

enum { QIZMO_FRAME_SIZE = 33 };

/* --- Time and view --- */

void qw_read_time(struct qs_decoder *d)
{
    qs_f32(d, QW_TIME);
}

void qw_read_setview(struct qs_decoder *d)
{
    qs_label(d, ": entity %u", fte_entity(d, QW_SETVIEW_ENTITY));
}

/* --- Seats: several players on one screen --- */

static void read_players(struct qs_decoder *d)
{
    const uint8_t count = qs_u8(d, QW_SEATS_COUNT);

    for (unsigned i = 0; i < count && !d->in.overrun; i++)
        qs_u8(d, QW_SEATS_PLAYER);
}

void qw_read_splitscreenconfig(struct qs_decoder *d)
{
    read_players(d);
}

void qw_read_updateseats(struct qs_decoder *d)
{
    read_players(d);
}

/* The next message is for that seat. */
void qw_read_choosesplitclient(struct qs_decoder *d)
{
    qs_label(d, ": %u", qs_u8(d, QW_SEAT));
}

/* --- Knowledge: statistics, info, precaches --- */

void qw_read_updatestatstring(struct qs_decoder *d)
{
    qw_label_stat(d, qs_u8(d, QW_STAT_INDEX));
    qs_label_text(d, " ", qs_text(d, FTE_STAT_STRING), "");
}

void qw_read_updatestatfloat(struct qs_decoder *d)
{
    qw_label_stat(d, qs_u8(d, QW_STAT_INDEX));
    qs_label(d, " %g", (double)qs_f32(d, FTE_STAT_FLOAT));
}

/* A piece of a long value; slot 0 is the server's info. CL_ParseSetInfoBlob. */
void qw_read_setinfoblob(struct qs_decoder *d)
{
    struct qs_view key, value;

    qs_u8(d, QW_INFOBLOB_SLOT);
    key = qs_text(d, QW_INFOBLOB_KEY);
    qs_label_text(d, ": ", key, "");
    qs_u32(d, QW_INFOBLOB_POSITION);
    value = qs_bytes(d, QW_INFOBLOB_DATA, qs_u16(d, QW_INFOBLOB_SIZE));
    d->ambiguous |= qs_info_is_obeyed(key, value);
}

/* A late entry of a precache list; the word's upper bits select the list. CL_ParsePrecache. */
void qw_read_precache(struct qs_decoder *d)
{
    const uint16_t word = qs_u16(d, QW_PRECACHE_WORD);
    const struct qs_view name = qs_file_name(d, QW_PRECACHE_NAME);
    const uint32_t index = word & PRECACHE_INDEX;

    qs_label_text(d, ": ", name, "");
    if (d->in.overrun)
        return;
    if ((word & PRECACHE_TYPE) == PRECACHE_MODEL)
        qs_table_set(&qw_session(d)->models, index, name);
    else if ((word & PRECACHE_TYPE) == PRECACHE_SOUND)
        qs_table_set(&qw_session(d)->sounds, index, name);
}

/* --- Sound --- */

/* What stands between the mask and the entity. */
static void read_sound_options(struct qs_decoder *d, uint32_t mask)
{
    if (mask & SNDX_VOLUME)
        qs_scaled_u8(d, QW_SOUND_VOLUME, 1 / 255.0);
    if (mask & SNDX_ATTENUATION)
        qs_scaled_u8(d, QW_SOUND_ATTENUATION, 1 / 64.0);
    if (mask & SNDX_PITCH)
        qs_u8(d, QW_SOUNDX_PITCH);
    if (mask & SNDX_TIME_OFFSET)
        qs_i16(d, QW_SOUNDX_TIME_OFFSET);
    if (mask & SNDX_VELOCITY) {
        qs_scaled_i16(d, QW_SOUNDX_VELOCITY_X, 1 / 8.0);
        qs_scaled_i16(d, QW_SOUNDX_VELOCITY_Y, 1 / 8.0);
        qs_scaled_i16(d, QW_SOUNDX_VELOCITY_Z, 1 / 8.0);
    }
    if (mask & SNDX_SPEED)
        qs_u16(d, QW_SOUNDX_SPEED);
}

static void read_sound_number(struct qs_decoder *d, unsigned id, bool wide)
{
    if (wide)
        qw_emit_sound_name(d, qs_u16(d, id), 2);
    else
        qw_emit_sound_name(d, qs_u8(d, id), 1);
}

/* The layout of Quake's svc_sound with all that was added to it. CLNQ_ParseStartSoundPacket. */
void qw_read_soundextended(struct qs_decoder *d)
{
    uint32_t mask = qs_u8(d, QW_SOUNDX_MASK);

    if (mask & SNDX_MORE)
        mask |= fte_varint(d, QW_SOUNDX_MORE_MASK) << 8;
    read_sound_options(d, mask);
    if (mask & SNDX_LARGE_ENTITY) {
        qw_emit_entity_name(d, fte_entity(d, QW_SOUNDX_ENTITY));
        qs_u8(d, QW_SOUNDX_CHANNEL);
    } else {
        qw_emit_entity_name(d, qs_u16(d, QW_STOPSOUND_WORD) >> 3);
    }
    read_sound_number(d, QW_SOUNDX_INDEX, mask & SNDX_LARGE_SOUND);
    qs_coord3(d, QW_SOUND_ORIGIN);
}

/* CL_ParseStaticSound: any flag widens the number. */
static uint16_t read_staticsound_number(struct qs_decoder *d, uint8_t flags)
{
    if (!flags)
        return qs_u8(d, QW_STATICSOUND2_INDEX);
    if (qw_session(d)->ext.fte2 & FTE2_LERPTIME)
        return fte_uleb128_short(d, QW_STATICSOUND2_INDEX);
    return qs_u16(d, QW_STATICSOUND2_INDEX);
}

void qw_read_spawnstaticsound2(struct qs_decoder *d)
{
    const uint8_t flags = qs_u8(d, QW_STATICSOUND2_FLAGS);
    uint32_t at;
    uint16_t number;

    qs_coord3(d, QW_STATICSOUND_ORIGIN);
    at = d->in.pos;
    number = read_staticsound_number(d, flags);
    qw_emit_sound_name(d, number, d->in.pos - at);
    qs_scaled_u8(d, QW_STATICSOUND_VOLUME, 1 / 255.0);
    qs_scaled_u8(d, QW_STATICSOUND_ATTENUATION, 1 / 64.0);
}

/* A frame of GSM from Qizmo, a proxy: ezquake cl_parse.c CL_ParseQizmoVoice. */
void qw_read_qizmovoice(struct qs_decoder *d)
{
    qs_u8(d, QW_QIZMO_SEQUENCE);
    qs_bytes(d, QW_QIZMO_DATA, QIZMO_FRAME_SIZE);
}

/* --- Looks --- */

void qw_read_lightstylecol(struct qs_decoder *d)
{
    uint32_t style = qs_u8(d, QW_LIGHTSTYLE_STYLE);
    const uint8_t bits = qs_u8(d, QW_LIGHTSTYLE_BITS);

    if (bits & LIGHTSTYLE_HIGH)
        style |= (uint32_t)qs_u8(d, QW_LIGHTSTYLE_STYLE_HIGH) << 8;
    qs_label(d, ": %u", style);
    if (bits & LIGHTSTYLE_LEVELS) {
        if (bits & LIGHTSTYLE_RED)
            qs_scaled_i16(d, QW_LIGHTSTYLE_RED_LEVEL, 1 / 1024.0);
        if (bits & LIGHTSTYLE_GREEN)
            qs_scaled_i16(d, QW_LIGHTSTYLE_GREEN_LEVEL, 1 / 1024.0);
        if (bits & LIGHTSTYLE_BLUE)
            qs_scaled_i16(d, QW_LIGHTSTYLE_BLUE_LEVEL, 1 / 1024.0);
    }
    qs_text(d, QW_LIGHTSTYLE_MAP);
}

/* CL_ParsePortalState. */
void qw_read_setportalstate(struct qs_decoder *d)
{
    const uint8_t mode = qs_u8(d, QW_PORTAL_MODE);
    const bool areas = mode & PORTAL_AREAS;
    const bool portal = (mode & PORTAL_NUMBER) || !areas;
    const bool large = mode & PORTAL_LARGE;

    if (!(mode & PORTAL_NEW)) {
        qs_u8(d, QW_PORTAL_OLD);
        return;
    }
    if (portal && large)
        qs_u16(d, QW_PORTAL);
    else if (portal)
        qs_u8(d, QW_PORTAL);
    for (unsigned i = 0; areas && i < 2; i++) {
        if (large)
            qs_u16(d, QW_PORTAL_AREA);
        else
            qs_u8(d, QW_PORTAL_AREA);
    }
}

/* Pictures on the screen: SCR_ShowPic_Create and its neighbours. */
void qw_read_showpic(struct qs_decoder *d)
{
    qs_u8(d, QW_PIC_ZONE);
    qs_label_text(d, ": ", qs_text(d, QW_PIC_SLOT), "");
    qs_label_text(d, " ", qs_file_name(d, QW_PIC_NAME), "");
    qs_i16(d, QW_PIC_X);
    qs_i16(d, QW_PIC_Y);
}

void qw_read_hidepic(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, QW_PIC_SLOT), "");
}

/* As the server writes it; fteqw's own client wants the zone first, and ends the game. */
void qw_read_movepic(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, QW_PIC_SLOT), "");
    qs_u8(d, QW_PIC_ZONE);
    qs_i16(d, QW_PIC_X);
    qs_i16(d, QW_PIC_Y);
}

void qw_read_updatepic(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, QW_PIC_SLOT), "");
    qs_label_text(d, " ", qs_file_name(d, QW_PIC_NAME), "");
}

/* --- Particles and effects --- */

/* Quake's svc_particle, which Hexen II's games need: CLNQ_ParseParticleEffect. */
void qw_read_particle(struct qs_decoder *d)
{
    qs_coord3(d, QW_PARTICLE_ORIGIN);
    qs_scaled_i8(d, QW_PARTICLE_DIRECTION_X, 1 / 16.0);
    qs_scaled_i8(d, QW_PARTICLE_DIRECTION_Y, 1 / 16.0);
    qs_scaled_i8(d, QW_PARTICLE_DIRECTION_Z, 1 / 16.0);
    qs_u8(d, QW_PARTICLE_COUNT);
    qs_u8(d, QW_PARTICLE_COLOR_BYTE);
}

static void read_particle_look(struct qs_decoder *d)
{
    qs_i16(d, QW_PARTICLE_COLOR);
    qs_u8(d, QW_PARTICLE_COUNT);
    qs_u8(d, QW_PARTICLE_EFFECT);
}

void qw_read_particle2(struct qs_decoder *d)
{
    static const unsigned borders[] = {QW_PARTICLE_MIN_X, QW_PARTICLE_MIN_Y, QW_PARTICLE_MIN_Z,
                                       QW_PARTICLE_MAX_X, QW_PARTICLE_MAX_Y, QW_PARTICLE_MAX_Z};

    qs_coord3(d, QW_PARTICLE_ORIGIN);
    for (unsigned i = 0; i < G_N_ELEMENTS(borders); i++)
        qs_f32(d, borders[i]);
    read_particle_look(d);
}

void qw_read_particle3(struct qs_decoder *d)
{
    qs_coord3(d, QW_PARTICLE_ORIGIN);
    qs_u8(d, QW_PARTICLE_BOX_X);
    qs_u8(d, QW_PARTICLE_BOX_Y);
    qs_u8(d, QW_PARTICLE_BOX_Z);
    read_particle_look(d);
}

void qw_read_particle4(struct qs_decoder *d)
{
    qs_coord3(d, QW_PARTICLE_ORIGIN);
    qs_u8(d, QW_PARTICLE_RADIUS);
    read_particle_look(d);
}

/* A sprite or model that plays some frames: CL_ParseEffect. */
void qw_read_effect(struct qs_decoder *d)
{
    qs_coord3(d, QW_EFFECT_ORIGIN);
    qw_read_model(d, QW_EFFECT_MODEL);
    qs_u8(d, QW_EFFECT_START);
    qs_u8(d, QW_EFFECT_FRAMES);
    qs_u8(d, QW_EFFECT_RATE);
}

void qw_read_effect2(struct qs_decoder *d)
{
    uint16_t model;

    qs_coord3(d, QW_EFFECT_ORIGIN);
    model = qs_u16(d, QW_EFFECT_MODEL);
    if (d->fields_wanted && !d->in.overrun)
        qw_emit_model_name(d, d->in.pos - 2, 2, model);
    qs_u16(d, QW_EFFECT_START);
    qs_u8(d, QW_EFFECT_FRAMES);
    qs_u8(d, QW_EFFECT_RATE);
}
