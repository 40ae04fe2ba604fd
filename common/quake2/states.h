/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of the player and of entities that a frame is made of, in the units of the wire, so
 * that reading and writing lose nothing; and lists of entities.
 */
#ifndef Q2_STATES_H
#define Q2_STATES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/quake2/constants.h"

/* --- States */

/* The bytes of a number that has one, two or, where its mask has both bits, four. */
static inline unsigned q2_number_size(uint64_t bits, uint64_t bit8, uint64_t bit16)
{
    if (bits & bit8)
        return bits & bit16 ? 4 : 1;
    return 2;
}

/* The states have no padding between their members, so that a test can go through their bytes. */

struct q2_entity {
    uint16_t number;
    uint16_t model[4];
    uint16_t frame;
    uint16_t sound;
    uint8_t sound_volume, sound_attenuation; /* extended limits; raw */
    uint32_t skin, effects, renderfx, morefx;
    int32_t origin[3], old_origin[3]; /* 1/8 unit */
    uint32_t solid;
    int16_t angles[3]; /* 1/65536 turn: pitch, yaw, roll */
    uint8_t event;
    uint8_t alpha, scale; /* extended limits; raw */
    uint8_t unused[3];
};

/* Shares of 1/65535; colors red, green, blue. */
struct q2_fog {
    uint16_t density, sky_factor;
    uint16_t height_density, height_falloff;
    int32_t start_dist, end_dist; /* 1/8 unit */
    uint8_t color[3], start_color[3], end_color[3];
    uint8_t unused[3];
};

struct q2_player {
    int32_t origin[3], velocity[3]; /* 1/8 unit */
    struct q2_fog fog;
    int16_t stats[Q2_STATS_EXTENDED];
    int16_t delta_angles[3], viewangles[3];
    int16_t gravity;
    int16_t clientnum; /* protocol 36: whose view it is */
    uint16_t pm_time, pm_flags;
    uint16_t gunindex;
    uint8_t gunskin, gunframe;
    int8_t viewoffset[3], kick_angles[3], gunoffset[3], gunangles[3]; /* quarters */
    uint8_t blend[4], damage_blend[4];
    uint8_t pm_type, fov, rdflags;
    uint8_t unused[5];
};

/* Whether both look the same and have the same origin. Events, which last for one frame, solids and
 * old origins do not count. */
bool q2_entity_looks_same(const struct q2_entity *a, const struct q2_entity *b);

/*
 * --- Lists of entities
 *
 * Few entities change from one frame to the next: a state is shared between all frames in which it
 * is the same, and never changes while it is shared. The same pointer in two frames means that the
 * entity stood still, without an event; different ones may still be equal.
 */

/* The entities of a frame, by ascending number as a rule. Starts zeroed. */
struct q2_entities {
    guint len;
    guint room; /* so many fit */
    struct q2_shared_entity **shared;
};

/* The state comes first. */
struct q2_shared_entity {
    union {
        struct q2_entity state;
        struct q2_shared_entity *next; /* of one that is spare */
    };
    guint references; /* in lists */
    bool carried;     /* from the frame before: it has no event, and stood still */
};

/* The room stays. */
void q2_entities_empty(struct q2_entities *entities);
void q2_entities_clear(struct q2_entities *entities);

static inline const struct q2_entity *q2_entities_at(const struct q2_entities *entities,
                                                     guint index)
{
    return &entities->shared[index]->state;
}

/* Whether there is an entity of that number. `*index` is where, or where the next higher one is. */
bool q2_entities_find(const struct q2_entities *entities, uint32_t number, guint *index);

/* Appends a state of its own: it may be changed until the list is shared with another. */
struct q2_entity *q2_entities_append(struct q2_entities *entities, const struct q2_entity *state);

/*
 * Appends the entities of `from` from `first` on that have a number below `number`, as they are a
 * frame later if the packet does not mention them: without an event, and with their origin as old
 * origin. Beams may keep their old origin. Returns the index behind them.
 */
guint q2_entities_carry(struct q2_entities *entities, const struct q2_entities *from, guint first,
                        uint32_t number, bool beams_keep_origin);

/* The packet has no old origin of the entity: it is `origin`. */
void q2_entity_came_from(struct q2_entity *entity, const int32_t origin[3], bool beams_keep_origin);

/* Makes the list the same as `from`. */
void q2_entities_copy(struct q2_entities *entities, const struct q2_entities *from);

/* The state at `index` to be changed, in this list only. */
struct q2_entity *q2_entities_change(struct q2_entities *entities, guint index);

#endif
