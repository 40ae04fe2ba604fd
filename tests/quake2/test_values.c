/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values that traffic rarely has. The bytes and what they mean were worked out by hand from the
 * engines' readers (id: cl_ents.c, cl_parse.c, common.c MSG_Read*; Q2PRO: client/parse.c,
 * common/msg.c), not by the writer of this project.
 */
#include "tests/quake2/unit.h"
#include "tests/unit/text_listener.h"

#include <string.h>

#include "common/quake2/constants.h"

struct watch {
    struct text_listener listener; /* of the block or packet decoded last */
    struct game game;
};

static void watch_open(struct watch *watch)
{
    watch->listener = text_listener_new();
    game_open(&watch->game);
    watch->game.sink = &watch->listener.base;
    q2_tracker_attach(q2_tracker_new(), &watch->game.session);
}

static void watch_close(struct watch *watch)
{
    game_close(&watch->game);
    g_string_free(watch->listener.received, TRUE);
}

static void watch_again(struct watch *watch)
{
    watch_close(watch);
    memset(watch, 0, sizeof *watch);
    watch_open(watch);
}

#define WATCH_TEST(function) TEST_WITH(function, struct watch, watch, watch_open, watch_close)

static uint32_t decode_bytes(struct watch *watch, enum qs_end from, const void *data, size_t size)
{
    g_string_truncate(watch->listener.received, 0);
    return from == QS_END_UNKNOWN ? game_block(&watch->game, data, size)
                                  : game_packet(&watch->game, from, data, size);
}

/* Decodes a packet of an end, or, of QS_END_UNKNOWN, a block of server messages, whose bytes are
 * written in hexadecimal; `format` is one of printf(). Returns how many problems it has. */
G_GNUC_PRINTF(3, 4)
static uint32_t decode(struct watch *watch, enum qs_end from, const char *format, ...)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autofree char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    for (const char *c = text; *c; c++)
        if (*c != ' ') {
            const int high = g_ascii_xdigit_value(*c++);

            qs_write_u8(bytes, (uint8_t)(high << 4 | g_ascii_xdigit_value(*c)));
        }
    return decode_bytes(watch, from, bytes->data, bytes->len);
}

/* A block without a problem; with one; a move without one. */
#define READS(...) assert_int_equal(decode(watch, QS_END_UNKNOWN, __VA_ARGS__), 0)
#define REFUSES(...) assert_int_not_equal(decode(watch, QS_END_UNKNOWN, __VA_ARGS__), 0)
#define READS_MOVE(...) assert_int_equal(decode(watch, QS_END_A, __VA_ARGS__), 0)
/* Lines of the last one, in order. */
#define SHOWS(...) text_listener_assert(&watch->listener, (const char *const[]){__VA_ARGS__, NULL})
#define SHOWS_NO(part) text_listener_assert_not(&watch->listener, part)

/* svc_serverdata of protocol 34: player 0, no game directory, level "". */
static void begin_34(struct watch *watch)
{
    READS("0c 22 00 00 00 01 00 00 00 00 00 00 00 00");
}

/* The same of Q2PRO from 1024 on, with flags. */
static void begin_36(struct watch *watch, unsigned minor, uint8_t flags)
{
    READS("0c 24 00 00 00 01 00 00 00 00 00 00 00 00 %02x %02x 02 %02x 00", (uint8_t)minor,
          (uint8_t)(minor >> 8), flags);
}

/* Up to 1023: three bytes in place of the flags. */
static void begin_old_36(struct watch *watch, unsigned minor)
{
    READS("0c 24 00 00 00 01 00 00 00 00 00 00 00 00 %02x %02x 02 00 00 00", (uint8_t)minor,
          (uint8_t)(minor >> 8));
}

static void connect_game(struct watch *watch, const char *arguments)
{
    static const char answer[] = "\377\377\377\377client_connect";
    g_autofree char *connect = g_strdup_printf("\377\377\377\377connect %s\n", arguments);

    decode_bytes(watch, QS_END_A, connect, strlen(connect));
    decode_bytes(watch, QS_END_B, answer, sizeof answer - 1);
}

