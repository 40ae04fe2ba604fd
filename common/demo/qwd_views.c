/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was in view of a QuakeWorld session before its first update: from what is first told of
 * entities, and from what the lender saw where it stood alike. Source:
 * common/quakeworld/PROTOCOL.md, section 9.
 */
#include <math.h>

#include "common/demo/qwd_borrower.h"

enum {
    FAR =
        256 /* units of distance weigh as much as one entity that should not be there, or should */
};

/* --- What was in view --- */

/* Whether it was in view before its first mention: PROTOCOL.md, section 9. */
static bool was_in_view(const struct qwd_borrower *b, const struct qwd_seen *seen,
                        const struct qwd_first *first)
{
    if (first->removes || first->repeats)
        return true;
    return !first->arrives && !qwd_is_usual(b, seen, &first->state);
}

static bool has_number(const struct qwd_sample *sample, uint32_t number)
{
    return sample->numbers[number / 32] >> number % 32 & 1;
}

static double distance(const float *a, const float *b)
{
    double sum = 0;

    for (unsigned i = 0; i < 3; i++)
        sum += fabs((double)a[i] - (double)b[i]);
    return sum;
}

/* How far the sample is from what the session had in view, and from where it saw that. */
static double difference(const struct qwd_borrower *b, const struct qwd_seen *seen,
                         const struct qwd_sample *sample)
{
    double sum = distance(sample->origin, seen->origins[b->dialect.player]);
    GHashTableIter iter;
    gpointer number, first;

    g_hash_table_iter_init(&iter, seen->firsts);
    while (g_hash_table_iter_next(&iter, &number, &first))
        if (was_in_view(b, seen, first) != has_number(sample, GPOINTER_TO_UINT(number)))
            sum += FAR;
    return sum;
}

/* The lender's view that was seen from the likest place; NULL: it had none. */
static const struct qwd_sample *likest_sample(const struct qwd_borrower *b,
                                              const struct qwd_seen *seen)
{
    const struct qwd_told *told = qwd_told_of(b->sign_on);
    const struct qwd_sample *best = NULL;
    double least = 0;

    for (unsigned i = 0; i < told->sample_count; i++) {
        const double own = difference(b, seen, &told->samples[i]);

        if (best && !(own < least))
            continue;
        best = &told->samples[i];
        least = own;
    }
    return best;
}

/* Whether an entity that is never mentioned was there all the time: one that lasts. */
static bool stays_in_view(const struct qwd_seen *seen, const struct qwd_sample *likest,
                          uint16_t number)
{
    return likest && qw_states_find(seen->baselines, number) && has_number(likest, number);
}

/* Missiles, gibs and the like come and go; another client may have seen it, too. */
static struct qw_entity state_of_moment(const struct qwd_borrower *b, const struct qwd_seen *seen,
                                        const struct qwd_first *first)
{
    const struct qwd_told *told = qwd_told_of(b->sign_on);
    const struct qw_entity *current = qw_states_find(told->current, first->state.number);
    struct qw_entity state;

    if (b->kind != QS_LENDER_PRESENT || !current)
        return first->state;
    state = *current;
    if (!qw_entity_translate(&state, &told->format, &seen->format))
        return first->state;
    return state;
}

static struct qw_entity state_before(const struct qwd_borrower *b, const struct qwd_seen *seen,
                                     uint16_t number, const struct qwd_first *first)
{
    const struct qw_entity *baseline = qw_states_find(seen->baselines, number);
    struct qw_entity state;

    if (!baseline)
        return state_of_moment(b, seen, first);
    return qwd_usual_state(b, seen, number, &state) ? state : *baseline;
}

void qwd_find_states(struct qwd_borrower *b, const struct qwd_seen *seen)
{
    const struct qwd_sample *likest = likest_sample(b, seen);

    for (uint16_t i = 1; seen->bases->len && i < QW_STATES_MAX; i++) {
        const struct qwd_first *first = g_hash_table_lookup(seen->firsts, GUINT_TO_POINTER(i));
        struct qw_entity state;

        if (!(first ? was_in_view(b, seen, first) : stays_in_view(seen, likest, i)))
            continue;
        state = state_before(b, seen, i, first);
        if (!qw_entity_model(&state))
            continue; /* nobody sees it */
        b->states = qw_states_set(b->states, &state);
    }
}
