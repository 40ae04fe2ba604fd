/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a report are read in order. */
#include "tests/tool/frames.h"

#include "pcap2demo/output/rows.h"

static void append(void *user, const char *bytes, gsize size)
{
    GString *text = user;

    assert_int_equal(bytes[size], 0);
    g_string_append_len(text, bytes, (gssize)size);
    g_string_append_c(text, ' ');
}

static void assert_rows(struct rows *rows, const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);

    rows_each(rows, append, text);
    assert_string_equal(text->str, expected);
    rows_free(rows);
}

TEST(tells_rows_in_order)
{
    struct rows *rows = rows_new();

    rows_add(rows, 7, "seven", 5);
    rows_add(rows, 2, "two", 3);
    rows_add(rows, 5, "", 0);
    assert_rows(rows, "two  seven ");
}

TEST(tells_parts_one_after_the_other)
{
    struct rows *rows = rows_new();

    rows_begin_part(rows);
    rows_add(rows, 2, "b", 1);
    rows_add(rows, 1, "a", 1);
    rows_begin_part(rows);
    rows_begin_part(rows);
    rows_add(rows, 1, "c", 1);
    assert_rows(rows, "a b c ");
}

TEST(tells_none)
{
    assert_rows(rows_new(), "");
}
