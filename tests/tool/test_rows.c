/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a report: told in order, from memory and from files. */
#include "tests/tool/frames.h"

#include "pcap2demo/output/message.h"
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
    assert_int_equal(exit_status_get(), EXIT_OK);
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

/* Each row is its number, as often as makes it long; rows come from the last to the first. */
enum { MANY = 5000, LONG = 1000 };

struct count {
    unsigned next;
};

static void expect_next(void *user, const char *bytes, gsize size)
{
    struct count *count = user;
    char expected[16];

    count->next += 3;
    g_snprintf(expected, sizeof expected, "%08u", count->next);
    assert_int_equal(size, LONG);
    for (int at = 0; at < LONG; at += 8)
        assert_memory_equal(bytes + at, expected, 8);
}

TEST(keeps_many_in_files)
{
    struct rows *rows = rows_new();
    struct count count = {0};

    assert_true(MANY * LONG > 2 * ROWS_MEMORY_MAX);
    for (unsigned i = MANY; i > 0; i--) {
        g_autoptr(GString) row = g_string_new(NULL);

        while (row->len < LONG)
            g_string_append_printf(row, "%08u", 3 * i);
        rows_add(rows, 3 * i, row->str, row->len);
    }
    rows_each(rows, expect_next, &count);
    assert_int_equal(count.next, 3 * MANY);
    assert_int_equal(exit_status_get(), EXIT_OK);
    rows_free(rows);
}
