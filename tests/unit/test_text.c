/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quake text: the character set, titles, words, numbers. */
#include "common/core/text.h"
#include "tests/unit/unit.h"

TEST(every_byte_is_one_readable_character)
{
    for (unsigned i = 0; i < 256; i++) {
        const uint8_t byte = (uint8_t)i;
        const struct qs_view text = {&byte, 1};
        g_autofree char *readable = qs_text_utf8(text);

        assert_true(g_utf8_validate(readable, -1, NULL));
        assert_int_equal(g_utf8_strlen(readable, -1), 1);
        /* A plain text is the same when readable, so its raw bytes are not printed. */
        assert_int_equal(qs_text_is_plain(text), (uint8_t)readable[0] == byte && !readable[1]);
    }
}

static void expect_title(struct qs_view text, unsigned characters, const char *expected)
{
    g_autofree char *title = qs_text_title(text, characters);

    assert_string_equal(title, expected);
}

TEST(titles_are_cut_and_on_one_line)
{
    expect_title(VIEW("one\ntwo\tthree\r"), 60, "one two three ");
    expect_title(VIEW("12345"), 5, "12345");
    expect_title(VIEW("123456"), 5, "12345…");
    /* Characters are counted, not bytes of UTF-8. */
    expect_title(VIEW("\x05\x05\x05"), 2, "••…");
    expect_title(VIEW(""), 5, "");
}

struct word {
    const char *text;
    uint32_t offset, length;
};

static void expect_words(struct qs_view line, const struct word *words)
{
    struct qs_token token;
    uint32_t pos = 0;

    for (; words->text; words++) {
        assert_true(qs_token_next(line, &pos, &token));
        assert_view_is(token.text, qs_view_of(words->text));
        assert_int_equal(token.offset, words->offset);
        assert_int_equal(token.length, words->length);
        assert_int_equal(pos, words->offset + words->length);
    }
    assert_false(qs_token_next(line, &pos, &token));
    assert_int_equal(pos, line.size);
    assert_false(qs_token_next(line, &pos, &token));
}

TEST(words_are_separated_by_blanks)
{
    expect_words(VIEW(""), (struct word[]){{0}});
    expect_words(VIEW(" \t\n"), (struct word[]){{0}});
    expect_words(VIEW("say hello"), (struct word[]){{"say", 0, 3}, {"hello", 4, 5}, {0}});
    expect_words(VIEW("  cmd\nnew "), (struct word[]){{"cmd", 2, 3}, {"new", 6, 3}, {0}});
    expect_words(VIEW("connect 28 \"\\name\\a b\""),
                 (struct word[]){{"connect", 0, 7}, {"28", 8, 2}, {"\\name\\a b", 11, 11}, {0}});
    /* Bytes with the color bit are letters, not blanks. */
    expect_words(VIEW("\xe1\xa0 x"), (struct word[]){{"\xe1\xa0", 0, 2}, {"x", 3, 1}, {0}});
}

TEST(quotes_join_words)
{
    expect_words(VIEW("\"\" x"), (struct word[]){{"", 0, 2}, {"x", 3, 1}, {0}});
    /* An unclosed quote ends with the line. */
    expect_words(VIEW("say \"to the end"),
                 (struct word[]){{"say", 0, 3}, {"to the end", 4, 11}, {0}});
    expect_words(VIEW("\""), (struct word[]){{"", 0, 1}, {0}});
    /* Within a word a quote is a letter; behind a closing quote a word begins. */
    expect_words(VIEW("a\"b \"c\"d"),
                 (struct word[]){{"a\"b", 0, 3}, {"c", 4, 3}, {"d", 7, 1}, {0}});
}

TEST(numbers_are_decimal_and_fit_64_bits)
{
    static const char *const others[] = {
        "9223372036854775808",           "", "12 ", " 12", "12a", "0x10", "12\n4",
        "000000000000000000000000000012"};
    int64_t number;

    assert_true(qs_view_number(VIEW("27500"), &number));
    assert_int_equal(number, 27500);
    assert_true(qs_view_number(VIEW("-17"), &number));
    assert_int_equal(number, -17);
    assert_true(qs_view_number(VIEW("-9223372036854775808"), &number));
    assert_true(number == INT64_MIN);
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        number = 1;
        assert_false(qs_view_number(qs_view_of(others[i]), &number));
        assert_int_equal(number, 0);
    }
    assert_false(qs_view_number(VIEW("12\0004"), &number));
}

TEST(numbers_may_have_a_range)
{
    int64_t number;

    assert_true(qs_view_number_within(VIEW("65535"), 0, 65535, &number));
    assert_int_equal(number, 65535);
    assert_true(qs_view_number_within(VIEW("0"), 0, 65535, &number));
    assert_false(qs_view_number_within(VIEW("65536"), 0, 65535, &number));
    assert_int_equal(number, 0);
    assert_false(qs_view_number_within(VIEW("-1"), 0, 65535, &number));
}

TEST(a_number_may_begin_a_text)
{
    assert_int_equal(qs_view_unsigned(VIEW("12 maps")), 12);
    assert_int_equal(qs_view_unsigned(VIEW("0x2140f000")), 0x2140f000);
    assert_int_equal(qs_view_unsigned(VIEW("")), 0);
    assert_int_equal(qs_view_unsigned(VIEW("maps 12")), 0);
    /* The digit behind the view does not count. */
    assert_int_equal(qs_view_unsigned((struct qs_view){VIEW("123").data, 2}), 12);
}

TEST(views_are_compared_with_texts)
{
    assert_true(qs_view_equal(VIEW("map"), "map"));
    assert_false(qs_view_equal(VIEW("map"), "maps"));
    assert_false(qs_view_equal(VIEW("maps"), "map"));
    assert_false(qs_view_equal(VIEW("map\0"), "map"));
    assert_true(qs_view_equal((struct qs_view){0}, ""));
    assert_int_equal(qs_view_of(NULL).size, 0);
    assert_view_is(qs_view_of("abc"), VIEW("abc"));
}

TEST(a_command_ends_at_a_newline_or_semicolon)
{
    assert_int_equal(qs_command_end(VIEW(""), 0), 0);
    assert_int_equal(qs_command_end(VIEW("bf"), 0), 2);
    assert_int_equal(qs_command_end(VIEW("bf\nskins\n"), 0), 2);
    assert_int_equal(qs_command_end(VIEW("bf\nskins\n"), 3), 8);
    assert_int_equal(qs_command_end(VIEW("bf;skins"), 0), 2);
    assert_int_equal(qs_command_end(VIEW("say \"a;b\";c"), 0), 9);
    assert_int_equal(qs_command_end(VIEW("say \"a;b\nc"), 0), 8);
}
