/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svc_clientdata: state of the player. Sources: PROTOCOL.md, section 8; QuakeSpasm and DarkPlaces
 * cl_parse.c, CL_ParseClientdata.
 */
#include "common/quake/decode.h"

/* Model of the weapon: number in the precache list, and offset of that number in the message. */
struct weapon {
    uint32_t model, at;
};

static void name_weapon(struct qs_decoder *d, const struct weapon *weapon, uint32_t length)
{
    if (weapon->model)
        qs_emit_name(d, NQ_CLIENTDATA_WEAPON_NAME, &nq_session_of(d)->models, weapon->model,
                     weapon->at, length);
}

static uint32_t read_number(struct qs_decoder *d, unsigned row, bool wide)
{
    return wide ? qs_u16(d, row) : qs_u8(d, row);
}

/* `wide`: numbers have 16 bits each (DP5). */
static struct weapon read_state(struct qs_decoder *d, uint32_t flags, bool wide)
{
    const bool wide_weapon = wide || nq_is_bjp(nq_session_of(d));
    struct weapon weapon = {0};

    if (flags & SU_WEAPONFRAME)
        read_number(d, NQ_CLIENTDATA_WEAPONFRAME, wide);
    if (flags & SU_ARMOR)
        read_number(d, NQ_CLIENTDATA_ARMOR, wide);
    weapon.at = d->in.pos;
    if (flags & SU_WEAPON)
        weapon.model = read_number(d, NQ_CLIENTDATA_WEAPON, wide_weapon);
    qs_i16(d, NQ_CLIENTDATA_HEALTH);
    read_number(d, NQ_CLIENTDATA_AMMO, wide);
    read_number(d, NQ_CLIENTDATA_SHELLS, wide);
    read_number(d, NQ_CLIENTDATA_NAILS, wide);
    read_number(d, NQ_CLIENTDATA_ROCKETS, wide);
    read_number(d, NQ_CLIENTDATA_CELLS, wide);
    read_number(d, NQ_CLIENTDATA_ACTIVEWEAPON, wide);
    return weapon;
}

static uint32_t read_flags(struct qs_decoder *d, unsigned row2, unsigned row3)
{
    uint32_t flags = qs_u16(d, NQ_CLIENTDATA_FLAGS);

    if (flags & SU_EXTEND1)
        flags |= (uint32_t)qs_u8(d, row2) << 16;
    if (flags & SU_EXTEND2)
        flags |= (uint32_t)qs_u8(d, row3) << 24;
    return flags;
}

/* Reads Quake's fields, then the upper bytes that FitzQuake adds to them. */
static void read_quake_clientdata(struct qs_decoder *d)
{
    const uint32_t flags = read_flags(d, NQ_CLIENTDATA_FLAGS2, NQ_CLIENTDATA_FLAGS3);
    struct weapon weapon;

    /* clang-format off */
    if (flags & SU_VIEWHEIGHT) qs_i8(d, NQ_CLIENTDATA_VIEWHEIGHT);
    if (flags & SU_IDEALPITCH) qs_i8(d, NQ_CLIENTDATA_IDEALPITCH);
    for (unsigned axis = 0; axis < 3; axis++) {
        if (flags >> axis & SU_PUNCH1) qs_scaled_i8(d, NQ_CLIENTDATA_PUNCH_PITCH + axis, 1);
        if (flags >> axis & SU_VELOCITY1) qs_scaled_i8(d, NQ_CLIENTDATA_VELOCITY_X + axis, 16);
    }
    /* dem-format has items only with SU_ITEMS; engines always set the flag, and always read
     * them. */
    qs_u32(d, NQ_CLIENTDATA_ITEMS);
    weapon = read_state(d, flags, false);
    if (flags & SU_WEAPON2) weapon.model |= (uint32_t)qs_u8(d, NQ_CLIENTDATA_WEAPON2) << 8;
    if (flags & SU_ARMOR2) qs_u8(d, NQ_CLIENTDATA_ARMOR2);
    if (flags & SU_AMMO2) qs_u8(d, NQ_CLIENTDATA_AMMO2);
    if (flags & SU_SHELLS2) qs_u8(d, NQ_CLIENTDATA_SHELLS2);
    if (flags & SU_NAILS2) qs_u8(d, NQ_CLIENTDATA_NAILS2);
    if (flags & SU_ROCKETS2) qs_u8(d, NQ_CLIENTDATA_ROCKETS2);
    if (flags & SU_CELLS2) qs_u8(d, NQ_CLIENTDATA_CELLS2);
    if (flags & SU_WEAPONFRAME2) qs_u8(d, NQ_CLIENTDATA_WEAPONFRAME2);
    if (flags & SU_WEAPONALPHA) qs_u8(d, NQ_CLIENTDATA_WEAPONALPHA);
    /* clang-format on */
    name_weapon(d, &weapon, 1);
}

/* From DP6 on, svc_updatestat and svc_updatestatubyte carry the fields of read_state(). */
static void read_darkplaces_clientdata(struct qs_decoder *d)
{
    const unsigned version = nq_darkplaces_version(nq_session_of(d));
    const uint32_t flags = read_flags(d, NQ_CLIENTDATA_DPFLAGS2, NQ_CLIENTDATA_DPFLAGS3);
    const enum qs_coord_format coords = d->coord_format;
    struct weapon weapon = {0};

    /* clang-format off */
    if (flags & SU_VIEWHEIGHT) qs_i8(d, NQ_CLIENTDATA_VIEWHEIGHT);
    if (flags & SU_IDEALPITCH) qs_i8(d, NQ_CLIENTDATA_IDEALPITCH);
    d->coord_format = version >= 5 ? QS_COORD_FLOAT32 : QS_COORD_WHOLE;
    for (unsigned axis = 0; axis < 3; axis++) {
        if (flags >> axis & SU_PUNCH1) qs_angle16(d, NQ_CLIENTDATA_PUNCH_PITCH + axis);
        if (flags >> axis & SU_DP_PUNCHVEC1) qs_coord(d, NQ_CLIENTDATA_PUNCHVEC_X + axis);
        if (flags >> axis & SU_VELOCITY1 && version >= 5) qs_f32(d, NQ_CLIENTDATA_VELOCITY_X + axis);
        if (flags >> axis & SU_VELOCITY1 && version < 5) qs_scaled_i8(d, NQ_CLIENTDATA_VELOCITY_X + axis, 16);
    }
    d->coord_format = coords;
    if (flags & SU_ITEMS || version <= 5) qs_u32(d, NQ_CLIENTDATA_ITEMS);
    if (version <= 5) weapon = read_state(d, flags, version == 5);
    name_weapon(d, &weapon, version == 5 ? 2 : 1);
    if (flags & SU_DP_VIEWZOOM) read_number(d, NQ_CLIENTDATA_VIEWZOOM, version < 2 || version > 4);
    /* clang-format on */
}

void nq_read_clientdata(struct qs_decoder *d)
{
    if (nq_darkplaces_version(nq_session_of(d)))
        read_darkplaces_clientdata(d);
    else
        read_quake_clientdata(d);
}
