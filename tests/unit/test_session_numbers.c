/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of sessions. */
#include "common/core/session.h"
#include "tests/unit/unit.h"

static void test_begins_with_an_accepted_packet(void **state)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0};

    (void)state;
    assert_int_equal(qs_number_session(&numbering, &one, 0, false), 0);
    assert_int_equal(qs_number_session(&numbering, &one, 1, false), 0);
    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 1, false), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 1);
}

/* A capture may begin in the middle of a connection: it has number 0. */
static void test_without_a_beginning(void **state)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0};

    (void)state;
    assert_int_equal(qs_number_session(&numbering, &one, 0, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 0, true), 1);
}

static void test_the_next_connection(void **state)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0};

    (void)state;
    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 2, false), 0);
    assert_int_equal(qs_number_session(&numbering, &one, 2, true), 2);
}

static void test_conversations_side_by_side(void **state)
{
    struct qs_session_numbers numbering = {0};
    struct qs_session_number one = {0}, other = {0};

    (void)state;
    assert_int_equal(qs_number_session(&numbering, &one, 1, false), 0);
    assert_int_equal(qs_number_session(&numbering, &other, 1, true), 1);
    assert_int_equal(qs_number_session(&numbering, &one, 1, true), 2);
    assert_int_equal(qs_number_session(&numbering, &other, 1, true), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins_with_an_accepted_packet),
        cmocka_unit_test(test_without_a_beginning),
        cmocka_unit_test(test_the_next_connection),
        cmocka_unit_test(test_conversations_side_by_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
