/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages about things that are not entities: particles, sprites, pictures, sky, fog and sounds.
 * Sources: PROTOCOL.md, section 8; QuakeSpasm cl_parse.c and gl_fog.c; DarkPlaces cl_parse.c; fteqw
 * cl_parse.c (Nehahra's).
 */
#include "common/quake/decode.h"

/* The count comes before the color: see id's SV_StartParticle, and blood (73) in demos. dem-format
 * has the opposite order. */
void nq_read_particle(struct qs_decoder *d)
{
    qs_coord3(d, NQ_PARTICLE_ORIGIN);
    qs_open(d, NQ_PARTICLE_VELOCITY);
    for (unsigned axis = 0; axis < 3; axis++)
        qs_scaled_i8(d, NQ_PARTICLE_VELOCITY_X + axis, 1.0 / 16);
    qs_close(d);
    qs_rows(d, NQ_PARTICLE_COUNT, NQ_PARTICLE_COLOR);
}

void nq_read_fog(struct qs_decoder *d)
{
    for (unsigned row = NQ_FOG_DENSITY; row <= NQ_FOG_BLUE; row++)
        qs_scaled_u8(d, row, 1.0 / 255);
    qs_scaled_i16(d, NQ_FOG_TIME, 1.0 / 100);
}

void nq_read_showlmp(struct qs_decoder *d)
{
    qs_rows(d, NQ_SHOWLMP_SLOT, NQ_SHOWLMP_PICTURE);
    if (nq_has_nehahra(nq_session_of(d))) {
        qs_unsigned_byte(d, NQ_SHOWLMP_X);
        qs_unsigned_byte(d, NQ_SHOWLMP_Y);
    } else {
        qs_rows(d, NQ_SHOWLMP_X, NQ_SHOWLMP_Y);
    }
}

/* --- Nehahra --- */

void nq_read_nehahra_fog(struct qs_decoder *d)
{
    if (!qs_u8(d, NQ_FOG_ENABLED))
        return;
    qs_f32(d, NQ_FOG_DENSITY);
    for (unsigned row = NQ_FOG_RED; row <= NQ_FOG_BLUE; row++)
        qs_scaled_u8(d, row, 1.0 / 255);
}

/* --- DarkPlaces --- */

void nq_read_effect(struct qs_decoder *d)
{
    const bool large = qs_message_byte(d) == SVC_DP_EFFECT2;
    uint32_t at;
    uint16_t model;

    qs_coord3(d, NQ_EFFECT_ORIGIN);
    at = d->in.pos;
    model = large ? qs_u16(d, NQ_EFFECT_MODEL) : qs_u8(d, NQ_EFFECT_MODEL);
    qs_emit_name(d, NQ_EFFECT_MODEL_NAME, &nq_session_of(d)->models, model, at, d->in.pos - at);
    if (large)
        qs_u16(d, NQ_EFFECT_FRAME);
    else
        qs_u8(d, NQ_EFFECT_FRAME);
    qs_rows(d, NQ_EFFECT_COUNT, NQ_EFFECT_RATE);
}

/* --- Sounds --- */

/*
 * Sources: PROTOCOL.md, section 7; QuakeSpasm cl_parse.c, CL_ParseStartSoundPacket and
 * CL_ParseStaticSound; fteqw cl_parse.c, CLNQ_ParseStartSoundPacket.
 */

static void read_sound_number(struct qs_decoder *d, bool large)
{
    const uint32_t at = d->in.pos;
    const uint16_t number = large ? qs_u16(d, NQ_SOUND_NUMBER) : qs_u8(d, NQ_SOUND_NUMBER);

    qs_emit_name(d, NQ_SOUND_NAME, &nq_session_of(d)->sounds, number, at, d->in.pos - at);
}

/* Reads entity and channel: two fields with SND_LARGEENTITY, else one word. */
static void read_sound_entity(struct qs_decoder *d, bool large)
{
    const uint32_t at = d->in.pos;

    if (large) {
        fte_entity(d, NQ_SOUND_ENTITY);
        qs_u8(d, NQ_SOUND_CHANNEL);
    } else {
        const uint16_t both = qs_u16(d, NQ_SOUND_ENTITY_CHANNEL);

        qs_emit_uint(d, NQ_SOUND_ENTITY, at, 2, both >> 3);
        qs_emit_uint(d, NQ_SOUND_CHANNEL, at, 1, both & 7);
    }
}

/* Reads the fields between attenuation and entity. FTE's source: CLNQ_ParseStartSoundPacket. */
static void read_playback(struct qs_decoder *d, uint32_t flags)
{
    const bool fte = nq_has_fte(nq_session_of(d));

    if (flags & SNDX_PITCH && fte)
        qs_u8(d, NQ_SOUND_PITCHADJ);
    if (flags & SNDX_TIME_OFFSET && fte)
        qs_i16(d, NQ_SOUND_TIMEOFS);
    if (flags & SNDX_VELOCITY) {
        qs_open(d, NQ_SOUND_VELOCITY);
        for (unsigned axis = 0; axis < 3; axis++)
            qs_scaled_i16(d, NQ_SOUND_VELOCITY_X + axis, 1 / 8.0);
        qs_close(d);
    }
    if (flags & SND_SPEEDUSHORT4000 && nq_has_darkplaces(nq_session_of(d)))
        qs_u16(d, NQ_SOUND_SPEED);
}

static void read_any_sound(struct qs_decoder *d, bool large)
{
    uint32_t flags = qs_u8(d, NQ_SOUND_FLAGS);

    if (flags & SNDX_MORE && nq_has_fte(nq_session_of(d)))
        flags |= fte_varint(d, NQ_SOUND_FLAGS2) << 8;
    if (flags & SND_VOLUME)
        qs_scaled_u8(d, NQ_SOUND_VOLUME, 1.0 / 255);
    if (flags & SND_ATTENUATION)
        qs_scaled_u8(d, NQ_SOUND_ATTENUATION, 1.0 / 64);
    read_playback(d, flags);
    read_sound_entity(d, flags & SND_LARGEENTITY);
    read_sound_number(d, large || flags & SND_LARGESOUND || nq_has_wide_sounds(nq_session_of(d)));
    qs_coord3(d, NQ_SOUND_ORIGIN);
}

void nq_read_sound(struct qs_decoder *d)
{
    read_any_sound(d, false);
}

void nq_read_sound2(struct qs_decoder *d)
{
    read_any_sound(d, true);
}

/* Reads what follows the origin. Source of FTE's number: fteqw cl_parse.c, CL_ParseStaticSound. */
static void read_staticsound(struct qs_decoder *d, bool large)
{
    const uint32_t at = d->in.pos;
    uint16_t number;

    if (large && nq_session_of(d)->ext.fte2 & FTE2_LERPTIME)
        number = fte_uleb128_short(d, NQ_STATICSOUND_NUMBER);
    else
        number = large ? qs_u16(d, NQ_STATICSOUND_NUMBER) : qs_u8(d, NQ_STATICSOUND_NUMBER);
    qs_emit_name(d, NQ_STATICSOUND_NAME, &nq_session_of(d)->sounds, number, at, d->in.pos - at);
    qs_scaled_u8(d, NQ_STATICSOUND_VOLUME, 1.0 / 255);
    qs_scaled_u8(d, NQ_STATICSOUND_ATTENUATION, 1.0 / 64);
}

/*
 * True if the sound number that follows has 16 bits: in BJP 2, and from DarkPlaces in BJP 3.
 * DarkPlaces' server of 2018 sends 16 bits in the first BJP as well, although its own client cannot
 * read them; a 0 in place of the volume is then the number's upper byte.
 */
static bool next_is_wide(const struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);

    switch (nq_version(session)) {
    case PROTOCOL_BJP:
        return session->darkplaces && qs_reader_left(&d->in) > 1 && !d->in.data[d->in.pos + 1];
    case PROTOCOL_BJP2:
        return true;
    case PROTOCOL_BJP3:
        return session->darkplaces;
    default:
        return false;
    }
}

void nq_read_spawnstaticsound(struct qs_decoder *d)
{
    qs_coord3(d, NQ_STATICSOUND_ORIGIN);
    read_staticsound(d, next_is_wide(d));
}

void nq_read_spawnstaticsound2(struct qs_decoder *d)
{
    qs_coord3(d, NQ_STATICSOUND_ORIGIN);
    read_staticsound(d, true);
}

/* Reads the re-release's sound for a single player: QuakeSpasm cl_parse.c, CL_ParseLocalSound. */
void nq_read_localsound(struct qs_decoder *d)
{
    const uint8_t flags = qs_u8(d, NQ_SOUND_FLAGS);

    read_sound_number(d, flags & SND_LARGESOUND);
}
