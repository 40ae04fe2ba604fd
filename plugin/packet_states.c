/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/packet_states.h"

#include "common/core/lists.h"
#include "plugin/snapshots.h"

/* Of one capture. */
struct packet_states {
    struct qs_chunks rows; /* struct packet_state, in the order of frame, layer, unit */
    uint32_t used;         /* of them; the rest waits to be used again */
    int64_t offset;        /* in the file, of the frame that came last in the first pass */
    struct qs_snapshots *snapshots;
};

void packet_states_free(struct dissector *dissector)
{
    struct packet_states *states = dissector->packet_states;

    if (!states)
        return;
    qs_chunks_clear(&states->rows);
    qs_snapshots_free(states->snapshots);
    g_free(states);
    dissector->packet_states = NULL;
}

static struct packet_states *states_of(struct dissector *dissector)
{
    struct packet_states *states = dissector->packet_states;

    if (states)
        return states;
    states = g_new0(struct packet_states, 1);
    qs_chunks_init(&states->rows, sizeof(struct packet_state), 0);
    states->snapshots = qs_snapshots_new(dissector->protocol);
    dissector->packet_states = states;
    return states;
}

struct qs_snapshots *packet_states_snapshots(struct dissector *dissector)
{
    return states_of(dissector)->snapshots;
}

static int compare(const struct packet_state *state, const struct packet_state *key)
{
    if (state->frame != key->frame)
        return state->frame < key->frame ? -1 : 1;
    if (state->layer != key->layer)
        return state->layer < key->layer ? -1 : 1;
    return state->unit < key->unit ? -1 : state->unit > key->unit;
}

static struct packet_state *row_at(const struct packet_states *states, uint32_t number)
{
    return qs_chunks_at(&states->rows, number);
}

/* The number of the first row that is not before the key; one past the last where all are. */
static uint32_t lower_bound(const struct packet_states *states, const struct packet_state *key)
{
    uint32_t low = 1, high = states->used + 1;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (compare(row_at(states, middle), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct packet_state key_of(const packet_info *pinfo, uint32_t unit)
{
    return (struct packet_state){.frame = pinfo->num,
                                 .layer = pinfo->curr_layer_num & PACKET_STATE_LAYER,
                                 .unit = unit & PACKET_STATE_UNIT};
}

/*
 * Where a filter leaves a frame out of two passes, the next one gets its number, and the left out
 * one is not seen again. The first pass tells the two apart by where they are in the file. Later
 * that does not identify a frame: File > Save moves it.
 */
static void drop_left_out(struct packet_states *states, const packet_info *pinfo)
{
    if (PINFO_FD_VISITED(pinfo) || pinfo->fd->file_off == states->offset)
        return;
    states->offset = pinfo->fd->file_off;
    while (states->used && row_at(states, states->used)->frame == pinfo->num)
        states->used--;
}

struct packet_state *packet_states_find(const struct dissector *dissector, const packet_info *pinfo,
                                        uint32_t unit)
{
    const struct packet_state key = key_of(pinfo, unit);
    struct packet_states *states = dissector->packet_states;
    uint32_t number;

    if (!states)
        return NULL;
    drop_left_out(states, pinfo);
    number = lower_bound(states, &key);
    return number <= states->used && compare(row_at(states, number), &key) == 0
               ? row_at(states, number)
               : NULL;
}

/* Moves the last row to its place: frames come in order, but what stands in one may not. */
static struct packet_state *put_in_order(struct packet_states *states)
{
    uint32_t number = states->used;
    struct packet_state *state = row_at(states, number);
    const struct packet_state added = *state;

    for (; number > 1 && compare(row_at(states, number - 1), &added) > 0; number--) {
        struct packet_state *before = row_at(states, number - 1);

        *state = *before;
        state = before;
    }
    *state = added;
    return state;
}

struct packet_state *packet_states_add(struct dissector *dissector, const packet_info *pinfo,
                                       uint32_t unit)
{
    struct packet_states *states = states_of(dissector);

    drop_left_out(states, pinfo);
    if (states->used == states->rows.count)
        qs_chunks_add(&states->rows);
    *row_at(states, ++states->used) = key_of(pinfo, unit);
    return put_in_order(states);
}

const struct packet_state *packet_states_in_session(const struct dissector *dissector,
                                                    const packet_info *pinfo)
{
    const struct packet_state first = {.frame = pinfo->num};
    const struct packet_states *states = dissector->packet_states;

    if (!states)
        return NULL;
    for (uint32_t number = lower_bound(states, &first); number <= states->used; number++) {
        const struct packet_state *state = row_at(states, number);

        if (state->frame != first.frame)
            break;
        if (state->number)
            return state;
    }
    return NULL;
}
