/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists in chunks, which may forget their old items. */
#include "common/core/containers.h"

#include <malloc.h>

#include "tests/unit/unit.h"

enum { MANY = 1000, KEPT = 300 };

static void fill(struct qs_chunks *chunks, uint32_t kept)
{
    qs_chunks_init(chunks, sizeof(uint64_t), kept);
    for (uint32_t i = 1; i <= MANY; i++) {
        uint64_t *item = qs_chunks_add(chunks);

        assert_int_equal(*item, 0);
        *item = i;
        assert_int_equal(chunks->count, i);
    }
}

static uint64_t item(const struct qs_chunks *chunks, uint32_t number)
{
    return *(const uint64_t *)qs_chunks_at(chunks, number);
}

TEST(all_items_are_kept_without_a_limit)
{
    struct qs_chunks chunks;

    fill(&chunks, 0);
    for (uint32_t i = 0; i <= MANY; i++)
        assert_int_equal(item(&chunks, i), i);
    assert_int_equal(item(&chunks, MANY + 1), 0);
    qs_chunks_clear(&chunks);
}

TEST(old_items_are_forgotten)
{
    struct qs_chunks chunks;
    uint32_t forgotten = 0;

    fill(&chunks, KEPT);
    for (uint32_t i = 1; i <= MANY; i++) {
        forgotten += item(&chunks, i) != i;
        assert_true(item(&chunks, i) == i || i <= MANY - KEPT);
    }
    assert_true(forgotten > MANY / 2);
    /* A write to a forgotten item has no effect. */
    *(uint64_t *)qs_chunks_at(&chunks, 1) = 7;
    assert_int_equal(item(&chunks, 1), 0);
    qs_chunks_clear(&chunks);
}

/* A capture may have as many lists as packets. */
TEST(a_short_list_needs_little_memory)
{
    enum { ITEM = 64, MOST = 8 * ITEM };
    struct qs_chunks chunks;

    qs_chunks_init(&chunks, ITEM, 0);
    qs_chunks_add(&chunks);
    assert_int_equal(chunks.blocks->len, 1);
    assert_true(malloc_usable_size(g_ptr_array_index(chunks.blocks, 0)) <= MOST);
    qs_chunks_clear(&chunks);
}
