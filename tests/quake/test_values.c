/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values that games between a few clients do not have. The bytes and what is expected of them are
 * written down from the engines' sources, named at each test.
 */
#include "tests/quake/wire.h"

/* --- 16 bits from 0x8000 on --- */

/* QuakeSpasm cl_parse.c: CL_ParseStartSoundPacket takes entity and channel without a sign, frags
 * with one; common.c, MSG_ReadCoord16. */
WIRE_TEST(words_from_0x8000_on_have_their_sign)
{
    SERVER_SENDS(QUAKE);
    READS("\6\0\xf9\xff\1\0\x80\xff\x7f\0\0", "nq.sound.entity = 8191", "nq.sound.origin.x = -4096",
          "nq.sound.origin.y = 4095.875");
    READS("\x0e\0\0\x80", "nq.updatefrags.frags = -32768");
    READS("\5\1\x80", "nq.setview.entity = 32769");
}

/* DarkPlaces cl_parse.c, svcdp_precache: bit 15 is a sound; cl_ents_nq.c,
 * EntityFrameQuake_ReadEntity: numbers of entities have no sign. */
WIRE_TEST(numbers_of_entities_have_no_sign)
{
    SERVER_SENDS(DP7);
    SERVER_SENDS("\x36\2\x80new.wav\0");
    assert_string_equal(qs_table_get(&wire->session.sounds, 2), "new.wav");
    assert_string_equal(qs_table_get(&wire->session.models, 2), "progs/a.mdl");
    SERVER_SENDS(QUAKE);
    READS("\x81\x40\1\x80", "nq.svc = 129 (entity update)", "nq.update.entity = 32769");
}

/* QuakeSpasm cl_parse.c, CL_ParseUpdate: U_FRAME2 and U_MODEL2 bring the upper bytes. */
WIRE_TEST(upper_bytes_belong_to_the_model)
{
    SERVER_SENDS(FITZQUAKE);
    READS("\xc1\x84\6\1\2\x34\x12\1", "nq.update.model = 2", "nq.update.frame = 52",
          "nq.update.frame_high = 18", "nq.update.model_high = 1");
    NOT_RECEIVED("progs/a.mdl"); /* it is number 258 */
    READS("\xc1\x84\6\1\2\x34\x12\0", "nq.update.model.name = progs/a.mdl");
}

/* QuakeSpasm cl_parse.c, CL_ParseClientdata: the upper byte of the weapon's model comes behind all
 * that Quake's own message has. */
WIRE_TEST(an_upper_byte_belongs_to_the_weapon)
{
    SERVER_SENDS(FITZQUAKE);
    SERVER_SENDS("\x0f\0\xc0\1\0\0\0\0\2\x64\0\0\0\0\0\0\1\2");
    NOT_RECEIVED("progs/a.mdl"); /* it is number 514 */
    READS("\x0f\0\xc0\1\0\0\0\0\2\x64\0\0\0\0\0\0\1\0", "nq.clientdata.weapon.name = progs/a.mdl");
}

/* DarkPlaces cl_ents4.c: the number of an entity's model has an upper byte, too. */
WIRE_TEST(an_upper_byte_belongs_to_the_entity)
{
    SERVER_SENDS(DP4);
    SERVER_SENDS("\x39\1\0\0\0\2\0\0\0\5\0"
                 "\6\0\xc0\x80\2\1\1"
                 "\0\x80\x20\0");
    NOT_RECEIVED("progs/a.mdl"); /* it is number 257 */
    READS("\x39\2\0\0\0\3\0\0\0\5\0"
          "\6\0\xc0\x80\2\2\0"
          "\0\x80\x20\0",
          "nq.entity.model.name = progs/a.mdl");
}

/* --- Angles below 0 --- */

/* QuakeSpasm common.c: MSG_ReadAngle of a signed byte, MSG_ReadAngle16 of a signed short. */
WIRE_TEST(angles_have_a_sign)
{
    SERVER_SENDS(QUAKE);
    READS("\x0a\xf6\0\xe0", "nq.setangle.angles.pitch = -14.0625", "nq.setangle.angles.yaw = 0",
          "nq.setangle.angles.roll = -45");
    assert_true(wire->session.set.pitch == -14.0625 && wire->session.set.roll == -45);
    READS("\x81\2\1\xe0", "nq.update.angles.roll = -45");
    READS("\x0f\x14\2\xfe\xfd\0\0\0\0\x64\0\0\0\0\0\0\0", "nq.clientdata.punch.pitch = -2",
          "nq.clientdata.punch.roll = -3");
}

WIRE_TEST(angles_of_moves_have_a_sign)
{
    SERVER_SENDS(FITZQUAKE);
    CLIENT_SENDS(0, "\3\0\0\x80\x3f\0\xf0\0\x40\0\xe0\x90\1\x70\xfe\0\0\3\0");
    RECEIVED("nq.move.angles.pitch = -22.5", "nq.move.angles.yaw = 90",
             "nq.move.angles.roll = -45");
    assert_true(wire->session.move.pitch == -22.5 && wire->session.move.roll == -45);
}

/* --- Thresholds of versions --- */

