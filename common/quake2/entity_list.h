/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entities of frames. Few of them change from one frame to the next: a state is shared between
 * all frames in which it is the same, and never changes once it is. The same pointer in two frames
 * means that the entity stood still, without an event; different ones may still be equal.
 */
#ifndef Q2_ENTITY_LIST_H
#define Q2_ENTITY_LIST_H

#include <glib.h>
#include <stdbool.h>

#include "common/quake2/state.h"

/* A list of entities, by ascending number as a rule. */
struct q2_entities {
    guint len;
    guint room; /* so many fit */
    struct q2_shared_entity **shared;
};

/* The state comes first. */
struct q2_shared_entity {
    struct q2_entity state;
    union {
        struct {
            guint references; /* in lists */
            bool settled;     /* it was carried: it has no event, and stood still */
        };
        struct q2_shared_entity *next; /* of those that are in no list */
    };
};

struct q2_entities *q2_entities_new(void);
void q2_entities_empty(struct q2_entities *entities);
void q2_entities_free(struct q2_entities *entities);

static inline const struct q2_entity *q2_entities_at(const struct q2_entities *entities,
                                                     guint index)
{
    return &entities->shared[index]->state;
}

/* Whether there is an entity of that number. `*index` is where, or where the next higher one is. */
bool q2_entities_find(const struct q2_entities *entities, uint32_t number, guint *index);

/* Appends a state of its own: it may be changed until the list is shared with another. */
struct q2_entity *q2_entities_append(struct q2_entities *entities, const struct q2_entity *state);

/* Puts the state where its number belongs, in place of one of the same number. */
void q2_entities_set(struct q2_entities *entities, const struct q2_entity *state);

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
