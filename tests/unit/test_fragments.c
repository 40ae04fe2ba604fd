/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of fragments: what is joined, what is refused, and copies that share and diverge. */
#include "common/netchan/fragments.h"
#include "tests/unit/unit.h"

enum { MAX = 65536 };

static bool add(struct qs_fragments *list, struct qs_view bytes, uint64_t packet)
{
    return qs_fragments_add(list, bytes, packet, MAX);
}

static void assert_joined(const struct qs_fragments *list, struct qs_view last,
                          struct qs_view expected)
{
    g_autoptr(GBytes) joined = qs_fragments_join(list, last);
    gsize size;
    const uint8_t *data = g_bytes_get_data(joined, &size);

    assert_view_is((struct qs_view){data, (uint32_t)size}, expected);
}

TEST(test_join)
{
    struct qs_fragments list = {0};
    uint64_t packets[2];

    assert_joined(&list, VIEW(""), VIEW(""));
    assert_joined(&list, VIEW("all"), VIEW("all"));
    assert_true(add(&list, VIEW("one "), 5));
    assert_true(add(&list, VIEW("two "), 9));
    assert_int_equal(qs_fragments_count(&list), 2);
    assert_int_equal(qs_fragments_size(&list), 8);
    assert_joined(&list, VIEW("three"), VIEW("one two three"));
    qs_fragments_packets(&list, packets);
    assert_int_equal(packets[0], 5);
    assert_int_equal(packets[1], 9);
    qs_fragments_clear(&list);
    assert_int_equal(qs_fragments_count(&list), 0);
    assert_int_equal(qs_fragments_size(&list), 0);
}

/* A copy stays what it was, and lives on by itself. */
TEST(test_copies)
{
    struct qs_fragments list = {0}, copy;

    add(&list, VIEW("a"), 1);
    qs_fragments_copy(&copy, &list);
    add(&list, VIEW("b"), 2);
    add(&copy, VIEW("c"), 3);
    assert_joined(&list, VIEW(""), VIEW("ab"));
    qs_fragments_clear(&list);
    assert_joined(&copy, VIEW(""), VIEW("ac"));
    qs_fragments_clear(&copy);
}

/* As in Wireshark, which keeps a copy for each packet: the shortest may go first or last. */
TEST(test_many_copies)
{
    struct qs_fragments list = {0}, copies[8];

    for (unsigned i = 0; i < 8; i++) {
        qs_fragments_copy(&copies[i], &list);
        add(&list, VIEW("x"), i);
    }
    for (unsigned i = 0; i < 8; i += 2)
        qs_fragments_clear(&copies[i]);
    qs_fragments_clear(&list);
    assert_joined(&copies[7], VIEW(""), VIEW("xxxxxxx"));
    assert_joined(&copies[1], VIEW(""), VIEW("x"));
    for (unsigned i = 7; i < 8; i -= 2)
        qs_fragments_clear(&copies[i]);
}

TEST(test_bounds)
{
    struct qs_fragments list = {0};
    g_autofree uint8_t *most = g_malloc0(MAX + 1);

    assert_false(add(&list, (struct qs_view){most, MAX + 1}, 1));
    assert_true(add(&list, (struct qs_view){most, MAX - 1}, 1));
    assert_false(add(&list, VIEW("xy"), 2));
    assert_true(add(&list, VIEW("x"), 2));
    assert_false(add(&list, VIEW("x"), 3));
    assert_int_equal(qs_fragments_count(&list), 2);
    assert_int_equal(qs_fragments_size(&list), MAX);
    for (uint32_t i = 2; i < QS_FRAGMENTS_MAX; i++)
        assert_true(add(&list, VIEW(""), i));
    assert_false(add(&list, VIEW(""), 1));
    assert_int_equal(qs_fragments_count(&list), QS_FRAGMENTS_MAX);
    qs_fragments_clear(&list);
}

TEST(test_order)
{
    struct qs_fragments list = {0};

    assert_true(qs_fragments_follows(&list, 7, 0));
    add(&list, VIEW("1234"), 1);
    assert_true(qs_fragments_follows(&list, 7, 4));
    assert_false(qs_fragments_follows(&list, 7, 0)); /* again */
    assert_false(qs_fragments_follows(&list, 7, 2)); /* into what is there */
    assert_false(qs_fragments_follows(&list, 7, 5)); /* behind a hole */
    assert_int_equal(qs_fragments_size(&list), 4);
    assert_false(qs_fragments_follows(&list, 8, 4)); /* of another message */
    assert_int_equal(qs_fragments_size(&list), 0);
    assert_true(qs_fragments_follows(&list, 8, 0));
    assert_true(qs_fragments_follows(&list, 7, 0));
}
