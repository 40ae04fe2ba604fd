/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encoded frames decode to the same states: frames of random states, as a chain of deltas. */
#include "tests/quake2/unit.h"
#include "tests/support/count_sink.h"
#include "tests/support/covered.h"

#include <string.h>

#include "common/quake2/decode.h"

enum {
    FRAMES = 200,
    ENTITIES = 400,
    STEP = Q2_ENTITIES_EXTENDED_MAX / ENTITIES, /* between numbers with extended limits */
    MAX_CLIENTS = 8
};

/* A game of random states, in the variant of a demo. */
struct world {
    GRand *random;
    struct q2_variant variant;
    struct q2_entity entities[ENTITIES];
    struct q2_frame frame;
};

/* Gives a few bytes another value, so that all sizes occur that a number may have on the wire. */
static void scramble(GRand *random, void *state, size_t size, unsigned most)
{
    for (int32_t i = g_rand_int_range(random, 0, (int32_t)most); i >= 0; i--)
        ((uint8_t *)state)[g_rand_int_range(random, 0, (int32_t)size)] ^=
            (uint8_t)(g_rand_int(random) >> g_rand_int_range(random, 0, 8));
}

/* Coordinates have 16 bits, or 23. */
static void fit_coordinates(const struct world *world, int32_t *coordinates, unsigned count)
{
    const unsigned unused = world->variant.extensions2 ? 9 : 16;

    for (unsigned i = 0; i < count; i++)
        coordinates[i] = (int32_t)((uint32_t)coordinates[i] << unused) >> unused;
}

static uint16_t random_number(const struct world *world)
{
    const int32_t i = g_rand_int_range(world->random, 1, ENTITIES);

    return (uint16_t)(world->variant.extensions ? i * STEP : i);
}

/* Changes an entity to a state that the variant can send. */
static void random_entity(const struct world *world, struct q2_entity *entity)
{
    const bool extended = world->variant.extensions;
    const uint16_t number = entity->number;

    scramble(world->random, entity, sizeof *entity, 12);
    entity->number = number;
    entity->event &= 7;
    memset(entity->unused, 0, sizeof entity->unused);
    for (unsigned i = 0; i < 4; i++)
        entity->model[i] &= extended ? 0x1fff : UINT8_MAX;
    entity->sound &= extended ? 0x3fff : UINT8_MAX;
    if (!extended) {
        entity->solid &= UINT16_MAX;
        entity->morefx = 0;
        entity->sound_volume = entity->sound_attenuation = entity->alpha = entity->scale = 0;
    }
    fit_coordinates(world, entity->origin, 3);
    fit_coordinates(world, entity->old_origin, 3);
    if (world->variant.short_angles && g_rand_boolean(world->random))
        entity->solid = Q2_SOLID_BRUSH;
    for (unsigned i = 0; i < 3; i++)
        if (!world->variant.short_angles || entity->solid != Q2_SOLID_BRUSH)
            entity->angles[i] &= ~0xff;
}

/* Changes a player to a state that the variant can send. */
static void random_player(const struct world *world, struct q2_player *player)
{
    const struct q2_variant *variant = &world->variant;

    scramble(world->random, player, sizeof *player, 40);
    fit_coordinates(world, player->origin, 3);
    fit_coordinates(world, player->velocity, 3);
    fit_coordinates(world, &player->fog.start_dist, 1);
    fit_coordinates(world, &player->fog.end_dist, 1);
    player->pm_type &= 7;
    player->clientnum = 0; /* no demo has it */
    player->gunindex &= variant->extensions ? 0x1fff : UINT8_MAX;
    player->gunskin &= variant->extensions ? 7 : 0;
    memset(player->unused, 0, sizeof player->unused);
    memset(player->fog.unused, 0, sizeof player->fog.unused);
    if (!variant->player_fog)
        memset(&player->fog, 0, sizeof player->fog);
    if (!variant->extensions2) {
        player->pm_time &= UINT8_MAX;
        player->pm_flags &= UINT8_MAX;
        memset(player->damage_blend, 0, sizeof player->damage_blend);
        memset(player->stats + Q2_STATS, 0,
               sizeof player->stats - Q2_STATS * sizeof *player->stats);
    }
}

