/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of entities, which share their states. */
#include "common/quake2/constants.h"
#include "common/quake2/tracker.h"
#include "tests/quake2/unit.h"

static struct q2_entity entity(uint16_t number, int32_t x)
{
    return (struct q2_entity){.number = number, .origin = {x}, .event = 1};
}

static void append(struct q2_entities *entities, uint16_t number, int32_t x)
{
    const struct q2_entity state = entity(number, x);

    q2_entities_append(entities, &state);
}

static void assert_numbers(const struct q2_entities *entities, const uint16_t *numbers, guint count)
{
    assert_int_equal(entities->len, count);
    for (guint i = 0; i < count; i++)
        assert_int_equal(q2_entities_at(entities, i)->number, numbers[i]);
}

TEST(a_copy_does_not_change)
{
    static const uint16_t numbers[] = {5, 7};
    struct q2_entities entities[1] = {0}, copy[1] = {0};

    append(entities, 5, 4);
    append(entities, 7, 1);
    q2_entities_copy(copy, entities);
    q2_entities_change(entities, 1)->origin[0] = 5;
    assert_int_equal(q2_entities_at(entities, 1)->origin[0], 5);
    q2_entities_clear(entities);
    assert_numbers(copy, numbers, G_N_ELEMENTS(numbers));
    assert_int_equal(q2_entities_at(copy, 0)->origin[0], 4);
    assert_int_equal(q2_entities_at(copy, 1)->origin[0], 1);
    q2_entities_clear(copy);
}

/* Carrying states for the first time copies them; from then on they are shared. */
TEST(carried_states_are_shared)
{
    static const uint16_t numbers[] = {1, 2}, all[] = {1, 2, 4};
    struct q2_entities first[1] = {0}, second[1] = {0}, third[1] = {0};

    append(first, 1, 10);
    append(first, 2, 20);
    append(first, 4, 40);
    assert_int_equal(q2_entities_carry(second, first, 0, 4, false), 2);
    assert_numbers(second, numbers, G_N_ELEMENTS(numbers));
    assert_int_equal(q2_entities_at(second, 1)->event, 0);
    assert_int_equal(q2_entities_at(second, 1)->old_origin[0], 20);
    assert_int_equal(q2_entities_at(first, 1)->event, 1);
    assert_int_equal(q2_entities_carry(second, first, 2, 3, false), 2);
    assert_int_equal(q2_entities_carry(second, first, 2, UINT32_MAX, false), 3);
    assert_numbers(second, all, G_N_ELEMENTS(all));
    assert_int_equal(q2_entities_carry(third, second, 0, UINT32_MAX, false), 3);
    assert_ptr_equal(q2_entities_at(third, 0), q2_entities_at(second, 0));
    q2_entities_change(third, 0)->origin[0] = 11;
    assert_int_equal(q2_entities_at(second, 0)->origin[0], 10);
    q2_entities_clear(first);
    q2_entities_clear(second);
    assert_numbers(third, all, G_N_ELEMENTS(all));
    q2_entities_clear(third);
}

/* A state that is used again has the new values alone. */
TEST(states_are_used_again)
{
    struct q2_entities entities[1] = {0};

    for (int32_t round = 0; round < 3; round++) {
        for (uint16_t number = 1; number < 2000; number++)
            append(entities, number, round * 2000 + number);
        for (guint i = 0; i < entities->len; i++)
            assert_int_equal(q2_entities_at(entities, i)->origin[0], round * 2000 + (int)i + 1);
        q2_entities_empty(entities);
    }
    q2_entities_clear(entities);
}
