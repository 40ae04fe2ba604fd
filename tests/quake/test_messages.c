/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages byte by byte, in the protocols that write them differently. */
#include "tests/quake/wire.h"

/* --- serverinfo --- */

WIRE_TEST(serverinfo_begins_a_level)
{
    READS("\x08Hi\0" QUAKE "\x0d\1bob\0\5\2\0\x19\1", "nq.serverinfo.protocol = 15 (Quake)",
          "nq.serverinfo.levelname = Level", "nq.serverinfo.model.number = 2",
          "nq.serverinfo.model = progs/a.mdl", "nq.serverinfo.sound = s/1.wav");
    assert_int_equal(wire->session.base.version, 15);
    assert_int_equal(wire->session.base.level, 1);
    assert_int_equal(wire->session.signon, 1);
    assert_string_equal(qs_table_get(&wire->session.models, 2), "progs/a.mdl");
    assert_describes(&nq_protocol, &wire->session.base, "15", "m", "bob");
    SERVER_SENDS(FITZQUAKE); /* the next level forgets the last */
    assert_int_equal(wire->session.base.level, 2);
    assert_int_equal(wire->session.signon, 0);
    assert_null(qs_table_get(&wire->session.players, 1));
}

WIRE_TEST(unknown_protocols_are_not_decoded)
{
    wire_block(wire, VIEW("\x0b\xd2\4\0\0" LISTS)); /* 1234 */
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED], 1);
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_MALFORMED], 0);
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 0);
    wire_block(wire, VIEW("\x39\1\2\3\4"));
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED], 1);
    assert_int_equal(wire->decoder.found.undecoded, 5);
    SERVER_SENDS("\2");
    assert_true(wire->session.base.disconnected);
}

/* QuakeSpasm-Spiked names players in comments, by number and in several commands at once. */
WIRE_TEST(comments_name_players)
{
    const struct qs_table *players = &wire->session.players;

    SERVER_SENDS(QUAKE);
    READS("\x09//ui 1 \"name\" \"ann\"\n//fui 2 \"\\team\\x\\name\\bob\"\n\0"
          "\x0e\1\5\0",
          "nq.userinfo_string.player = 1", "nq.info.key = name", "nq.info.value = ann",
          "nq.userinfo_string.player = 2", "nq.info.value = bob", "nq.updatefrags.name = ann");
    assert_string_equal(qs_table_get(players, 2), "bob");
    SERVER_SENDS("\x09//ui 1 \"team\" \"y\"\n//svi \"skill\" \"2\"\n//fui 2 \"\"\n\0");
    RECEIVED("nq.info.key = skill");
    assert_string_equal(qs_table_get(players, 1), "ann");
    assert_null(qs_table_get(players, 2));
    /* A malformed command changes nothing. */
    SERVER_SENDS("\x09//ui 1 name\n//ui x \"name\" y\n//ui 256 name z\n//fui 1\n//ui\n\0");
    assert_string_equal(qs_table_get(players, 1), "ann");
}

/* --- Coordinates and angles --- */

WIRE_TEST(coordinates_differ_by_protocol)
{
    SERVER_SENDS(QUAKE);
    READS("\x13\1\2"
          "\4\0\xf8\xff\x08\0"
          "\x0a\x40\x80\xc0",
          "nq.damage.origin.x = 0.5", "nq.damage.origin.y = -1", "nq.setangle.angles.pitch = 90",
          "nq.setangle.angles.yaw = -180");
    assert_true(wire->session.angle_set);
    assert_true(wire->session.set.roll == -90);
    SERVER_SENDS(RMQ("\x0a")); /* 24 bit, short angles */
    READS("\x13\1\2"
          "\1\0\x33\2\0\xff\3\0\0"
          "\x0a\0\x40\0\x80\0\0",
          "nq.damage.origin.x = 1.2", "nq.damage.origin.y = 3", "nq.setangle.angles.pitch = 90");
    SERVER_SENDS(RMQ("\x82")); /* 32 bit, short angles */
    READS("\x13\1\2"
          "\x10\0\0\0\xf8\xff\xff\xff\0\0\0\0",
          "nq.damage.origin.x = 1", "nq.damage.origin.y = -0.5");
    SERVER_SENDS(RMQ("\x14")); /* floats */
    READS("\x13\1\2"
          "\0\0\0\x3f\0\0\0\xbf\0\0\0\0"
          "\x0a\0\0\0\x3f\0\0\0\xbf\0\0\0\0",
          "nq.damage.origin.y = -0.5", "nq.setangle.angles.pitch = 0.5");
}

