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

/* --- Entities without updates --- */

/* The weight of the donors' views that have each entity in view. */
struct votes {
    double in_view[QW_STATES_MAX];
    double all;
};

/* Adds entities with later updates to a view of the session. */
static void complete(const struct qwd_match *m, struct qwd_sample *sample)
{
    GHashTableIter iter;
    gpointer number, value;

    g_hash_table_iter_init(&iter, m->firsts);
    while (g_hash_table_iter_next(&iter, &number, &value)) {
        const struct qwd_first *first = value;

        if (first->update > sample->update)
            qwd_numbers_set(&sample->numbers, GPOINTER_TO_UINT(number), !first->arrives);
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

static double difference(const struct qwd_match *m, const struct qwd_sample *own,
                         const struct qwd_sample *other)
{
    double sum = FAR * count_differences(&own->numbers, &other->numbers, &m->mentioned);

    for (unsigned i = 0; i < 3; i++)
        sum += fabs((double)own->origin[i] - (double)other->origin[i]);
    return sum;
}

/* The donors' view that is nearest. */
static void vote(const struct qwd_match *m, const struct qwd_sample *own, struct votes *votes)
{
    const struct qwd_sample *nearest = NULL;
    double least = 0, weight;

    for (guint i = 0; i < m->views->len; i++) {
        const GArray *samples = ((struct qwd_view *)g_ptr_array_index(m->views, i))->samples.all;

        for (guint j = 0; j < samples->len; j++) {
            const struct qwd_sample *sample = &g_array_index(samples, struct qwd_sample, j);
            const double far = difference(m, own, sample);

            if (nearest && !(far < least))
                continue;
            nearest = sample;
            least = far;
        }
    }
    weight = 1 / (NEAR + least);
    if (!nearest || !(weight > 0)) /* an origin may be NaN */
        return;
    votes->all += weight;
    for (unsigned i = 0; i < QW_STATES_MAX; i++)
        if (qwd_numbers_has(&nearest->numbers, i))
            votes->in_view[i] += weight;
}

/*
 * An entity without updates was in view, or out of view, wherever the session went: each of its
 * views counts, with the donors' view nearest to it.
 */
static struct votes *count_votes(struct qwd_match *m)
{
    struct votes *votes = g_new0(struct votes, 1);

    for (guint i = 0; i < m->samples.all->len; i++) {
        struct qwd_sample own = g_array_index(m->samples.all, struct qwd_sample, i);

        if (own.player != m->variant.player)
            continue;
        complete(m, &own);
        vote(m, &own, votes);
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

    if (!(first ? !first->arrives : stays_in_view(votes, number)))
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
