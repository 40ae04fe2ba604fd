/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MVD1's SIMPLEPROJECTILE: projectiles that clients move by themselves. Source: ezquake cl_ents.c
 * CL_ParsePacketSimpleProjectiles. The bits are those of entity deltas, with other fields.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/messages.h"

static void read_motion(struct qs_decoder *d)
{
    qs_f32(d, QW_PROJECTILE_X);
    qs_f32(d, QW_PROJECTILE_Y);
    qs_f32(d, QW_PROJECTILE_Z);
    qs_f32(d, QW_PROJECTILE_VELOCITY_X);
    qs_f32(d, QW_PROJECTILE_VELOCITY_Y);
    qs_f32(d, QW_PROJECTILE_VELOCITY_Z);
}

static void read_model(struct qs_decoder *d)
{
    const uint16_t model = qs_u16(d, QW_PROJECTILE_MODEL);

    if (d->fields_wanted && !d->in.overrun)
        qw_emit_model_name(d, d->in.pos - 2, 2, model);
    qs_u16(d, QW_PROJECTILE_OWNER);
}

static void read_projectile(struct qs_decoder *d)
{
    uint16_t word, flags;

    qs_open(d, QW_PROJECTILE);
    word = qs_u16(d, QW_PROJECTILE_WORD);
    qs_label(d, " %u%s", word & PROJECTILE_NUMBER, word & PROJECTILE_REMOVE ? " removed" : "");
    if (!(word & PROJECTILE_REMOVE)) {
        flags = qs_u16(d, QW_PROJECTILE_FLAGS);
        if (flags & U_ORIGIN1)
            read_motion(d);
        if (flags & U_ANGLE1)
            qs_angle3(d, QW_PROJECTILE_ANGLES);
        if (flags & U_MODEL)
            read_model(d);
        if (flags & U_ORIGIN3)
            qs_scaled_u8(d, QW_PROJECTILE_AGE, 1 / 255.0);
    }
    qs_close(d);
}

void qw_read_packetsprojectiles(struct qs_decoder *d)
{
    qs_u32(d, QW_PROJECTILES_FRAME);
    while (!d->in.overrun) {
        if (qs_reader_left(&d->in) < 2 || qs_peek_u16(d) == 0) {
            qs_u16(d, QW_ENTITIES_END);
            return;
        }
        read_projectile(d);
    }
}