/* --- clc_move --- */

#define MOVE_HEAD "\x03\0\0\x80\x3f"
#define MOVE_TAIL "\x90\1\x70\xfe\0\0\3\x0a"

WIRE_TEST(moves_differ_by_protocol)
{
    SERVER_SENDS(QUAKE);
    wire_send(wire, QS_C2S, NETFLAG_UNRELIABLE, 0, VIEW(MOVE_HEAD "\x40\0\xc0" MOVE_TAIL));
    assert_int_equal(qs_decoder_problems(&wire->decoder), 0);
    RECEIVED("nq.move.time = 1", "nq.move.angles.pitch = 90", "nq.move.forwardmove = 400",
             "nq.move.sidemove = -400", "nq.move.attack = true", "nq.move.jump = true",
             "nq.move.impulse = 10");
    assert_true(wire->session.moved);
    assert_true(wire->session.move.roll == -90);
    /* ProQuake's precise aim */
    wire_send(wire, QS_C2S, NETFLAG_UNRELIABLE, 1, VIEW(MOVE_HEAD "\0\x40\0\0\0\xc0" MOVE_TAIL));
    assert_int_equal(qs_decoder_problems(&wire->decoder), 0);
    assert_true(wire->session.move.pitch == 90);
    SERVER_SENDS(FITZQUAKE);
    wire_send(wire, QS_C2S, NETFLAG_UNRELIABLE, 2, VIEW(MOVE_HEAD "\0\x40\0\0\0\xc0" MOVE_TAIL));
    assert_int_equal(qs_decoder_problems(&wire->decoder), 0);
    assert_true(wire->session.move.pitch == 90);
    SERVER_SENDS(RMQ("\x14"));
    wire_send(wire, QS_C2S, NETFLAG_UNRELIABLE, 3,
              VIEW(MOVE_HEAD "\0\0\xb4\x42\0\0\0\0\0\0\0\0" MOVE_TAIL));
    assert_int_equal(qs_decoder_problems(&wire->decoder), 0);
    assert_true(wire->session.move.pitch == 90);
    wire_send(wire, QS_C2S, NETFLAG_UNRELIABLE, 4, VIEW("\x04say hi\0\1\2"));
    RECEIVED("nq.stringcmd.text = say hi");
    assert_false(wire->session.moved);
    assert_true(wire->session.base.disconnected);
    wire_send(wire, QS_C2S, NETFLAG_UNRELIABLE, 5, VIEW("\x05\1"));
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
    assert_int_equal(wire->decoder.found.undecoded, 1);
}

/* --- Entities --- */

WIRE_TEST(updates_have_all_bits_and_transparency)
{
    SERVER_SENDS(QUAKE "\x0d\0ann\0");
    READS("\x80\1\xc0\2\7", "nq.update.player.name = ann", "nq.update.frame = 7");
    READS("\xff\x7f"
          "\x2c\1"
          "\2"
          "\3"
          "\1"
          "\5"
          "\2"
          "\x08\0\1"
          "\x10\0\x40"
          "\x18\0\3",
          "nq.update.entity = 300", "nq.update.effects.muzzleflash = true",
          "nq.update.origin.y = 2", "nq.update.angles.yaw = 90",
          "nq.update.model.name = progs/a.mdl");
    /* Nehahra's transparency, with and without its brightness */
    READS("\x81\x80\1"
          "\0\0\0\x40"
          "\0\0\0\x3f"
          "\0\0\x80\x3f"
          "\x81\x80\1"
          "\0\0\x80\x3f"
          "\0\0\0\x3f",
          "nq.update.trans.alpha = 0.5", "nq.update.trans.fullbright = 1");
}

