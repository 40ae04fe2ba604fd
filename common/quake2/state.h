/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states that a frame is made of, of the player and of entities, in the units of the wire, so
 * that reading and writing lose nothing.
 */
#ifndef Q2_STATE_H
#define Q2_STATE_H

#include <stdint.h>

#include "common/quake2/constants.h"

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
