/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is seen and is no entity: particles, sprites, pictures, sky and fog. Sources: PROTOCOL.md,
 * section 8; QuakeSpasm cl_parse.c and gl_fog.c; DarkPlaces cl_parse.c; fteqw cl_parse.c
 * (Nehahra's).
 */
#include "common/quake/dialect.h"
#include "common/quake/messages.h"

/* The count comes before the color: id's SV_StartParticle, and blood (73) in demos; the text has
 * them the other way round. */
void nq_read_particle(struct qs_decoder *d)
{
    qs_coord3(d, NQ_PARTICLE_ORIGIN);
    qs_open(d, NQ_PARTICLE_VELOCITY);
    for (unsigned axis = 0; axis < 3; axis++)
        qs_scaled_i8(d, NQ_PARTICLE_VELOCITY_X + axis, 1.0 / 16);
    qs_close(d);
    qs_u8(d, NQ_PARTICLE_COUNT);
    qs_u8(d, NQ_PARTICLE_COLOR);
}

void nq_read_skybox(struct qs_decoder *d)
{
    qs_file_name(d, NQ_SKYBOX_NAME);
}

void nq_read_fog(struct qs_decoder *d)
{
    qs_scaled_u8(d, NQ_FOG_DENSITY, 1.0 / 255);
    qs_scaled_u8(d, NQ_FOG_RED, 1.0 / 255);
    qs_scaled_u8(d, NQ_FOG_GREEN, 1.0 / 255);
    qs_scaled_u8(d, NQ_FOG_BLUE, 1.0 / 255);
    qs_scaled_i16(d, NQ_FOG_TIME, 1.0 / 100);
}

void nq_read_showlmp(struct qs_decoder *d)
{
    qs_text(d, NQ_SHOWLMP_SLOT);
    qs_file_name(d, NQ_SHOWLMP_PICTURE);
    if (nq_has_nehahra(nq_session_of(d))) {
        qs_unsigned_byte(d, NQ_SHOWLMP_X);
        qs_unsigned_byte(d, NQ_SHOWLMP_Y);
    } else {
        qs_i16(d, NQ_SHOWLMP_X);
        qs_i16(d, NQ_SHOWLMP_Y);
    }
}

void nq_read_hidelmp(struct qs_decoder *d)
{
    qs_text(d, NQ_HIDELMP_SLOT);
}

/* --- Nehahra --- */

void nq_read_nehahra_skyboxsize(struct qs_decoder *d)
{
    qs_coord(d, NQ_SKYBOXSIZE_SIZE);
}

void nq_read_nehahra_fog(struct qs_decoder *d)
{
    if (!qs_u8(d, NQ_FOG_ENABLED))
        return;
    qs_f32(d, NQ_FOG_DENSITY);
    qs_scaled_u8(d, NQ_FOG_RED, 1.0 / 255);
    qs_scaled_u8(d, NQ_FOG_GREEN, 1.0 / 255);
    qs_scaled_u8(d, NQ_FOG_BLUE, 1.0 / 255);
}

/* --- DarkPlaces --- */

static void read_any_effect(struct qs_decoder *d, bool large)
{
    uint32_t at;
    uint16_t model;

    qs_coord3(d, NQ_EFFECT_ORIGIN);
    at = d->in.pos;
    model = large ? qs_u16(d, NQ_EFFECT_MODEL) : qs_u8(d, NQ_EFFECT_MODEL);
    nq_emit_name(d, NQ_EFFECT_MODEL_NAME, &nq_session_of(d)->models, model, at, d->in.pos - at);
    if (large)
        qs_u16(d, NQ_EFFECT_FRAME);
    else
        qs_u8(d, NQ_EFFECT_FRAME);
    qs_u8(d, NQ_EFFECT_COUNT);
    qs_u8(d, NQ_EFFECT_RATE);
}

void nq_read_effect(struct qs_decoder *d)
{
    read_any_effect(d, false);
}

void nq_read_effect2(struct qs_decoder *d)
{
    read_any_effect(d, true);
}
