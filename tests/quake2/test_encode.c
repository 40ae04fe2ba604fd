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
    struct q2_frame frame, last; /* the next one, and the one that it is a delta from */
    struct game game;            /* decodes the frames */
    const struct q2_tracker *tracker;
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

/* Clears what not every delta carries: the old origin, and the lower bytes of angles. */
static void clear_unsent(struct q2_entity *entity)
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

        clear_unsent(&one);
        clear_unsent(&other);
        assert_memory_equal(&one, &other, sizeof one);
    }
}

static void open_world(struct world *world, int32_t version)
{
    *world = (struct world){.random = g_rand_new_with_seed((guint32)version),
                            .variant = q2_demo_variant(version)};
    game_open(&world->game);
    q2_tracker_attach(q2_tracker_new(), &world->game.session);
    game_begin_level(&world->game, (uint32_t)version, Q2_RECORD_CLIENT);
    world->tracker = world->game.session.tracker;
}

static void close_world(struct world *world)
{
    game_close(&world->game);
    g_rand_free(world->random);
    q2_frame_clear(&world->frame);
    q2_frame_clear(&world->last);
}

/* Encodes the frame and decodes `most` bytes of it. Returns its size, and how many problems it has.
 */
static uint32_t send_frame(struct world *world, int32_t number, bool full, uint32_t most,
                           uint32_t *problems)
{
    const struct q2_frame_style style = {&world->game.session, MAX_CLIENTS, world->variant};
    g_autoptr(GByteArray) out = g_byte_array_new();

    world->frame.number = number;
    q2_encode_frame(out, &style, full ? NULL : &world->last, &world->frame);
    *problems = game_block(&world->game, out->data, MIN(most, out->len));
    return out->len;
}

static const struct q2_frame *read_frame(struct world *world, int32_t number, bool full)
{
    const struct q2_frame *decoded;
    uint32_t problems;

    send_frame(world, number, full, UINT32_MAX, &problems);
    assert_int_equal(problems, 0);
    decoded = q2_tracker_frame(world->tracker, number);
    assert_non_null(decoded);
    assert_int_equal(decoded->trust, Q2_FRAME_WHOLE);
    return decoded;
}

static void round_trip(int32_t version)
{
    static struct world world;

    open_world(&world, version);
    for (unsigned i = 0; i < ENTITIES / 3; i++) {
        g_autoptr(GByteArray) out = g_byte_array_new();
        struct q2_entity baseline = {.number = random_number(&world)};

        random_entity(&world, &baseline);
        q2_encode_baseline(out, &world.variant, &baseline);
        assert_int_equal(game_block(&world.game, out->data, out->len), 0);
    }
    for (int32_t number = 1; number <= FRAMES; number++) {
        const struct q2_frame *decoded;

        random_frame(&world);
        decoded = read_frame(&world, number, number % 20 == 1);
        assert_same_frame(&world.frame, decoded);
        q2_frame_copy(&world.last, decoded);
    }
    close_world(&world);
}

/* 26 has no suppress byte; from 3434 on limits are extended. */
TEST(frames_are_read_as_they_were_written)
{
    static const int32_t versions[] = {26, 34, 3434, 3435, 3436};

    for (unsigned i = 0; i < G_N_ELEMENTS(versions); i++)
        round_trip(versions[i]);
}

/* --- Each byte of a state: if it changes, the change is written, read and shown */

/* Beams have an old origin, and brush models angles of 16 bits. */
static const struct q2_entity plain_entity = {
    .number = 300, .renderfx = RF_BEAM, .solid = Q2_SOLID_BRUSH};

/* A state that is written: of a player, and of an entity; and the number of fields shown of it. */
struct state {
    struct q2_player player;
    struct q2_entity entity;
    uint64_t fields;
};

/* Writes a frame with the plain states, and one with these, and returns the states read of it. */
static struct state read_change(const struct state *changed)
{
    static struct world world;
    struct count_sink sink;
    struct state read;
    const struct q2_frame *frame;

    open_world(&world, Q2_PROTOCOL_EXTENDED_LAST);
    count_sink_init(&sink);
    q2_entities_append(world.frame.entities, &plain_entity);
    q2_frame_copy(&world.last, read_frame(&world, 1, true));
    world.game.sink = &sink.base;
    world.frame.player = changed->player;
    q2_entities_empty(world.frame.entities);
    q2_entities_append(world.frame.entities, &changed->entity);
    frame = read_frame(&world, 2, false);
    assert_int_equal(frame->entities->len, 1);
    read = (struct state){frame->player, *q2_entities_at(frame->entities, 0), sink.fields};
    close_world(&world);
    return read;
}

/* Changes the byte of a state, at `at` in the struct, which is to be shown and read. */
static void check_byte(size_t at, const char *table)
{
    struct state state = {.entity = plain_entity};
    const uint64_t fields = read_change(&state).fields;
    struct state read;

    ((uint8_t *)&state)[at] ^= 1;
    read = read_change(&state);
    if (memcmp(&read, &state, offsetof(struct state, fields)) != 0)
        fail_msg("byte %zu of a state: no row of %s has it", at, table);
    assert_true(read.fields > fields);
}

