/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A JSON library reads the same values that the writer was given. */
#include "common/dump/json_writer.h"

#include <float.h>
#include <jansson.h>
#include <math.h>

#include "tests/unit/unit.h"

/* --- Writing and reading --- */

struct written {
    GString *text;
    struct qs_json json;
};

static struct written start(void)
{
    struct written written = {.text = g_string_new(NULL)};

    qs_json_init(&written.json, written.text);
    return written;
}

static json_t *read_back(struct written written)
{
    const size_t flags = JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES;
    json_error_t error;
    json_t *value = json_loadb(written.text->str, written.text->len, flags, &error);

    if (!value)
        print_error("%s: %s\n", error.text, written.text->str);
    assert_non_null(value);
    g_string_free(written.text, TRUE);
    return value;
}

/* --- Texts --- */

static void expect_text(const char *text, size_t size, const char *expected, size_t expected_size)
{
    struct written written = start();
    json_t *value;

    qs_json_string_sized(&written.json, text, size);
    for (gsize i = 0; i < written.text->len; i++)
        assert_false(g_ascii_iscntrl(written.text->str[i]));
    value = read_back(written);
    assert_int_equal(json_string_length(value), expected_size);
    assert_memory_equal(json_string_value(value), expected, expected_size);
    json_decref(value);
}

#define REPLACED "\xef\xbf\xbd"

/* At each position in a short text. */
TEST(bytes_that_are_no_utf8_are_replaced)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        for (unsigned place = 0; place < 3; place++) {
            char text[] = "abc";
            g_autoptr(GString) expected = g_string_new(NULL);

            text[place] = (char)byte;
            for (unsigned i = 0; i < 3; i++)
                g_string_append_len(expected, i == place && byte >= 0x80 ? REPLACED : &text[i],
                                    i == place && byte >= 0x80 ? 3 : 1);
            expect_text(text, 3, expected->str, expected->len);
        }
    }
}

TEST(every_unicode_character_stays)
{
    for (gunichar c = 0; c <= 0x10ffff; c++) {
        char text[8] = "";
        const int size = g_unichar_to_utf8(c, text);

        if (g_unichar_validate(c))
            expect_text(text, (size_t)size, text, (size_t)size);
    }
}

/* Overlong sequences, surrogates, values beyond the last, cut sequences, single continuations. */
TEST(each_byte_of_broken_utf8_is_replaced)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"\xc0\x80", REPLACED REPLACED},
        {"\xe0\x9f\xbf", REPLACED REPLACED REPLACED},
        {"\xed\xa0\x80", REPLACED REPLACED REPLACED},
        {"\xf4\x90\x80\x80", REPLACED REPLACED REPLACED REPLACED},
        {"\xf0\x9f\x98", REPLACED REPLACED REPLACED},
        {"a\xe2\x82", "a" REPLACED REPLACED},
        {"\xe2\x82z", REPLACED REPLACED "z"},
        {"\x80\xbf", REPLACED REPLACED},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect_text(cases[i].text, strlen(cases[i].text), cases[i].expected,
                    strlen(cases[i].expected));
}

/* Terminals obey controls of one byte, of two (C1), and DEL. */
TEST(controls_are_escaped)
{
    struct written written = start();

    qs_json_string(&written.json, "\x1b\r\x7f\xc2\x9b\xc2\xa0");
    assert_string_equal(written.text->str, "\"\\u001B\\r\\u007F\\u009B\xc2\xa0\"");
    g_string_free(written.text, TRUE);
}

/* --- Numbers --- */

/* Returns a number in 17 digits of the C library, as JSON: "5.0", "1e22", "1e-7". */
static char *write_exact(double real)
{
    g_autofree char *text = g_strdup_printf("%.17g", real);
    g_auto(GStrv) parts = g_strsplit(text, "e", 2);
    char *exact;

    if (parts[1])
        exact = g_strdup_printf("%se%d", parts[0], atoi(parts[1]));
    else
        exact = g_strconcat(text, strchr(text, '.') ? NULL : ".0", NULL);
    return exact;
}

static void check_real(double real)
{
    char *exact = write_exact(real);
    struct written written = start();
    json_t *value;

    if (!qs_json_real(&written.json, real)) {
        g_string_free(written.text, TRUE);
        g_free(exact);
        assert_true(!isfinite(real));
        return;
    }
    assert_string_equal(written.text->str, exact);
    g_free(exact);
    value = read_back(written);
    assert_true(json_is_real(value));
    assert_true(json_real_value(value) == real);
    assert_int_equal(signbit(json_real_value(value)) != 0, signbit(real) != 0);
    json_decref(value);
}

TEST(reals_are_exact)
{
    static const double values[] = {0.0,     -0.0,     0.1,  1e22,      1e-7,    -1e300,   DBL_MAX,
                                    DBL_MIN, 5e-324,   1e16, 1e17,      1e15,    123456.5, 1e-4,
                                    9.9e-5,  INFINITY, NAN,  -INFINITY, FLT_MAX, 1.0 / 3};

    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        check_real(values[i]);
    for (int i = INT16_MIN; i <= INT16_MAX; i++) {
        check_real(i / 8.0);
        check_real(i * (360.0 / 65536));
        check_real((double)((float)i / 3));
        check_real(1700000000 + i / 1e3);
    }
    for (int i = 0; i < 8192; i++)
        for (double whole = 0; whole < 1e9; whole = whole * 10 + 9)
            check_real(whole + i / 8192.0);
}

static void check_whole(int64_t number)
{
    struct written written = start();
    json_t *value;

    qs_json_int(&written.json, number);
    value = read_back(written);
    assert_true(json_is_integer(value));
    assert_true(json_integer_value(value) == number);
    json_decref(value);
}

TEST(whole_numbers_are_exact)
{
    struct written written = start();

    for (unsigned bit = 0; bit < 63; bit++)
        for (int64_t step = -1; step <= 1; step++) {
            check_whole((INT64_C(1) << bit) + step);
            check_whole(-(INT64_C(1) << bit) + step);
        }
    check_whole(INT64_MAX);
    check_whole(INT64_MIN);
    qs_json_uint(&written.json, UINT64_MAX);
    assert_string_equal(written.text->str, "18446744073709551615");
    g_string_free(written.text, TRUE);
}
