/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/states.h"

enum { STEP = 16 }; /* room is made for so many more */

uint32_t qw_states_index(const struct qw_states *states, uint16_t number)
{
    uint32_t first = 0, end = states ? states->count : 0;

    while (first < end) {
        const uint32_t middle = (first + end) / 2;

        if (states->entities[middle].number < number)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static struct qw_entity *at(struct qw_states *states, uint32_t index, uint16_t number)
{
    if (!states || index == states->count || states->entities[index].number != number)
        return NULL;
    return &states->entities[index];
}

const struct qw_entity *qw_states_find(const struct qw_states *states, uint16_t number)
{
    return at((struct qw_states *)states, qw_states_index(states, number), number);
}

static size_t size_for(uint32_t room)
{
    return sizeof(struct qw_states) + room * sizeof(struct qw_entity);
}

static struct qw_states *with_room(struct qw_states *states)
{
    const uint32_t count = states ? states->count : 0;

    if (states && count < states->room)
        return states;
    states = g_realloc(states, size_for(count + STEP));
    states->count = count;
    states->room = count + STEP;
    return states;
}

/* Room for one more at that place; NULL, and `*states` is as it was: there are `max`. */
static struct qw_entity *insert(struct qw_states **states, uint32_t index, uint32_t max)
{
    struct qw_states *all = *states;

    if (all && all->count >= max)
        return NULL;
    all = *states = with_room(all);
    memmove(&all->entities[index + 1], &all->entities[index],
            (all->count - index) * sizeof *all->entities);
    all->count++;
    return &all->entities[index];
}

struct qw_states *qw_states_set(struct qw_states *states, const struct qw_entity *entity)
{
    const uint32_t index = qw_states_index(states, entity->number);
    struct qw_entity *place = at(states, index, entity->number);

    if (!place)
        place = insert(&states, index, QW_STATES_MAX);
    if (place)
        *place = *entity;
    return states;
}

static void remove_at(struct qw_states *states, uint32_t index)
{
    states->count--;
    memmove(&states->entities[index], &states->entities[index + 1],
            (states->count - index) * sizeof *states->entities);
}

void qw_states_remove(struct qw_states *states, uint16_t number)
{
    const uint32_t index = qw_states_index(states, number);

    if (at(states, index, number))
        remove_at(states, index);
}

struct qw_states *qw_states_copy(const struct qw_states *states)
{
    return states ? g_memdup2(states, size_for(states->room)) : NULL;
}

/* The state that a delta changes; where there was none, the baseline's. NULL: there are too many.
 */
static struct qw_entity *state_to_change(struct qw_states **states,
                                         const struct qw_states *baselines, uint16_t number)
{
    const uint32_t index = qw_states_index(*states, number);
    struct qw_entity *state = at(*states, index, number);
    const struct qw_entity *baseline;

    if (state)
        return state;
    baseline = qw_states_find(baselines, number);
    state = insert(states, index, QW_STATES_IN_FRAME_MAX);
    if (state)
        *state = baseline ? *baseline : (struct qw_entity){.number = number};
    return state;
}

static bool at_end(const struct qs_reader *in)
{
    return qs_reader_left(in) < 2 || qs_le16(in->data + in->pos) == 0;
}

struct qw_states *qw_states_apply(struct qw_states *states, const struct qw_states *baselines,
                                  const struct qw_delta_format *format, struct qs_reader in)
{
    while (!at_end(&in)) {
        const struct qw_delta delta = qw_read_delta(&in, format);
        struct qw_entity *state;

        if (delta.removes) {
            qw_states_remove(states, delta.number);
            continue;
        }
        state = state_to_change(&states, baselines, delta.number);
        if (!state)
            break;
        qw_read_delta_fields(&in, format, &delta, state);
    }
    return states;
}
