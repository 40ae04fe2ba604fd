/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is encoded must be decoded to the same state: frames of random states, as a chain of deltas.
 */
#include "tests/quake2/unit.h"

#include <string.h>

enum { FRAMES = 200, NUMBERS = 400, MAX_CLIENTS = 8 };

/* A number of 1 to 32 bits, so that all sizes on the wire occur; or 0. */
static uint32_t random_bits(GRand *random, unsigned most)
{
    const unsigned bits = (unsigned)g_rand_int_range(random, 0, (int)most + 1);

    return bits ? g_rand_int(random) >> (32 - bits) : 0;
}

static int16_t random_short(GRand *random)
{
    return (int16_t)random_bits(random, 16);
}

static void random_entity(GRand *random, struct q2_entity *entity)
{
    entity->model[g_rand_int_range(random, 0, 4)] = (uint8_t)random_bits(random, 8);
    entity->frame = (uint16_t)random_bits(random, 16);
    entity->skin = random_bits(random, 32);
    entity->effects = random_bits(random, 32);
    entity->renderfx = random_bits(random, 32);
    entity->origin[g_rand_int_range(random, 0, 3)] = random_short(random);
    entity->angles[g_rand_int_range(random, 0, 3)] = (int16_t)(random_bits(random, 8) << 8);
    entity->sound = (uint8_t)random_bits(random, 8);
    entity->event = (uint8_t)random_bits(random, 3);
    entity->solid = random_bits(random, 16);
    if (entity->renderfx & RF_BEAM)
        entity->old_origin[g_rand_int_range(random, 0, 3)] = random_short(random);
}

static void random_player(GRand *random, struct q2_player *player)
{
    const unsigned part = (unsigned)g_rand_int_range(random, 0, 3);

    player->pm_type = (uint8_t)random_bits(random, 3);
    player->origin[part] = random_short(random);
    player->velocity[part] = random_short(random);
    player->pm_time = (uint8_t)random_bits(random, 8);
    player->pm_flags = (uint8_t)random_bits(random, 8);
    player->gravity = random_short(random);
    player->delta_angles[part] = random_short(random);
    player->viewangles[part] = random_short(random);
    player->viewoffset[part] = (int8_t)random_bits(random, 8);
    player->kick_angles[part] = (int8_t)random_bits(random, 8);
    player->gunindex = (uint8_t)random_bits(random, 8);
    player->gunframe = (uint8_t)random_bits(random, 8);
    player->gunoffset[part] = (int8_t)random_bits(random, 8);
    player->gunangles[part] = (int8_t)random_bits(random, 8);
    player->blend[part] = (uint8_t)random_bits(random, 8);
    player->fov = (uint8_t)random_bits(random, 8);
    player->rdflags = (uint8_t)random_bits(random, 8);
    player->stats[g_rand_int_range(random, 0, Q2_STATS)] = random_short(random);
}

/* Some entities come, some go, some change. */
static void random_frame(GRand *random, struct q2_entity world[NUMBERS], struct q2_frame *frame)
{
    g_array_set_size(frame->entities, 0);
    for (uint16_t i = 1; i < NUMBERS; i++) {
        world[i].number = i;
        world[i].event = 0;
        if (g_rand_int_range(random, 0, 4) == 0)
            random_entity(random, &world[i]);
        if (g_rand_int_range(random, 0, 3))
            g_array_append_val(frame->entities, world[i]);
    }
    random_player(random, &frame->player);
    frame->suppressed = (uint8_t)random_bits(random, 8);
    frame->area_bytes = (uint8_t)g_rand_int_range(random, 0, Q2_AREA_BYTES_MAX + 1);
    for (unsigned i = 0; i < frame->area_bytes; i++)
        frame->areas[i] = (uint8_t)g_rand_int(random);
}

/* Only beams' old origins are carried by every delta. */
static void forget_old_origin(struct q2_entity *entity)
{
    if (!(entity->renderfx & RF_BEAM))
        memset(entity->old_origin, 0, sizeof entity->old_origin);
}

