/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/late_join/sign_on.h"

#include <string.h>

void qs_samples_init(struct qs_samples *samples, unsigned size, unsigned max, uint32_t every,
                     GDestroyNotify clear)
{
    *samples =
        (struct qs_samples){.all = g_array_new(FALSE, TRUE, size), .max = max, .every = every};
    g_array_set_clear_func(samples->all, clear);
}

void qs_samples_clear(struct qs_samples *samples)
{
    g_array_free(samples->all, TRUE);
}

void *qs_samples_add(struct qs_samples *samples, uint32_t now)
{
    const guint size = g_array_get_element_size(samples->all);

    if (samples->all->len == samples->max) {
        for (guint i = 1; i < samples->all->len; i++)
            g_array_remove_index(samples->all, i);
        samples->every *= 2;
    }
    samples->next = now + MIN(samples->every, UINT32_MAX - now);
    g_array_set_size(samples->all, samples->all->len + 1);
    return samples->all->data + (samples->all->len - 1) * size;
}

/* --- Votes ----------------------------------------------------------------------------------- */

struct vote {
    uint64_t votes;
    uint64_t state[]; /* for its alignment */
};

GHashTable *qs_votes_new(void)
{
    return g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

GHashTable *qs_votes_copy(GHashTable *votes, size_t size)
{
    GHashTable *copy = qs_votes_new();
    GHashTableIter iter;
    gpointer number, vote;

    g_hash_table_iter_init(&iter, votes);
    while (g_hash_table_iter_next(&iter, &number, &vote))
        g_hash_table_insert(copy, number, g_memdup2(vote, sizeof(struct vote) + size));
    return copy;
}

void qs_votes_add(GHashTable *votes, uint32_t number, const void *state, size_t size,
                  qs_same_state *same, const void *format)
{
    struct vote *vote = g_hash_table_lookup(votes, GUINT_TO_POINTER(number));

    if (!vote) {
        vote = g_malloc0(sizeof *vote + size);
        g_hash_table_insert(votes, GUINT_TO_POINTER(number), vote);
    }
    if (!vote->votes)
        memcpy(vote->state, state, size);
    if (same(format, vote->state, state))
        vote->votes++;
    else
        vote->votes--;
}

const void *qs_votes_winner(GHashTable *votes, uint32_t number)
{
    const struct vote *vote = g_hash_table_lookup(votes, GUINT_TO_POINTER(number));

    return vote ? vote->state : NULL;
}