WIRE_TEST(updates_of_quakespasm_have_more_bits)
{
    SERVER_SENDS(RMQ("\x20"));
    READS("\x81\x84\x9f\0"
          "\1"
          "\2"
          "\x80"
          "\x08"
          "\1"
          "\0"
          "\xff",
          "nq.update.alpha = 128", "nq.update.scale = 0.5", "nq.update.frame_high = 1",
          "nq.update.model_high = 0", "nq.update.lerpfinish = 1",
          "nq.update.model.name = progs/a.mdl");
}

/* --- DarkPlaces --- */

WIRE_TEST(darkplaces_has_messages_in_protocol_15)
{
    SERVER_SENDS("\x08\nServer: DarkPlaces (progs 1 crc)\n\0" QUAKE);
    assert_true(wire->session.darkplaces);
    READS("\x34\0\0\0\0\0\0\2\0\5\x0a"
          "\x35\0\0\0\0\0\0\2\0\0\0\5\x0a"
          "\x3b\0\0\0\0\0\0\1\0\xff\x40"
          "\x3c\1\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\x3d\2\0\0\0\0\0\0\0\0\0\0\0\0\0\3\0"
          "\x3e\2\0\0\0\0\0\0\0",
          "nq.effect.model.name = progs/a.mdl", "nq.particles.count = 3");
}

/* --- BJP and Nehahra --- */

#define SERVERINFO_BJP(low) "\x0b" low "\x27\0\0" LISTS
#define GREETING "\x08\nServer: DarkPlaces\0"

WIRE_TEST(numbers_of_bjp_models_have_16_bits)
{
    READS(SERVERINFO_BJP("\x10"), "nq.serverinfo.protocol = 10000 (BJP)");
    READS("\x16\5\0\2\1\3\0\0\0\0\0\0\0\0\0\0\0" /* svc_spawnbaseline */
          "\x14\2\0\4\0\0\0\0\0\0\0\0\0\0\0"     /* svc_spawnstatic */
          "\x81\4\7\2\1"                         /* an update with a model */
          "\x0f\0\x42\0\0\0\0\2\1\x64\0\0\0\0\0\0\0",
          "nq.baseline.model = 258", "nq.baseline.frame = 3",
          "nq.baseline.model.name = progs/a.mdl", "nq.update.model = 258",
          "nq.clientdata.weapon = 258", "nq.clientdata.health = 100");
    CLIENT_SENDS(0, "\3\0\0\x80\x3f\x40\0\0\0\0\0\0\0\0\0\0");
    RECEIVED("nq.move.angles.pitch = 90");
}

/* The numbers of svc_sound and of svc_spawnstaticsound have 16 bits, each in other versions. */
WIRE_TEST(numbers_of_bjp_sounds_differ_by_version)
{
    SERVER_SENDS(SERVERINFO_BJP("\x10") "\6\0\x08\0\1\0\0\0\0\0\0"
                                        "\x1d\0\0\0\0\0\0\1\xff\x40\1");
    READS(SERVERINFO_BJP("\x11") "\6\0\x08\0\2\1\0\0\0\0\0\0"
                                 "\x1d\0\0\0\0\0\0\3\1\xff\x40\1",
          "nq.sound.index = 258", "nq.staticsound.number = 259");
    READS(SERVERINFO_BJP("\x12") "\6\0\x08\0\2\1\0\0\0\0\0\0"
                                 "\x1d\0\0\0\0\0\0\1\xff\x40\1",
          "nq.staticsound.volume = 1");
    READS(GREETING SERVERINFO_BJP("\x12") "\x1d\0\0\0\0\0\0\3\1\xff\x40\1",
          "nq.staticsound.number = 259");
    READS(SERVERINFO_BJP("\x10") "\x1d\0\0\0\0\0\0\1\0\xff\x40"
                                 "\x1d\0\0\0\0\0\0\1\xff\x40\1",
          "nq.staticsound.volume = 1");
}

