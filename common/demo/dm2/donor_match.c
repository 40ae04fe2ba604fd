/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a sign-on is that of a late Quake II session: common/quake2/PROTOCOL.md, section 14. */
#include <string.h>

#include "common/demo/dm2/late_join.h"
#include "common/quake2/session.h"
#include "common/quake2/configstrings.h"

enum {
    UNREADABLE_MAX = 3, /* of a hundred packets */
    VIEW_FRAMES = 3,    /* fewer tell nothing of a place */
    OTHER_PLACES_MIN = 4,
    OTHER_PLACES_MAX = 60, /* of a hundred: doors and monsters move */
    UNSEEN_MIN = 4,
    UNSEEN_MAX = 60, /* of a hundred */
    CONTRADICTIONS_MIN = 3,
    CONTRADICTIONS_MAX = 10,           /* of a hundred entities that come into view */
    PICKUP_PROOF = QS_DONOR_PROOF / 4, /* maps may have some items at the same places */
    PICKUPS_FAR_MAX = 20,              /* of a hundred */
    CUSTOM_MODEL = 255                 /* a player's own */
};

bool dm2_is_beam(const struct q2_entity *entity)
{
    return entity->renderfx & (RF_BEAM | RF_FRAMELERP);
}

/*
 * An entity that comes into view without an origin stands where its baseline says, and its old
 * origin repeats that.
 */
static void judge(struct dm2_match *m, const struct dm2_first *first)
{
    struct q2_entity baseline;

    if (first->mention.bits & (DM2_ORIGIN_BITS | U_REMOVE) ||
        !(first->mention.bits & U_OLDORIGIN) || first->mention.number <= m->donor.max_clients ||
        dm2_is_beam(&first->state))
        return;
    if (!q2_baseline_get(&m->donor, first->mention.number, &baseline))
        return;
    if (memcmp(first->state.old_origin, baseline.origin, sizeof baseline.origin) == 0)
        m->agreements++;
    else
        m->contradictions++;
}

const struct dm2_view *dm2_lenders_view(const struct dm2_match *m, gpointer place)
{
    const struct dm2_view *view = g_hash_table_lookup(m->view->views, place);

    return view && view->frames >= VIEW_FRAMES ? view : NULL;
}

/* What is part of the level and comes into view at a place, the donor saw from there, too. */
static void judge_view(struct dm2_match *m, const struct dm2_first *first)
{
    const struct dm2_view *view = first->placed ? dm2_lenders_view(m, first->place) : NULL;
    struct q2_entity baseline;

    if (!view || first->mention.bits & U_REMOVE || first->mention.number <= m->donor.max_clients ||
        !q2_baseline_get(&m->donor, first->mention.number, &baseline))
        return;
    if (dm2_view_has(view, first->mention.number))
        m->seen++;
    else
        m->unseen++;
}

void dm2_judge_place(struct dm2_match *m, const struct q2_mention *mention,
                     const struct q2_entity *state)
{
    static const uint64_t bits[] = {U_ORIGIN1, U_ORIGIN2, U_ORIGIN3};
    const struct q2_entity *usual = dm2_common_state(m->view, mention->number);
    struct q2_entity baseline;
    bool same = true;

    if (!(mention->bits & DM2_ORIGIN_BITS) || !usual || mention->number <= m->donor.max_clients ||
        dm2_is_beam(state) || !q2_baseline_get(&m->donor, mention->number, &baseline))
        return;
    for (unsigned i = 0; i < 3; i++)
        same = same && (!(mention->bits & bits[i]) || state->origin[i] == usual->origin[i]);
    if (same)
        m->same_places++;
    else
        m->other_places++;
}

/* Models are known by number; 255 is the player's own. */
static bool has_model(const struct dm2_match *m, uint16_t model)
{
    return !model || model == CUSTOM_MODEL || q2_configstring(&m->donor, Q2_RANGE_MODELS, model);
}

/* It came into view just as the donor has it. */
static bool is_as_usual(const struct dm2_match *m, const struct dm2_first *first)
{
    const struct q2_entity *usual = dm2_common_state(m->view, first->mention.number);

    return first->mention.number > m->donor.max_clients && usual && first->state.model[0] &&
           dm2_same_state(usual, &first->state);
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

static void judge_all(struct dm2_match *m, bool *models)
{
    GHashTableIter iter;
    gpointer first;

    *models = has_guns(m);
    g_hash_table_iter_init(&iter, m->firsts);
    while (g_hash_table_iter_next(&iter, NULL, &first)) {
        judge(m, first);
        judge_view(m, first);
        m->base.proof += is_as_usual(m, first);
        if (((struct dm2_first *)first)->mention.bits & U_MODEL)
            *models &= has_model(m, ((struct dm2_first *)first)->state.model[0]);
    }
}

static void judge_items(struct dm2_match *m)
{
    dm2_judge_pickups(m);
    m->base.proof += m->near_pickups * PICKUP_PROOF;
}

static bool is_more_than(uint32_t part, uint32_t whole, unsigned hundredths)
{
    return (uint64_t)part * 100 > (uint64_t)whole * hundredths;
}

char *dm2_refusal_text(struct dm2_match *m)
{
    bool models;

    judge_all(m, &models);
    judge_items(m);
    if (m->servercount && m->kind == QS_DONOR_PRESENT && m->servercount != m->donor.servercount)
        return g_strdup("it is of another level");
    if (m->other_strings)
        return g_strdup_printf("%u models, sounds or images of the session are others in its lists",
                               m->other_strings);
    if (!m->first_frame)
        return g_strdup("nothing of the game is seen");
    if (is_more_than(m->unreadable, m->messages, UNREADABLE_MAX))
        return g_strdup_printf("with it, %u of %u packets of the session cannot be read",
                               m->unreadable, m->messages);
    if (m->variant.extensions != m->donor.variant.extensions)
        return g_strdup("only one of the two has extended limits");
    if (!models)
        return g_strdup("models of the session are others, or none, in its list");
    if (m->contradictions >= CONTRADICTIONS_MIN &&
        is_more_than(m->contradictions, m->agreements + m->contradictions, CONTRADICTIONS_MAX))
        return g_strdup_printf("%u of %u entities contradict its baselines: it is of another map "
                               "or game",
                               m->contradictions, m->agreements + m->contradictions);
    if (m->unseen >= UNSEEN_MIN && is_more_than(m->unseen, m->seen + m->unseen, UNSEEN_MAX))
        return g_strdup_printf(
            "%u of %u entities that come into view are not to be seen from there: it "
            "is of another map or game",
            m->unseen, m->seen + m->unseen);
    if (is_more_than(m->far_pickups, m->near_pickups + m->far_pickups, PICKUPS_FAR_MAX))
        return g_strdup_printf("%u of %u items that the player takes lie elsewhere: it is of "
                               "another map or game",
                               m->far_pickups, m->near_pickups + m->far_pickups);
    if (m->area_bytes && m->view->samples[0].entities &&
        m->area_bytes != m->view->samples[0].area_bytes)
        return g_strdup("its map has another number of areas");
    if (m->other_places >= OTHER_PLACES_MIN &&
        is_more_than(m->other_places, m->same_places + m->other_places, OTHER_PLACES_MAX))
        return g_strdup_printf(
            "%u of %u entities are in other places: it is of another map or game", m->other_places,
            m->same_places + m->other_places);
    return NULL;
}
