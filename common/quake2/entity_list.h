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

/* A list of entities, by ascending number as a rule. Free it with g_ptr_array_unref(). */
GPtrArray *q2_entities_new(void);
void q2_entities_empty(GPtrArray *entities);

static inline const struct q2_entity *q2_entities_at(const GPtrArray *entities, guint index)
{
    return g_ptr_array_index(entities, index);
}

/* Whether there is an entity of that number. `*index` is where, or where the next higher one is. */
bool q2_entities_find(const GPtrArray *entities, uint32_t number, guint *index);

/* Appends a state of its own: it may be changed until the list is shared with another. */
struct q2_entity *q2_entities_append(GPtrArray *entities, const struct q2_entity *state);

/*
 * Appends the entities of `from` at `first` up to `end` as they are a frame later, if the
 * packet does not mention them: without an event, and with their origin as old origin. Beams may
 * keep their old origin.
 */
void q2_entities_carry(GPtrArray *entities, const GPtrArray *from, guint first, guint end,
                       bool beams_keep_origin);

/* The packet has no old origin of the entity: it is `origin`. */
void q2_entity_came_from(struct q2_entity *entity, const int32_t origin[3], bool beams_keep_origin);

/* Makes the list the same as `from`. */
void q2_entities_copy(GPtrArray *entities, const GPtrArray *from);

/* The state at `index` to be changed, in this list only. */
struct q2_entity *q2_entities_change(GPtrArray *entities, guint index);

#endif