/* Connected as protocol 35 with that minor version; the server always names 1905. */
static void begin_35(struct watch *watch, unsigned minor)
{
    g_autofree char *arguments = g_strdup_printf("35 7 1 \"\\name\\x\" 1390 %u", minor);

    connect_game(watch, arguments);
    READS("0c 23 00 00 00 01 00 00 00 00 00 00 00 00 00 71 07 00 00");
}

/* --- 16 bits from 0x8000 on */

/* A full frame 1 with nothing in its areas, up to svc_playerinfo. */
#define FRAME_34 "14 01 00 00 00 ff ff ff ff 00 00 11"

WATCH_TEST(words_of_a_player_have_a_sign)
{
    begin_34(watch);
    /* Origin, velocity, gravity, delta angles, view angles, two stats; then no entities. */
    READS(FRAME_34 " 66 01 00 80 01 80 ff ff ff 7f 00 80 fe ff 00 80 00 80 00 c0 ff ff 00 80 00 40 "
                   "01 80 03 00 00 00 00 80 ff ff 12 00 00");
    SHOWS("q2.player.origin.x = -4096", "q2.player.origin.y = -4095.875",
          "q2.player.origin.z = -0.125", "q2.player.velocity.x = 4095.875",
          "q2.player.velocity.y = -4096", "q2.player.velocity.z = -0.25",
          "q2.player.gravity = -32768", "q2.player.delta_angles.pitch = -180",
          "q2.player.delta_angles.yaw = -90", "q2.player.delta_angles.roll = -0.00549316406",
          "q2.player.viewangles.pitch = -180", "q2.player.viewangles.yaw = 90",
          "q2.player.viewangles.roll = -179.994507", "q2.player.stat.value = -32768",
          "q2.player.stat.value = -1");
}

/* Yquake2 cl_parse.c, CL_ParsePlayerstate: bytes stand for 0 to 1. */
WATCH_TEST(blends_are_from_0_to_1)
{
    begin_34(watch);
    READS(FRAME_34 " 00 04 ff 00 33 ff 00 00 00 00 12 00 00");
    SHOWS("q2.player.blend.red = 1", "q2.player.blend.green = 0", "q2.player.blend.blue = 0.2");
}

/* Entity 5 of a full frame: frame, skin, effects, render flags in 16 bits, origin, old origin,
 * solid. Indices and flags have no sign, positions do. */
