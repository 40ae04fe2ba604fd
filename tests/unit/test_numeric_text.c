/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers are printed as printf() does. */
#include "common/core/numeric_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tests/unit/unit.h"

enum { TEXT_MAX = 64 };

/* --- Whole numbers --- */

static void check_whole(uint64_t value)
{
    char text[TEXT_MAX], expected[TEXT_MAX];

    *qs_put_uint(text, value) = '\0';
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    assert_string_equal(text, expected);
    *qs_put_int(text, (int64_t)value) = '\0';
    snprintf(expected, sizeof expected, "%" PRId64, (int64_t)value);
    assert_string_equal(text, expected);
    *qs_put_hex(text, value) = '\0';
    snprintf(expected, sizeof expected, "0x%" PRIx64, value);
    assert_string_equal(text, expected);
}

/* Powers of two and of ten, and their neighbors. */
TEST(whole_numbers_are_those_of_printf)
{
    for (unsigned bit = 0; bit < 64; bit++)
        for (uint64_t step = 0; step < 3; step++)
            check_whole((UINT64_C(1) << bit) + step - 1);
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
        for (uint64_t step = 0; step < 3; step++)
            check_whole(power * 10 + step - 1);
    check_whole(UINT64_MAX);
}

TEST(bytes_are_hexadecimal)
{
    char text[TEXT_MAX];

    *qs_put_bytes(text, VIEW("\x00\x09\x9a\xff")) = '\0';
    assert_string_equal(text, "00099aff");
    assert_ptr_equal(qs_put_bytes(text, VIEW("")), text);
}

/* --- Reals --- */

static void check_real(double value)
{
    char text[TEXT_MAX], expected[TEXT_MAX];

    *qs_put_real(text, value) = '\0';
    snprintf(expected, sizeof expected, "%.9g", value);
    assert_string_equal(text, expected);
}

/* All coordinates and angles of 16 bits, and scaled bytes. */
TEST(coordinates_and_angles_are_those_of_printf)
{
    for (int i = INT16_MIN; i <= INT16_MAX; i++) {
        check_real(i / 8.0);
        check_real(i * (360.0 / 65536));
        check_real(i * (360.0 / 256));
        check_real(i / 255.0);
        check_real((double)((float)i / 3));
    }
}

/* Around each power of ten, which some numbers are rounded up to. */
TEST(numbers_are_rounded_to_nine_digits)
{
    for (double size = 1e-5; size < 1e12; size *= 10)
        for (int steps = -200; steps <= 200; steps++) {
            check_real(size + steps / 8192.0);
            check_real(-(floor(size) + steps / 8192.0));
        }
}

/* 4096 steps of 1/8192 are halfway between two numbers of nine digits. */
TEST(halves_are_rounded_as_printf_does)
{
    for (int i = 0; i < 8192; i++) {
        check_real(10000000 + i / 8192.0);
        check_real(99990000 + i / 8192.0);
        check_real(99999998 + i / 8192.0);
    }
}

TEST(extremes_are_those_of_printf)
{
    static const double values[] = {0.0,      -0.0,  INFINITY, -INFINITY,  NAN,  1e9,
                                    99999999, 1e300, -1e-300,  1.0 / 8192, 1e-4, 1e-5};

    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        check_real(values[i]);
}

/* --- Strings --- */

TEST(a_string_grows_for_its_numbers)
{
    g_autoptr(GString) text = g_string_new("x");
    g_autoptr(GString) expected = g_string_new("x");

    for (unsigned i = 0; i < 1000; i++) {
        qs_room_end(text, qs_put_uint(qs_room(text, QS_NUMBER_MAX), i));
        g_string_append_printf(expected, "%u", i);
        assert_string_equal(text->str, expected->str);
        assert_int_equal(text->len, expected->len);
    }
}

/* --- Durations --- */

static void assert_text(int64_t seconds, const char *expected)
{
    g_autofree char *text = qs_duration_text(seconds);

    assert_string_equal(text, expected);
}

TEST(durations_have_minutes_and_hours)
{
    assert_text(0, "0:00");
    assert_text(7, "0:07");
    assert_text(3599, "59:59");
    assert_text(3600, "1:00:00");
    assert_text(7507, "2:05:07");
    assert_text(360000, "100:00:00");
}

TEST(seconds_are_rounded)
{
    assert_int_equal(qs_seconds_of(1499999999), 1);
    assert_int_equal(qs_seconds_of(1500000000), 2);
}
