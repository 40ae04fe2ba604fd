/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames before the first of a late Quake II session, which its deltas are changes to:
 * common/quake2/PROTOCOL.md, section 14.
 */
#include <string.h>

#include "common/demo/dm2/late_join.h"
#include "common/quake2/session.h"

enum {
    MOVES_PROOF = 3,     /* so many more show the same than another place */
    STEP = 64 * 8,       /* eighths of units */
    STEPS_MAX = 40,      /* farther is all the same */
    AGREEMENT_WORTH = 4, /* steps */
    SOUND_RADIUS = 400 * 8,
    SIGHT = 2048 * 8,       /* most of what is seen is nearer */
    UNMENTIONED_UNTIL = 64, /* entities in view: a frame with more may be too long for a block */
    USUAL_FOV = 90,         /* degrees */
    USUAL_GRAVITY = 800,
    USUAL_VIEW_HEIGHT = 22 * 4 /* quarters of units */
};

/* The donor's frame of the same time as the session's of that number, or NULL. */
static const struct q2_frame *donor_frame(const struct dm2_match *m, int32_t number, int32_t offset)
{
    const struct q2_frame *frame = q2_tracker_known(m->view->recent, (int64_t)number + offset);

    return frame && frame->trust == Q2_FRAME_WHOLE ? frame : NULL;
}

/* Whether both have the entity at the same origin, in the components of the delta. */
static bool is_same_move(const struct dm2_move *move, const struct q2_entity *state)
{
    static const uint64_t bits[] = {U_ORIGIN1, U_ORIGIN2, U_ORIGIN3};

    for (unsigned i = 0; i < 3; i++)
        if (move->mention.bits & bits[i] && move->origin[i] != state->origin[i])
            return false;
    return true;
}

static int count_same_moves(const struct dm2_match *m, int32_t offset)
{
    int score = 0;

    for (guint i = 0; i < m->moves->len; i++) {
        const struct dm2_move *move = &g_array_index(m->moves, struct dm2_move, i);
        const struct q2_frame *frame = donor_frame(m, move->mention.frame, offset);
        const struct q2_entity *state = dm2_state_in(frame, move->mention.number);

        if (state)
            score += is_same_move(move, state) ? 1 : -1;
    }
    return score;
}

/*
 * id's servers number frames the same for all clients, Q2PRO for each client from its connection:
 * moving entities show which frames are simultaneous.
 */
static void synchronize(struct dm2_match *m)
{
    int best = MOVES_PROOF - 1;

    for (unsigned i = 0; m->base.kind == QS_DONOR_PRESENT && i < Q2_FRAMES_KEPT; i++) {
        const struct q2_frame *frame = m->view->recent->frames[i];
        const int32_t offset = frame ? (int32_t)((int64_t)frame->number - m->first_frame) : 0;
        const int score = frame ? count_same_moves(m, offset) : 0;

        if (score <= best)
            continue;
        best = score;
        m->offset = offset;
        m->synchronous = true;
    }
}

/*
 * The donor's state of the entity in the first frame from `from` to before `to` that has it; the
 * session got no update in that range. NULL: none.
 */
static const struct q2_entity *donor_state(const struct dm2_match *m, uint32_t number, int32_t from,
                                           int32_t to)
{
    const int32_t end = from + MIN(to - from, Q2_FRAMES_KEPT);

    for (int32_t i = from; m->synchronous && i < end; i++) {
        const struct q2_entity *state = dm2_state_in(donor_frame(m, i, m->offset), number);

        if (state)
            return state;
    }
    return NULL;
}

/* Whether it was in view before its first mention: see PROTOCOL.md, section 14. */
static bool was_in_view(const struct dm2_match *m, const struct dm2_first *first)
{
    const uint32_t number = first->mention.number;
    const uint64_t bits = first->mention.bits;
    const struct q2_entity *state;

    if (bits & U_REMOVE)
        return true;
    if (number > m->donor.max_clients && !dm2_is_beam(&first->state) && bits & U_OLDORIGIN)
        return false;
    if (!q2_baseline(&m->donor, number))
        return !(bits & U_MODEL);
    state = donor_state(m, number, first->mention.frame, first->mention.frame + 1);
    if (!state)
        state = dm2_common_state(m->view, number);
    return !state || !q2_entity_looks_same(state, &first->state);
}

/* The session's state of an entity in view. */
static struct q2_entity state_before(const struct dm2_match *m, uint32_t number, int32_t frame)
{
    const struct dm2_first *first = g_hash_table_lookup(m->firsts, GUINT_TO_POINTER(number));
    const int32_t until = first ? first->mention.frame : INT32_MAX;
    const struct q2_entity *state = donor_state(m, number, frame, until);
    struct q2_entity result = {0};

