/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the frames before the first one of a late Quake II session, from which its frames are
 * deltas: common/quake2/PROTOCOL.md, section 14.
 */
#include <string.h>

#include "common/demo/dm2/dm2.h"
#include "common/quake2/session.h"

enum {
    SOUND_RADIUS = 400 * 8, /* eighths of units */
    SIGHT = 2048 * 8,       /* radius within which most visible entities are */
    UNMENTIONED_UNTIL = 64, /* if so many are in view, none is assumed: longer frames may not fit */
    USUAL_FOV = 90,         /* degrees */
    USUAL_GRAVITY = 800,
    USUAL_VIEW_HEIGHT = 22 * 4 /* quarters of units */
};

/* True if the entity was in view before its first mention: see PROTOCOL.md, section 14. */
static bool was_in_view(const struct dm2_match *m, const struct dm2_first *first)
{
    const uint32_t number = first->mention.number;
    const uint64_t bits = first->mention.bits;
    const struct q2_entity *state;

    if (bits & U_REMOVE)
        return true;
    if (number > m->donor.level.max_clients && !dm2_is_beam(&first->state) && bits & U_OLDORIGIN)
        return false;
    if (!q2_baseline(&m->donor, number))
        return !(bits & U_MODEL);
    state = dm2_first_seen_state(m->base.sign_on, number);
    return !state || !q2_entity_looks_same(state, &first->state);
}

/* Returns the state that the late session has of an entity in view. */
static struct q2_entity state_before(const struct dm2_match *m, uint32_t number)
{
    const struct dm2_first *first = g_hash_table_lookup(m->firsts, GUINT_TO_POINTER(number));
    const struct q2_entity *state = dm2_first_seen_state(m->base.sign_on, number);
    struct q2_entity result = {0};

    if (!state && first && !(first->mention.bits & U_REMOVE))
        state = &first->state;
    if (!state)
        state = q2_baseline(&m->donor, number);
    if (state)
        result = *state;
    result.number = (uint16_t)number;
    result.event = 0;
    return result;
}

/* True if servers send the entity: one with only a sound must be near (SV_BuildClientFrame). */
static bool is_audible(const struct dm2_match *m, const struct q2_entity *entity)
{
    double distance = 0;

    for (unsigned i = 0; i < 3; i++) {
        const double along = (double)entity->origin[i] - m->player.origin[i];

        distance += along * along;
    }
    return entity->model[0] || entity->effects || distance <= SOUND_RADIUS * SOUND_RADIUS;
}

/*
 * True if an entity that is never mentioned is near enough to be assumed in view. If it was out of
 * sight instead, the demo does not show it either. `count` entities are in view so far.
 */
static bool is_near(const struct dm2_match *m, uint32_t number, unsigned count)
{
    const struct q2_entity *first_seen = dm2_first_seen_state(m->base.sign_on, number);
    const struct q2_entity *state = q2_baseline(&m->donor, number);
    int64_t far = 0;

    if (number <= m->donor.level.max_clients || count >= UNMENTIONED_UNTIL || !state)
        return false;
    state = first_seen ? first_seen : state;
    for (unsigned i = 0; i < 3; i++)
        far = MAX(far, ABS((int64_t)state->origin[i] - m->player.origin[i]));
    return far <= SIGHT && is_audible(m, state);
}

/* Returns the numbers of the entities in view before the first frame, ascending. */
static GArray *in_view(const struct dm2_match *m)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 1; i < Q2_ENTITIES_EXTENDED_MAX; i++) {
        const struct dm2_first *first = g_hash_table_lookup(m->firsts, GUINT_TO_POINTER(i));
        const bool there = first ? was_in_view(m, first) : is_near(m, i, numbers->len);

        if (there)
            g_array_append_val(numbers, i);
    }
    return numbers;
}

/* Returns the number of the config string in the range, or 0 if not found. */
static int16_t find_string(const struct q2_session *session, enum q2_range range,
                           const char *wanted)
{
    const char *text;

    for (uint32_t i = 1; (text = q2_configstring(session, range, i)); i++)
        if (strcmp(text, wanted) == 0)
            return (int16_t)i;
    return 0;
}

/* Sets fields that are not sent to the values of a player who enters the game: see PROTOCOL.md,
 * section 14. Engines stop at a field of view of 0. */
static void complete_player(const struct dm2_match *m, struct q2_player *player)
{
    const int16_t frags = player->stats[STAT_FRAGS];

    memset(player->stats, 0, sizeof player->stats);
    player->stats[STAT_HEALTH_ICON] = find_string(&m->donor, Q2_RANGE_IMAGES, "i_health");
    player->stats[STAT_HEALTH] = SPAWN_HEALTH;
    player->stats[STAT_SELECTED_ICON] = find_string(&m->donor, Q2_RANGE_IMAGES, "w_blaster");
    player->stats[STAT_SELECTED_ITEM] = find_string(&m->donor, Q2_RANGE_ITEMS, "Blaster");
    player->stats[STAT_FRAGS] = (int16_t)(frags - (frags > 0) + (frags < 0));
    player->pm_flags = PMF_ON_GROUND;
    player->gravity = USUAL_GRAVITY;
    player->fov = USUAL_FOV;
    player->viewoffset[2] = USUAL_VIEW_HEIGHT;
    if (!player->gunindex)
        player->gunindex =
            (uint16_t)find_string(&m->donor, Q2_RANGE_MODELS, "models/weapons/v_blast/tris.md2");
}

static void make_base(struct dm2_match *m, unsigned index, const GArray *numbers)
{
    struct q2_frame *base = &m->bases[index];

    *base = (struct q2_frame){
        .trust = Q2_FRAME_GUESSED, .number = m->references[index], .player = m->player};
    base->player.clientnum = m->slot; /* sent only if another player's view is shown */
    complete_player(m, &base->player);
    for (guint i = 0; i < numbers->len; i++) {
        const struct q2_entity state = state_before(m, g_array_index(numbers, uint32_t, i));

        q2_entities_append(base->entities, &state);
    }
}

const struct q2_frame *dm2_match_frame(const struct qs_donor_match *match, unsigned index)
{
    const struct dm2_match *m = (const struct dm2_match *)match;

    return index < m->reference_count ? &m->bases[index] : NULL;
}

/* Sets the players' baselines: fields that are not sent have the values that the donor saw
 * first. */
static void set_player_baselines(struct dm2_match *m)
{
    for (uint16_t i = 1; i < DM2_PLAYERS_MAX; i++) {
        const struct q2_entity *first_seen =
            m->baseless[i] ? dm2_first_seen_state(m->base.sign_on, i) : NULL;
        struct q2_entity baseline = {.number = i};

        if (!first_seen || q2_baseline(&m->donor, i))
            continue;
        memcpy(baseline.model, first_seen->model, sizeof baseline.model);
        baseline.skin = first_seen->skin;
        baseline.solid = first_seen->solid;
        q2_baseline_set(&m->donor, &baseline);
    }
}

void dm2_make_bases(struct dm2_match *m)
{
    GArray *numbers;

    set_player_baselines(m);
    numbers = in_view(m);
    for (unsigned i = 0; i < m->reference_count; i++)
        make_base(m, i, numbers);
    g_array_free(numbers, TRUE);
}
