/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/unit.h"

#include "common/quake/constants.h"
#include "common/quake/fragments.h"

static void assert_joined(const struct nq_fragments *list, struct qs_view last,
                          struct qs_view expected)
{
    GBytes *joined = nq_fragments_join(list, last);
    gsize size;
    const uint8_t *data = g_bytes_get_data(joined, &size);

    assert_view_is((struct qs_view){data, (uint32_t)size}, expected);
    g_bytes_unref(joined);
}

static void test_join(void **state)
{
    struct nq_fragments list = {0};
    uint64_t packets[2];

    (void)state;
    assert_joined(&list, VIEW("all"), VIEW("all"));
    assert_true(nq_fragments_add(&list, VIEW("one "), 5));
    assert_true(nq_fragments_add(&list, VIEW("two "), 9));
    assert_int_equal(nq_fragments_count(&list), 2);
    assert_int_equal(nq_fragments_size(&list), 8);
    assert_joined(&list, VIEW("three"), VIEW("one two three"));
    nq_fragments_packets(&list, packets);
    assert_int_equal(packets[0], 5);
    assert_int_equal(packets[1], 9);
    nq_fragments_clear(&list);
    assert_int_equal(nq_fragments_count(&list), 0);
}

/* A copy stays what it was, and lives on by itself. */
static void test_copies(void **state)
{
    struct nq_fragments list = {0}, copy;

    (void)state;
    nq_fragments_add(&list, VIEW("a"), 1);
    nq_fragments_copy(&copy, &list);
    nq_fragments_add(&list, VIEW("b"), 2);
    nq_fragments_add(&copy, VIEW("c"), 3);
    assert_joined(&list, VIEW(""), VIEW("ab"));
    nq_fragments_clear(&list);
    assert_joined(&copy, VIEW(""), VIEW("ac"));
    nq_fragments_clear(&copy);
}

static void test_bounds(void **state)
{
    struct nq_fragments list = {0};
    uint8_t *most = g_malloc0(NET_MAXMESSAGE);

    (void)state;
    assert_true(nq_fragments_add(&list, (struct qs_view){most, NET_MAXMESSAGE}, 1));
    assert_true(nq_fragments_add(&list, VIEW(""), 2));
    assert_false(nq_fragments_add(&list, VIEW("x"), 3));
    assert_int_equal(nq_fragments_count(&list), 0);
    for (uint32_t i = 0; i < NQ_FRAGMENTS_MAX; i++)
        assert_true(nq_fragments_add(&list, VIEW(""), i));
    assert_false(nq_fragments_add(&list, VIEW(""), 1));
    assert_int_equal(nq_fragments_count(&list), 0);
    g_free(most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_join), cmocka_unit_test(test_copies),
                                       cmocka_unit_test(test_bounds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
