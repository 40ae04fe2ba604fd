/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/entity_list.h"

#include <string.h>

#include "common/quake2/constants.h"

/* The state comes first: lists point to it. */
struct shared_entity {
    struct q2_entity state;
    guint references; /* in lists */
    bool settled;     /* it was carried: it has no event, and stood still */
};

static inline void unref(gpointer entity)
{
    struct shared_entity *shared = entity;

    if (!--shared->references)
        g_free(shared);
}

GPtrArray *q2_entities_new(void)
{
    return g_ptr_array_new_with_free_func(unref);
}

/* As g_ptr_array_set_size() does, without a call for each that stays in another list. */
void q2_entities_empty(GPtrArray *entities)
{
    for (guint i = 0; i < entities->len; i++)
        unref(entities->pdata[i]);
    entities->len = 0;
}

bool q2_entities_find(const GPtrArray *entities, uint32_t number, guint *index)
{
    guint low = 0, high = entities->len;

    while (low < high) {
        const guint middle = low + (high - low) / 2;

        if (q2_entities_at(entities, middle)->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    *index = low;
    return low < entities->len && q2_entities_at(entities, low)->number == number;
}

static struct shared_entity *copy_of(const struct q2_entity *state)
{
    struct shared_entity *shared = g_new(struct shared_entity, 1);

    *shared = (struct shared_entity){.state = *state, .references = 1};
    return shared;
}

struct q2_entity *q2_entities_append(GPtrArray *entities, const struct q2_entity *state)
{
    struct shared_entity *shared = copy_of(state);

    g_ptr_array_add(entities, shared);
    return &shared->state;
}

void q2_entity_came_from(struct q2_entity *entity, const int32_t origin[3], bool beams_keep_origin)
{
    if (!beams_keep_origin || !(entity->renderfx & RF_BEAM))
        memcpy(entity->old_origin, origin, sizeof entity->old_origin);
}

static struct shared_entity *settled(const struct shared_entity *shared, bool beams_keep_origin)
{
    struct shared_entity *later = copy_of(&shared->state);

    later->state.event = 0;
    q2_entity_came_from(&later->state, later->state.origin, beams_keep_origin);
    later->settled = true;
    return later;
}

void q2_entities_carry(GPtrArray *entities, const GPtrArray *from, guint first, guint end,
                       bool beams_keep_origin)
{
    const guint at = entities->len;

    if (first >= end)
        return;
    g_ptr_array_set_size(entities, (gint)(at + (end - first)));
    for (guint i = first; i < end; i++) {
        struct shared_entity *shared = from->pdata[i];

        if (shared->settled)
            shared->references++;
        else
            shared = settled(shared, beams_keep_origin);
        entities->pdata[at + (i - first)] = shared;
    }
}

void q2_entities_copy(GPtrArray *entities, const GPtrArray *from)
{
    q2_entities_empty(entities);
    if (!from->len)
        return;
    g_ptr_array_set_size(entities, (gint)from->len);
    for (guint i = 0; i < from->len; i++) {
        struct shared_entity *shared = from->pdata[i];

        shared->references++;
        entities->pdata[i] = shared;
    }
}

struct q2_entity *q2_entities_change(GPtrArray *entities, guint index)
{
    struct shared_entity *shared = entities->pdata[index];

    if (shared->references > 1) {
        shared->references--;
        shared = copy_of(&shared->state);
        entities->pdata[index] = shared;
    }
    shared->settled = false;
    return &shared->state;
}