/* Some entities come, some go, some change. */
static void random_frame(struct world *world)
{
    struct q2_frame *frame = &world->frame;

    q2_entities_empty(frame->entities);
    for (uint16_t i = 1; i < ENTITIES; i++) {
        struct q2_entity *entity = &world->entities[i];

        entity->number = (uint16_t)(world->variant.extensions ? i * STEP : i);
        entity->event = 0;
        if (g_rand_int_range(world->random, 0, 4) == 0)
            random_entity(world, entity);
        if (g_rand_int_range(world->random, 0, 3))
            q2_entities_append(frame->entities, entity);
    }
    random_player(world, &frame->player);
    if (world->variant.suppress_byte)
        frame->suppressed = (uint8_t)g_rand_int(world->random);
    frame->area_bytes = (uint8_t)g_rand_int_range(world->random, 0, Q2_AREA_BYTES_MAX + 1);
    for (unsigned i = 0; i < frame->area_bytes; i++)
        frame->areas[i] = (uint8_t)g_rand_int(world->random);
}

/* Only for some entities every delta carries the old origin, and the lower bytes of angles. */
static void forget_the_unsaid(struct q2_entity *entity)
{
    if (!(entity->renderfx & (RF_BEAM | RF_FRAMELERP)))
        memset(entity->old_origin, 0, sizeof entity->old_origin);
    for (unsigned i = 0; i < 3 && entity->solid != Q2_SOLID_BRUSH; i++)
        entity->angles[i] = (int16_t)(entity->angles[i] & ~0xff);
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
        struct q2_entity one = *q2_entities_at(a->entities, i);
        struct q2_entity other = *q2_entities_at(b->entities, i);

        forget_the_unsaid(&one);
        forget_the_unsaid(&other);
        assert_memory_equal(&one, &other, sizeof one);
    }
}

static void add_baselines(const struct world *world, struct game *game)
{
    for (unsigned i = 0; i < ENTITIES / 3; i++) {
        g_autoptr(GByteArray) out = g_byte_array_new();
        struct q2_entity baseline = {.number = random_number(world)};

        random_entity(world, &baseline);
        q2_encode_baseline(out, &world->variant, &baseline);
        assert_int_equal(game_block(game, out->data, out->len), 0);
    }
}

/* Returns the tracker of the game that decodes the frames. */
static struct q2_tracker *open_world(struct world *world, struct game *game, int32_t version)
{
    *world = (struct world){.random = g_rand_new_with_seed((guint32)version),
                            .variant = q2_demo_variant(version)};
    game_open(game);
    q2_tracker_attach(q2_tracker_new(), &game->session);
    game_begin_level(game, (uint32_t)version, Q2_RECORD_CLIENT);
    return game->session.tracker;
}

static void close_world(struct world *world, struct game *game)
{
    game_close(game);
    g_rand_free(world->random);
    q2_frame_clear(&world->frame);
}

static void round_trip(int32_t version)
{
    static struct world world;
    struct game game;
    struct q2_frame last = {0};
    g_autoptr(GByteArray) out = g_byte_array_new();
    struct q2_tracker *tracker = open_world(&world, &game, version);

    add_baselines(&world, &game);
    for (int32_t number = 1; number <= FRAMES; number++) {
        const struct q2_frame_style style = {&game.session, MAX_CLIENTS, world.variant};
        const struct q2_frame *decoded;

        random_frame(&world);
        world.frame.number = number;
        g_byte_array_set_size(out, 0);
        q2_encode_frame(out, &style, number % 20 == 1 ? NULL : &last, &world.frame);
        assert_int_equal(game_block(&game, out->data, out->len), 0);
        decoded = q2_tracker_frame(tracker, number);
        assert_non_null(decoded);
        assert_int_equal(decoded->trust, Q2_FRAME_WHOLE);
        assert_same_frame(&world.frame, decoded);
        q2_frame_copy(&last, decoded);
    }
    q2_frame_clear(&last);
    close_world(&world, &game);
}