WATCH_TEST(only_positions_of_an_entity_have_a_sign)
{
    const struct q2_frame *frame;
    const struct q2_entity *entity;

    begin_34(watch);
    /* ORIGIN1, ORIGIN2, MOREBITS1; ORIGIN3, MOREBITS2; FRAME16, RENDERFX16, EFFECTS16, MOREBITS3;
     * OLDORIGIN, SKIN16, SOLID */
    READS(FRAME_34 " 00 00 00 00 00 00 12 83 82 8e 0b 05 00 80 01 80 ff ff 00 c0 00 80 ff 7f fe ff "
                   "00 80 01 80 ff ff 00 80 00 00");
    SHOWS("q2.entity.frame = 32768", "q2.entity.skin = 0x8001", "q2.entity.effects = 0xffff",
          "q2.entity.renderfx = 0xc000", "q2.entity.origin.x = -4096",
          "q2.entity.origin.y = 4095.875", "q2.entity.origin.z = -0.25",
          "q2.entity.old_origin.x = -4096", "q2.entity.old_origin.y = -4095.875",
          "q2.entity.old_origin.z = -0.125");
    /* id, cl_pred.c CL_ClipMoveToEntities: 8 times 5, 5 and 6 bits, the last one 32 less. */
    SHOWS("q2.entity.solid = 0x8000", "q2.entity.solid.radius = 0", "q2.entity.solid.down = 0",
          "q2.entity.solid.up = 224");
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

WATCH_TEST(words_of_messages_have_their_sign)
{
    begin_34(watch);
    READS("01 00 80 00");
    SHOWS("q2.muzzleflash.entity = 32768");
    READS("02 ff ff 01");
    SHOWS("q2.muzzleflash2.entity = 65535");
    /* Entity and position of a sound. */
    READS("09 0c 01 07 80 00 80 ff 7f ff ff");
    SHOWS("q2.sound.entity = 4096", "q2.sound.channel = 7", "q2.sound.origin.x = -4096",
          "q2.sound.origin.y = 4095.875", "q2.sound.origin.z = -0.125");
    /* TE_PARASITE_ATTACK: entity, origin, end. */
    READS("03 10 00 80 00 80 00 00 00 00 01 80 00 00 00 00");
    SHOWS("q2.te.entity = -32768", "q2.te.origin.x = -4096", "q2.te.end.x = -4095.875");
    /* TE_STEAM that does not last: effect, count, origin, direction, color, magnitude. */
    READS("03 28 ff ff ff 00 80 00 00 00 00 a1 ff 00 80");
    SHOWS("q2.te.id = -1", "q2.te.count = 255", "q2.te.magnitude = -32768");
    /* TE_DAMAGE_DEALT. */
    READS("03 80 ff ff");
    SHOWS("q2.te.damage = -1");
    /* A config string that does not exist. */
    REFUSES("0d 00 80 61 00");
    SHOWS("q2.configstring.index = 32768");
}

WATCH_TEST(counts_of_items_have_a_sign)
{
    uint8_t block[1 + 2 * 256] = {5, 0x00, 0x80, 0xff, 0xff};

    block[sizeof block - 1] = 0xc0; /* of the last item */
    begin_34(watch);
    assert_int_equal(decode_bytes(watch, QS_END_UNKNOWN, block, sizeof block), 0);
    SHOWS("q2.inventory.count = -32768", "q2.inventory.index = 1", "q2.inventory.count = -1",
          "q2.inventory.index = 255", "q2.inventory.count = -16384");
}

WATCH_TEST(words_of_serverdata_have_their_sign)
{
    READS("0c 22 00 00 00 ff ff ff ff 00 00 ff ff 00");
    SHOWS("q2.serverdata.servercount = -1", "q2.serverdata.player = -1");
    /* Minor version and flags have no sign. */
    READS("0c 24 00 00 00 01 00 00 00 00 00 00 80 00 00 80 02 00 80");
    SHOWS("q2.serverdata.player = -32768", "q2.serverdata.minor = 32768",
          "q2.serverdata.flags = 0x8000");
}

#define SERVERDATA_38 "0c 26 00 00 00 01 00 00 00 00 00 03 00 00 c7 0b 02 01 00 01"

/* AQtion: its own server data and messages; masks of one and two bytes. */
WATCH_TEST(aqtion_has_its_own_messages)
{
    READS(SERVERDATA_38);
    SHOWS("q2.serverdata.minor = 3015", "q2.serverdata.strafejump = 1",
          "q2.serverdata.waterjump = 1");
    READS("1d 07 80 01 09 7f 02 09 80 ff ff 68 69 00 01 02 03 ff fe ff 04 00 05 00 64 c8 10 00 20 "
          "00 ff");
    SHOWS("q2.ghud.index = 7", "q2.ghud.bits.blank = true", "q2.ghud.index = 9",
          "q2.ghud.type = 2 (GHT_TEXT)", "q2.ghud.flags = 0x8009", "q2.ghud.value = -1",
          "q2.ghud.text = hi", "q2.ghud.color.alpha = 255", "q2.ghud.origin.x = -2",
          "q2.ghud.anchor.x = 0.5", "q2.ghud.anchor.y = 1", "q2.ghud.size.y = 32",
          "q2.ghud.index = 255");
    READS("1e 20 02 61 00 31 00 62 00 32 00 1f 6b 00 ff ff ff ff 1e 1f 78 00 05 00 00 00");
    SHOWS("q2.cvarsync.count = 2", "q2.cvarsync.value = 1", "q2.cvarsync.value = 2",
          "q2.userstatistic.value = -1", "q2.userstatistic.value = 5");
    REFUSES("1e 1e 06");
    REFUSES("1d 07");
}

/* Its frames keep the numbers of svc_playerinfo and svc_packetentities. */
WATCH_TEST(aqtions_frames_keep_the_numbers_of_messages)
{
    READS(SERVERDATA_38);
    /* Frame 5 in full: no areas; gravity, AQtion's three fields, client number 9, no entities. */
    READS("94 05 00 00 f8 00 00 11 20 00 20 03 07 aa 34 12 02 09 12 00 00");
    SHOWS("q2.frame.number = 5", "q2.player.aqtion_pm_flags = 0xaa",
          "q2.player.aqtion_timestamp = 4660", "q2.player.aqtion_leg_hits = 2",
          "q2.player.clientnum = 9");
    REFUSES("14 06 00 00 f8 00 00 10 00 00 00 12 00 00");
}

#define SERVERDATA_1038(flags) "0c 0e 04 00 00 01 00 00 00 00 00 03 00 00 00 00 02 " flags " 28"

/* q2repro: messages of the rerelease, numbered otherwise from 24 on; coordinates are floats. */
WATCH_TEST(q2repro_has_messages_of_the_rerelease)
{
    READS(SERVERDATA_1038("1d 00"));
    SHOWS("q2.serverdata.fps = 40");
    assert_int_equal(watch->game.session.level.frame_rate, 40);
    READS("19 02 a3 05 41 09");
    SHOWS("q2.damage.hits_shield = true", "q2.damage.amount = 3", "q2.damage.hits_armor = true",
          "q2.damage.direction = 9");
    READS("1b ff ff 00 00 00 3f 07 01 02 03 e8 03 00 00 80 3e 00 00 00 40 04 05 06 ff ff ff ff 07 "
          "08 09 64 00 00 00");
    SHOWS("q2.fog.density = 0.5", "q2.fog.blue = 0.0117647059", "q2.fog.time = 1",
          "q2.fog.height.falloff = 0.25", "q2.fog.height.density = 2",
          "q2.fog.start.red = 0.0156862745", "q2.fog.start.dist = -1",
          "q2.fog.end.blue = 0.0352941176", "q2.fog.end.dist = 100");
    READS("1e 01 00 02 00 00 00 c0 bf 00 00 00 00 00 00 00 40 03 00 04 05 1f 01 00 00 00 3f 00 00 "
          "00 00 00 00 00 00 06 20 07 00 2c 01 21 61 00");
    SHOWS("q2.poi.origin.x = -1.5", "q2.poi.origin.z = 2", "q2.poi.flags = 0x5",
          "q2.help_path.origin.x = 0.5", "q2.muzzleflash3.id = 300", "q2.achievement.id = a");
    REFUSES("1a 00");
    REFUSES("15 00");
}

/* The last number of config strings differs by the kind of game: an end mark follows them. */
WATCH_TEST(config_strings_of_q2repro_end_at_a_mark)
{
    static const struct {
        uint8_t low, high;
        uint16_t end;
    } games[] = {{0x1d, 0, 12448}, {0, 0x80, 2080}, {8, 0x80, 13630}, {0x18, 0x80, 13630}};

    for (unsigned i = 0; i < G_N_ELEMENTS(games); i++) {
        const uint16_t end = games[i].end;
        g_autofree char *line = g_strdup_printf("q2.stream_end = %u", end);

        watch_again(watch);
        READS(SERVERDATA_1038("%02x %02x"), games[i].low, games[i].high);
        READS("26 05 00 78 00 %02x %02x 06", (uint8_t)end, (uint8_t)(end >> 8));
        SHOWS(line);
    }
}

WATCH_TEST(frames_of_q2repro_have_floats)
{
    READS(SERVERDATA_1038("1d 00"));
    /* Frame 5 in full: x and y, a view offset, view height, gun rate, a statistic above 31. */
    READS("14 05 00 00 f8 00 a0 00 82 80 00 00 80 3f 00 00 00 40 10 00 f0 ff 60 01 00 00 00 00 01 "
          "00 00 00 09 00 28 fe 00 00");
    SHOWS("q2.frame.number = 5", "q2.player.origin.x = 1", "q2.player.origin.y = 2",
          "q2.player.viewoffset.x = 1", "q2.player.viewoffset.y = -1",
          "q2.player.viewoffset.z = 22", "q2.player.stat.index = 32", "q2.player.stat.value = 9",
          "q2.player.gunrate = 40", "q2.player.viewheight = -2");
}

/* A move of protocol 34: checksum, last frame, three commands. The first one has all fields. */
WATCH_TEST(moves_have_a_sign)
{
    connect_game(watch, "34 7 1 \"\"");
    decode(watch, QS_END_A,
           "01 00 00 00 00 00 00 00 ff ff 02 00 ff ff ff ff 3f 00 80 00 c0 ff ff 00 80 ff ff 70 fe "
           "64 00 00 10 00 00 10 00");
    SHOWS("q2.qport = 65535", "q2.move.lastframe = -1", "q2.usercmd.angles.pitch = -180",
          "q2.usercmd.angles.yaw = -90", "q2.usercmd.angles.roll = -0.00549316406",
          "q2.usercmd.forwardmove = -32768", "q2.usercmd.sidemove = -1", "q2.usercmd.upmove = -400",
          "q2.usercmd.msec = 100");
}

/* --- Versions */

/* What follows svc_frame in protocols 35 and 36: frame `number` in full, no areas. */
#define FULL_FRAME(number) "14 " number " 00 00 f8 00 00 "
/* A frame from the one before. */
#define NEXT_FRAME(number) "14 " number " 00 00 08 00 00 "
#define NO_PLAYER "00 00"
#define NO_MORE_ENTITIES "00 00"

/* Entity 5, a beam, moves: does its end move, too? */
WATCH_TEST(beams_keep_their_end_from_1017_on)
{
    for (unsigned minor = 1016; minor <= 1017; minor++) {
        const struct q2_frame *frame;

        watch_again(watch);
        begin_old_36(watch, minor);
        /* ORIGIN1, MOREBITS1; RENDERFX8, MOREBITS2; MOREBITS3; OLDORIGIN */
        READS(FULL_FRAME("01") NO_PLAYER
              " 81 90 80 01 05 80 08 00 50 00 00 00 00 00 " NO_MORE_ENTITIES);
        READS(NEXT_FRAME("02") NO_PLAYER " 01 05 10 00 " NO_MORE_ENTITIES);
        frame = q2_tracker_frame(watch->game.session.tracker, 2);
        assert_non_null(frame);
        assert_int_equal(q2_entities_at(frame->entities, 0)->origin[0], 16);
        assert_int_equal(q2_entities_at(frame->entities, 0)->old_origin[0], minor < 1017 ? 8 : 80);
    }
}

WATCH_TEST(u_angle16_makes_the_pitch_a_short_from_1018_on)
{
    begin_old_36(watch, 1017);
    READS(FULL_FRAME("01") NO_PLAYER " 80 24 05 80 " NO_MORE_ENTITIES);
    SHOWS("q2.entity.angles.pitch = -180");
    watch_again(watch);
    begin_old_36(watch, 1018);
    READS(FULL_FRAME("01") NO_PLAYER " 80 24 05 01 80 " NO_MORE_ENTITIES);
    SHOWS("q2.entity.angles.pitch = -179.994507");
}

/* Extra bit 6, the third of the upper three bits of the message's byte: the client's number. */
WATCH_TEST(the_client_number_is_a_short_from_1022_on)
{
    begin_old_36(watch, 1021);
    READS("94 01 00 00 f8 00 00 " NO_PLAYER " c8 " NO_MORE_ENTITIES);
    SHOWS("q2.player.clientnum = 200");
    watch_again(watch);
    begin_old_36(watch, 1022);
    READS("94 01 00 00 f8 00 00 " NO_PLAYER " ff ff " NO_MORE_ENTITIES);
    SHOWS("q2.player.clientnum = -1");
}

/* The client number is a delta, too: player 3 has the view of player 0, which has 7 frags. */
WATCH_TEST(full_frames_of_q2pro_without_a_client_number_show_player_0)
{
    READS("0c 24 00 00 00 01 00 00 00 00 00 03 00 00 02 04 02 00 00");
    READS("54 01 00 00 f8 00 00 00 00 00 40 00 00 07 00 00 00");
    assert_int_equal(watch->game.decoder.found.player_events->len, 1);
    assert_int_equal(watch->game.session.viewed, 0);
}

/* Three bytes up to 1023, two from 1024 on; what follows is svc_nop. */
WATCH_TEST(serverdata_has_flags_from_1024_on)
{
    READS("0c 24 00 00 00 01 00 00 00 00 00 00 00 00 ff 03 02 01 01 01 06");
    assert_int_equal(watch->game.decoder.found.messages->len, 2);
    SHOWS("q2.serverdata.waterjump = 1");
    SHOWS_NO("q2.serverdata.flags = ");
    READS("0c 24 00 00 00 01 00 00 00 00 00 00 00 00 00 04 02 08 00 06");
    assert_int_equal(watch->game.decoder.found.messages->len, 2);
    SHOWS("q2.serverdata.flags = 0x8");
    assert_true(watch->game.session.variant.extensions);
    assert_false(watch->game.session.variant.extensions2);
}

/* Bit 15 of the player's mask brings a third byte with bit 16, fog: here its density and how much
 * of it the sky has. Before 1026 the bit means nothing. */
WATCH_TEST(players_have_fog_from_1026_on)
{
    begin_36(watch, 1025, 24);
    READS(FULL_FRAME("01") " 00 80 " NO_MORE_ENTITIES);
    watch_again(watch);
    begin_36(watch, 1026, 24);
    READS(FULL_FRAME("01") " 00 80 01 02 ff ff 00 80 " NO_MORE_ENTITIES);
    SHOWS("q2.player.fog.density = 1", "q2.player.fog.sky_factor = 0.50000763");
}

/* U_SOLID in 16 bits or 32: the lower of the client's and the server's minor version counts. */
WATCH_TEST(solids_of_r1q2_have_32_bits_from_1905_on)
{
    begin_35(watch, 1904);
    READS(FULL_FRAME("01") NO_PLAYER " 80 80 80 08 05 ff ff " NO_MORE_ENTITIES);
    SHOWS("q2.entity.solid = 0xffff", "q2.entity.solid.radius = 248", "q2.entity.solid.down = 248",
          "q2.entity.solid.up = 472");
    watch_again(watch);
    begin_35(watch, 1905);
    READS(FULL_FRAME("01") NO_PLAYER " 80 80 80 08 05 c8 82 ff ff " NO_MORE_ENTITIES);
    SHOWS("q2.entity.solid.radius = 200", "q2.entity.solid.down = 130",
          "q2.entity.solid.up = 32767");
}

/* From 1904 on buttons come first; one of them makes the forward move one byte, in steps of 5. */
WATCH_TEST(moves_of_r1q2_begin_with_buttons_from_1904_on)
{
    begin_35(watch, 1903);
    READS_MOVE("01 00 00 00 00 00 00 00 07 02 01 00 00 00 48 38 ff 05 0a 00 00 0a 00 00 0a 00");
    SHOWS("q2.usercmd.forwardmove = -200", "q2.usercmd.buttons = 0x5");
    watch_again(watch);
    begin_35(watch, 1904);
    READS_MOVE("01 00 00 00 00 00 00 00 07 02 01 00 00 00 48 85 d8 0a 00 00 0a 00 00 0a 00");
    SHOWS("q2.usercmd.forwardmove = -200",
          "q2.usercmd.buttons = 0x81"); /* of them; the next command has those */
}

/* Q2PRO, common/msg.c MSG_ReadDeltaUsercmd_Enhanced: three bits are attack, use and any (128). */
WATCH_TEST(moves_of_q2pro_pack_buttons)
{
    begin_36(watch, 1024, 0);
    READS_MOVE("01 00 00 00 00 00 00 00 07 0b 01 00 00 00 09 21 50 01");
    SHOWS("q2.usercmd.buttons = 0x81");
}

/* --- Suppressed frames */

WATCH_TEST(suppress_counts_are_shown)
{
    static const uint8_t counts[] = {7, 8, 15, 16, 255};

    begin_34(watch);
    for (unsigned i = 0; i < sizeof counts; i++) {
        g_autofree char *line = g_strdup_printf("q2.frame.suppressed = %u", counts[i]);

        READS("14 %02x 00 00 00 ff ff ff ff %02x 00 11 00 00 00 00 00 00 12 00 00",
              (uint8_t)(i + 1), counts[i]);
        SHOWS(line);
        assert_int_equal(q2_tracker_frame(watch->game.session.tracker, (int32_t)i + 1)->suppressed,
                         counts[i]);
    }
}

/* Four bits; above them are extra bits 0 to 3, here bit 0: the gun's offset. */
WATCH_TEST(packed_suppress_counts_have_four_bits)
{
    begin_35(watch, 1905);
    for (uint8_t count = 7; count <= 15; count++) {
        g_autofree char *line = g_strdup_printf("q2.frame.flags = 0x%x", count);

        READS("14 %02x 00 00 f8 %02x 00 " NO_PLAYER " fc 04 80 " NO_MORE_ENTITIES, count,
              0x10 | count);
        SHOWS("q2.frame.extra = 0x1", line, "q2.player.gunoffset.x = -1",
              "q2.player.gunoffset.y = 1", "q2.player.gunoffset.z = -32");
        assert_int_equal(q2_tracker_frame(watch->game.session.tracker, count)->suppressed, count);
    }
}

/* --- Players and levels */

static void set_string(struct watch *watch, uint16_t index, const char *text)
{
    g_autoptr(GByteArray) block = g_byte_array_new();

    qs_write_u8(block, SVC_CONFIGSTRING);
    qs_write_u16(block, index);
    g_byte_array_append(block, (const uint8_t *)text, (guint)strlen(text) + 1);
    assert_int_equal(decode_bytes(watch, QS_END_UNKNOWN, block->data, block->len), 0);
}

/* An entity's muzzle flash names its player; NULL: it is none. */
static void assert_player(struct watch *watch, unsigned entity, const char *name)
{
    g_autofree char *line = g_strdup_printf("q2.muzzleflash.player = %s", name);

    READS("01 %02x %02x 00", entity & 0xff, entity >> 8);
    if (name)
        SHOWS(line);
    else
        SHOWS_NO("q2.muzzleflash.player");
}

/* Players are entities 1 to maxclients; CS_MAXCLIENTS is 30, CS_PLAYERSKINS 1312. */
WATCH_TEST(the_last_player_is_named)
{
    begin_34(watch);
    set_string(watch, 30, "8");
    set_string(watch, 1312 + 7, "the last\\male/grunt");
    set_string(watch, 1312 + 8, "nobody\\male/grunt");
    assert_player(watch, 8, "the last");
    assert_player(watch, 9, NULL);
    assert_player(watch, 7, NULL);
    assert_player(watch, 0, NULL);
    set_string(watch, 30, "256");
    set_string(watch, 1312 + 255, "player 255\\male/grunt");
    assert_player(watch, 256, "player 255");
    assert_player(watch, 257, NULL);
}

WATCH_TEST(the_next_level_forgets_names_baselines_and_frames)
{
    const struct q2_frame *frame;

    begin_34(watch);
    set_string(watch, 30, "8");
    set_string(watch, 1312, "first\\male/grunt");
    set_string(watch, 32 + 7, "models/first.md2");
    /* Baseline of entity 5: model 7, origin x 800. */
    READS("0e 81 08 05 07 20 03");
    assert_player(watch, 1, "first");
    READS(FRAME_34 " 00 08 5a 00 00 00 00 12 00 05 00 00");
    frame = q2_tracker_frame(watch->game.session.tracker, 1);
    assert_int_equal(q2_entities_at(frame->entities, 0)->model[0], 7);
    assert_int_equal(q2_entities_at(frame->entities, 0)->origin[0], 800);

    begin_34(watch);
    assert_null(q2_tracker_frame(watch->game.session.tracker, 1));
    assert_null(q2_baseline(&watch->game.session, 5));
    assert_null(qs_table_get(&watch->game.session.level.configstrings, 1312));
    set_string(watch, 1312 + 1, "second\\male/grunt");
    assert_player(watch, 2, NULL); /* how many players there may be is not known yet */
    set_string(watch, 30, "8");
    assert_player(watch, 2, "second");
    assert_player(watch, 1, NULL);
    /* Entity 5 comes into view with a model's number alone: no name, no origin of level 1. */
    READS("14 02 00 00 00 ff ff ff ff 00 00 11 00 00 00 00 00 00 12 80 08 05 07 00 00");
    SHOWS_NO("q2.entity.model.name = ");
    frame = q2_tracker_frame(watch->game.session.tracker, 2);
    assert_int_equal(q2_entities_at(frame->entities, 0)->origin[0], 0);
    assert_int_equal(frame->player.fov, 0);
    /* A delta from frame 1 of the level before. */
    READS("14 03 00 00 00 01 00 00 00 00 00 11 00 00 00 00 00 00 12 00 00");
    assert_true(q2_tracker_frame(watch->game.session.tracker, 3)->reference_missing);
    assert_int_equal(q2_tracker_frame(watch->game.session.tracker, 3)->player.fov, 0);
}

/* R1Q2's svc_playerupdate has a position for each player of a frame: those of a frame of the level
 * before are not known any more. */
WATCH_TEST(the_next_level_forgets_players_of_frames)
{
    begin_35(watch, 1905);
    set_string(watch, 30, "8");
    READS(FULL_FRAME("01") NO_PLAYER " 00 01 00 08 " NO_MORE_ENTITIES);
    READS("17 01 00 00 00 00 80 ff ff 08 00 06");
    SHOWS("q2.playerupdate.entity = 8", "q2.playerupdate.origin.x = -4096",
          "q2.playerupdate.origin.y = -0.125", "q2.playerupdate.origin.z = 1");
    begin_35(watch, 1905);
    set_string(watch, 30, "8");
    REFUSES("17 01 00 00 00 00 80 ff ff 08 00 06");
    SHOWS_NO("q2.playerupdate.entity = ");
}

/* The players of the last 32 frames are known. As long as they are the same they are kept once for
 * all packets, which have a copy of the session each. */
WATCH_TEST(players_of_32_frames_are_known)
{
    enum { FRAMES = 100, KNOWN = 32, GAP = 90 };
    struct qs_table kept = {0};

    begin_35(watch, 1905);
    set_string(watch, 30, "8");
    for (uint8_t i = 1; i <= FRAMES; i++) {
        if (i != GAP)
            READS(FULL_FRAME("%02x") NO_PLAYER " 00 01 00 08 " NO_MORE_ENTITIES, i);
        if (i == KNOWN)
            qs_table_copy(&kept, &watch->game.session.level.rosters);
        assert_true(i < KNOWN || qs_table_shares(&kept, &watch->game.session.level.rosters));
    }
    for (uint8_t i = 1; i <= FRAMES; i++) {
        const bool known = i > FRAMES - KNOWN && i != GAP;

        assert_int_equal(!decode(watch, QS_END_UNKNOWN, "17 %02x 00 00 00 00 80 ff ff 08 00 06", i),
                         known);
        assert_int_equal(strstr(watch->listener.received->str, "q2.playerupdate.entity = ") != NULL,
                         known);
    }
    decode(watch, QS_END_UNKNOWN, FULL_FRAME("65") NO_PLAYER " 00 " NO_MORE_ENTITIES);
    READS("17 65 00 00 00 06"); /* no player is in view */
    decode(watch, QS_END_UNKNOWN, FULL_FRAME("05") NO_PLAYER " 00 01 00 08 " NO_MORE_ENTITIES);
    REFUSES("17 65 00 00 00 06");
    qs_table_clear(&kept);
}
