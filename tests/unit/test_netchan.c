/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One direction of a netchan: arrivals, gaps, and packets that the capture lacks. */
#include "common/netchan/netchan.h"
#include "tests/unit/unit.h"

enum {
    NEXT = QS_ARRIVAL_NEXT,
    GAP = QS_ARRIVAL_GAP,
    AGAIN = QS_ARRIVAL_DUPLICATE,
    STALE = QS_ARRIVAL_STALE
};

TEST(arrivals_are_new_late_or_duplicates)
{
    static const struct {
        uint32_t sequence;
        int arrival;
        uint32_t missing; /* numbers skipped before it */
    } rows[][8] = {
        /* The first number may be any, because a capture begins anywhere. */
        {{500, NEXT, 0}, {501, NEXT, 0}},
        {{0, NEXT, 0}, {0, AGAIN, 0}, {1, NEXT, 0}},
        {{10, NEXT, 0}, {12, GAP, 1}, {20, GAP, 7}},
        {{10, NEXT, 0},
         {12, GAP, 1},
         {12, AGAIN, 0},
         {10, AGAIN, 0},
         {11, STALE, 0},
         {11, AGAIN, 0}},
        /* The last 64 numbers are remembered; older ones are stale. */
        {{1, NEXT, 0},
         {64, GAP, 62},
         {1, AGAIN, 0},
         {65, NEXT, 0},
         {1, STALE, 0},
         {129, GAP, 63},
         {66, STALE, 0},
         {65, STALE, 0}},
        /* Numbers have 31 bits and do not wrap around. */
        {{0, NEXT, 0},
         {QS_SEQUENCE_MASK, GAP, QS_SEQUENCE_MASK - 1},
         {QS_SEQUENCE_MASK, AGAIN, 0},
         {0, STALE, 0}},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct qs_netchan chan = {0};
        uint64_t counts[4] = {0}, missing = 0;
        uint32_t last = 0;

        for (size_t j = 0; j < 8 && (j == 0 || rows[i][j].sequence || rows[i][j].arrival != NEXT);
             j++) {
            uint32_t skipped = 99;

            assert_int_equal(qs_netchan_arrive(&chan, rows[i][j].sequence, &skipped),
                             rows[i][j].arrival);
            assert_int_equal(skipped, rows[i][j].missing);
            counts[rows[i][j].arrival]++;
            missing += skipped;
            last = MAX(last, rows[i][j].sequence);
        }
        assert_int_equal(chan.sequence, last);
        assert_int_equal(chan.accepted, counts[NEXT] + counts[GAP]);
        assert_int_equal(chan.stale, counts[STALE]);
        assert_int_equal(chan.duplicates, counts[AGAIN]);
        if (!counts[STALE])
            assert_int_equal(chan.missing, missing);
    }
}

static void arrive(struct qs_netchan *chan, uint32_t sequence)
{
    uint32_t skipped;

    qs_netchan_arrive(chan, sequence, &skipped);
}

TEST(acknowledged_packets_were_captured)
{
    struct qs_netchan chan = {0};

    for (uint32_t sequence = 100; sequence < 110; sequence++)
        arrive(&chan, sequence);
    assert_false(qs_netchan_acknowledge(&chan, 109));
    assert_false(qs_netchan_acknowledge(&chan, 100));
    assert_int_equal(chan.not_captured, 0);
}

TEST(acknowledged_packets_that_the_capture_lacks_are_counted)
{
    struct qs_netchan chan = {0};

    for (uint32_t sequence = 100; sequence < 120; sequence++)
        if (sequence != 115 && sequence != 117)
            arrive(&chan, sequence);
    assert_true(qs_netchan_acknowledge(&chan, 115));
    assert_false(qs_netchan_acknowledge(&chan, 115));
    assert_true(qs_netchan_acknowledge(&chan, 117));
    /* Ahead of the captured numbers. */
    assert_true(qs_netchan_acknowledge(&chan, 120));
    assert_int_equal(chan.not_captured, 3);
    /* They are late in the capture. */
    arrive(&chan, 115);
    assert_false(qs_netchan_acknowledge(&chan, 115));
    assert_int_equal(chan.not_captured, 2);
    arrive(&chan, 120);
    arrive(&chan, 115);
    assert_int_equal(chan.not_captured, 1);
}

TEST(nothing_is_missing_before_number_0)
{
    struct qs_netchan chan = {.begins = true};

    arrive(&chan, 0);
    assert_int_equal(chan.missing, 0);
}

TEST(packets_before_the_capture_and_old_ones_are_not_counted)
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
