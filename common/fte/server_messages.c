/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Server messages except entities. Source: PROTOCOL.md, sections 6 and 7; fteqw cl_parse.c
 * and what it calls, where the function is named.
 */
#include "common/fte/fte.h"

/* --- The view --- */

/* What the view turns by, whatever width angles have elsewhere. */
void fte_read_setangledelta(struct qs_decoder *d)
{
    const enum qs_angle_format format = d->angle_format;

    d->angle_format = QS_ANGLE_SHORT;
    qs_angle3(d, FTE_SETANGLEDELTA);
    d->angle_format = format;
}

/* CL_ParseBaseAngle. */
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

/* S_Voip_Parse; the bytes are compressed speech. */
void fte_read_voicechat(struct qs_decoder *d)
{
    fte_session(d)->game->read_player(d, FTE_VOICE_SENDER);
    fte_read_client_voicechat(d);
}

/* --- The mod's own --- */

/* Only the server's mod knows what follows: notes that and ends the message loop. */
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

/* A number as in replacement deltas where these are agreed. CSQC_ParseEntities. */
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

/* --- Effects of particles --- */

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
