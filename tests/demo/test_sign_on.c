/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lenders are told is the same whether somebody asks for it at once, at last, or in between.
 */
#include "tests/unit/unit.h"

#include <string.h>

#include "common/demo/late_join/late_join.h"
#include "common/demo/late_join/sign_on.h"

enum { STEPS = 3000, ABOUT = 40 };

/* The same is told to both; the one is asked each time. */
struct pair {
    struct qs_sign_on *asked, *unasked;
    GRand *random;
};

static struct pair begin(guint32 seed)
{
    struct pair pair = {qs_sign_on_new(), qs_sign_on_new(), g_rand_new_with_seed(seed)};

    qs_sign_on_find(pair.asked, qs_sign_on_about(1, 1));
    return pair;
}

static void end(struct pair *pair)
{
    qs_sign_on_free(pair->asked);
    qs_sign_on_free(pair->unasked);
    g_rand_free(pair->random);
}

static void tell(struct qs_sign_on *sign_on, bool anew, uint32_t about, struct qs_view bytes)
{
    sign_on->blocks++;
    if (anew)
        qs_sign_on_replace(sign_on, about, bytes);
    else
        qs_sign_on_add(sign_on, about, bytes);
}

static void step(struct pair *pair, uint32_t largest)
{
    const int32_t which = g_rand_int_range(pair->random, 0, ABOUT);
    const bool anew = g_rand_boolean(pair->random);
    const uint32_t about = which ? qs_sign_on_about(1, (uint16_t)which) : QS_SIGN_ON_ALONE;
    uint8_t bytes[256];
    const struct qs_view view = {bytes,
                                 (uint32_t)g_rand_int_range(pair->random, 1, (gint32)largest + 1)};

    memset(bytes, g_rand_int_range(pair->random, 0, 256), sizeof bytes);
    tell(pair->asked, anew && which, about, view);
    tell(pair->unasked, anew && which, about, view);
}

static void check_view(struct qs_view a, struct qs_view b)
{
    assert_int_equal(a.size, b.size);
    assert_int_equal(a.data == NULL, b.data == NULL);
    if (a.size)
        assert_memory_equal(a.data, b.data, a.size);
}

static void check_found(const struct pair *pair)
{
    for (uint16_t which = 1; which < ABOUT; which++) {
        const uint32_t about = qs_sign_on_about(1, which);

        check_view(qs_sign_on_find(pair->asked, about), qs_sign_on_find(pair->unasked, about));
    }
}

static void check_messages(const struct qs_sign_on *one, const struct qs_sign_on *two)
{
    assert_int_equal(one->broken, two->broken);
    assert_int_equal(qs_sign_on_count(one), qs_sign_on_count(two));
    for (guint i = 0; i < qs_sign_on_count(one); i++) {
        const struct qs_sign_on_message x = qs_sign_on_at(one, i), y = qs_sign_on_at(two, i);

        assert_int_equal(x.about, y.about);
        assert_int_equal(x.block, y.block);
        check_view(x.bytes, y.bytes);
    }
}

/* Asked for single messages after so many steps, too. */
static void check(guint32 seed, unsigned steps, unsigned find_after, uint32_t largest)
{
    struct pair pair = begin(seed);
    struct qs_sign_on *copy;

    for (unsigned i = 0; i < steps; i++) {
        step(&pair, largest);
        if (i == find_after)
            check_found(&pair);
        assert_int_equal(pair.asked->broken, pair.unasked->broken);
    }
    copy = qs_sign_on_copy(pair.unasked);
    check_messages(pair.asked, copy);
    qs_sign_on_leave(pair.unasked);
    check_messages(pair.asked, pair.unasked);
    qs_sign_on_free(copy);
    end(&pair);
}

TEST(test_same)
{
    for (guint32 seed = 0; seed < 20; seed++) {
        check(seed, seed * 5, seed, 16);     /* few: all is as it came */
        check(seed, STEPS, 200 + seed, 256); /* so many that it is sorted in between */
    }
}

TEST(test_too_much)
{
    struct pair pair = begin(1);

    while (!pair.asked->broken) {
        step(&pair, 256);
        assert_int_equal(pair.asked->broken, pair.unasked->broken);
    }
    check_messages(pair.asked, pair.unasked);
    end(&pair);
}

TEST(test_left_and_cleared)
{
    struct pair pair = begin(2);

    for (unsigned i = 0; i < 50; i++)
        step(&pair, 32);
    qs_sign_on_leave(pair.unasked);
    check_found(&pair);
    qs_sign_on_clear(pair.unasked);
    assert_int_equal(qs_sign_on_count(pair.unasked), 0);
    assert_int_equal(pair.unasked->blocks, 0);
    end(&pair);
}

/* How much evidence refuses a donor. */
TEST(test_limit_of_evidence)
{
    static const struct qs_evidence_limit limits[] = {{QS_EVIDENCE_STATES, 3, 5}};
    static const struct {
        int agree, differ;
        bool refused;
    } cases[] = {{95, 5, false}, {94, 6, true}, {0, 2, false}, {0, 3, true}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct qs_donor_match match = {.version = 28};
        g_autofree char *refusal = NULL;

        for (int j = 0; j < cases[i].agree + cases[i].differ; j++)
            qs_donor_match_note(&match, QS_EVIDENCE_STATES, j < cases[i].agree);
        refusal = qs_donor_match_refusal(&match, 28, limits, 1);
        assert_int_equal(refusal != NULL, cases[i].refused);
    }
}