static void assert_same_frame(const struct q2_frame *a, const struct q2_frame *b)
{
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->suppressed, b->suppressed);
    assert_int_equal(a->area_bytes, b->area_bytes);
    assert_memory_equal(a->areas, b->areas, a->area_bytes);
    assert_memory_equal(&a->player, &b->player, sizeof a->player);
    assert_int_equal(a->entities->len, b->entities->len);
    for (guint i = 0; i < a->entities->len; i++) {
        struct q2_entity one = g_array_index(a->entities, struct q2_entity, i);
        struct q2_entity other = g_array_index(b->entities, struct q2_entity, i);

        forget_old_origin(&one);
        forget_old_origin(&other);
        assert_memory_equal(&one, &other, sizeof one);
    }
}

static void copy_frame(struct q2_frame *to, const struct q2_frame *from)
{
    GArray *entities = to->entities;

    g_array_set_size(entities, 0);
    g_array_append_vals(entities, from->entities->data, from->entities->len);
    *to = *from;
    to->entities = entities;
}

static void add_baselines(GRand *random, struct game *game)
{
    for (uint16_t i = 1; i < NUMBERS; i += 3) {
        GByteArray *out = g_byte_array_new();
        struct q2_entity baseline = {.number = i};

        random_entity(random, &baseline);
        q2_encode_baseline(out, &baseline);
        assert_int_equal(game_block(game, out->data, out->len), 0);
        g_byte_array_free(out, TRUE);
    }
}

static void round_trip(uint32_t version, bool suppress_byte)
{
    struct game game;
    GRand *random = g_rand_new_with_seed(version);
    struct q2_entity *world = g_new0(struct q2_entity, NUMBERS);
    struct q2_frame frame = {.entities = g_array_new(FALSE, TRUE, sizeof(struct q2_entity))};
    struct q2_frame last = {.entities = g_array_new(FALSE, TRUE, sizeof(struct q2_entity))};
    GByteArray *out = g_byte_array_new();

    game_open(&game);
    game.session.tracker = q2_tracker_new();
    game_begin_level(&game, version, Q2_RECORD_CLIENT);
    add_baselines(random, &game);
    for (int32_t number = 1; number <= FRAMES; number++) {
        const struct q2_frame_style style = {game.session.tracker, MAX_CLIENTS, suppress_byte};
        const struct q2_frame *decoded;

        random_frame(random, world, &frame);
        frame.number = number;
        if (!suppress_byte)
            frame.suppressed = 0;
        g_byte_array_set_size(out, 0);
        q2_encode_frame(out, &style, number % 20 == 1 ? NULL : &last, &frame);
        assert_int_equal(game_block(&game, out->data, out->len), 0);
        decoded = q2_tracker_frame(game.session.tracker, number);
        assert_non_null(decoded);
        assert_int_equal(decoded->trust, Q2_FRAME_WHOLE);
        assert_same_frame(&frame, decoded);
        copy_frame(&last, decoded);
    }
    g_byte_array_free(out, TRUE);
    g_array_free(frame.entities, TRUE);
    g_array_free(last.entities, TRUE);
    g_free(world);
    g_rand_free(random);
    game_close(&game);
}

static void test_frames(void **state)
{
    (void)state;
    round_trip(34, true);
    round_trip(31, true);
}

static void test_frames_without_suppress_byte(void **state)
{
    (void)state;
    round_trip(26, false);
}

/* What did not change costs nothing, unless it must be said. */
static void test_unchanged_entity(void **state)
{
    const struct q2_entity entity = {.number = 300, .model = {3}, .skin = 0x12345678};
    GByteArray *out = g_byte_array_new();

    (void)state;
    q2_encode_entity(out, &entity, &entity, false, false);
    assert_int_equal(out->len, 0);
    q2_encode_entity(out, &entity, &entity, true, false);
    assert_int_equal(out->len, 4);
    g_byte_array_free(out, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_frames_without_suppress_byte),
        cmocka_unit_test(test_unchanged_entity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
