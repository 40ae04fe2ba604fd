/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values that traffic rarely has. The bytes and what they mean were worked out by hand from the
 * engines' readers (id: cl_ents.c, cl_parse.c, common.c MSG_Read*; Q2PRO: client/parse.c,
 * common/msg.c), not by the writer of this project.
 */
#include "tests/quake2/unit.h"

#include <math.h>
#include <string.h>

#include "common/quake2/constants.h"

#define BLOCK(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})

/* --- What a decode shows */

struct seen {
    unsigned id;
    double number;
    char text[32];
};

struct watch {
    struct qs_sink base;
    struct game game;
    GArray *seen; /* struct seen, of the packet decoded last */
};

static double number_of(const struct qs_field *field, const struct qs_value *value)
{
    switch (field->type) {
    case QS_I8:
    case QS_I16:
    case QS_I32:
        return (double)value->i;
    case QS_FLOAT:
    case QS_DOUBLE:
    case QS_COORD:
    case QS_ANGLE:
        return value->f;
    case QS_TEXT:
    case QS_BYTES:
        return 0;
    default:
        return (double)value->u;
    }
}

static void see(struct qs_sink *sink, const struct qs_field *field, const struct qs_value *value)
{
    struct watch *watch = (struct watch *)sink;
    struct seen seen = {.id = (unsigned)(field - q2_fields), .number = number_of(field, value)};

    if (field->type == QS_TEXT)
        g_snprintf(seen.text, sizeof seen.text, "%.*s", (int)value->bytes.size,
                   (const char *)value->bytes.data);
    g_array_append_val(watch->seen, seen);
}

static void watch_open(struct watch *watch)
{
    memset(watch, 0, sizeof *watch);
    watch->base.field = see;
    watch->seen = g_array_new(FALSE, FALSE, sizeof(struct seen));
    game_open(&watch->game);
    watch->game.sink = &watch->base;
    q2_tracker_attach(q2_tracker_new(), &watch->game.session);
}

static void watch_close(struct watch *watch)
{
    game_close(&watch->game);
    g_array_free(watch->seen, TRUE);
}

static void watch_again(struct watch *watch)
{
    watch_close(watch);
    watch_open(watch);
}

#define WATCH_TEST(function) TEST_WITH(function, struct watch, watch, watch_open, watch_close)

static uint32_t read_block(struct watch *watch, const uint8_t *data, size_t size)
{
    g_array_set_size(watch->seen, 0);
    return game_block(&watch->game, data, size);
}

static uint32_t read_packet(struct watch *watch, enum qs_end from, const uint8_t *data, size_t size)
{
    g_array_set_size(watch->seen, 0);
    return game_packet(&watch->game, from, data, size);
}

/* The nth time, counted from 0, that the row was shown. */
static const struct seen *nth(const struct watch *watch, unsigned id, unsigned n)
{
    for (guint i = 0; i < watch->seen->len; i++) {
        const struct seen *seen = &g_array_index(watch->seen, struct seen, i);

        if (seen->id == id && !n--)
            return seen;
    }
    return NULL;
}

struct shown {
    unsigned id, n; /* the nth time, counted from 0 */
    double number;
};

static void assert_shows(const struct watch *watch, const struct shown *shown, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct seen *seen = nth(watch, shown[i].id, shown[i].n);

        if (!seen || seen->number != shown[i].number)
            fail_msg("%s: %g", q2_fields[shown[i].id].name, seen ? seen->number : NAN);
    }
}

#define SHOWS(...)                                                                                 \
    assert_shows(watch, (const struct shown[]){__VA_ARGS__},                                       \
                 sizeof((const struct shown[]){__VA_ARGS__}) / sizeof(struct shown))
/* A block without a problem; with one. */
#define READS(...) assert_int_equal(read_block(watch, BLOCK(__VA_ARGS__)), 0)
#define REFUSES(...) assert_int_not_equal(read_block(watch, BLOCK(__VA_ARGS__)), 0)
/* A block without a problem, and the number that it shows first. */
#define SHOWN(id, number, ...)                                                                     \
    do {                                                                                           \
        READS(__VA_ARGS__);                                                                        \
        SHOWS({id, 0, number});                                                                    \
    } while (0)

static void assert_shows_vector(const struct watch *watch, unsigned id, double x, double y,
                                double z)
{
    SHOWS({id + 1, 0, x}, {id + 2, 0, y}, {id + 3, 0, z});
}

