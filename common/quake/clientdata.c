/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svc_clientdata: the player's own state. Sources: dem-format, 6.16; QuakeSpasm cl_parse.c,
 * CL_ParseClientdata.
 */
#include "common/quake/internal.h"

static uint32_t read_flags(struct qs_decoder *d)
{
    uint32_t flags = qs_u16(d, NQ_CLIENTDATA_FLAGS);

    if (flags & SU_EXTEND1)
        flags |= (uint32_t)qs_u8(d, NQ_CLIENTDATA_FLAGS2) << 16;
    if (flags & SU_EXTEND2)
        flags |= (uint32_t)qs_u8(d, NQ_CLIENTDATA_FLAGS3) << 24;
    return flags;
}

/* For each axis the punch angle, then the velocity. */
static void read_motion(struct qs_decoder *d, uint32_t flags)
{
    for (unsigned axis = 0; axis < 3; axis++) {
        if (flags & SU_PUNCH1 << axis)
            qs_scaled_i8(d, NQ_CLIENTDATA_PUNCH_PITCH + axis, 1);
        if (flags & SU_VELOCITY1 << axis)
            qs_scaled_i8(d, NQ_CLIENTDATA_VELOCITY_X + axis, 16);
    }
}

/* FitzQuake's upper bytes of what stood before, in the order of their flags. */
static void read_upper_bytes(struct qs_decoder *d, uint32_t flags)
{
    static const struct {
        uint32_t flag;
        unsigned row;
    } bytes[] = {
        {SU_ARMOR2, NQ_CLIENTDATA_ARMOR2},
        {SU_AMMO2, NQ_CLIENTDATA_AMMO2},
        {SU_SHELLS2, NQ_CLIENTDATA_SHELLS2},
        {SU_NAILS2, NQ_CLIENTDATA_NAILS2},
        {SU_ROCKETS2, NQ_CLIENTDATA_ROCKETS2},
        {SU_CELLS2, NQ_CLIENTDATA_CELLS2},
        {SU_WEAPONFRAME2, NQ_CLIENTDATA_WEAPONFRAME2},
        {SU_WEAPONALPHA, NQ_CLIENTDATA_WEAPONALPHA},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(bytes); i++)
        if (flags & bytes[i].flag)
            qs_u8(d, bytes[i].row);
}

void nq_read_clientdata(struct qs_decoder *d)
{
    const uint32_t flags = read_flags(d);
    uint32_t weapon = 0, weapon_at = 0;

    if (flags & SU_VIEWHEIGHT)
        qs_i8(d, NQ_CLIENTDATA_VIEWHEIGHT);
    if (flags & SU_IDEALPITCH)
        qs_i8(d, NQ_CLIENTDATA_IDEALPITCH);
    read_motion(d, flags);
    /* The text reads the items only with SU_ITEMS; engines always set the flag, and always read. */
    qs_u32(d, NQ_CLIENTDATA_ITEMS);
    if (flags & SU_WEAPONFRAME)
        qs_u8(d, NQ_CLIENTDATA_WEAPONFRAME);
    if (flags & SU_ARMOR)
        qs_u8(d, NQ_CLIENTDATA_ARMOR);
    weapon_at = d->in.pos;
    if (flags & SU_WEAPON)
        weapon = qs_u8(d, NQ_CLIENTDATA_WEAPON);
    qs_i16(d, NQ_CLIENTDATA_HEALTH);
    qs_u8(d, NQ_CLIENTDATA_AMMO);
    qs_u8(d, NQ_CLIENTDATA_SHELLS);
    qs_u8(d, NQ_CLIENTDATA_NAILS);
    qs_u8(d, NQ_CLIENTDATA_ROCKETS);
    qs_u8(d, NQ_CLIENTDATA_CELLS);
    qs_u8(d, NQ_CLIENTDATA_ACTIVEWEAPON);
    if (flags & SU_WEAPON2)
        weapon |= (uint32_t)qs_u8(d, NQ_CLIENTDATA_WEAPON2) << 8;
    read_upper_bytes(d, flags);
    if (weapon)
        nq_name(d, NQ_CLIENTDATA_WEAPON_NAME, &nq_session_of(d)->models, weapon, weapon_at, 1);
}
