/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Acknowledged reliable bits prove that the capture lacks packets. */
#include "common/netchan/netchan.h"
#include "tests/unit/unit.h"

/* Packets 1 and 2 of an end were captured and acknowledged; the second was reliable. */
static void toggle_once(struct qs_reliable *end)
{
    qs_reliable_send(end, 1, false, 0);
    qs_reliable_acknowledge(end, 1, false);
    qs_reliable_send(end, 2, true, 0);
    qs_reliable_acknowledge(end, 2, true);
}

static void end_test(struct qs_reliable *end)
{
    (void)end;
}

#define RELIABLE_TEST(function) TEST_WITH(function, struct qs_reliable, end, toggle_once, end_test)

static void assert_found(const struct qs_reliable *end, bool differs, bool lacks)
{
    assert_int_equal(end->differs, differs);
    assert_int_equal(end->lacks, lacks);
}

RELIABLE_TEST(bits_of_a_whole_capture_agree)
{
    assert_found(end, false, false);
    for (uint32_t number = 3; number < 300; number++) {
        qs_reliable_send(end, number, number % 7 == 0, 0);
        qs_reliable_acknowledge(end, number, (number / 7 + 1) % 2);
        assert_found(end, false, false);
    }
}

RELIABLE_TEST(bit_that_toggles_for_a_hole_proves_that_the_capture_lacks_a_packet)
{
    qs_reliable_send(end, 4, false, 0);
    qs_reliable_acknowledge(end, 4, false);
    assert_found(end, true, true);
    assert_int_equal(end->since, 2);
}

RELIABLE_TEST(bit_that_does_not_toggle_may_be_a_loss_on_the_path)
{
    qs_reliable_send(end, 3, true, 0); /* lost */
    qs_reliable_send(end, 5, false, 0);
    qs_reliable_acknowledge(end, 5, true);
    assert_found(end, true, false);
}

/* The capture lacks packet 3, and packet 4 is reliable. */
static void send_two(struct qs_reliable *end, uint64_t content)
{
    qs_reliable_send(end, 4, true, 40);
    qs_reliable_send(end, 5, false, 0);
    qs_reliable_acknowledge(end, 5, true);
    assert_found(end, true, false); /* 3 was reliable, too, or 4 was lost */
    qs_reliable_send(end, 6, true, content);
    qs_reliable_acknowledge(end, 6, false);
}

RELIABLE_TEST(packet_that_is_sent_again_was_lost)
{
    send_two(end, 40);
    assert_found(end, false, false);
}

RELIABLE_TEST(packet_that_is_followed_by_another_one_arrived)
{
    send_two(end, 60);
    assert_found(end, true, true);
    assert_int_equal(end->since, 2);
}

RELIABLE_TEST(number_behind_the_last_captured_has_its_parity)
{
    qs_reliable_acknowledge(end, 7, true);
    assert_found(end, false, false);
    qs_reliable_acknowledge(end, 8, false);
    assert_found(end, true, true);
    assert_int_equal(end->since, 7);
}

RELIABLE_TEST(number_of_long_ago_proves_nothing)
{
    qs_reliable_send(end, 200, false, 0);
    qs_reliable_acknowledge(end, 4, true);
    assert_found(end, true, false);
}

/* An end whose bit never toggles may have none. */
TEST(first_toggle_proves_what_was_suspected)
{
    struct qs_reliable end = {0};

    qs_reliable_send(&end, 1, false, 0);
    qs_reliable_acknowledge(&end, 1, false);
    qs_reliable_send(&end, 3, true, 0);
    qs_reliable_acknowledge(&end, 3, false);
    assert_found(&end, false, false);
    qs_reliable_send(&end, 4, false, 0);
    qs_reliable_acknowledge(&end, 4, false);
    assert_found(&end, false, false);
    qs_reliable_send(&end, 5, true, 0);
    qs_reliable_acknowledge(&end, 5, true);
    assert_found(&end, true, true);
    assert_int_equal(end.since, 1);
}

TEST(hole_grows_by_what_it_had_not_before)
{
    const struct qs_hole before = {.number = 3, .packets = {5, 7}};
    struct qs_hole now = {.number = 3, .packets = {9, 6}};

    assert_int_equal(qs_hole_growth(&now, &before, QS_C2S), 4);
    assert_int_equal(qs_hole_growth(&now, &before, QS_S2C), 0); /* decoded again */
    now.number = 4;
    assert_int_equal(qs_hole_growth(&now, &before, QS_C2S), 9);
    assert_int_equal(qs_hole_growth(&now, &before, QS_S2C), 6);
}

/* The client's gap from 20 to 80 is part of the server's hole from 50 to 100. */
TEST(hole_ends_with_its_last_gap)
{
    struct qs_session session = {.to_server.last_gap = {.begin = 20, .end = 80}};
    const struct qs_packet packet = {.time = 100};
    struct qs_decoder d = {.session = &session, .packet = &packet};

    qs_hole_separate(&d, QS_S2C, 1, 50);
    qs_hole_separate(&d, QS_C2S, 2, 70);
    assert_int_equal(session.hole.number, 1);
    assert_int_equal(session.hole.begin, 50);
    assert_int_equal(session.hole.end, 100);
    assert_int_equal(session.hole.packets[0], 2);
}
