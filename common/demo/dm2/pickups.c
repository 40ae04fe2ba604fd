/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a late Quake II session picks up tells where things lie in its level: an item vanishes in
 * the frame in which the player's status bar names it. Source: engine, g_items.c Touch_Item;
 * common/quake2/PROTOCOL.md, section 14.
 */
#include <string.h>

#include "common/demo/dm2/late_join.h"
#include "common/quake2/session.h"
#include "common/quake2/configstrings.h"

enum {
    STAT_PICKUP_STRING = 8, /* index of the item's name; engine, q_shared.h */
    REACH = 128 * 8,        /* eighths of units: two boxes, and how far a player gets in a frame */
    ELSEWHERE = 256 * 8
};

/* Whether the player's status bar names another item now. */
static bool names_item(struct dm2_match *m, const struct q2_frame *frame)
{
    const int16_t text = frame->player.stats[STAT_PICKUP_STRING];
    const bool changes = text != m->picked_up;
    enum q2_range range;
    uint32_t number;

    m->picked_up = text;
    return changes && text > 0 &&
           q2_configstring_range(&m->donor, (uint32_t)text, &range, &number) &&
           range == Q2_RANGE_ITEMS;
}

static void see_vanish(struct dm2_match *m, uint32_t number, const struct q2_frame *frame)
{
    struct dm2_pickup *pickup;

    for (unsigned i = 0; i < m->pickup_count; i++)
        if (m->pickups[i].number == number)
            return;
    if (m->pickup_count == DM2_PICKUPS_MAX)
        return;
    pickup = &m->pickups[m->pickup_count++];
    pickup->number = number;
    memcpy(pickup->place, frame->player.origin, sizeof pickup->place);
}

void dm2_see_pickup(struct dm2_match *m, const struct q2_frame *frame)
{
    const GArray *mentions = m->tracker->mentions;
    const unsigned before = m->pickup_count;

    if (!names_item(m, frame) || !m->placed)
        return;
    for (guint i = 0; i < mentions->len; i++) {
        const struct q2_mention *mention = &g_array_index(mentions, struct q2_mention, i);

        if (mention->frame == frame->number && mention->bits & U_REMOVE)
            see_vanish(m, mention->number, frame);
    }
    if (m->pickup_count == before + 1)
        m->pickups[before].alone = true;
}

/* Where the donor saw the item; NULL: it is none that lies in the level. What players drop has no
 * baseline. */
static const struct q2_entity *lying_item(const struct dm2_match *m, uint32_t number)
{
    const struct q2_entity *usual = dm2_common_state(m->view, number);
    struct q2_entity baseline;

    if (number <= m->donor.max_clients || !usual || usual->solid == Q2_SOLID_BRUSH ||
        !q2_baseline_get(&m->donor, number, &baseline))
        return NULL;
    return usual;
}

/* How far the player was from the item, along the axis where that is most: items lie at most a step
 * below who takes them. */
static int64_t distance(const struct dm2_pickup *pickup, const struct q2_entity *item)
{
    return MAX(ABS((int64_t)pickup->place[0] - item->origin[0]),
               ABS((int64_t)pickup->place[1] - item->origin[1]));
}

void dm2_judge_pickups(struct dm2_match *m)
{
    for (unsigned i = 0; i < m->pickup_count; i++) {
        const struct dm2_pickup *pickup = &m->pickups[i];
        const struct q2_entity *item = lying_item(m, pickup->number);

        if (!item)
            continue;
        if (distance(pickup, item) <= REACH)
            m->near_pickups++;
        else if (pickup->alone && distance(pickup, item) > ELSEWHERE)
            m->far_pickups++;
    }
}