WIRE_TEST(nehahra_has_messages_that_darkplaces_has_not)
{
    SERVER_SENDS("\x0b\xfa\0\0\0" LISTS);
    READS("\x33\1\0\0\0\x3f\xff\0\0"
          "\x33\0"
          "\x32\0\x20"
          "\x23slot\0pic\0\xc8\x0a"
          "\x81\x80\7\0\0\x80\x3f\0\0\0\x3f" /* an update with U_TRANS */
          "\1",
          "nq.fog.density = 0.5", "nq.fog.red = 1", "nq.skyboxsize.size = 1024",
          "nq.showlmp.x = 200", "nq.update.trans.alpha = 0.5");
    /* DarkPlaces has its own messages there, and Nehahra's transparency. */
    SERVER_SENDS(GREETING "\x0b\xfa\0\0\0" LISTS);
    READS("\x33\4\7"
          "\x81\x80\7\0\0\x80\x3f\0\0\0\x3f",
          "nq.updatestat.value = 7");
}

/* A type, and how many bytes follow it in protocol 15. */
static const struct {
    uint8_t type, size;
} temp_entities[] = {
    {0, 6},   {1, 6},   {2, 6},   {3, 6},   {4, 6},   {5, 14},  {6, 14},  {7, 6},   {8, 6},
    {9, 14},  {10, 6},  {11, 6},  {12, 8},  {13, 14}, {16, 12}, {17, 15}, {50, 10}, {51, 10},
    {52, 16}, {53, 9},  {54, 24}, {55, 21}, {56, 21}, {57, 6},  {58, 6},  {59, 6},  {70, 6},
    {72, 6},  {73, 11}, {74, 13}, {75, 6},  {76, 18}, {77, 13}, {78, 6},  {79, 13},
};

WIRE_TEST(each_temp_entity_has_its_size)
{
    uint8_t bytes[32] = {SVC_TEMP_ENTITY};

    SERVER_SENDS(QUAKE);
    for (size_t i = 0; i < G_N_ELEMENTS(temp_entities); i++) {
        bytes[1] = temp_entities[i].type;
        wire_assert_reads(wire, (struct qs_view){bytes, 2u + temp_entities[i].size});
        assert_int_equal(wire->decoder.found.messages->len, 1);
        wire_block(wire, (struct qs_view){bytes, 1u + temp_entities[i].size});
        assert_int_equal(wire->decoder.found.notes[QS_NOTE_MALFORMED], 1);
    }
    bytes[1] = 14;
    wire_block(wire, (struct qs_view){bytes, 8});
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
    assert_int_equal(wire->decoder.found.undecoded, 6);
}

WIRE_TEST(unknown_messages_are_not_decoded)
{
    static const uint8_t unknown[] = {0, 21, 38, 39, 45, 51, 53, 57, 62, 63, 127};
    SERVER_SENDS(FITZQUAKE);
    for (size_t i = 0; i < sizeof unknown; i++) {
        const uint8_t bytes[] = {SVC_NOP, unknown[i], SVC_NOP};

        wire_block(wire, (struct qs_view){bytes, sizeof bytes});
        assert_int_equal(wire->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
        assert_int_equal(wire->decoder.found.undecoded, 1);
    }
}

/* --- A capture that begins in a game --- */

WIRE_TEST(an_update_shows_the_protocol)
{
    /* Float coordinates and short angles: no other protocol reads it to the end. */
    READS("\7\0\0\x80\x3f"
          "\x92\1\0\0\0\x3f\0\x40"
          "\x92\1\0\0\0\x3f\0\x40",
          "nq.update.origin.x = 0.5", "nq.update.angles.yaw = 90");
    assert_int_equal(wire->session.assumed_version, 999);
    assert_int_equal(wire->session.base.version, 0);
    SERVER_SENDS("\7\0\0\x80\x3f");
    assert_int_equal(wire->session.assumed_version, 999);
    SERVER_SENDS(QUAKE);
    READS("\x92\1\4\0\x40", "nq.update.origin.x = 0.5");
}
