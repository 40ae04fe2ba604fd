/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a sign-on is that of a late Quake II session: common/quake2/PROTOCOL.md, section 14. */
#include <string.h>

#include "common/demo/dm2/late_join.h"
#include "common/quake2/session.h"

enum {
    PICKUP_PROOF = QS_DONOR_PROOF / 4, /* maps may have some items at the same places */
    CUSTOM_MODEL = 255,                /* a player's own */
    REACH = 128 * 8, /* eighths of units: two boxes, and how far a player gets in a frame */
    ELSEWHERE = 256 * 8
};

static const struct qs_evidence_limit limits[] = {
    {QS_EVIDENCE_LISTS, 1, 0},
    {QS_EVIDENCE_PACKETS, 1, 3},
    {QS_EVIDENCE_MODELS, 1, 0},
    {QS_EVIDENCE_ITEMS, 1, 20},
};

bool dm2_is_beam(const struct q2_entity *entity)
{
    return entity->renderfx & (RF_BEAM | RF_FRAMELERP);
}

/* Models are known by number; 255 is the player's own. */
static bool has_model(const struct dm2_match *m, uint16_t model)
{
    return !model || model == CUSTOM_MODEL || q2_configstring(&m->donor, Q2_RANGE_MODELS, model);
}

/* The numbers of models differ from map to map, if not always: a weapon in the hand must be one in
 * the list. */
static bool has_guns(const struct dm2_match *m)
{
    for (unsigned i = 0; i < m->gun_count; i++) {
        const char *name = q2_configstring(&m->donor, Q2_RANGE_MODELS, m->guns[i]);

        if (!name || !strstr(name, "/v_"))
            return false;
    }
    return true;
}

static void judge_all(struct dm2_match *m)
{
    bool models = has_guns(m);
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, m->firsts);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const struct dm2_first *first = value;

        if (first->mention.bits & U_MODEL)
            models &= has_model(m, first->state.model[0]);
    }
    qs_donor_match_note(&m->base, QS_EVIDENCE_MODELS, models);
}

/*
 * Pick-ups show where the level has items: an item vanishes in the frame in
 * which the player's status bar names it. Source: engine, g_items.c Touch_Item.
 */

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

    if (number <= m->donor.max_clients || !usual || usual->solid == Q2_SOLID_BRUSH ||
        !q2_baseline(&m->donor, number))
        return NULL;
    return usual;
}

/* How far the player was from the item, along the axis with the largest distance: items are at most
 * a step below the player. */
static int64_t distance(const struct dm2_pickup *pickup, const struct q2_entity *item)
{
    return MAX(ABS((int64_t)pickup->place[0] - item->origin[0]),
               ABS((int64_t)pickup->place[1] - item->origin[1]));
}

static void judge_pickups(struct dm2_match *m)
{
    for (unsigned i = 0; i < m->pickup_count; i++) {
        const struct dm2_pickup *pickup = &m->pickups[i];
        const struct q2_entity *item = lying_item(m, pickup->number);

        if (!item)
            continue;
        if (distance(pickup, item) <= REACH)
            qs_donor_match_note(&m->base, QS_EVIDENCE_ITEMS, true);
        else if (pickup->alone && distance(pickup, item) > ELSEWHERE)
            qs_donor_match_note(&m->base, QS_EVIDENCE_ITEMS, false);
    }
    m->base.proof += m->base.evidence[QS_EVIDENCE_ITEMS].agree * PICKUP_PROOF;
}

char *dm2_refusal_text(struct dm2_match *m)
{
    judge_all(m);
    judge_pickups(m);
    if (m->servercount && m->base.kind == QS_DONOR_PRESENT &&
        m->servercount != m->donor.servercount)
        return g_strdup("it is of another level");
    if (!m->first_frame)
        return g_strdup("nothing of the game is seen");
    if (m->variant.extensions != m->donor.variant.extensions)
        return g_strdup("only one of the two has extended limits");
    return qs_donor_match_refusal(&m->base, m->base.version, limits, G_N_ELEMENTS(limits));
}