/* DarkPlaces cl_parse.c, CL_ParseClientdata: a byte in DP2 to DP4, then a short. */
WIRE_TEST(viewzoom_is_a_byte_then_a_short)
{
    SERVER_SENDS(DP4);
    READS("\x0f\0\x80\x08\0\0\0\0\x64\0\0\0\0\0\0\0\x80\1", "nq.clientdata.health = 100",
          "nq.clientdata.viewzoom = 128", "nq.svc = 1 (svc_nop)");
    SERVER_SENDS(DP5);
    READS("\x0f\0\x80\x08\0\0\0\0\x64\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\1",
          "nq.clientdata.viewzoom = 65280", "nq.svc = 1 (svc_nop)");
}

static bool is_decoded(struct wire *wire, uint16_t version)
{
    const uint8_t lists[] = LISTS;
    uint8_t bytes[5 + sizeof lists] = {0x0b, (uint8_t)version, (uint8_t)(version >> 8), 0, 0};

    memcpy(bytes + 5, lists, sizeof lists);
    wire_block(wire, (struct qs_view){bytes, sizeof bytes - 1});
    return !wire->decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED];
}

/* DarkPlaces protocol.c, the list of its protocols; QuakeSpasm protocol.h. */
WIRE_TEST(only_known_versions_are_decoded)
{
    static const uint16_t decoded[] = {15, 96, 97, 250, 666, 3500, 3505, 10000, 10002};
    static const uint16_t others[] = {14, 16, 95, 98, 249, 251, 665, 1000, 3499, 3506, 9999, 10003};
    for (size_t i = 0; i < G_N_ELEMENTS(decoded); i++)
        assert_true(is_decoded(wire, decoded[i]));
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        assert_false(is_decoded(wire, others[i]));
}

/* --- Players --- */

/* QuakeSpasm cl_parse.c, svc_updatename: numbers below maxclients; the entity is one more. */
WIRE_TEST(the_last_player_is_named)
{
    SERVER_SENDS(QUAKE "\x0d\3last\0");
    READS("\x80\4", "nq.update.player.name = last");
    SERVER_SENDS("\x80\5");
    NOT_RECEIVED("player.name");
    READS("\x0e\3\7\0", "nq.updatefrags.name = last");
    SERVER_SENDS("\5\4\0");
    assert_describes(&nq_protocol, &wire->session.base, "15", "m", "last");
}

/* DarkPlaces cl_ents4.c: entities 1 to maxclients are players. */
WIRE_TEST(the_last_player_of_a_frame_is_named)
{
    SERVER_SENDS(DP4 "\x0d\3last\0");
    READS("\x39\1\0\0\0\2\0\0\0\5\0"
          "\4\0\0"
          "\0\x80\x20\0",
          "nq.entity.player.name = last");
    SERVER_SENDS("\x39\2\0\0\0\3\0\0\0\5\0"
                 "\5\0\0"
                 "\0\x80\x20\0");
    NOT_RECEIVED("player.name");
}

/* --- A change of level --- */

#define RELIABLE (NETFLAG_DATA | NETFLAG_EOM)
#define BASELINE "\x16\x14\0\2\0\0\0\0\0\0\0\0\0\0\0\0"
#define SECOND_LEVEL "\x0b\x0f\0\0\0\4\1Two\0maps/n.bsp\0\0\0"

/* The second level has no model 2, no sound, no player 1: nothing of the first may show. */
WIRE_TEST(the_next_level_forgets_names)
{
    wire_send(wire, QS_S2C, RELIABLE, 0, VIEW(QUAKE "\x0d\1bob\0\5\2\0" BASELINE "\x19\3"));
    RECEIVED("nq.baseline.model.name = progs/a.mdl");
    wire_send(wire, QS_S2C, NETFLAG_UNRELIABLE, 0, VIEW("\7\0\0\x80\x3f\x81\4\2\2"));
    RECEIVED("nq.update.player.name = bob", "nq.update.model.name = progs/a.mdl");
    wire_send(wire, QS_S2C, RELIABLE, 1, VIEW(SECOND_LEVEL "\x19\1"));
    assert_int_equal(wire->session.base.level, 2);
    assert_int_equal(wire->session.view_entity, 0);
    wire_send(wire, QS_S2C, NETFLAG_UNRELIABLE, 1,
              VIEW("\7\0\0\x80\x3f\x81\4\2\2\x0e\1\0\0\6\0\x10\0\1\0\0\0\0\0\0" BASELINE));
    assert_int_equal(qs_decoder_problems(&wire->decoder), 0);
    RECEIVED("nq.update.entity = 2", "nq.updatefrags.player = 1", "nq.sound.index = 1",
             "nq.baseline.model = 2");
    NOT_RECEIVED(".name = ");
    assert_describes(&nq_protocol, &wire->session.base, "15", "n", NULL);
}

/* DarkPlaces cl_ents4.c: the flags of an entity in the level before do not apply to this one. */
WIRE_TEST(the_next_level_forgets_flags)
{
    SERVER_SENDS(DP4);
    READS("\x39\1\0\0\0\2\0\0\0\5\0"
          "\6\0\x81\x40\x10\7\0"
          "\0\x80\x20\0",
          "nq.entity.origin.x = 7"); /* in whole units by its flags */
    SERVER_SENDS(DP4);
    READS("\x39\1\0\0\0\2\0\0\0\5\0"
          "\6\0\1\0\0\x80\x3f"
          "\0\x80\x20\0",
          "nq.entity.origin.x = 1");
}