/* svc_serverdata of protocol 34: player 0, no game directory, level "". */
static void begin_34(struct watch *watch)
{
    READS(12, 34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
}

/* The same of Q2PRO from 1024 on, with flags. */
static void begin_36(struct watch *watch, unsigned minor, uint8_t flags)
{
    READS(12, 36, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, (uint8_t)minor, (uint8_t)(minor >> 8), 2,
          flags, 0);
}

/* Up to 1023: three bytes in place of the flags. */
static void begin_old_36(struct watch *watch, unsigned minor)
{
    READS(12, 36, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, (uint8_t)minor, (uint8_t)(minor >> 8), 2, 0,
          0, 0);
}

/* Connected as protocol 35 with that minor version; the server always names 1905. */
static void begin_35(struct watch *watch, unsigned minor)
{
    g_autofree char *connect = g_strdup_printf("\xff\xff\xff\xff"
                                               "connect 35 7 1 \"\\name\\x\" 1390 %u\n",
                                               minor);

    read_packet(watch, QS_END_A, (const uint8_t *)connect, strlen(connect));
    read_packet(watch, QS_END_B,
                (const uint8_t *)"\xff\xff\xff\xff"
                                 "client_connect",
                18);
    READS(12, 35, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x71, 0x07, 0, 0);
}

/* --- 16 bits from 0x8000 on */

/* A full frame 1 with nothing in its areas, up to svc_playerinfo. */
#define FRAME_34 20, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 17

WATCH_TEST(test_player_is_signed)
{
    begin_34(watch);
    /* Origin, velocity, gravity, delta angles, view angles, two stats; then no entities. */
    READS(FRAME_34, 0x66, 0x01, 0x00, 0x80, 0x01, 0x80, 0xff, 0xff, 0xff, 0x7f, 0x00, 0x80, 0xfe,
          0xff, 0x00, 0x80, 0x00, 0x80, 0x00, 0xc0, 0xff, 0xff, 0x00, 0x80, 0x00, 0x40, 0x01, 0x80,
          0x03, 0, 0, 0, 0x00, 0x80, 0xff, 0xff, 18, 0, 0);
    assert_shows_vector(watch, Q2_PLAYER_ORIGIN, -4096, -4095.875, -0.125);
    assert_shows_vector(watch, Q2_PLAYER_VELOCITY, 4095.875, -4096, -0.25);
    SHOWS({Q2_PLAYER_GRAVITY, 0, -32768});
    assert_shows_vector(watch, Q2_PLAYER_DELTA_ANGLES, -180, -90, -360.0 / 65536);
    assert_shows_vector(watch, Q2_PLAYER_VIEWANGLES, -180, 90, -32767 * 360.0 / 65536);
    SHOWS({Q2_PLAYER_STAT_VALUE, 0, -32768}, {Q2_PLAYER_STAT_VALUE, 1, -1});
}

/* Yquake2 cl_parse.c, CL_ParsePlayerstate: bytes stand for 0 to 1. */
WATCH_TEST(test_blend)
{
    begin_34(watch);
    READS(FRAME_34, 0x00, 0x04, 0xff, 0, 51, 0xff, 0, 0, 0, 0, 18, 0, 0);
    SHOWS({Q2_PLAYER_BLEND + 1, 0, 1}, {Q2_PLAYER_BLEND + 2, 0, 0}, {Q2_PLAYER_BLEND + 3, 0, 0.2});
}

/* Entity 5 of a full frame: frame, skin, effects, render flags in 16 bits, origin, old origin,
 * solid. Indices and flags have no sign, positions do. */
WATCH_TEST(test_entity_words)
{
    const struct q2_frame *frame;
    const struct q2_entity *entity;

    begin_34(watch);
    READS(FRAME_34, 0, 0, 0, 0, 0, 0, 18,
          /* ORIGIN1, ORIGIN2, MOREBITS1; ORIGIN3, MOREBITS2; FRAME16,
           * RENDERFX16, EFFECTS16, MOREBITS3; OLDORIGIN, SKIN16, SOLID */
          0x83, 0x82, 0x8e, 0x0b, 5, 0x00, 0x80, 0x01, 0x80, 0xff, 0xff, 0x00, 0xc0, 0x00, 0x80,
          0xff, 0x7f, 0xfe, 0xff, 0x00, 0x80, 0x01, 0x80, 0xff, 0xff, 0x00, 0x80, 0, 0);
    SHOWS({Q2_ENTITY_FRAME, 0, 32768}, {Q2_ENTITY_SKIN, 0, 32769}, {Q2_ENTITY_EFFECTS, 0, 65535},
          {Q2_ENTITY_RENDERFX, 0, 49152});
    assert_shows_vector(watch, Q2_ENTITY_ORIGIN, -4096, 4095.875, -0.25);
    assert_shows_vector(watch, Q2_ENTITY_OLDORIGIN, -4096, -4095.875, -0.125);
    /* id, cl_pred.c CL_ClipMoveToEntities: 8 times 5, 5 and 6 bits, the last one 32 less. */
    SHOWS({Q2_ENTITY_SOLID, 0, 0x8000}, {Q2_ENTITY_SOLID_RADIUS, 0, 0},
          {Q2_ENTITY_SOLID_DOWN, 0, 0}, {Q2_ENTITY_SOLID_UP, 0, 224});
    frame = q2_tracker_frame(watch->game.session.tracker, 1);
    assert_non_null(frame);
    entity = q2_entities_at(frame->entities, 0);
    assert_int_equal(entity->frame, 32768);
    assert_int_equal(entity->skin, 32769);
    assert_int_equal(entity->effects, 65535);
    assert_int_equal(entity->renderfx, 49152);
    assert_int_equal(entity->origin[0], -32768);
    assert_int_equal(entity->old_origin[1], -32767);
    assert_int_equal(entity->solid, 0x8000);
}

WATCH_TEST(test_words_of_messages)
{
    begin_34(watch);
    SHOWN(Q2_MUZZLEFLASH_ENTITY, 32768, 1, 0x00, 0x80, 0);
    SHOWN(Q2_MUZZLEFLASH2_ENTITY, 65535, 2, 0xff, 0xff, 1);
    /* Entity and position of a sound. */
    READS(9, 0x0c, 1, 0x07, 0x80, 0, 0x80, 0xff, 0x7f, 0xff, 0xff);
    SHOWS({Q2_SOUND_ENTITY, 0, 4096}, {Q2_SOUND_CHANNEL, 0, 7});
    assert_shows_vector(watch, Q2_SOUND_POSITION, -4096, 4095.875, -0.125);
    /* TE_PARASITE_ATTACK: entity, origin, end. */
    READS(3, 16, 0x00, 0x80, 0, 0x80, 0, 0, 0, 0, 1, 0x80, 0, 0, 0, 0);
    SHOWS({Q2_TE_ENTITY, 0, -32768}, {Q2_TE_ORIGIN_X, 0, -4096}, {Q2_TE_END_X, 0, -4095.875});
    /* TE_STEAM that does not last: effect, count, origin, direction, color, magnitude. */
    READS(3, 40, 0xff, 0xff, 255, 0, 0x80, 0, 0, 0, 0, 161, 255, 0x00, 0x80);
    SHOWS({Q2_TE_ID, 0, -1}, {Q2_TE_COUNT, 0, 255}, {Q2_TE_MAGNITUDE, 0, -32768});
    /* TE_DAMAGE_DEALT. */
    SHOWN(Q2_TE_DAMAGE, -1, 3, 128, 0xff, 0xff);
    /* A config string that does not exist. */
    REFUSES(13, 0x00, 0x80, 'a', 0);
    SHOWS({Q2_CONFIGSTRING_INDEX, 0, 32768});
}

WATCH_TEST(test_inventory_is_signed)
{
    uint8_t block[1 + 2 * 256] = {5, 0x00, 0x80, 0xff, 0xff};

    block[sizeof block - 1] = 0xc0; /* of the last item */
    begin_34(watch);
    assert_int_equal(read_block(watch, block, sizeof block), 0);
    SHOWS({Q2_INVENTORY_COUNT, 0, -32768}, {Q2_INVENTORY_COUNT, 1, -1},
          {Q2_INVENTORY_COUNT, 255, -16384});
}

WATCH_TEST(test_serverdata_words)
{
    READS(12, 34, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0xff, 0xff, 0);
    SHOWS({Q2_SERVERDATA_COUNT, 0, -1}, {Q2_SERVERDATA_PLAYER, 0, -1});
    /* Minor version and flags have no sign. */
    READS(12, 36, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x80, 0, 0x00, 0x80, 2, 0x00, 0x80);
    SHOWS({Q2_SERVERDATA_PLAYER, 0, -32768}, {Q2_SERVERDATA_MINOR, 0, 32768},
          {Q2_SERVERDATA_FLAGS, 0, 32768});
}

#define SERVERDATA_38 12, 38, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0xc7, 0x0b, 2, 1, 0, 1

/* AQtion: its own server data and messages; masks of one and two bytes. */
WATCH_TEST(test_aqtion_messages)
{
    READS(SERVERDATA_38);
    SHOWS({Q2_SERVERDATA_MINOR, 0, 3015}, {Q2_SERVERDATA_STRAFEJUMP, 0, 1},
          {Q2_SERVERDATA_WATERJUMP, 0, 1});
    READS(29, 7, 0x80, 1, 9, 0x7f, 2, 0x09, 0x80, 0xff, 0xff, 'h', 'i', 0, 1, 2, 3, 255, 0xfe, 0xff,
          4, 0, 5, 0, 100, 200, 0x10, 0, 0x20, 0, 255);
    SHOWS({Q2_GHUD_INDEX, 0, 7}, {Q2_GHUD_BITS_BLANK, 0, 1}, {Q2_GHUD_INDEX, 1, 9},
          {Q2_GHUD_TYPE, 0, 2}, {Q2_GHUD_FLAGS, 0, 0x8009}, {Q2_GHUD_VALUE, 0, -1});
    assert_string_equal(nth(watch, Q2_GHUD_TEXT, 0)->text, "hi");
    SHOWS({Q2_GHUD_COLOR_ALPHA, 0, 255}, {Q2_GHUD_ORIGIN_X, 0, -2}, {Q2_GHUD_ANCHOR_X, 0, 0.5},
          {Q2_GHUD_ANCHOR_Y, 0, 1}, {Q2_GHUD_SIZE_Y, 0, 32}, {Q2_GHUD_INDEX, 2, 255});
    SHOWN(Q2_CVARSYNC_COUNT, 2, 30, 32, 2, 'a', 0, '1', 0, 'b', 0, '2', 0, 31, 'k', 0, 0xff, 0xff,
          0xff, 0xff, 30, 31, 'x', 0, 5, 0, 0, 0);
    assert_string_equal(nth(watch, Q2_CVARSYNC_VALUE, 1)->text, "2");
    SHOWS({Q2_USERSTATISTIC_VALUE, 0, -1}, {Q2_USERSTATISTIC_VALUE, 1, 5});
    REFUSES(30, 30, 6);
    REFUSES(29, 7);
}

/* Its frames keep the numbers of svc_playerinfo and svc_packetentities. */
WATCH_TEST(test_aqtion_frames)
{
    READS(SERVERDATA_38);
    /* Frame 5 in full: no areas; gravity, AQtion's three fields, client number 9, no entities. */
    READS(20 | 4 << 5, 5, 0, 0, 0xf8, 0, 0, 17, 0x20, 0, 0x20, 3, 7, 0xaa, 0x34, 0x12, 2, 9, 18, 0,
          0);
    SHOWS({Q2_FRAME_NUMBER, 0, 5}, {Q2_PLAYER_AQTION_PM_FLAGS, 0, 0xaa},
          {Q2_PLAYER_AQTION_TIMESTAMP, 0, 0x1234}, {Q2_PLAYER_AQTION_LEG_HITS, 0, 2},
          {Q2_PLAYER_CLIENTNUM, 0, 9});
    REFUSES(20, 6, 0, 0, 0xf8, 0, 0, 16, 0, 0, 0, 18, 0, 0);
}

#define SERVERDATA_1038(low, high)                                                                 \
    12, 0x0e, 4, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 2, low, high, 40

/* q2repro: messages of the rerelease, numbered otherwise from 24 on; coordinates are floats. */
WATCH_TEST(test_q2repro_messages)
{
    SHOWN(Q2_SERVERDATA_FPS, 40, SERVERDATA_1038(0x1d, 0));
    assert_int_equal(watch->game.session.level.frame_rate, 40);
    READS(25, 2, 0xa3, 5, 0x41, 9);
    SHOWS({Q2_DAMAGE_AMOUNT, 0, 3}, {Q2_DAMAGE_SHIELD, 0, 1}, {Q2_DAMAGE_ARMOR, 1, 1},
          {Q2_DAMAGE_DIRECTION, 1, 9});
    READS(27, 0xff, 0xff, 0, 0, 0, 0x3f, 7, 1, 2, 3, 0xe8, 3, 0, 0, 0x80, 0x3e, 0, 0, 0, 0x40, 4, 5,
          6, 0xff, 0xff, 0xff, 0xff, 7, 8, 9, 100, 0, 0, 0);
    SHOWS({Q2_FOG_DENSITY, 0, 0.5}, {Q2_FOG_BLUE, 0, 3 * (1 / 255.0)}, {Q2_FOG_TIME, 0, 1},
          {Q2_FOG_FALLOFF, 0, 0.25}, {Q2_FOG_HEIGHT_DENSITY, 0, 2},
          {Q2_FOG_START_RED, 0, 4 * (1 / 255.0)}, {Q2_FOG_START_DIST, 0, -1},
          {Q2_FOG_END_BLUE, 0, 9 * (1 / 255.0)}, {Q2_FOG_END_DIST, 0, 100});
    READS(30, 1, 0, 2, 0, 0, 0, 0xc0, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0x40, 3, 0, 4, 5, 31, 1, 0, 0, 0,
          0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 6, 32, 7, 0, 0x2c, 1, 33, 'a', 0);
    SHOWS({Q2_POI_ORIGIN_X, 0, -1.5}, {Q2_POI_ORIGIN_Z, 0, 2}, {Q2_POI_FLAGS, 0, 5},
          {Q2_HELP_PATH_ORIGIN_X, 0, 0.5}, {Q2_MUZZLEFLASH3_ID, 0, 300});
    assert_string_equal(nth(watch, Q2_ACHIEVEMENT_ID, 0)->text, "a");
    REFUSES(26, 0);
    REFUSES(21, 0);
}

/* The config strings end elsewhere in each kind of game: an end mark tells. */
WATCH_TEST(test_q2repro_config_strings)
{
    static const struct {
        uint8_t low, high;
        uint16_t end;
    } games[] = {{0x1d, 0, 12448}, {0, 0x80, 2080}, {8, 0x80, 13630}, {0x18, 0x80, 13630}};

    for (unsigned i = 0; i < G_N_ELEMENTS(games); i++) {
        const uint16_t end = games[i].end;

        watch_again(watch);
        READS(SERVERDATA_1038(games[i].low, games[i].high));
        SHOWN(Q2_STREAM_END, end, 38, 5, 0, 'x', 0, (uint8_t)end, (uint8_t)(end >> 8), 6);
    }
}

WATCH_TEST(test_q2repro_frames)
{
    READS(SERVERDATA_1038(0x1d, 0));
    /* Frame 5 in full: x and y, a view offset, view height, gun rate, a statistic above 31. */
    READS(20, 5, 0, 0, 0xf8, 0, 0xa0, 0, 0x82, 0x80, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0x10, 0, 0xf0,
          0xff, 0x60, 1, 0, 0, 0, 0, 1, 0, 0, 0, 9, 0, 40, 0xfe, 0, 0);
    SHOWS({Q2_FRAME_NUMBER, 0, 5}, {Q2_PLAYER_ORIGIN_X, 0, 1}, {Q2_PLAYER_ORIGIN_Y, 0, 2},
          {Q2_PLAYER_VIEWOFFSET_X, 0, 1}, {Q2_PLAYER_VIEWOFFSET_Y, 0, -1},
          {Q2_PLAYER_VIEWOFFSET_Z, 0, 22}, {Q2_PLAYER_STAT_INDEX, 0, 32},
          {Q2_PLAYER_STAT_VALUE, 0, 9}, {Q2_PLAYER_GUNRATE, 0, 40}, {Q2_PLAYER_VIEWHEIGHT, 0, -2});
}

/* A move of protocol 34: checksum, last frame, three commands. The first one has all fields. */
WATCH_TEST(test_moves_are_signed)
{
    read_packet(watch, QS_END_A,
                BLOCK(0xff, 0xff, 0xff, 0xff, 'c', 'o', 'n', 'n', 'e', 'c', 't', ' ', '3', '4', ' ',
                      '7', ' ', '1', ' ', '"', '"'));
    read_packet(watch, QS_END_B,
                BLOCK(0xff, 0xff, 0xff, 0xff, 'c', 'l', 'i', 'e', 'n', 't', '_', 'c', 'o', 'n', 'n',
                      'e', 'c', 't'));
    read_packet(watch, QS_END_A,
                BLOCK(1, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 2, 0, 0xff, 0xff, 0xff, 0xff, 0x3f, 0x00,
                      0x80, 0x00, 0xc0, 0xff, 0xff, 0x00, 0x80, 0xff, 0xff, 0x70, 0xfe, 100, 0, 0,
                      16, 0, 0, 16, 0));
    SHOWS({Q2_QPORT, 0, 65535}, {Q2_MOVE_LASTFRAME, 0, -1});
    assert_shows_vector(watch, Q2_USERCMD_ANGLES, -180, -90, -360.0 / 65536);
    SHOWS({Q2_USERCMD_FORWARD, 0, -32768}, {Q2_USERCMD_SIDE, 0, -1}, {Q2_USERCMD_UP, 0, -400},
          {Q2_USERCMD_MSEC, 0, 100});
}

/* --- Versions */

/* What follows svc_frame in protocols 35 and 36: frame `number` in full, no areas. */
#define FULL_FRAME(number) 20, number, 0, 0, 0xf8, 0, 0
/* A frame from the one before. */
#define NEXT_FRAME(number) 20, number, 0, 0, 0x08, 0, 0
#define NO_PLAYER 0, 0
#define NO_MORE_ENTITIES 0, 0

/* Entity 5, a beam, moves: does its end move, too? */
WATCH_TEST(test_beam_origin)
{
    for (unsigned minor = 1016; minor <= 1017; minor++) {
        const struct q2_frame *frame;

        watch_again(watch);
        begin_old_36(watch, minor);
        /* ORIGIN1, MOREBITS1; RENDERFX8, MOREBITS2; MOREBITS3; OLDORIGIN */
        READS(FULL_FRAME(1), NO_PLAYER, 0x81, 0x90, 0x80, 0x01, 5, 0x80, 8, 0, 80, 0, 0, 0, 0, 0,
              NO_MORE_ENTITIES);
        READS(NEXT_FRAME(2), NO_PLAYER, 0x01, 5, 16, 0, NO_MORE_ENTITIES);
        frame = q2_tracker_frame(watch->game.session.tracker, 2);
        assert_non_null(frame);
        assert_int_equal(q2_entities_at(frame->entities, 0)->origin[0], 16);
        assert_int_equal(q2_entities_at(frame->entities, 0)->old_origin[0], minor < 1017 ? 8 : 80);
    }
}

/* U_ANGLE16 makes the pitch a short from 1018 on. */
WATCH_TEST(test_short_angles)
{
    begin_old_36(watch, 1017);
    SHOWN(Q2_ENTITY_ANGLES_PITCH, -180, FULL_FRAME(1), NO_PLAYER, 0x80, 0x24, 5, 0x80,
          NO_MORE_ENTITIES);
    watch_again(watch);
    begin_old_36(watch, 1018);
    SHOWN(Q2_ENTITY_ANGLES_PITCH, -32767 * 360.0 / 65536, FULL_FRAME(1), NO_PLAYER, 0x80, 0x24, 5,
          0x01, 0x80, NO_MORE_ENTITIES);
}

/* Extra bit 6, the third of the upper three bits of the message's byte: the client's number. */
WATCH_TEST(test_client_number)
{
    begin_old_36(watch, 1021);
    SHOWN(Q2_PLAYER_CLIENTNUM, 200, 20 | 0x80, 1, 0, 0, 0xf8, 0, 0, NO_PLAYER, 200,
          NO_MORE_ENTITIES);
    watch_again(watch);
    begin_old_36(watch, 1022);
    SHOWN(Q2_PLAYER_CLIENTNUM, -1, 20 | 0x80, 1, 0, 0, 0xf8, 0, 0, NO_PLAYER, 0xff, 0xff,
          NO_MORE_ENTITIES);
}

/* Three bytes up to 1023, two from 1024 on; what follows is svc_nop. */
WATCH_TEST(test_serverdata_flags)
{
    READS(12, 36, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 3, 2, 1, 1, 1, 6);
    assert_int_equal(watch->game.decoder.found.messages->len, 2);
    SHOWS({Q2_SERVERDATA_WATERJUMP, 0, 1});
    assert_null(nth(watch, Q2_SERVERDATA_FLAGS, 0));
    READS(12, 36, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 4, 2, 8, 0, 6);
    assert_int_equal(watch->game.decoder.found.messages->len, 2);
    SHOWS({Q2_SERVERDATA_FLAGS, 0, 8});
    assert_true(watch->game.session.variant.extensions);
    assert_false(watch->game.session.variant.extensions2);
}

/* Bit 15 of the player's mask brings a third byte with bit 16, fog: here its density and how much
 * of it the sky has. Before 1026 the bit means nothing. */
WATCH_TEST(test_fog)
{
    begin_36(watch, 1025, 24);
    READS(FULL_FRAME(1), 0x00, 0x80, NO_MORE_ENTITIES);
    watch_again(watch);
    begin_36(watch, 1026, 24);
    READS(FULL_FRAME(1), 0x00, 0x80, 0x01, 0x02, 0xff, 0xff, 0x00, 0x80, NO_MORE_ENTITIES);
    SHOWS({Q2_PLAYER_FOG_DENSITY, 0, 1}, {Q2_PLAYER_FOG_SKY, 0, 32768 / 65535.0});
}

/* U_SOLID in 16 bits or 32: the lower of the client's and the server's minor version counts. */
WATCH_TEST(test_solids_of_r1q2)
{
    begin_35(watch, 1904);
    READS(FULL_FRAME(1), NO_PLAYER, 0x80, 0x80, 0x80, 0x08, 5, 0xff, 0xff, NO_MORE_ENTITIES);
    SHOWS({Q2_ENTITY_SOLID, 0, 65535}, {Q2_ENTITY_SOLID_RADIUS, 0, 248},
          {Q2_ENTITY_SOLID_DOWN, 0, 248}, {Q2_ENTITY_SOLID_UP, 0, 472});
    watch_again(watch);
    begin_35(watch, 1905);
    READS(FULL_FRAME(1), NO_PLAYER, 0x80, 0x80, 0x80, 0x08, 5, 200, 130, 0xff, 0xff,
          NO_MORE_ENTITIES);
    SHOWS({Q2_ENTITY_SOLID_RADIUS, 0, 200}, {Q2_ENTITY_SOLID_DOWN, 0, 130},
          {Q2_ENTITY_SOLID_UP, 0, 32767});
}

/* From 1904 on buttons come first, and may say that the forward move is one byte, in steps of 5. */
WATCH_TEST(test_moves_of_r1q2)
{
    begin_35(watch, 1903);
    assert_int_equal(read_packet(watch, QS_END_A,
                                 BLOCK(1, 0, 0, 0, 0, 0, 0, 0, 7, 2, 1, 0, 0, 0, 0x48, 0x38, 0xff,
                                       5, 10, 0, 0, 10, 0, 0, 10, 0)),
                     0);
    SHOWS({Q2_USERCMD_FORWARD, 0, -200}, {Q2_USERCMD_BUTTONS, 0, 5});
    watch_again(watch);
    begin_35(watch, 1904);
    assert_int_equal(read_packet(watch, QS_END_A,
                                 BLOCK(1, 0, 0, 0, 0, 0, 0, 0, 7, 2, 1, 0, 0, 0, 0x48, 0x85, 0xd8,
                                       10, 0, 0, 10, 0, 0, 10, 0)),
                     0);
    SHOWS({Q2_USERCMD_FORWARD, 0, -200});
    SHOWS({Q2_USERCMD_BUTTONS, 1, 129}); /* of them; the next command has those */
}

/* Q2PRO, common/msg.c MSG_ReadDeltaUsercmd_Enhanced: three bits are attack, use and any (128). */
WATCH_TEST(test_moves_of_q2pro)
{
    begin_36(watch, 1024, 0);
    assert_int_equal(
        read_packet(watch, QS_END_A,
                    BLOCK(1, 0, 0, 0, 0, 0, 0, 0, 7, 11, 1, 0, 0, 0, 9, 0x21, 0x50, 0x01)),
        0);
    SHOWS({Q2_USERCMD_BUTTONS, 0, 129});
}

/* --- Suppressed frames */

WATCH_TEST(test_suppress_counts)
{
    static const uint8_t counts[] = {7, 8, 15, 16, 255};

    begin_34(watch);
    for (unsigned i = 0; i < sizeof counts; i++) {
        SHOWN(Q2_FRAME_SUPPRESSED, counts[i], 20, (uint8_t)(i + 1), 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
              counts[i], 0, 17, 0, 0, 0, 0, 0, 0, 18, 0, 0);
        assert_int_equal(q2_tracker_frame(watch->game.session.tracker, (int32_t)i + 1)->suppressed,
                         counts[i]);
    }
}

/* Four bits; above them are extra bits 0 to 3, here bit 0: the gun's offset. */
WATCH_TEST(test_packed_suppress_counts)
{
    begin_35(watch, 1905);
    for (uint8_t count = 7; count <= 15; count++) {
        SHOWN(Q2_FRAME_FLAGS, count, 20, count, 0, 0, 0xf8, 0x10 | count, 0, NO_PLAYER, 0xfc, 4,
              0x80, NO_MORE_ENTITIES);
        SHOWS({Q2_FRAME_EXTRA, 0, 1});
        assert_shows_vector(watch, Q2_PLAYER_GUNOFFSET, -1, 1, -32);
        assert_int_equal(q2_tracker_frame(watch->game.session.tracker, count)->suppressed, count);
    }
}

/* --- Players and levels */

/* Config string `index` of 16 bits. */
static void set_string(struct watch *watch, unsigned index, const char *text)
{
    uint8_t block[64] = {13, (uint8_t)index, (uint8_t)(index >> 8)};

    memcpy(block + 3, text, strlen(text) + 1);
    assert_int_equal(read_block(watch, block, 3 + strlen(text) + 1), 0);
}

static const char *flashing_player(struct watch *watch, unsigned entity)
{
    const struct seen *seen;

    READS(1, (uint8_t)entity, (uint8_t)(entity >> 8), 0);
    seen = nth(watch, Q2_MUZZLEFLASH_PLAYER, 0);
    return seen ? seen->text : NULL;
}

/* Players are entities 1 to maxclients; CS_MAXCLIENTS is 30, CS_PLAYERSKINS 1312. */
WATCH_TEST(test_last_player)
{
    begin_34(watch);
    set_string(watch, 30, "8");
    set_string(watch, 1312 + 7, "the last\\male/grunt");
    set_string(watch, 1312 + 8, "nobody\\male/grunt");
    assert_string_equal(flashing_player(watch, 8), "the last");
    assert_null(flashing_player(watch, 9));
    assert_null(flashing_player(watch, 7));
    assert_null(flashing_player(watch, 0));
    set_string(watch, 30, "256");
    set_string(watch, 1312 + 255, "player 255\\male/grunt");
    assert_string_equal(flashing_player(watch, 256), "player 255");
    assert_null(flashing_player(watch, 257));
}

/* What a level had is gone in the next one: names, baselines, frames. */
WATCH_TEST(test_next_level)
{
    const struct q2_frame *frame;

    begin_34(watch);
    set_string(watch, 30, "8");
    set_string(watch, 1312, "first\\male/grunt");
    set_string(watch, 32 + 7, "models/first.md2");
    /* Baseline of entity 5: model 7, origin x 800. */
    READS(14, 0x81, 0x08, 5, 7, 0x20, 0x03);
    assert_string_equal(flashing_player(watch, 1), "first");
    READS(FRAME_34, 0x00, 0x08, 90, 0, 0, 0, 0, 18, 0, 5, 0, 0);
    frame = q2_tracker_frame(watch->game.session.tracker, 1);
    assert_int_equal(q2_entities_at(frame->entities, 0)->model[0], 7);
    assert_int_equal(q2_entities_at(frame->entities, 0)->origin[0], 800);

    begin_34(watch);
    assert_null(q2_tracker_frame(watch->game.session.tracker, 1));
    assert_null(q2_baseline(&watch->game.session, 5));
    assert_null(qs_table_get(&watch->game.session.level.configstrings, 1312));
    set_string(watch, 1312 + 1, "second\\male/grunt");
    assert_null(flashing_player(watch, 2)); /* how many players there may be is not known yet */
    set_string(watch, 30, "8");
    assert_string_equal(flashing_player(watch, 2), "second");
    assert_null(flashing_player(watch, 1));
    /* Entity 5 comes into view with a model's number alone: no name, no origin of level 1. */
    READS(20, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 17, 0, 0, 0, 0, 0, 0, 18, 0x80, 0x08, 5, 7,
          0, 0);
    assert_null(nth(watch, Q2_ENTITY_MODEL_NAME, 0));
    frame = q2_tracker_frame(watch->game.session.tracker, 2);
    assert_int_equal(q2_entities_at(frame->entities, 0)->origin[0], 0);
    assert_int_equal(frame->player.fov, 0);
    /* A delta from frame 1 of the level before. */
    READS(20, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0, 18, 0, 0);
    assert_true(q2_tracker_frame(watch->game.session.tracker, 3)->reference_missing);
    assert_int_equal(q2_tracker_frame(watch->game.session.tracker, 3)->player.fov, 0);
}

/* R1Q2's svc_playerupdate has a position for each player of a frame: those of a frame of the level
 * before are not known any more. */
WATCH_TEST(test_updates_of_the_last_level)
{
    begin_35(watch, 1905);
    set_string(watch, 30, "8");
    READS(FULL_FRAME(1), NO_PLAYER, 0, 1, 0, 8, NO_MORE_ENTITIES);
    SHOWN(Q2_PLAYERUPDATE_ENTITY, 8, 23, 1, 0, 0, 0, 0x00, 0x80, 0xff, 0xff, 0x08, 0x00, 6);
    assert_shows_vector(watch, Q2_PLAYERUPDATE_ORIGIN, -4096, -0.125, 1);
    begin_35(watch, 1905);
    set_string(watch, 30, "8");
    REFUSES(23, 1, 0, 0, 0, 0x00, 0x80, 0xff, 0xff, 0x08, 0x00, 6);
    assert_null(nth(watch, Q2_PLAYERUPDATE_ENTITY, 0));
}

/* The players of the last 32 frames are known. As long as they are the same they are kept once for
 * all packets, which have a copy of the session each. */
WATCH_TEST(test_updates_of_many_frames)
{
    enum { FRAMES = 100, KNOWN = 32, GAP = 90 };
    struct qs_table kept = {0};

    begin_35(watch, 1905);
    set_string(watch, 30, "8");
    for (uint8_t i = 1; i <= FRAMES; i++) {
        if (i != GAP)
            read_block(watch, BLOCK(FULL_FRAME(i), NO_PLAYER, 0, 1, 0, 8, NO_MORE_ENTITIES));
        if (i == KNOWN)
            qs_table_copy(&kept, &watch->game.session.level.rosters);
        assert_true(i < KNOWN || qs_table_shares(&kept, &watch->game.session.level.rosters));
    }
    for (uint8_t i = 1; i <= FRAMES; i++) {
        const bool known = i > FRAMES - KNOWN && i != GAP;

        assert_int_equal(!read_block(watch, BLOCK(23, i, 0, 0, 0, 0, 0x80, 0xff, 0xff, 8, 0, 6)),
                         known);
        assert_int_equal(nth(watch, Q2_PLAYERUPDATE_ENTITY, 0) != NULL, known);
    }
    read_block(watch, BLOCK(FULL_FRAME(101), NO_PLAYER, 0, NO_MORE_ENTITIES));
    READS(23, 101, 0, 0, 0, 6); /* nobody is there */
    read_block(watch, BLOCK(FULL_FRAME(5), NO_PLAYER, 0, 1, 0, 8, NO_MORE_ENTITIES));
    REFUSES(23, 101, 0, 0, 0, 6);
    qs_table_clear(&kept);
}