/* 26 has no suppress byte; from 3434 on limits are extended. */
TEST(test_frames_are_read_as_they_were_written)
{
    static const int32_t versions[] = {26, 34, 3434, 3435, 3436};

    for (unsigned i = 0; i < G_N_ELEMENTS(versions); i++)
        round_trip(versions[i]);
}

/* --- Each byte of a state: if it changes, the change is written, read and shown */

/* A level with a frame of one entity, and a frame that is a delta from it. */
struct change {
    struct q2_frame from, to;
    struct q2_entity entity, changed;
    struct q2_player player; /* that was read of the second frame */
    struct q2_entity read;
    uint64_t fields; /* that were shown of it */
};

static void read_change(struct change *change)
{
    static struct world world;
    struct count_sink sink;
    struct q2_frame *frames[] = {&change->from, &change->to};
    const struct q2_frame *read;
    struct game game;
    const struct q2_tracker *tracker = open_world(&world, &game, Q2_PROTOCOL_EXTENDED_LAST);

    count_sink_init(&sink);
    q2_entities_append(change->from.entities, &change->entity);
    q2_entities_append(change->to.entities, &change->changed);
    for (int32_t i = 0; i < 2; i++) {
        const struct q2_frame_style style = {&game.session, MAX_CLIENTS, world.variant};
        g_autoptr(GByteArray) out = g_byte_array_new();

        frames[i]->number = i + 1;
        q2_encode_frame(out, &style, i ? frames[0] : NULL, frames[i]);
        game.sink = i ? &sink.base : NULL;
        assert_int_equal(game_block(&game, out->data, out->len), 0);
    }
    read = q2_tracker_frame(tracker, 2);
    assert_non_null(read);
    assert_int_equal(read->entities->len, 1);
    change->player = read->player;
    change->read = *q2_entities_at(read->entities, 0);
    change->fields = sink.fields;
    q2_entities_clear(change->from.entities);
    q2_entities_clear(change->to.entities);
    close_world(&world, &game);
}

/* Beams have an old origin, and brush models angles of 16 bits. */
static const struct q2_entity plain_entity = {
    .number = 300, .renderfx = RF_BEAM, .solid = Q2_SOLID_BRUSH};

static uint64_t fields_without_change(void)
{
    struct change change = {.entity = plain_entity, .changed = plain_entity};

    read_change(&change);
    return change.fields;
}

/* The byte is the member's; or it is the top one of a coordinate, of which the wire has 23 bits. */
#define IS_IN(at, type, member) ((at)-offsetof(type, member) < sizeof(((type *)NULL)->member))
#define IS_TOP_OF(at, type, member)                                                                \
    (IS_IN(at, type, member) && ((at)-offsetof(type, member)) % 4 == 3)

TEST(test_each_byte_of_an_entity)
{
    const uint64_t fields = fields_without_change();

    for (size_t at = 0; at < sizeof(struct q2_entity); at++) {
        struct change change = {.entity = plain_entity, .changed = plain_entity};

        if (IS_IN(at, struct q2_entity, number) || IS_IN(at, struct q2_entity, unused) ||
            IS_TOP_OF(at, struct q2_entity, origin) || IS_TOP_OF(at, struct q2_entity, old_origin))
            continue;
        ((uint8_t *)&change.changed)[at] ^= 1;
        read_change(&change);
        if (memcmp(&change.read, &change.changed, sizeof change.read) != 0)
            fail_msg("byte %zu of an entity's state: no row of entity_fields.def has it", at);
        assert_true(change.fields > fields);
    }
}

TEST(test_each_byte_of_a_player)
{
    const uint64_t fields = fields_without_change();

    for (size_t at = 0; at < sizeof(struct q2_player); at++) {
        struct change change = {.entity = plain_entity, .changed = plain_entity};

        if (IS_IN(at, struct q2_player, unused) || IS_IN(at, struct q2_player, fog.unused) ||
            IS_IN(at, struct q2_player, clientnum) /* no demo has it */ ||
            IS_TOP_OF(at, struct q2_player, origin) || IS_TOP_OF(at, struct q2_player, velocity) ||
            IS_TOP_OF(at, struct q2_player, fog.start_dist) ||
            IS_TOP_OF(at, struct q2_player, fog.end_dist))
            continue;
        ((uint8_t *)&change.to.player)[at] ^= 1;
        read_change(&change);
        if (memcmp(&change.player, &change.to.player, sizeof change.player) != 0)
            fail_msg("byte %zu of a player's state: no row of player_fields.def has it", at);
        assert_true(change.fields > fields);
    }
}

