/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of sessions. */
#include "common/core/session.h"
#include "tests/unit/unit.h"

TEST(test_begins_with_an_accepted_packet)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0};

    assert_int_equal(qs_number_session(&numbering, &one, 0, false), 0);
    assert_int_equal(qs_number_session(&numbering, &one, 1, false), 0);
    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 1, false), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 1);
}

/* A capture may begin in the middle of a connection: it has number 0. */
TEST(test_without_a_beginning)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0};

    assert_int_equal(qs_number_session(&numbering, &one, 0, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 0, true), 1);
}

TEST(test_the_next_connection)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0};

    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 2, false), 0);
    assert_int_equal(qs_number_session(&numbering, &one, 2, true), 2);
}

TEST(test_conversations_side_by_side)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0}, other = {0};

    assert_int_equal(qs_number_session(&numbering, &one, 1, false), 0);
    assert_int_equal(qs_number_session(&numbering, &other, 1, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 2);
    assert_int_equal(qs_number_session(&numbering, &other, 1, true), 1);
}
