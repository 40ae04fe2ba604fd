/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of a level stay spread over all of it, and the most frequent state wins. */
#include "tests/unit/unit.h"

#include "common/core/writer.h"
#include "common/demo/qwd/late_join.h"

#include <string.h>

enum { UPDATES = 100000, EVERY = 16, MAX = 128 };

static void add(struct qs_samples *samples, uint32_t update)
{
    if (qs_samples_is_due(samples, update))
        *(uint32_t *)qs_samples_add(samples, update) = update;
}

TEST(test_spread)
{
    struct qs_samples samples;
    uint32_t gap;

    qs_samples_init(&samples, sizeof gap, MAX, EVERY, NULL);
    for (uint32_t i = 0; i < UPDATES; i++)
        add(&samples, i);
    gap = g_array_index(samples.all, uint32_t, 1);
    assert_true(samples.all->len >= MAX / 2);
    assert_true(samples.all->len <= MAX);
    for (guint i = 0; i < samples.all->len; i++)
        assert_int_equal(g_array_index(samples.all, uint32_t, i), i * gap);
    assert_true(samples.all->len * gap >= UPDATES - gap);
    assert_true(samples.all->len * gap <= UPDATES + gap);
    qs_samples_clear(&samples);
}

static bool is_same(const void *format, const void *a, const void *b)
{
    (void)format;
    return memcmp(a, b, sizeof(int)) == 0;
}

TEST(test_votes)
{
    static const int states[] = {3, 7, 7, 5, 7};
    GHashTable *votes = qs_votes_new(), *copy;

    for (size_t i = 0; i < G_N_ELEMENTS(states); i++)
        qs_votes_add(votes, 1, &states[i], sizeof states[i], is_same, NULL);
    qs_votes_add(votes, 2, &states[0], sizeof states[0], is_same, NULL);
    copy = qs_votes_copy(votes, sizeof states[0]);
    g_hash_table_destroy(votes);
    assert_int_equal(*(const int *)qs_votes_winner(copy, 1), 7);
    assert_int_equal(*(const int *)qs_votes_winner(copy, 2), 3);
    assert_null(qs_votes_winner(copy, 3));
    g_hash_table_destroy(copy);
}

TEST(test_numbers)
{
    struct qwd_numbers numbers = {0};

    qwd_numbers_set(&numbers, 2047, true);
    assert_true(qwd_numbers_has(&numbers, 2047));
    assert_false(qwd_numbers_has(&numbers, 5));
    qwd_numbers_set(&numbers, 2047, false);
    assert_false(qwd_numbers_has(&numbers, 2047));
    qwd_numbers_set(&numbers, QW_STATES_MAX, true); /* no entity has it */
    assert_false(qwd_numbers_has(&numbers, QW_STATES_MAX));
}