/* Each bit has a row, or is one that no field belongs to. */
TEST(test_each_bit)
{
    uint64_t entity = U_NUMBER16 | U_REMOVE | U_MODEL16 | U_ANGLE16 | U_MOREBITS1 | U_MOREBITS2 |
                      U_MOREBITS3 | U_MOREBITS4;
    uint64_t player = PS_MOREBITS, mvd = PPS_MOREBITS | PPS_REMOVE;

#define FIELD(encoding, when, bit8, bit16, member, row) entity |= (bit8) | (bit16);
#define READ_ONLY(encoding, when, bit, row) entity |= (bit);
#include "common/quake2/entity_fields.def"
#define FIELD(encoding, when, bit, extra, mvd_bit, mvd_extra, member, row)                         \
    player |= (uint64_t)(bit) | (uint64_t)(extra);                                                 \
    mvd |= (uint64_t)(mvd_bit) | (uint64_t)(mvd_extra);
#define READ_ONLY(encoding, when, bit, row) player |= (bit);
#include "common/quake2/player_fields.def"
    assert_covered(&q2_fields[Q2_ENTITY_BITS], 0, entity);
    assert_covered(&q2_fields[Q2_ENTITY_BITS5], 32, entity);
    assert_covered(&q2_fields[Q2_PLAYER_BITS], 0, player);
    assert_covered(&q2_fields[Q2_PLAYER_BITS3], 16, player);
    assert_covered(&q2_fields[Q2_PLAYER_EXTRA], 24, player);
    assert_covered(&q2_fields[Q2_MVD_PLAYER_BITS], 0, mvd);
    assert_covered(&q2_fields[Q2_MVD_PLAYER_BITS3], 16, mvd);
}

/* --- Frames that were cut */

/* Three frames, each a delta from the one before; of the second only `size` bytes came. Returns its
 * whole size. */
static uint32_t check_cut_frame(uint32_t size)
{
    static struct world world;
    struct game game;
    g_autoptr(GByteArray) out = g_byte_array_new();
    struct q2_frame last = {0};
    const struct q2_frame *frame;
    uint32_t whole = 0;
    const struct q2_tracker *tracker = open_world(&world, &game, Q2_PROTOCOL_VANILLA);

    for (int32_t number = 1; number <= 3; number++) {
        const struct q2_frame_style style = {&game.session, MAX_CLIENTS, world.variant};

        random_frame(&world);
        world.frame.number = number;
        g_byte_array_set_size(out, 0);
        q2_encode_frame(out, &style, number == 1 ? NULL : &last, &world.frame);
        whole = number == 2 ? out->len : whole;
        game_block(&game, out->data, number == 2 ? MIN(size, out->len) : out->len);
        q2_frame_copy(&last, &world.frame);
    }
    frame = q2_tracker_frame(tracker, 3);
    assert_non_null(frame);
    assert_int_equal(!q2_tracker_frame(tracker, 2), size < whole);
    assert_int_equal(frame->reference_missing, size < whole);
    assert_int_equal(frame->trust, size < whole ? Q2_FRAME_GUESSED : Q2_FRAME_WHOLE);
    q2_frame_clear(&last);
    close_world(&world, &game);
    return whole;
}

/* A frame that was cut is no base for later ones. */
TEST(test_cut_frame)
{
    const uint32_t whole = check_cut_frame(0);

    for (uint32_t size = 1; size < whole; size += 1 + whole / 64)
        check_cut_frame(size);
    check_cut_frame(whole - 1);
    check_cut_frame(whole);
}