    if (!state)
        state = dm2_common_state(m->view, number);
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

/* How far the entities of the donor's frame are those that the session had in view. */
static int agreement(const struct dm2_match *m, const struct q2_frame *frame)
{
    GHashTableIter iter;
    gpointer number, first;
    int score = 0;

    g_hash_table_iter_init(&iter, m->firsts);
    while (g_hash_table_iter_next(&iter, &number, &first)) {
        if (GPOINTER_TO_UINT(number) <= m->donor.max_clients)
            continue;
        score += was_in_view(m, first) == (dm2_state_in(frame, GPOINTER_TO_UINT(number)) != NULL)
                     ? 1
                     : -1;
    }
    return score;
}

/* How far the donor's place is from the session's, in steps of 64 units. At another time there are
 * other things at the same place. */
static int count_steps(const struct dm2_match *m, const struct q2_frame *frame)
{
    int64_t far = 0;

    for (unsigned i = 0; m->placed && m->base.kind == QS_DONOR_PRESENT && i < 3; i++)
        far += ABS((int64_t)frame->player.origin[i] - m->player.origin[i]);
    return (int)MIN(far / STEP, STEPS_MAX);
}

static void prefer(const struct dm2_match *m, const struct q2_frame *frame, int less,
                   const struct q2_frame **best, int *score)
{
    const int own =
        frame ? AGREEMENT_WORTH * (agreement(m, frame) - less) - count_steps(m, frame) : 0;

    if (!frame || (*best && own <= *score))
        return;
    *best = frame;
    *score = own;
}

/* The donor's frame that was seen from the nearest place. What is there at another time need not be
 * there now. */
static const struct q2_frame *nearest_frame(const struct dm2_match *m)
{
    const int less = m->synchronous ? 1 + (int)g_hash_table_size(m->firsts) / 8 : 0;
    const struct q2_frame *best = NULL;
    int score = 0;

    for (unsigned i = 0; i < Q2_FRAMES_KEPT; i++)
        prefer(m, m->view->recent->frames[i], 0, &best, &score);
    for (guint i = 0; i < m->view->samples.all->len; i++)
        prefer(m, &g_array_index(m->view->samples.all, struct q2_frame, i), less, &best, &score);
    return best;
}

/* Sounds without a model are sent to those who are near (SV_BuildClientFrame). */
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
 * Where nobody else saw the level, what is never mentioned is taken to be where it was at first: it
 * may have been out of sight all the time, where it is not seen in the demo either. `count`: of
 * those in view so far.
 */
static bool was_near_at_first(const struct dm2_match *m, uint32_t number, unsigned count)
{
    const struct q2_entity *baseline = q2_baseline(&m->donor, number);
    int64_t far = 0;

    if (number <= m->donor.max_clients || count >= UNMENTIONED_UNTIL || !baseline ||
        !is_audible(m, baseline))
        return false;
    for (unsigned i = 0; i < 3; i++)
        far = MAX(far, ABS((int64_t)baseline->origin[i] - m->player.origin[i]));
    return far <= SIGHT;
}

/* Whether an entity that is never mentioned was there all the time. */
static bool stays_in_view(const struct dm2_match *m, const struct q2_frame *nearest,
                          uint32_t number)
{
    const struct q2_entity *state = dm2_state_in(nearest, number);

    return state && number > m->donor.max_clients && is_audible(m, state);
}

/* Numbers, ascending: in view before the first frame. */
static GArray *in_view(const struct dm2_match *m)
{
    const struct q2_frame *nearest = nearest_frame(m);
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 1; i < Q2_ENTITIES_EXTENDED_MAX; i++) {
        const struct dm2_first *first = g_hash_table_lookup(m->firsts, GUINT_TO_POINTER(i));
        const bool there = first                             ? was_in_view(m, first)
                           : m->base.kind == QS_DONOR_ITSELF ? was_near_at_first(m, i, numbers->len)
                                                             : stays_in_view(m, nearest, i);

        if (there)
            g_array_append_val(numbers, i);
    }
    return numbers;
}

/* The number of the config string in the range; 0: there is none. */
static int16_t find_string(const struct q2_session *session, enum q2_range range,
                           const char *wanted)
{
    const char *text;

    for (uint32_t i = 1; (text = q2_configstring(session, range, i)); i++)
        if (strcmp(text, wanted) == 0)
            return (int16_t)i;
    return 0;
}

/* What is not sent has the values of a player who entered the game: see PROTOCOL.md, section 14.
 * Players stop at a field of view of 0. */
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
    base->player.clientnum = m->slot; /* sent only for another player's view */
    complete_player(m, &base->player);
    for (guint i = 0; i < numbers->len; i++) {
        const struct q2_entity state =
            state_before(m, g_array_index(numbers, uint32_t, i), base->number);

        q2_entities_append(base->entities, &state);
    }
}

const struct q2_frame *dm2_match_frame(const struct qs_donor_match *match, unsigned index)
{
    const struct dm2_match *m = (const struct dm2_match *)match;

    return index < m->reference_count ? &m->bases[index] : NULL;
}

/* Of a player who was there, what does not change is as it is usually. */
static void set_player_baselines(struct dm2_match *m)
{
    for (uint16_t i = 1; i < DM2_PLAYERS_MAX; i++) {
        const struct q2_entity *usual = m->baseless[i] ? dm2_common_state(m->view, i) : NULL;
        struct q2_entity baseline = {.number = i};

        if (!usual || q2_baseline(&m->donor, i))
            continue;
        memcpy(baseline.model, usual->model, sizeof baseline.model);
        baseline.skin = usual->skin;
        baseline.solid = usual->solid;
        q2_baseline_set(&m->donor, &baseline);
    }
}

void dm2_make_bases(struct dm2_match *m)
{
    GArray *numbers;

    synchronize(m);
    set_player_baselines(m);
    numbers = in_view(m);
    for (unsigned i = 0; i < m->reference_count; i++)
        make_base(m, i, numbers);
    g_array_free(numbers, TRUE);
}
