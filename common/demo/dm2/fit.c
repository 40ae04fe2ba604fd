/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a sign-on is that of a late Quake II session: common/quake2/PROTOCOL.md, section 14. */
#include <string.h>

#include "common/demo/dm2/borrower.h"
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
    CONTRADICTIONS_MAX = 10,            /* of a hundred entities that come into view */
    PICKUP_PROOF = QS_LENDER_PROOF / 4, /* maps may have some items at the same places */
    PICKUPS_FAR_MAX = 20,               /* of a hundred */
    CUSTOM_MODEL = 255                  /* a player's own */
};

bool dm2_is_beam(const struct q2_entity *entity)
{
    return entity->renderfx & (RF_BEAM | RF_FRAMELERP);
}

/*
 * An entity that comes into view without an origin stands where its baseline says, and its old
 * origin repeats that.
 */
static void judge(struct dm2_borrower *b, const struct dm2_first *first)
{
    struct q2_entity baseline;

    if (first->mention.bits & (DM2_ORIGIN_BITS | U_REMOVE) ||
        !(first->mention.bits & U_OLDORIGIN) || first->mention.number <= b->lent.max_clients ||
        dm2_is_beam(&first->state))
        return;
    if (!q2_baseline_get(&b->lent, first->mention.number, &baseline))
        return;
    if (memcmp(first->state.old_origin, baseline.origin, sizeof baseline.origin) == 0)
        b->agreements++;
    else
        b->contradictions++;
}

const struct dm2_view *dm2_lenders_view(const struct dm2_borrower *b, gpointer place)
{
    const struct dm2_view *view = g_hash_table_lookup(b->told->views, place);

    return view && view->frames >= VIEW_FRAMES ? view : NULL;
}

/* What is part of the level and comes into view at a place, the lender saw from there, too. */
static void judge_view(struct dm2_borrower *b, const struct dm2_first *first)
{
    const struct dm2_view *view = first->placed ? dm2_lenders_view(b, first->place) : NULL;
    struct q2_entity baseline;

    if (!view || first->mention.bits & U_REMOVE || first->mention.number <= b->lent.max_clients ||
        !q2_baseline_get(&b->lent, first->mention.number, &baseline))
        return;
    if (dm2_view_has(view, first->mention.number))
        b->seen++;
    else
        b->unseen++;
}

void dm2_judge_place(struct dm2_borrower *b, const struct q2_mention *mention,
                     const struct q2_entity *state)
{
    static const uint64_t bits[] = {U_ORIGIN1, U_ORIGIN2, U_ORIGIN3};
    const struct q2_entity *usual = dm2_usual_state(b->told, mention->number);
    struct q2_entity baseline;
    bool same = true;

    if (!(mention->bits & DM2_ORIGIN_BITS) || !usual || mention->number <= b->lent.max_clients ||
        dm2_is_beam(state) || !q2_baseline_get(&b->lent, mention->number, &baseline))
        return;
    for (unsigned i = 0; i < 3; i++)
        same = same && (!(mention->bits & bits[i]) || state->origin[i] == usual->origin[i]);
    if (same)
        b->same_places++;
    else
        b->other_places++;
}

/* Models are known by number; 255 is the player's own. */
static bool has_model(const struct dm2_borrower *b, uint16_t model)
{
    return !model || model == CUSTOM_MODEL || q2_configstring(&b->lent, Q2_RANGE_MODELS, model);
}

/* It came into view just as the lender has it. */
static bool is_as_usual(const struct dm2_borrower *b, const struct dm2_first *first)
{
    const struct q2_entity *usual = dm2_usual_state(b->told, first->mention.number);

    return first->mention.number > b->lent.max_clients && usual && first->state.model[0] &&
           dm2_same_state(usual, &first->state);
}

/* The numbers of models differ from map to map, if not always: a weapon in the hand must be one in
 * the list. */
static bool has_guns(const struct dm2_borrower *b)
{
    for (unsigned i = 0; i < b->gun_count; i++) {
        const char *name = q2_configstring(&b->lent, Q2_RANGE_MODELS, b->guns[i]);

        if (!name || !strstr(name, "/v_"))
            return false;
    }
    return true;
}

static void judge_all(struct dm2_borrower *b, bool *models)
{
    GHashTableIter iter;
    gpointer first;

    *models = has_guns(b);
    g_hash_table_iter_init(&iter, b->firsts);
    while (g_hash_table_iter_next(&iter, NULL, &first)) {
        judge(b, first);
        judge_view(b, first);
        b->base.proof += is_as_usual(b, first);
        if (((struct dm2_first *)first)->mention.bits & U_MODEL)
            *models &= has_model(b, ((struct dm2_first *)first)->state.model[0]);
    }
}

static void judge_items(struct dm2_borrower *b)
{
    dm2_judge_pickups(b);
    b->base.proof += b->near_pickups * PICKUP_PROOF;
}

static bool is_more_than(uint32_t part, uint32_t whole, unsigned hundredths)
{
    return (uint64_t)part * 100 > (uint64_t)whole * hundredths;
}

char *dm2_refusal_text(struct dm2_borrower *b)
{
    bool models;

    judge_all(b, &models);
    judge_items(b);
    if (b->servercount && b->kind == QS_LENDER_PRESENT && b->servercount != b->lent.servercount)
        return g_strdup("it is of another level");
    if (b->other_strings)
        return g_strdup_printf("%u models, sounds or images of the session are others in its lists",
                               b->other_strings);
    if (!b->first_frame)
        return g_strdup("nothing of the game is seen");
    if (is_more_than(b->unreadable, b->messages, UNREADABLE_MAX))
        return g_strdup_printf("with it, %u of %u packets of the session cannot be read",
                               b->unreadable, b->messages);
    if (b->variant.extensions != b->lent.variant.extensions)
        return g_strdup("only one of the two has extended limits");
    if (!models)
        return g_strdup("models of the session are others, or none, in its list");
    if (b->contradictions >= CONTRADICTIONS_MIN &&
        is_more_than(b->contradictions, b->agreements + b->contradictions, CONTRADICTIONS_MAX))
        return g_strdup_printf("%u of %u entities contradict its baselines: it is of another map "
                               "or game",
                               b->contradictions, b->agreements + b->contradictions);
    if (b->unseen >= UNSEEN_MIN && is_more_than(b->unseen, b->seen + b->unseen, UNSEEN_MAX))
        return g_strdup_printf(
            "%u of %u entities that come into view are not to be seen from there: it "
            "is of another map or game",
            b->unseen, b->seen + b->unseen);
    if (is_more_than(b->far_pickups, b->near_pickups + b->far_pickups, PICKUPS_FAR_MAX))
        return g_strdup_printf("%u of %u items that the player takes lie elsewhere: it is of "
                               "another map or game",
                               b->far_pickups, b->near_pickups + b->far_pickups);
    if (b->area_bytes && b->told->samples[0].entities &&
        b->area_bytes != b->told->samples[0].area_bytes)
        return g_strdup("its map has another number of areas");
    if (b->other_places >= OTHER_PLACES_MIN &&
        is_more_than(b->other_places, b->same_places + b->other_places, OTHER_PLACES_MAX))
        return g_strdup_printf(
            "%u of %u entities are in other places: it is of another map or game", b->other_places,
            b->same_places + b->other_places);
    return NULL;
}
