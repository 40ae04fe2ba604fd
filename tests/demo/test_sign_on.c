/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sign-ons of donors: messages, states, the packets that a demo has, and entities in view. */
#include "tests/unit/unit.h"

#include <string.h>

#include "common/demo/late_join/late_join.h"

#define FRAME "bytes that are long enough for a mark"

static void assert_bytes(struct qs_view bytes, const char *text)
{
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bytes.data, text, bytes.size);
}

TEST(messages_are_kept_in_order_with_their_blocks)
{
    struct qs_sign_on *sign_on = qs_sign_on_new();
    uint32_t block;

    sign_on->blocks++;
    qs_sign_on_add(sign_on, VIEW("first"));
    sign_on->blocks++;
    qs_sign_on_add(sign_on, VIEW("second"));
    assert_int_equal(qs_sign_on_count(sign_on), 2);
    assert_bytes(qs_sign_on_at(sign_on, 0, &block), "first");
    assert_int_equal(block, 0);
    assert_bytes(qs_sign_on_at(sign_on, 1, &block), "second");
    assert_int_equal(block, 1);
    qs_sign_on_clear(sign_on);
    assert_int_equal(qs_sign_on_count(sign_on), 0);
    qs_sign_on_free(sign_on);
}

TEST(sign_on_with_too_many_bytes_is_broken)
{
    g_autofree uint8_t *bytes = g_malloc0(QS_SIGN_ON_BYTES_MAX);
    struct qs_sign_on *sign_on = qs_sign_on_new();

    sign_on->blocks++;
    qs_sign_on_add(sign_on, (struct qs_view){bytes, QS_SIGN_ON_BYTES_MAX});
    assert_false(sign_on->broken);
    qs_sign_on_add(sign_on, (struct qs_view){bytes, 1});
    assert_true(sign_on->broken);
    assert_int_equal(qs_sign_on_count(sign_on), 1);
    qs_sign_on_free(sign_on);
}

TEST(last_state_of_a_number_counts)
{
    struct qs_sign_on *sign_on = qs_sign_on_new();

    qs_sign_on_set_state(sign_on, 7, VIEW("first"));
    qs_sign_on_set_state(sign_on, 7, VIEW("last"));
    assert_bytes(qs_sign_on_state(sign_on, 7), "last");
    assert_null(qs_sign_on_state(sign_on, 8).data);
    qs_sign_on_free(sign_on);
}

/* Only a demo has marks, and short packets have none. */
TEST(marks_find_the_packets_of_a_demo)
{
    struct qs_sign_on *sign_on = qs_sign_on_new();

    qs_sign_on_mark(sign_on, VIEW(FRAME));
    assert_false(qs_sign_on_has_mark(sign_on, VIEW(FRAME)));
    qs_sign_on_keep_marks(sign_on);
    qs_sign_on_clear(sign_on);
    for (unsigned i = 0; i < 100; i++) {
        g_autofree char *text = g_strdup_printf("%u " FRAME, i);

        qs_sign_on_mark(sign_on, (struct qs_view){(const uint8_t *)text, (uint32_t)strlen(text)});
    }
    qs_sign_on_mark(sign_on, VIEW("short"));
    qs_sign_on_sort_marks(sign_on);
    assert_true(qs_sign_on_has_mark(sign_on, VIEW("0 " FRAME)));
    assert_true(qs_sign_on_has_mark(sign_on, VIEW("99 " FRAME)));
    assert_false(qs_sign_on_has_mark(sign_on, VIEW("100 " FRAME)));
    assert_false(qs_sign_on_has_mark(sign_on, VIEW("short")));
    qs_sign_on_free(sign_on);
}

TEST(first_contradiction_counts)
{
    struct qs_donor_match match = {0};

    qs_donor_match_init(&match, NULL, QS_DONOR_DEMO);
    assert_null(match.contradiction);
    qs_donor_match_contradict(&match, "model %d", 5);
    qs_donor_match_contradict(&match, "model %d", 6);
    assert_string_equal(match.contradiction, "model 5");
    qs_donor_match_clear(&match);
}

/* --- Sights: entities in view of a place --- */

enum { UPDATES = 100000, EVERY = 16, MAX = 128 };

static void add_sight(struct qs_sights *sights, uint32_t now, float x, uint32_t number)
{
    qs_numbers_set(&qs_sights_add(sights, now, (const float[]){x, 0, 0})->in_view, number, true);
}

TEST(sights_are_spread_over_all_of_the_level)
{
    struct qs_sights sights;

    qs_sights_init(&sights);
    for (uint32_t i = 0; i < UPDATES; i++)
        if (qs_sights_is_due(&sights, i))
            add_sight(&sights, i, (float)i, 1);
    assert_true(sights.all->len >= MAX / 2);
    assert_true(sights.all->len <= MAX);
    for (guint i = 0; i < sights.all->len; i++)
        assert_true(g_array_index(sights.all, struct qs_sight, i).origin[0] ==
                    (float)(i * sights.every));
    assert_true(sights.all->len * sights.every >= UPDATES - sights.every);
    qs_sights_clear(&sights);
}

/* Of the places where the session goes; if it has no place, of all places. */
TEST(common_entities_are_in_view_at_each_place)
{
    struct qs_sights others, own;
    struct qs_numbers common;

    qs_sights_init(&others);
    qs_sights_init(&own);
    common = qs_sights_common(&others, &own, 0);
    assert_false(qs_numbers_has(&common, 1));
    for (uint32_t i = 0; i < 4; i++) {
        add_sight(&others, i, 100 * (float)i, i);
        qs_numbers_set(&g_array_index(others.all, struct qs_sight, i).in_view, 30, true);
        qs_numbers_set(&g_array_index(others.all, struct qs_sight, i).in_view, 20, i > 1);
    }
    common = qs_sights_common(&others, &own, 0);
    assert_true(qs_numbers_has(&common, 30));
    assert_false(qs_numbers_has(&common, 20));
    add_sight(&own, 0, 190, 0);
    add_sight(&own, 1, 310, 0);
    common = qs_sights_common(&others, &own, 0);
    assert_true(qs_numbers_has(&common, 30));
    assert_true(qs_numbers_has(&common, 20));
    assert_false(qs_numbers_has(&common, 2));
    add_sight(&own, 2, 0, 0);
    g_array_index(own.all, struct qs_sight, 2).player = 1; /* another player's place */
    common = qs_sights_common(&others, &own, 0);
    assert_true(qs_numbers_has(&common, 20));
    qs_sights_clear(&others);
    qs_sights_clear(&own);
}

TEST(numbers_beyond_the_limit_are_not_in_a_set)
{
    struct qs_numbers numbers = {0};

    qs_numbers_set(&numbers, QS_NUMBER_SET_MAX - 1, true);
    assert_true(qs_numbers_has(&numbers, QS_NUMBER_SET_MAX - 1));
    assert_false(qs_numbers_has(&numbers, 5));
    qs_numbers_set(&numbers, QS_NUMBER_SET_MAX - 1, false);
    assert_false(qs_numbers_has(&numbers, QS_NUMBER_SET_MAX - 1));
    qs_numbers_set(&numbers, QS_NUMBER_SET_MAX, true);
    assert_false(qs_numbers_has(&numbers, QS_NUMBER_SET_MAX));
}
