/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Info strings: values, changes, fields, and notes on unusual ones. */
#include "common/core/emit.h"

#include "common/core/text.h"
#include "tests/unit/toy.h"

TEST(the_first_value_of_a_key_counts)
{
    const struct qs_view info = VIEW("\\map\\dm6\\name\\first\\name\\second\\none\\");

    assert_view_is(qs_info_value(info, "map"), VIEW("dm6"));
    assert_view_is(qs_info_value(info, "name"), VIEW("first"));
    assert_int_equal(qs_info_value(info, "none").size, 0);
    assert_non_null(qs_info_value(info, "none").data);
    assert_null(qs_info_value(info, "dm6").data);
    assert_null(qs_info_value(info, "Map").data);
    assert_null(qs_info_value((struct qs_view){0}, "map").data);
}

static void expect_set(struct qs_view info, struct qs_view key, struct qs_view value,
                       const char *expected)
{
    const uint32_t size = (uint32_t)strlen(expected);
    g_autofree char *changed = qs_info_set(info, key, value, size);

    assert_string_equal(changed, expected);
    if (size)
        assert_null(qs_info_set(info, key, value, size - 1));
}

TEST(a_changed_value_is_appended)
{
    expect_set(VIEW(""), VIEW("a"), VIEW("1"), "\\a\\1");
    expect_set(VIEW("\\a\\1\\b\\2"), VIEW("a"), VIEW("3"), "\\b\\2\\a\\3");
    expect_set(VIEW("\\a\\1\\b\\2\\a\\4"), VIEW("a"), VIEW(""), "\\b\\2");
    expect_set(VIEW("\\ab\\1"), VIEW("a"), VIEW("2"), "\\ab\\1\\a\\2");
    expect_set((struct qs_view){0}, VIEW("a"), (struct qs_view){0}, "");
}

TEST(only_whole_pairs_stay)
{
    const struct qs_view info = VIEW("\\a\\1\\bc\\23");

    assert_view_is(qs_info_cut(info, 10), info);
    assert_view_is(qs_info_cut(info, 9), VIEW("\\a\\1"));
    assert_view_is(qs_info_cut(info, 4), VIEW("\\a\\1"));
    assert_view_is(qs_info_cut(info, 3), VIEW(""));
}

static const struct qs_info_rows rows = {TOY_PAIR, TOY_KEY, TOY_VALUE};

static void say_info(struct qs_decoder *d)
{
    const struct qs_view info = qs_text(d, TOY_TEXT);

    qs_emit_info(d, &rows, info, 0);
}

TEST(each_pair_is_a_group)
{
    expect_log(say_info, VIEW("\\a\\\"\\b\\2\0"),
               "toy.text 0+9 = 5c615c225c625c32\n"
               "open toy.pair @0\nlabel \": a\"\nlabel \" = \"\"\n"
               "toy.pair.key 1+1 = 61\ntoy.pair.value 3+1 = 22\nclose @4\n"
               "open toy.pair @4\nlabel \": b\"\nlabel \" = 2\"\n"
               "toy.pair.key 5+1 = 62\ntoy.pair.value 7+1 = 32\nclose @8\n");
}

TEST(unusual_pairs_are_noted)
{
    expect_log(say_info, VIEW("\\\\\\k\0"),
               "toy.text 0+5 = 5c5c5c6b\n"
               "open toy.pair @0\nlabel \": \"\nlabel \" = \"\n"
               "toy.pair.key 1+0 = \ntoy.pair.value 2+0 = \n"
               "note unusual 0+2 \"Empty pair in an info string\"\nclose @2\n"
               "open toy.pair @2\nlabel \": k\"\nlabel \" = \"\n"
               "toy.pair.key 3+1 = 6b\ntoy.pair.value 4+0 = \n"
               "note unusual 2+2 \"Info string ends with a key that has no value\"\nclose @4\n");
}

#define TEXT_60 "012345678901234567890123456789012345678901234567890123456789"

static unsigned notes_of(struct qs_view data)
{
    const struct qs_packet packet = toy_packet(data);
    struct toy_session session;
    struct qs_decoder d;
    unsigned notes;

    toy_decode = say_info;
    toy_protocol.session_init(&session.base);
    qs_decoder_init(&d, &toy_protocol);
    qs_decode(&d, &session.base, NULL, &packet);
    notes = d.found.notes[QS_NOTE_UNUSUAL];
    qs_decoder_clear(&d);
    return notes;
}

/* Engines keep 63 bytes of a key and of a value. */
TEST(long_keys_and_values_are_noted)
{
    assert_int_equal(notes_of(VIEW("\\" TEXT_60 "abc\\" TEXT_60 "abc\0")), 0);
    assert_int_equal(notes_of(VIEW("\\" TEXT_60 "abcd\\v\0")), 1);
    assert_int_equal(notes_of(VIEW("\\k\\" TEXT_60 "abcd\0")), 1);
}
