/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames are sorted by time if they are a little out of order. */
#include "common/sessions/order.h"
#include "tests/unit/unit.h"

/* Returns the times of frames in the order in which they are released. */
static char *sort(const char *times)
{
    struct qs_reorder *order = qs_reorder_new();
    g_auto(GStrv) all = g_strsplit(times, " ", 0);
    GString *out = g_string_new(NULL);
    struct qs_packet frame;

    for (char **time = all; *time; time++) {
        frame = (struct qs_packet){.data = (const uint8_t *)*time,
                                   .size = 1,
                                   .wire_size = 1,
                                   .time = g_ascii_strtoll(*time, NULL, 10)};
        if (qs_reorder_passes(order, &frame)) {
            g_string_append_printf(out, " %d", (int)frame.time);
            continue;
        }
        while (qs_reorder_next(order, false, &frame))
            g_string_append_printf(out, " %d", (int)frame.time);
    }
    while (qs_reorder_next(order, true, &frame))
        g_string_append_printf(out, " %d", (int)frame.time);
    qs_reorder_free(order);
    return g_string_free(out, FALSE);
}

static void assert_sorted(const char *times, const char *expected)
{
    g_autofree char *sorted = sort(times);

    assert_string_equal(sorted, expected);
}

TEST(frames_in_order_pass)
{
    assert_sorted("1 2 2 3 9", " 1 2 2 3 9");
}

/* The first one stays: frames are held only behind it. */
TEST(frames_out_of_order_are_sorted)
{
    assert_sorted("2 1 4 3 6 5", " 2 1 3 4 5 6");
    assert_sorted("3 2 5 6 7 4 8", " 3 2 4 5 6 7 8");
}

TEST(frames_are_not_sorted_across_a_clock_that_is_set_back)
{
    assert_sorted("52 51 54 53 11 12 14 13", " 52 51 53 54 11 12 13 14");
}

TEST(frames_are_sorted_within_a_fifth_of_a_second)
{
    assert_sorted("20 10 100000000 290000000 50000000", " 20 10 50000000 100000000 290000000");
    assert_sorted("20 10 100000000 310000000 50000000", " 20 10 100000000 310000000 50000000");
}

TEST(a_limited_number_of_frames_is_held)
{
    GString *times = g_string_new("2 1 99999"), *expected = g_string_new(" 2 1");

    for (int i = 3; i < 1000; i++)
        g_string_append_printf(times, " %d", i);
    for (int i = 3; i < 1000; i++)
        g_string_append_printf(expected, i == 515 ? " 99999 %d" : " %d", i);
    assert_sorted(times->str, expected->str);
    g_string_free(times, TRUE);
    g_string_free(expected, TRUE);
}
