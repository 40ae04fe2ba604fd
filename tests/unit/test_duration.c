/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>

#include "common/core/duration.h"
#include "unit.h"

static void assert_text(int64_t seconds, const char *expected)
{
    char *text = qs_duration_text(seconds);

    assert_string_equal(text, expected);
    g_free(text);
}

static void test_texts(void **state)
{
    (void)state;
    assert_text(0, "0:00");
    assert_text(7, "0:07");
    assert_text(3599, "59:59");
    assert_text(3600, "1:00:00");
    assert_text(7507, "2:05:07");
    assert_text(360000, "100:00:00");
}

static void test_rounding(void **state)
{
    (void)state;
    assert_int_equal(qs_seconds_of(1499999999), 1);
    assert_int_equal(qs_seconds_of(1500000000), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_rounding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
