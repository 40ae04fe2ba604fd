/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a frame is made of: the state of the player and of entities, in the units of the wire, so
 * that reading and writing lose nothing.
 */
#ifndef Q2_STATE_H
#define Q2_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    Q2_ENTITIES_MAX = 1024,          /* MAX_EDICTS; numbers are 1 to this - 1 */
    Q2_ENTITIES_EXTENDED_MAX = 8192, /* with extended limits */
    Q2_STATS = 32,
    Q2_STATS_EXTENDED = 64,
    Q2_AREA_BYTES_MAX = 32, /* MAX_MAP_AREAS / 8 */
    Q2_SOLID_BRUSH = 31     /* the solid of brush models; others are packed boxes */
};

/* Bits of an entity's mask. Source: engine, qcommon.h U_*; from bit 28 on Q2PRO, protocol.h. */
#define U_ORIGIN1 UINT64_C(0x1)
#define U_ORIGIN2 UINT64_C(0x2)
#define U_ANGLE2 UINT64_C(0x4)
#define U_ANGLE3 UINT64_C(0x8)
#define U_FRAME8 UINT64_C(0x10)
#define U_EVENT UINT64_C(0x20)
#define U_REMOVE UINT64_C(0x40)
#define U_MOREBITS1 UINT64_C(0x80)
#define U_NUMBER16 UINT64_C(0x100)
#define U_ORIGIN3 UINT64_C(0x200)
#define U_ANGLE1 UINT64_C(0x400)
#define U_MODEL UINT64_C(0x800)
#define U_RENDERFX8 UINT64_C(0x1000)
#define U_ANGLE16 UINT64_C(0x2000)
#define U_EFFECTS8 UINT64_C(0x4000)
#define U_MOREBITS2 UINT64_C(0x8000)
#define U_SKIN8 UINT64_C(0x10000)
#define U_FRAME16 UINT64_C(0x20000)
#define U_RENDERFX16 UINT64_C(0x40000)
#define U_EFFECTS16 UINT64_C(0x80000)
#define U_MODEL2 UINT64_C(0x100000)
#define U_MODEL3 UINT64_C(0x200000)
#define U_MODEL4 UINT64_C(0x400000)
#define U_MOREBITS3 UINT64_C(0x800000)
#define U_OLDORIGIN UINT64_C(0x1000000)
#define U_SKIN16 UINT64_C(0x2000000)
#define U_SOUND UINT64_C(0x4000000)
#define U_SOLID UINT64_C(0x8000000)
#define U_MODEL16 UINT64_C(0x10000000)
#define U_MOREFX8 UINT64_C(0x20000000)
#define U_ALPHA UINT64_C(0x40000000)
#define U_MOREBITS4 UINT64_C(0x80000000)
#define U_SCALE UINT64_C(0x100000000)
#define U_MOREFX16 UINT64_C(0x200000000)

#define RF_FRAMELERP UINT32_C(0x40)
#define RF_BEAM UINT32_C(0x80)

/* Bits of a player state's mask. Source: engine, qcommon.h PS_*; PS_MOREBITS and PS_FOG: Q2PRO. */
#define PS_M_TYPE 0x1u
#define PS_M_ORIGIN 0x2u
#define PS_M_VELOCITY 0x4u
#define PS_M_TIME 0x8u
#define PS_M_FLAGS 0x10u
#define PS_M_GRAVITY 0x20u
#define PS_M_DELTA_ANGLES 0x40u
#define PS_VIEWOFFSET 0x80u
#define PS_VIEWANGLES 0x100u
#define PS_KICKANGLES 0x200u
#define PS_BLEND 0x400u
#define PS_FOV 0x800u
#define PS_WEAPONINDEX 0x1000u
#define PS_WEAPONFRAME 0x2000u
#define PS_RDFLAGS 0x4000u
#define PS_MOREBITS 0x8000u
#define PS_FOG 0x10000u

/* The words of a looping sound and of a gun with extended limits: an index, and above it two bits
 * or the skin. Source: facts, section 17. */
#define SOUND_WORD_INDEX 0x3fffu
#define SOUND_WORD_VOLUME 0x4000u
#define SOUND_WORD_ATTENUATION 0x8000u
#define GUN_WORD_INDEX 0x1fffu
#define GUN_WORD_SKIN_SHIFT 13

/* Bits of the fog's mask. Source: Q2PRO, protocol.h FOG_BIT_*. */
#define FOG_BIT_COLOR 0x01u
#define FOG_BIT_DENSITY 0x02u
#define FOG_BIT_HEIGHT_DENSITY 0x04u
#define FOG_BIT_HEIGHT_FALLOFF 0x08u
#define FOG_BIT_HEIGHT_START_COLOR 0x10u
#define FOG_BIT_HEIGHT_END_COLOR 0x20u
#define FOG_BIT_HEIGHT_START_DIST 0x40u
#define FOG_BIT_HEIGHT_END_DIST 0x80u

/* The bits that protocols 35 and 36 split off them. Source: Q2PRO, protocol.h EPS_*. */
#define EPS_GUNOFFSET 0x1u
#define EPS_GUNANGLES 0x2u
#define EPS_M_VELOCITY2 0x4u
#define EPS_M_ORIGIN2 0x8u
#define EPS_VIEWANGLE2 0x10u
#define EPS_STATS 0x20u
#define EPS_CLIENTNUM 0x40u

/* How the session in force writes what protocols up to 34 write in one way. */
struct q2_dialect {
    bool packed;        /* protocols 35 and 36: frames in one message, extra player bits */
    bool relay;         /* recorded by a relay: messages for one client are marked */
    bool server_record; /* a server-side recording: frames hold entities only */
    bool suppress_byte; /* svc_frame has one: all protocols but 26 */
    bool long_solid;    /* solids of 32 bits */
    bool short_angles;  /* U_ANGLE16 */
    bool beam_origin;   /* old_origin of beams stays until it is sent */
    bool extensions;    /* extended limits */
    bool extensions2;   /* extended limits, version 2: variable coordinates, 64 stats */
    bool player_fog;
    bool clientnum16; /* the client number is a short */
};

struct q2_entity {
    uint16_t number;
    uint16_t model[4];
    uint16_t frame;
    uint16_t sound;
    uint8_t sound_volume, sound_attenuation; /* extended limits; raw */
    uint32_t skin, effects, renderfx, morefx;
    int32_t origin[3], old_origin[3]; /* 1/8 unit */
    int16_t angles[3];                /* 1/65536 turn: pitch, yaw, roll */
    uint32_t solid;
    uint8_t event;
    uint8_t alpha, scale; /* extended limits; raw */
};

/* Shares of 1/65535; colours red, green, blue. */
struct q2_fog {
    uint8_t color[3], start_color[3], end_color[3];
    uint16_t density, sky_factor;
    uint16_t height_density, height_falloff;
    int32_t start_dist, end_dist; /* 1/8 unit */
};

struct q2_player {
    uint8_t pm_type;
    uint16_t pm_time, pm_flags;
    int16_t gravity;
    int32_t origin[3], velocity[3]; /* 1/8 unit */
    int16_t delta_angles[3], viewangles[3];
    int8_t viewoffset[3], kick_angles[3], gunoffset[3], gunangles[3]; /* quarters */
    uint16_t gunindex;
    uint8_t gunskin, gunframe;
    uint8_t blend[4], damage_blend[4];
    uint8_t fov, rdflags;
    int16_t clientnum; /* protocol 36: whose view it is */
    int16_t stats[Q2_STATS_EXTENDED];
    struct q2_fog fog;
};

#endif
