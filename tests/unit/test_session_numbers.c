/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions are numbered from 1, in the order of their first accepted packets. */
#include "common/core/session.h"
#include "tests/unit/unit.h"

TEST(a_session_begins_with_an_accepted_packet)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0};

    assert_int_equal(qs_number_session(&numbering, &one, 0, false), 0);
    assert_int_equal(qs_number_session(&numbering, &one, 1, false), 0);
    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 1, false), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 1);
}

/* Connection 0 began before the capture. */
TEST(a_connection_without_its_beginning_is_a_session)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0};

    assert_int_equal(qs_number_session(&numbering, &one, 0, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 0, true), 1);
}

TEST(the_next_connection_is_another_session)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0};

    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 2, false), 0);
    assert_int_equal(qs_number_session(&numbering, &one, 2, true), 2);
}

TEST(conversations_share_the_numbers)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0}, other = {0};

    assert_int_equal(qs_number_session(&numbering, &one, 1, false), 0);
    assert_int_equal(qs_number_session(&numbering, &other, 1, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 2);
    assert_int_equal(qs_number_session(&numbering, &other, 1, true), 1);
}
