/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One direction of a netchan: what arrives, what is missing, what the capture lacks. */
#include "common/netchan/netchan.h"
#include "tests/unit/unit.h"

static void expect_arrival(struct qs_netchan *chan, uint32_t sequence, enum qs_arrival arrival,
                           uint32_t missing)
{
    uint32_t skipped = 99;

    assert_int_equal(qs_netchan_arrive(chan, sequence, &skipped), arrival);
    assert_int_equal(skipped, missing);
}

/* A capture may begin anywhere in a conversation: the first number is never a gap. */
TEST(test_first_and_next)
{
    struct qs_netchan chan = {0};

    expect_arrival(&chan, 500, QS_ARRIVAL_NEXT, 0);
    expect_arrival(&chan, 501, QS_ARRIVAL_NEXT, 0);
    assert_int_equal(chan.sequence, 501);
    assert_int_equal(chan.accepted, 2);
    assert_int_equal(chan.missing, 0);
}

TEST(test_number_zero)
{
    struct qs_netchan chan = {0};

    expect_arrival(&chan, 0, QS_ARRIVAL_NEXT, 0);
    expect_arrival(&chan, 0, QS_ARRIVAL_DUPLICATE, 0);
    expect_arrival(&chan, 1, QS_ARRIVAL_NEXT, 0);
}

TEST(test_gap)
{
    struct qs_netchan chan = {0};

    expect_arrival(&chan, 10, QS_ARRIVAL_NEXT, 0);
    expect_arrival(&chan, 12, QS_ARRIVAL_GAP, 1);
    expect_arrival(&chan, 20, QS_ARRIVAL_GAP, 7);
    assert_int_equal(chan.accepted, 3);
    assert_int_equal(chan.missing, 8);
}

TEST(test_duplicate_and_stale)
{
    struct qs_netchan chan = {0};

    expect_arrival(&chan, 10, QS_ARRIVAL_NEXT, 0);
    expect_arrival(&chan, 12, QS_ARRIVAL_GAP, 1);
    expect_arrival(&chan, 12, QS_ARRIVAL_DUPLICATE, 0);
    expect_arrival(&chan, 10, QS_ARRIVAL_DUPLICATE, 0);
    expect_arrival(&chan, 11, QS_ARRIVAL_STALE, 0);
    expect_arrival(&chan, 11, QS_ARRIVAL_DUPLICATE, 0);
    assert_int_equal(chan.sequence, 12);
    assert_int_equal(chan.accepted, 2);
    assert_int_equal(chan.stale, 1);
    assert_int_equal(chan.duplicates, 3);
}

/* What was seen is known for 64 numbers; older ones are stale whether seen or not. */
TEST(test_window)
{
    struct qs_netchan chan = {0};

    expect_arrival(&chan, 1, QS_ARRIVAL_NEXT, 0);
    expect_arrival(&chan, 64, QS_ARRIVAL_GAP, 62);
    expect_arrival(&chan, 1, QS_ARRIVAL_DUPLICATE, 0);
    expect_arrival(&chan, 65, QS_ARRIVAL_NEXT, 0);
    expect_arrival(&chan, 1, QS_ARRIVAL_STALE, 0);
    expect_arrival(&chan, 129, QS_ARRIVAL_GAP, 63);
    expect_arrival(&chan, 66, QS_ARRIVAL_STALE, 0);
    expect_arrival(&chan, 65, QS_ARRIVAL_STALE, 0);
}

/* The number has 31 bits and does not wrap: after the last one everything is late. */
TEST(test_largest_number)
{
    struct qs_netchan chan = {0};

    expect_arrival(&chan, 0, QS_ARRIVAL_NEXT, 0);
    expect_arrival(&chan, QS_SEQUENCE_MASK, QS_ARRIVAL_GAP, QS_SEQUENCE_MASK - 1);
    expect_arrival(&chan, QS_SEQUENCE_MASK, QS_ARRIVAL_DUPLICATE, 0);
    expect_arrival(&chan, 0, QS_ARRIVAL_STALE, 0);
}

static void arrive(struct qs_netchan *chan, uint32_t sequence)
{
    uint32_t skipped;

    qs_netchan_arrive(chan, sequence, &skipped);
}

TEST(test_acknowledge_captured)
{
    struct qs_netchan chan = {0};

    for (uint32_t sequence = 100; sequence < 110; sequence++)
        arrive(&chan, sequence);
    assert_false(qs_netchan_acknowledge(&chan, 109));
    assert_false(qs_netchan_acknowledge(&chan, 100));
    assert_int_equal(chan.not_captured, 0);
}

TEST(test_acknowledge_not_captured)
{
    struct qs_netchan chan = {0};

    for (uint32_t sequence = 100; sequence < 120; sequence++)
        if (sequence != 115 && sequence != 117)
            arrive(&chan, sequence);
    assert_true(qs_netchan_acknowledge(&chan, 115));
    assert_false(qs_netchan_acknowledge(&chan, 115));
    assert_true(qs_netchan_acknowledge(&chan, 117));
    /* Ahead of what was captured. */
    assert_true(qs_netchan_acknowledge(&chan, 120));
    assert_int_equal(chan.not_captured, 3);
    /* Late packets were captured all the same. */
    arrive(&chan, 115);
    assert_false(qs_netchan_acknowledge(&chan, 115));
    assert_int_equal(chan.not_captured, 2);
    arrive(&chan, 120);
    arrive(&chan, 115);
    assert_int_equal(chan.not_captured, 1);
}

/* Packets from before the capture began, or too old to remember, are not the capture's fault. */
TEST(test_acknowledge_unknown)
{
    struct qs_netchan chan = {0};

    assert_false(qs_netchan_acknowledge(&chan, 7));
    arrive(&chan, 100);
    assert_false(qs_netchan_acknowledge(&chan, 99));
    assert_false(qs_netchan_acknowledge(&chan, 101));
    arrive(&chan, 101);
    arrive(&chan, 102);
    assert_false(qs_netchan_acknowledge(&chan, 99));
    assert_false(qs_netchan_acknowledge(&chan, 50));
    arrive(&chan, 300);
    assert_false(qs_netchan_acknowledge(&chan, 200));
    assert_int_equal(chan.not_captured, 0);
}
