/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views of a level: they stay spread over all of it, and are compared by the entities in them. */
#include "tests/unit/unit.h"

#include "common/core/writer.h"
#include "common/demo/qwd/samples.h"

/* The entity in view has the number of the update, modulo the numbers that there are. */
static void take(struct qwd_samples *samples, uint32_t update)
{
    struct qwd_sample sample = {.player = 3, .origin = {1, 2, (float)update}};

    qwd_numbers_set(&sample.numbers, update % QW_STATES_MAX, true);
    if (qwd_samples_update(samples))
        qwd_samples_add(samples, &sample);
}

static void check(const struct qwd_samples *samples, unsigned index, uint32_t update)
{
    const struct qwd_sample sample = qwd_samples_at(samples, index);

    assert_int_equal(sample.update, update);
    assert_int_equal(sample.player, 3);
    assert_true(sample.origin[2] == (float)update);
    for (unsigned i = 0; i < QW_STATES_MAX; i++)
        assert_int_equal(qwd_numbers_has(&sample.numbers, i), i == update % QW_STATES_MAX);
}

static void check_all(const struct qwd_samples *samples)
{
    const uint32_t gap = qwd_samples_at(samples, 1).update;

    assert_true(samples->count >= QWD_SAMPLES / 2);
    assert_true(samples->count <= QWD_SAMPLES);
    for (unsigned i = 0; i < samples->count; i++)
        check(samples, i, i * gap);
    assert_true(samples->count * gap >= 100000 - gap);
    assert_true(samples->count * gap <= 100000 + gap);
}

static void test_spread(void **state)
{
    struct qwd_samples samples = {0}, copy;

    (void)state;
    for (uint32_t i = 0; i < 100000; i++)
        take(&samples, i);
    check_all(&samples);
    qwd_samples_copy(&copy, &samples);
    qwd_samples_clear(&samples);
    check_all(&copy);
    take(&copy, 100000);
    qwd_samples_clear(&copy);
}

static void test_difference(void **state)
{
    struct qwd_numbers a = {0}, b = {0}, mask = {0};

    (void)state;
    qwd_numbers_set(&a, 5, true);
    qwd_numbers_set(&a, 2047, true);
    qwd_numbers_set(&b, 6, true);
    qwd_numbers_set(&mask, 5, true);
    qwd_numbers_set(&mask, 2047, true);
    assert_int_equal(qwd_numbers_differ(&a, &b, &mask), 2);
    qwd_numbers_set(&a, 5, false);
    assert_int_equal(qwd_numbers_differ(&a, &b, &mask), 1);
    qwd_numbers_set(&a, QW_STATES_MAX, true); /* no entity has it */
    assert_false(qwd_numbers_has(&a, QW_STATES_MAX));
}

/* The height of entity 1 in floats, after it was told to lie on the floor. */
static float height_on_floor(float height)
{
    const struct qw_delta_format floats = {.coord_size = 4, .angle_size = 2, .entities = 64};
    GByteArray *bytes = g_byte_array_new();
    struct qw_entity entity;
    struct qs_reader in;
    float result;

    qs_write_u16(bytes, 1);
    qs_write_view(bytes, VIEW("\7\0\0\0"));
    for (unsigned i = 0; i < 3; i++) {
        qs_write_float(bytes, i == 2 ? height : 0);
        qs_write_u16(bytes, 0);
    }
    in = qs_reader_over(bytes->data, bytes->len);
    qw_read_baseline(&in, &floats, &entity);
    qw_entity_lie_on_floor(&entity);
    g_byte_array_set_size(bytes, 0);
    qw_append_baseline(bytes, &floats, &entity, true);
    result = qs_float_of_bits(qs_le32(bytes->data + bytes->len - 6));
    g_byte_array_free(bytes, TRUE);
    return result;
}

static void test_items_on_the_floor(void **state)
{
    (void)state;
    assert_true(height_on_floor(-128) == -127.96875f);
    assert_true(height_on_floor(24) == 24.03125f);
    assert_true(height_on_floor(24.5f) == 24.5f); /* no floor is there */
    assert_true(height_on_floor(1e30f) == 1e30f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_difference),
        cmocka_unit_test(test_items_on_the_floor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