/* The byte is the member's; or it is the top one of a coordinate: the wire has 23 bits of that. */
#define IS_IN(at, member)                                                                          \
    ((at)-offsetof(struct state, member) < sizeof(((struct state *)0)->member))
#define IS_TOP_OF(at, member) (IS_IN(at, member) && ((at)-offsetof(struct state, member)) % 4 == 3)

TEST(each_byte_of_an_entity_is_written_and_shown)
{
    const size_t begin = offsetof(struct state, entity);

    for (size_t at = begin; at < begin + sizeof(struct q2_entity); at++)
        if (!IS_IN(at, entity.number) && !IS_IN(at, entity.unused) &&
            !IS_TOP_OF(at, entity.origin) && !IS_TOP_OF(at, entity.old_origin))
            check_byte(at, "entity_fields.def");
}

TEST(each_byte_of_a_player_is_written_and_shown)
{
    for (size_t at = 0; at < sizeof(struct q2_player); at++)
        if (!IS_IN(at, player.unused) && !IS_IN(at, player.fog.unused) &&
            !IS_IN(at, player.clientnum) /* no demo has it */ && !IS_TOP_OF(at, player.origin) &&
            !IS_TOP_OF(at, player.velocity) && !IS_TOP_OF(at, player.fog.start_dist) &&
            !IS_TOP_OF(at, player.fog.end_dist))
            check_byte(at, "player_fields.def");
}

/* Each bit has a row, or is one that no field belongs to. */
TEST(each_bit_has_a_row)
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
    const struct q2_frame *frame;
    uint32_t sizes[3], problems;

    open_world(&world, Q2_PROTOCOL_VANILLA);
    for (int32_t number = 1; number <= 3; number++) {
        const uint32_t most = number == 2 ? size : UINT32_MAX;

        random_frame(&world);
        sizes[number - 1] = send_frame(&world, number, number == 1, most, &problems);
        q2_frame_copy(&world.last, &world.frame);
    }
    frame = q2_tracker_frame(world.tracker, 3);
    assert_non_null(frame);
    assert_int_equal(!q2_tracker_frame(world.tracker, 2), size < sizes[1]);
    assert_int_equal(frame->reference_missing, size < sizes[1]);
    assert_int_equal(frame->trust, size < sizes[1] ? Q2_FRAME_GUESSED : Q2_FRAME_WHOLE);
    close_world(&world);
    return sizes[1];
}

TEST(a_frame_that_was_cut_is_no_base)
{
    const uint32_t whole = check_cut_frame(0);

    for (uint32_t size = 1; size < whole; size += 1 + whole / 64)
        check_cut_frame(size);
    check_cut_frame(whole - 1);
    check_cut_frame(whole);
}

/* Where the first frame of a level is cut, it is missing; later ones are changes to it. */
TEST(a_level_lacks_its_first_frame_until_a_full_one)
{
    static const uint8_t full[] = {20, 1, 0, 0, 0, 255, 255, 255, 255, 0, 0,
                                   17, 0, 0, 0, 0, 0,   0,   18,  0,   0};
    static const uint8_t delta[] = {20, 2, 0, 0, 0, 1, 0, 0,  0, 0, 0,
                                    17, 0, 0, 0, 0, 0, 0, 18, 0, 0};
    const struct {
        const uint8_t *bytes;
        size_t size;
        bool lacks_first;
    } blocks[] = {{full, sizeof full - 1, true},
                  {delta, sizeof delta, true},
                  {full, sizeof full, false},
                  {delta, sizeof delta, false}};
    static struct world world;

    open_world(&world, Q2_PROTOCOL_VANILLA);
    assert_false(q2_tracker_lacks_first(world.tracker));
    for (unsigned i = 0; i < G_N_ELEMENTS(blocks); i++) {
        const uint32_t problems = game_block(&world.game, blocks[i].bytes, blocks[i].size);

        assert_true(!problems || blocks[i].lacks_first);
        assert_int_equal(q2_tracker_lacks_first(world.tracker), blocks[i].lacks_first);
    }
    close_world(&world);
}

/* What did not change costs nothing, unless it must be reported. */
TEST(an_unchanged_entity_costs_nothing)
{
    const struct q2_variant variant = q2_demo_variant(Q2_PROTOCOL_VANILLA);
    const struct q2_entity entity = {.number = 300, .model = {3}, .skin = 0x12345678};
    g_autoptr(GByteArray) out = g_byte_array_new();

    q2_encode_entity(out, &variant, &entity, &entity, false, false);
    assert_int_equal(out->len, 0);
    q2_encode_entity(out, &variant, &entity, &entity, true, false);
    assert_int_equal(out->len, 4);
}

/* Returns how many bytes follow the bits and the number, which takes one byte. */
static guint size_of_change(const struct q2_variant *variant, const struct q2_entity *from,
                            const struct q2_entity *to)
{
    g_autoptr(GByteArray) out = g_byte_array_new();
    guint bits = 1;

    q2_encode_entity(out, variant, from, to, false, false);
    while (bits < 5 && out->data[bits - 1] & 0x80)
        bits++;
    return out->len - bits - 1;
}

/* A step from -0x4000 to 0x3fff takes two bytes, any other place three. */
TEST(small_steps_take_two_bytes)
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
TEST(numbers_from_0x8000_on_take_four_bytes)
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
