/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <stddef.h>

#include "common/fte/constants.h"

const struct qs_name fte_extension_names[] = {
    {EXTENSION_FTE, "FTEX"},        {EXTENSION_FTE2, "FTE2"},       {EXTENSION_MVD1, "MVD1"},
    {EXTENSION_VLEN, "vlen"},       {EXTENSION_HUFF, "HUFF"},       {EXTENSION_FRAG, "FRAG"},
    {UINT32_C(0x534c5444), "DTLS"}, {UINT32_C(0x44495547), "GUID"}, {0, NULL},
};

const struct qs_name fte_stat_names[] = {
    {0, "STAT_HEALTH"},
    {1, "STAT_FRAGS"},
    {STAT_WEAPON, "STAT_WEAPON"},
    {3, "STAT_AMMO"},
    {4, "STAT_ARMOR"},
    {5, "STAT_WEAPONFRAME"},
    {6, "STAT_SHELLS"},
    {7, "STAT_NAILS"},
    {8, "STAT_ROCKETS"},
    {9, "STAT_CELLS"},
    {STAT_ACTIVEWEAPON, "STAT_ACTIVEWEAPON"},
    {11, "STAT_TOTALSECRETS"},
    {12, "STAT_TOTALMONSTERS"},
    {13, "STAT_SECRETS"},
    {14, "STAT_MONSTERS"},
    {STAT_ITEMS, "STAT_ITEMS"},
    {16, "STAT_VIEWHEIGHT"},
    {17, "STAT_TIME"},
    {18, "STAT_MATCHSTARTTIME"},
    {20, "STAT_VIEW2"},
    {21, "STAT_VIEWZOOM"},
    {25, "STAT_IDEALPITCH"},
    {26, "STAT_PUNCHANGLE_X"},
    {27, "STAT_PUNCHANGLE_Y"},
    {28, "STAT_PUNCHANGLE_Z"},
    {29, "STAT_PUNCHVECTOR_X"},
    {30, "STAT_PUNCHVECTOR_Y"},
    {31, "STAT_PUNCHVECTOR_Z"},
    {220, "STAT_MOVEVARS_AIRACCEL_QW_STRETCHFACTOR"},
    {221, "STAT_MOVEVARS_AIRCONTROL_PENALTY"},
    {222, "STAT_MOVEVARS_AIRSPEEDLIMIT_NONQW"},
    {223, "STAT_MOVEVARS_AIRSTRAFEACCEL_QW"},
    {224, "STAT_MOVEVARS_AIRCONTROL_POWER"},
    {225, "STAT_MOVEFLAGS"},
    {226, "STAT_MOVEVARS_WARSOWBUNNY_AIRFORWARDACCEL"},
    {227, "STAT_MOVEVARS_WARSOWBUNNY_ACCEL"},
    {228, "STAT_MOVEVARS_WARSOWBUNNY_TOPSPEED"},
    {229, "STAT_MOVEVARS_WARSOWBUNNY_TURNACCEL"},
    {230, "STAT_MOVEVARS_WARSOWBUNNY_BACKTOSIDERATIO"},
    {231, "STAT_MOVEVARS_AIRSTOPACCELERATE"},
    {232, "STAT_MOVEVARS_AIRSTRAFEACCELERATE"},
    {233, "STAT_MOVEVARS_MAXAIRSTRAFESPEED"},
    {234, "STAT_MOVEVARS_AIRCONTROL"},
    {235, "STAT_FRAGLIMIT"},
    {236, "STAT_TIMELIMIT"},
    {237, "STAT_MOVEVARS_WALLFRICTION"},
    {238, "STAT_MOVEVARS_FRICTION"},
    {239, "STAT_MOVEVARS_WATERFRICTION"},
    {240, "STAT_MOVEVARS_TICRATE"},
    {241, "STAT_MOVEVARS_TIMESCALE"},
    {242, "STAT_MOVEVARS_GRAVITY"},
    {243, "STAT_MOVEVARS_STOPSPEED"},
    {244, "STAT_MOVEVARS_MAXSPEED"},
    {245, "STAT_MOVEVARS_SPECTATORMAXSPEED"},
    {246, "STAT_MOVEVARS_ACCELERATE"},
    {247, "STAT_MOVEVARS_AIRACCELERATE"},
    {248, "STAT_MOVEVARS_WATERACCELERATE"},
    {249, "STAT_MOVEVARS_ENTGRAVITY"},
    {250, "STAT_MOVEVARS_JUMPVELOCITY"},
    {251, "STAT_MOVEVARS_EDGEFRICTION"},
    {252, "STAT_MOVEVARS_MAXAIRSPEED"},
    {253, "STAT_MOVEVARS_STEPHEIGHT"},
    {254, "STAT_MOVEVARS_AIRACCEL_QW"},
    {255, "STAT_MOVEVARS_AIRACCEL_SIDEWAYS_FRICTION"},
    {0, NULL},
};

/* Source: fteqw cl_ents.c CLFTE_ReadDelta. */
const struct qs_name fte_solid_names[] = {
    {0, "not solid"},
    {1, "a brush model"},
    {2, "a player's hull"},
    {3, "a large hull"},
    {SOLID_SIZE16, "a size of 16 bits"},
    {SOLID_SIZE32, "a size of 32 bits"},
    {0, NULL},
};

const struct qs_name fte_qc_type_names[] = {
    {EV_VOID, "end"},        {EV_STRING, "string"},
    {EV_FLOAT, "float"},     {EV_VECTOR, "vector"},
    {EV_ENTITY, "entity"},   {5, "field"},
    {6, "function"},         {EV_POINTER, "pointer"},
    {EV_INTEGER, "integer"}, {EV_UINT, "unsigned integer"},
    {EV_INT64, "int64"},     {EV_UINT64, "uint64"},
    {EV_DOUBLE, "double"},   {0, NULL},
};

/* --- id's game code --- */

const struct qs_name qs_progs_weapon_names[] = {
    {0, "Axe"},
    {1, "Shotgun"},
    {2, "Super shotgun"},
    {4, "Nailgun"},
    {8, "Super nailgun"},
    {16, "Grenade launcher"},
    {32, "Rocket launcher"},
    {64, "Thunderbolt"},
    {128, "Extra weapon"},
    {4096, "Axe"},
    {0, NULL},
};

const struct qs_name qs_progs_channel_names[] = {
    {0, "CHAN_AUTO"}, {1, "CHAN_WEAPON"}, {2, "CHAN_VOICE"},
    {3, "CHAN_ITEM"}, {4, "CHAN_BODY"},   {0, NULL},
};
