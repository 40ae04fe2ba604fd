/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/packet_states.h"

#include "common/core/snapshots.h"

/* Of one capture. */
struct packet_states {
    struct dissector *dissector;
    struct qs_chunks rows; /* struct packet_state, in the order of offset, layer, unit */
    struct qs_snapshots *snapshots;
};

static ws_bool capture_is_closed(wmem_allocator_t *pool, wmem_cb_event_t event, void *user)
{
    struct packet_states *states = user;

    (void)pool, (void)event;
    states->dissector->packet_states = NULL;
    qs_chunks_clear(&states->rows);
    qs_snapshots_free(states->snapshots);
    g_free(states);
    return FALSE; /* once */
}

static struct packet_states *states_of(struct dissector *dissector)
{
    struct packet_states *states = dissector->packet_states;

    if (states)
        return states;
    states = g_new0(struct packet_states, 1);
    states->dissector = dissector;
    qs_chunks_init(&states->rows, sizeof(struct packet_state), 0);
    states->snapshots = qs_snapshots_new(dissector->protocol);
    wmem_register_callback(wmem_file_scope(), capture_is_closed, states);
    dissector->packet_states = states;
    return states;
}

struct qs_snapshots *packet_states_snapshots(struct dissector *dissector)
{
    return states_of(dissector)->snapshots;
}

static int compare(const struct packet_state *state, const struct packet_state *key)
{
    if (state->offset != key->offset)
        return state->offset < key->offset ? -1 : 1;
    if (state->layer != key->layer)
        return state->layer < key->layer ? -1 : 1;
    return state->unit < key->unit ? -1 : state->unit > key->unit;
}

/* The number of the first row that is not before the key; one past the last where all are. */
static uint32_t lower_bound(const struct qs_chunks *rows, const struct packet_state *key)
{
    uint32_t low = 1, high = rows->count + 1;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (compare(qs_chunks_at(rows, middle), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct packet_state key_of(const packet_info *pinfo, uint32_t unit)
{
    return (struct packet_state){.offset = pinfo->fd->file_off,
                                 .layer = pinfo->curr_layer_num & PACKET_STATE_LAYER,
                                 .unit = unit & PACKET_STATE_UNIT};
}

struct packet_state *packet_states_find(const struct dissector *dissector, const packet_info *pinfo,
                                        uint32_t unit)
{
    const struct packet_state key = key_of(pinfo, unit);
    struct packet_state *state;
    uint32_t number;

    if (!dissector->packet_states)
        return NULL;
    number = lower_bound(&dissector->packet_states->rows, &key);
    state = qs_chunks_at(&dissector->packet_states->rows, number);
    return compare(state, &key) == 0 ? state : NULL;
}

/* Moves the last row to its place: frames come in order, but what stands in one may not. */
static struct packet_state *put_in_order(struct qs_chunks *rows)
{
    uint32_t number = rows->count;
    struct packet_state *state = qs_chunks_at(rows, number);
    const struct packet_state added = *state;

    for (; number > 1 && compare(qs_chunks_at(rows, number - 1), &added) > 0; number--) {
        struct packet_state *before = qs_chunks_at(rows, number - 1);

        *state = *before;
        state = before;
    }
    *state = added;
    return state;
}

struct packet_state *packet_states_add(struct dissector *dissector, const packet_info *pinfo,
                                       uint32_t unit)
{
    struct qs_chunks *rows = &states_of(dissector)->rows;

    *(struct packet_state *)qs_chunks_add(rows) = key_of(pinfo, unit);
    return put_in_order(rows);
}

const struct packet_state *packet_states_in_session(const struct dissector *dissector,
                                                    const packet_info *pinfo)
{
    const struct packet_state first = {.offset = pinfo->fd->file_off};
    const struct qs_chunks *rows;

    if (!dissector->packet_states)
        return NULL;
    rows = &dissector->packet_states->rows;
    for (uint32_t number = lower_bound(rows, &first); number <= rows->count; number++) {
        const struct packet_state *state = qs_chunks_at(rows, number);

        if (state->offset != first.offset)
            break;
        if (state->number)
            return state;
    }
    return NULL;
}
