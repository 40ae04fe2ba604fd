/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/tracker.h"

#include <string.h>

enum {
    ROOM_MIN = 2,
    AT_ONCE = 64 /* states; the heap would pad single ones */
};

/* Free list. Each frame frees about as many states as the next one needs. */
static _Thread_local struct q2_shared_entity *spares;

static struct q2_shared_entity *allocate(void)
{
    struct q2_shared_entity *shared = spares;

    if (!shared) {
        shared = g_new(struct q2_shared_entity, AT_ONCE);
        for (unsigned i = 0; i < AT_ONCE; i++)
            shared[i].next = i + 1 < AT_ONCE ? &shared[i + 1] : NULL;
    }
    spares = shared->next;
    return shared;
}

static inline void unref(struct q2_shared_entity *shared)
{
    if (--shared->references)
        return;
    shared->next = spares;
    spares = shared;
}

bool q2_entity_looks_same(const struct q2_entity *a, const struct q2_entity *b)
{
    struct q2_entity same = *a;

    same.number = b->number;
    same.event = b->event;
    same.solid = b->solid;
    memcpy(same.old_origin, b->old_origin, sizeof same.old_origin);
    return memcmp(&same, b, sizeof same) == 0;
}

void q2_entities_empty(struct q2_entities *entities)
{
    for (guint i = 0; i < entities->len; i++)
        unref(entities->shared[i]);
    entities->len = 0;
}

void q2_entities_clear(struct q2_entities *entities)
{
    q2_entities_empty(entities);
    g_free(entities->shared);
    *entities = (struct q2_entities){0};
}

G_GNUC_NO_INLINE static void make_room(struct q2_entities *entities, guint more)
{
    entities->room = entities->len + MAX(more, entities->len / 8) + ROOM_MIN;
    entities->shared = g_renew(struct q2_shared_entity *, entities->shared, entities->room);
}

/* Reserves space for `more` states at the end. */
static inline void reserve(struct q2_entities *entities, guint more)
{
    if (entities->room - entities->len < more)
        make_room(entities, more);
}

bool q2_entities_find(const struct q2_entities *entities, uint32_t number, guint *index)
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

static inline struct q2_shared_entity *copy_of(const struct q2_entity *state)
{
    struct q2_shared_entity *shared = allocate();

    shared->state = *state;
    shared->references = 1;
    shared->carried = false;
    return shared;
}

struct q2_entity *q2_entities_append(struct q2_entities *entities, const struct q2_entity *state)
{
    struct q2_shared_entity *shared = copy_of(state);

    reserve(entities, 1);
    entities->shared[entities->len++] = shared;
    return &shared->state;
}

void q2_entity_came_from(struct q2_entity *entity, const int32_t origin[3], bool beams_keep_origin)
{
    if (!beams_keep_origin || !(entity->renderfx & RF_BEAM))
        memcpy(entity->old_origin, origin, sizeof entity->old_origin);
}

/* Returns the state one frame later, which is the same one if nothing changes. */
static struct q2_shared_entity *carry(struct q2_shared_entity *shared, bool beams_keep_origin)
{
    struct q2_entity later = shared->state;

    later.event = 0;
    q2_entity_came_from(&later, later.origin, beams_keep_origin);
    if (later.event == shared->state.event &&
        memcmp(later.old_origin, shared->state.old_origin, sizeof later.old_origin) == 0)
        shared->references++;
    else
        shared = copy_of(&later);
    shared->carried = true;
    return shared;
}

guint q2_entities_carry(struct q2_entities *entities, const struct q2_entities *from, guint first,
                        uint32_t number, bool beams_keep_origin)
{
    struct q2_shared_entity *const *at = from->shared + first;
    struct q2_shared_entity *const *end = from->shared + from->len;
    struct q2_shared_entity **to;

    reserve(entities, from->len - first);
    to = entities->shared + entities->len;
    for (; at < end && (*at)->state.number < number; at++) {
        struct q2_shared_entity *shared = *at;

        if (shared->carried)
            shared->references++;
        else
            shared = carry(shared, beams_keep_origin);
        *to++ = shared;
    }
    entities->len = (guint)(to - entities->shared);
    return (guint)(at - from->shared);
}

void q2_entities_copy(struct q2_entities *entities, const struct q2_entities *from)
{
    struct q2_shared_entity **to, *const *at = from->shared;

    q2_entities_empty(entities);
    reserve(entities, from->len);
    to = entities->shared;
    entities->len = from->len;
    for (guint i = from->len; i--; at++) {
        (*at)->references++;
        *to++ = *at;
    }
}

struct q2_entity *q2_entities_change(struct q2_entities *entities, guint index)
{
    struct q2_shared_entity *shared = entities->shared[index];

    if (shared->references > 1) {
        shared->references--;
        shared = copy_of(&shared->state);
        entities->shared[index] = shared;
    }
    shared->carried = false;
    return &shared->state;
}