/* Where the first frame of a level is cut, it is missing; later ones are changes to it. */
TEST(test_first_frame_cut)
{
    static const uint8_t full[] = {20, 1, 0, 0, 0, 255, 255, 255, 255, 0, 0,
                                   17, 0, 0, 0, 0, 0,   0,   18,  0,   0};
    static const uint8_t delta[] = {20, 2, 0, 0, 0, 1, 0, 0,  0, 0, 0,
                                    17, 0, 0, 0, 0, 0, 0, 18, 0, 0};
    struct game game;

    game_open(&game);
    q2_tracker_attach(q2_tracker_new(), &game.session);
    game_begin_level(&game, Q2_PROTOCOL_VANILLA, Q2_RECORD_CLIENT);
    assert_false(q2_tracker_lacks_first(game.session.tracker));
    game_block(&game, full, sizeof full - 1);
    assert_true(q2_tracker_lacks_first(game.session.tracker));
    game_block(&game, delta, sizeof delta);
    assert_true(q2_tracker_lacks_first(game.session.tracker));
    assert_int_equal(game_block(&game, full, sizeof full), 0);
    assert_false(q2_tracker_lacks_first(game.session.tracker));
    assert_int_equal(game_block(&game, delta, sizeof delta), 0);
    assert_false(q2_tracker_lacks_first(game.session.tracker));
    game_close(&game);
}

/* What did not change costs nothing, unless it must be reported. */
TEST(test_unchanged_entity)
{
    const struct q2_variant variant = q2_demo_variant(Q2_PROTOCOL_VANILLA);
    const struct q2_entity entity = {.number = 300, .model = {3}, .skin = 0x12345678};
    g_autoptr(GByteArray) out = g_byte_array_new();

    q2_encode_entity(out, &variant, &entity, &entity, false, false);
    assert_int_equal(out->len, 0);
    q2_encode_entity(out, &variant, &entity, &entity, true, false);
    assert_int_equal(out->len, 4);
}

/* Bytes behind the bits and the number, which a byte is enough for. */
static guint size_of_change(const struct q2_variant *variant, const struct q2_entity *from,
                            const struct q2_entity *to)
{
    g_autoptr(GByteArray) out = g_byte_array_new();
    guint bits = 1, size;

    q2_encode_entity(out, variant, from, to, false, false);
    while (bits < 5 && out->data[bits - 1] & 0x80)
        bits++;
    size = out->len - bits - 1;
    return size;
}

/* A step takes two bytes as far as it goes, a place three. */
TEST(test_steps)
{
    static const struct {
        int32_t to;
        guint size;
    } steps[] = {{0x3fff, 2}, {-0x4000, 2}, {0x4000, 3}, {-0x4001, 3}, {0x3fffff, 3}};
    const struct q2_variant variant = q2_demo_variant(Q2_PROTOCOL_EXTENDED_LAST);
    const struct q2_entity nowhere = {.number = 1};

    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++) {
        const struct q2_entity there = {.number = 1, .origin = {steps[i].to}};

        assert_int_equal(size_of_change(&variant, &nowhere, &there), steps[i].size);
    }
}

/* Numbers of 16 bits: id's readers take two bytes for a negative number from 0x8000 on
 * (MSG_ReadShort), so such a number has four, but where limits are extended. */
TEST(test_numbers_with_a_sign)
{
    static const struct {
        uint32_t number;
        guint plain, extended;
    } numbers[] = {{0xff, 1, 1},   {0x100, 2, 2},  {0x7fff, 2, 2},
                   {0x8000, 4, 2}, {0xffff, 4, 2}, {0x10000, 4, 4}};
    const struct q2_variant plain = q2_demo_variant(Q2_PROTOCOL_VANILLA);
    const struct q2_variant extended = q2_demo_variant(Q2_PROTOCOL_EXTENDED_LAST);
    const struct q2_entity nothing = {.number = 1};

    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(numbers); i++) {
        const uint32_t number = numbers[i / 2].number;
        const struct q2_entity skin = {.number = 1, .skin = number};
        const struct q2_entity effects = {.number = 1, .effects = number};

        assert_int_equal(size_of_change(&plain, &nothing, i % 2 ? &skin : &effects),
                         numbers[i / 2].plain);
        assert_int_equal(size_of_change(&extended, &nothing, i % 2 ? &skin : &effects),
                         numbers[i / 2].extended);
    }
}
