/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Versioned tables. AddressSanitizer notices leaks and uses after release. */
#include "common/core/containers.h"

#include <stdio.h>

#include "tests/unit/unit.h"

static void set(struct qs_table *table, uint32_t index, const char *text)
{
    qs_table_set(table, index, (struct qs_view){(const uint8_t *)text, (uint32_t)strlen(text)});
}

static void assert_entry(const struct qs_table *table, uint32_t index, const char *text)
{
    if (!text)
        assert_null(qs_table_get(table, index));
    else
        assert_string_equal(qs_table_get(table, index), text);
}

TEST(entries_beyond_the_limit_are_ignored)
{
    struct qs_table table = {0};

    set(&table, QS_TABLE_LIMIT, "too far");
    set(&table, UINT32_MAX, "too far");
    assert_entry(&table, QS_TABLE_LIMIT, NULL);
    assert_entry(&table, UINT32_MAX, NULL);
    assert_int_equal(qs_table_end(&table), 0);
    set(&table, QS_TABLE_LIMIT - 1, "last");
    assert_entry(&table, QS_TABLE_LIMIT - 1, "last");
    assert_int_equal(qs_table_end(&table), QS_TABLE_LIMIT);
    qs_table_clear(&table);
}

TEST(texts_are_copied)
{
    struct qs_table table = {0};
    char text[] = "abc";

    qs_table_set(&table, 0, (struct qs_view){(const uint8_t *)text, 2});
    text[0] = 'x';
    assert_entry(&table, 0, "ab");
    qs_table_clear(&table);
}

TEST(entries_may_contain_zeros)
{
    static const uint8_t one[] = {1, 0, 2, 0}, other[] = {1, 0, 3, 0};
    struct qs_table table = {0};

    qs_table_set(&table, 3, (struct qs_view){one, sizeof one});
    assert_memory_equal(qs_table_get(&table, 3), one, sizeof one);
    qs_table_set(&table, 3, (struct qs_view){other, sizeof other});
    assert_memory_equal(qs_table_get(&table, 3), other, sizeof other);
    qs_table_clear(&table);
}

TEST(a_copy_and_its_original_change_independently)
{
    struct qs_table now = {0}, before, later;

    set(&now, 1, "one");
    set(&now, 100, "hundred");
    qs_table_copy(&before, &now);
    set(&now, 1, "changed");
    set(&now, 200, "new");
    set(&now, 100, "");
    assert_entry(&before, 1, "one");
    assert_entry(&before, 100, "hundred");
    assert_entry(&before, 200, NULL);
    assert_entry(&now, 1, "changed");
    assert_entry(&now, 100, NULL);

    qs_table_copy(&later, &now);
    set(&before, 200, "other");
    qs_table_clear(&now);
    assert_entry(&later, 200, "new");
    assert_entry(&before, 200, "other");
    qs_table_clear(&before);
    assert_entry(&later, 1, "changed");
    qs_table_clear(&later);
}

TEST(only_changed_parts_are_copied)
{
    struct qs_table now = {0}, before;
    const char *untouched, *neighbor;

    set(&now, 1, "one");
    set(&now, 2, "two");
    set(&now, 100, "hundred");
    qs_table_copy(&before, &now);
    assert_ptr_equal(now.root, before.root);
    /* The same text again changes nothing. */
    set(&now, 1, "one");
    assert_ptr_equal(now.root, before.root);
    untouched = qs_table_get(&now, 100);
    neighbor = qs_table_get(&now, 2);
    set(&now, 1, "changed");
    assert_ptr_not_equal(now.root, before.root);
    assert_ptr_equal(qs_table_get(&now, 100), untouched);
    assert_ptr_equal(qs_table_get(&before, 100), untouched);
    assert_ptr_equal(qs_table_get(&now, 2), neighbor);
    qs_table_clear(&now);
    qs_table_clear(&before);
}

/* The plugin keeps a version for each packet. */
TEST(many_versions_can_be_kept)
{
    enum { VERSIONS = 300 };
    struct qs_table now = {0}, kept[VERSIONS];
    char text[16];

    for (uint32_t i = 0; i < VERSIONS; i++) {
        snprintf(text, sizeof text, "version %u", i);
        set(&now, i % 7 * 50, text);
        qs_table_copy(&kept[i], &now);
    }
    for (uint32_t i = 0; i < VERSIONS; i++) {
        snprintf(text, sizeof text, "version %u", i);
        assert_entry(&kept[i], i % 7 * 50, text);
    }
    for (uint32_t i = 0; i < VERSIONS; i += 2)
        qs_table_clear(&kept[i]);
    assert_entry(&kept[VERSIONS - 1], (VERSIONS - 1) % 7 * 50, text);
    for (uint32_t i = 1; i < VERSIONS; i += 2)
        qs_table_clear(&kept[i]);
    qs_table_clear(&now);
}
