/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the entities that a QuakeWorld session had in view before its first update: from the first
 * updates of entities, and from the donor's views at similar positions. Source:
 * common/quakeworld/PROTOCOL.md, section 9.
 */
#include <math.h>
#include <string.h>

#include "common/demo/qwd/late_join.h"

enum {
    FAR = 32,   /* units of distance that weigh as much as an entity in only one of two views */
    NEAR = 64,  /* units; nearer views count about the same */
    OF_FIVE = 4 /* fifths of the total weight that must have it in view */
};

/* --- Entities in view --- */

/* Whether it was in view before its first update: PROTOCOL.md, section 9. */
static bool was_in_view(const struct qwd_match *m, const struct qwd_first *first)
{
    if (first->removes || first->repeats)
        return true;
    return !first->arrives && !qwd_is_common_state(m, &first->state);
}

/* --- Entities without updates --- */

/* A view of a donor's. */
struct near {
    const struct qwd_sample *sample; /* NULL: none */
    double difference;
};

/* The weight of the donors' views that have each entity in view. */
struct votes {
    struct qwd_numbers mentioned; /* permanent entities, by which views are compared */
    double in_view[QW_STATES_MAX];
    double all;
};

static void find_mentioned(const struct qwd_match *m, struct qwd_numbers *mentioned)
{
    GHashTableIter iter;
    gpointer number;

    g_hash_table_iter_init(&iter, m->firsts);
    while (g_hash_table_iter_next(&iter, &number, NULL))
        if (qw_states_find(m->baselines, (uint16_t)GPOINTER_TO_UINT(number)))
            qwd_numbers_set(mentioned, GPOINTER_TO_UINT(number), true);
}

/* Adds entities with later updates to a view of the session. */
static void complete(const struct qwd_match *m, struct qwd_sample *sample)
{
    GHashTableIter iter;
    gpointer number, value;

    g_hash_table_iter_init(&iter, m->firsts);
    while (g_hash_table_iter_next(&iter, &number, &value)) {
        const struct qwd_first *first = value;

        if (first->update > sample->update)
            qwd_numbers_set(&sample->numbers, GPOINTER_TO_UINT(number), was_in_view(m, first));
    }
}

/* How many of the entities in `mask` are in only one of the two. */
static unsigned count_differences(const struct qwd_numbers *a, const struct qwd_numbers *b,
                                  const struct qwd_numbers *mask)
{
    unsigned count = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(a->bits); i++)
        count += (unsigned)__builtin_popcount((a->bits[i] ^ b->bits[i]) & mask->bits[i]);
    return count;
}

static double difference(const struct qwd_sample *own, const struct qwd_sample *other,
                         const struct qwd_numbers *mentioned)
{
    double sum = FAR * count_differences(&own->numbers, &other->numbers, mentioned);

    for (unsigned i = 0; i < 3; i++)
        sum += fabs((double)own->origin[i] - (double)other->origin[i]);
    return sum;
}

static void find_near(struct near *near, const struct qwd_view *view, const struct qwd_sample *own,
                      const struct votes *votes)
{
    for (guint i = 0; i < view->samples.all->len; i++) {
        const struct qwd_sample *sample = &g_array_index(view->samples.all, struct qwd_sample, i);
        const double far = difference(own, sample, &votes->mentioned);

        if (!near->sample || far < near->difference)
            *near = (struct near){sample, far};
    }
}

static void vote(struct votes *votes, const struct near *near)
{
    const double weight = 1 / (NEAR + near->difference);

    if (!(weight > 0)) /* an origin may be NaN */
        return;
    votes->all += weight;
    for (unsigned i = 0; i < QW_STATES_MAX; i++)
        if (qwd_numbers_has(&near->sample->numbers, i))
            votes->in_view[i] += weight;
}

static void vote_of_view(const struct qwd_match *m, const struct qwd_sample *own,
                         struct votes *votes)
{
    struct near near = {0};

    find_near(&near, m->own, own, votes);
    for (guint i = 0; i < m->views->len; i++)
        find_near(&near, g_ptr_array_index(m->views, i), own, votes);
    if (near.sample)
        vote(votes, &near);
}

/* Of the donor alone, at the session's beginning, to compare it with other donors that match. */
static double distance_of(const struct qwd_match *m, const struct qwd_sample *first,
                          const struct votes *votes)
{
    struct near near = {0};

    find_near(&near, g_ptr_array_index(m->views, 0), first, votes);
    return near.sample ? near.difference : HUGE_VAL;
}

/*
 * An entity without updates was in view, or out of view, wherever the session went: each of its
 * views counts, with the donors' view nearest to it.
 */
static struct votes *count_votes(struct qwd_match *m)
{
    struct votes *votes = g_new0(struct votes, 1);

    find_mentioned(m, &votes->mentioned);
    for (guint i = 0; i < m->samples.all->len; i++) {
        struct qwd_sample own = g_array_index(m->samples.all, struct qwd_sample, i);

        if (own.player != m->variant.player)
            continue;
        complete(m, &own);
        if (votes->all == 0)
            m->base.distance = distance_of(m, &own, votes);
        vote_of_view(m, &own, votes);
    }
    return votes;
}

/* Whether an entity without updates was in view all the time. */
static bool stays_in_view(const struct votes *votes, uint16_t number)
{
    return votes->all > 0 && 5 * votes->in_view[number] >= OF_FIVE * votes->all;
}

/* --- States --- */

/* The entity's state in other clients' views at that moment; false: none. */
static bool state_then(const struct qwd_match *m, uint16_t number, struct qw_entity *state)
{
    for (guint i = 0; i < m->then->len; i++) {
        const struct qwd_view *view = g_ptr_array_index(m->then, i);
        const struct qw_entity *current = qw_states_find(view->current, number);

        if (!current)
            continue;
        *state = *current;
        if (qw_entity_translate(state, &view->format, &m->format))
            return true;
    }
    return false;
}

/* Missiles, gibs and the like come and go. */
static bool state_of_moment(const struct qwd_match *m, uint16_t number,
                            const struct qwd_first *first, struct qw_entity *state)
{
    if (state_then(m, number, state))
        return true;
    if (first)
        *state = first->state;
    return first;
}

static bool state_of_item(const struct qwd_match *m, const struct qw_entity *baseline,
                          struct qw_entity *state)
{
    /* States that the session itself received have its precision. */
    if (!qwd_view_common_state(m->own, &m->format, baseline->number, state) &&
        !qwd_common_state(m, baseline->number, state))
        *state = *baseline;
    return true;
}

static bool state_before(const struct qwd_match *m, const struct votes *votes, uint16_t number,
                         struct qw_entity *state)
{
    const struct qwd_first *first = g_hash_table_lookup(m->firsts, GUINT_TO_POINTER(number));
    const struct qw_entity *baseline = qw_states_find(m->baselines, number);

    if (!(first ? was_in_view(m, first) : stays_in_view(votes, number)))
        return false;
    return baseline ? state_of_item(m, baseline, state) : state_of_moment(m, number, first, state);
}

void qwd_find_states(struct qwd_match *m)
{
    struct votes *votes = count_votes(m);
    struct qw_entity state;

    for (uint16_t i = 1; m->bases->len && i < QW_STATES_MAX; i++)
        if (state_before(m, votes, i, &state) && qw_entity_model(&state))
            m->states = qw_states_set(m->states, &state);
    g_free(votes);
}
