/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FTE's extensions over Quake's netchan, byte by byte: what no capture has, above all. */
#include "tests/quake/wire.h"

#define LIST "4\1Level\0maps/m.bsp\0\0\0"
#define VERSION_999 "\xe7\3\0\0\x12\0\0\0" /* floats, short angles */
#define VERSION_15 "\x0f\0\0\0"

/* FTE2's first byte and second; the session's FTE word has CSQC. */
#define FTE_SERVERINFO(fte2, protocol)                                                             \
    "\x0b"                                                                                         \
    "FTEX\0\0\0\x40"                                                                               \
    "FTE2" fte2 "\0\0" protocol "qw\0" LIST

WIRE_TEST(agreement_is_kept_until_the_next_level)
{
    READS(FTE_SERVERINFO("\x7f\0", VERSION_999), "nq.extension.fte.csqc = true",
          "nq.agreed.fte = 0x40000000", "nq.agreed.fte2 = 0x7f", "nq.serverinfo.gamedir = qw",
          "nq.serverinfo.maxclients = 52");
    assert_describes(&nq_protocol, &wire->session.base, "999 flags 0x12 FTE 0x40000000 FTE2 0x7f",
                     "m", NULL);
    SERVER_SENDS("\x0b" VERSION_15 LIST);
    assert_int_equal(wire->session.ext.fte2, 0);
    wire_block(wire, VIEW("\x56\0\0\0\0\0\0\0\0"));
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
}

/* The protocol stays if the capture lacks the next svc_serverinfo: time begins again. */
WIRE_TEST(agreement_is_kept_by_a_level_whose_beginning_is_missing)
{
    wire_send(wire, QS_S2C, NETFLAG_UNRELIABLE, 0,
              VIEW(FTE_SERVERINFO("\x7f\0", VERSION_999) "\x19\1\x19\2\x19\3"));
    wire_send(wire, QS_S2C, NETFLAG_UNRELIABLE, 1, VIEW("\7\0\0\x80\x42"));
    wire_send(wire, QS_S2C, NETFLAG_UNRELIABLE, 2, VIEW("\7\0\0\x80\x3f"));
    assert_int_equal(wire->session.base.level, 2);
    assert_int_equal(wire->session.ext.fte, 0x40000000);
    assert_int_equal(wire->session.ext.fte2, 0x7f);
}

WIRE_TEST(client_names_its_extensions)
{
    CLIENT_SENDS(0, "\4pext 0x58455446 0x40068600 0x32455446 0x7f\n\0");
    RECEIVED("nq.extension.fte.floatcoords = true", "nq.extension.fte2.predinfo = true");
}

/* Entity 1 as a player: frame, angles, what its movement is predicted with. */
WIRE_TEST(entities_come_as_replacement_deltas)
{
    SERVER_SENDS(FTE_SERVERINFO("\x7f\0", VERSION_999) "\x0d\0bob\0");
    READS("\x56\7\0\0\0\x80\x3f"
          "\1\0\x51\x0e\0\x40\xf8\x83\x81\1\0\2\xf8\xff\7\0\x40"
          "\x02\x80"
          "\0\0",
          "nq.updateentities.move = 7", "nq.updateentities.time = 1", "nq.delta.player.name = bob",
          "nq.delta.angles.yaw = 90", "nq.delta.velocity.x = 48.125", "nq.delta.msec = 7",
          "nq.delta.viewangles.yaw = 90", "nq.entities.end = 0x0");
}

/* A number of 24 bits; the frame has 16, and with LERPTIME as many as it needs. */
WIRE_TEST(large_numbers_are_read)
{
    SERVER_SENDS(FTE_SERVERINFO("\x7f\0", VERSION_999));
    SERVER_SENDS("\x42\x01\x80\2\x81\2\x2c\1" /* svcfte_spawnbaseline2 */
                 "\x05\x01\x80\3");           /* svc_setview */
    RECEIVED("nq.spawnbaseline2.entity = 258", "nq.delta.frame = 300", "nq.setview.entity = 259");
    SERVER_SENDS(FTE_SERVERINFO("\x3f\4", VERSION_999));
    READS("\x15\x81\2\xac\2\x15"
          "\x2c\0\0\0\0\0\0\0\0\0\0\0\0\x81\1\xff\x40",
          "nq.delta.frame = 300", "nq.delta.lerpend = 21", "nq.staticsound.number = 129");
}

WIRE_TEST(sounds_have_more_fields)
{
    SERVER_SENDS(FTE_SERVERINFO("\x7f\0", VERSION_999));
    /* volume, more, large entity, time offset, pitch; in the second byte a velocity, which loops.
     */
    READS("\6\xcd\3\xff\x96\xe8\3\x08\0\xf8\xff\0\0\1\x80\4\2\3"
          "\0\0\x80\x3f\0\0\0\0\0\0\0\0",
          "nq.sound.more.forceloop = true", "nq.sound.pitch = 150", "nq.sound.time_offset = 1000",
          "nq.sound.velocity.x = 1", "nq.sound.entity = 260", "nq.sound.index = 3");
}

WIRE_TEST(other_server_messages_are_read)
{
    SERVER_SENDS(FTE_SERVERINFO("\x7f\2", VERSION_999) "\x0d\0bob\0");
    READS("\7\0\0\0\x40\x05\0"                             /* svc_time */
          "\x36\x01\x40sparks\0"                           /* svc_precache */
          "\x4e\x64hello\0"                                /* svcfte_updatestatstring */
          "\x4f\xf0\0\0\x80\x40"                           /* svcfte_updatestatfloat */
          "\x54\0\x12\5\2\0ab"                             /* svcfte_voicechat */
          "\x55\0\0\0\x40\0\0"                             /* svcfte_setangledelta */
          "\x5d\2\0\x40"                                   /* svcfte_setanglebase */
          "\x5a\3\0abc"                                    /* svcfte_cgamepacket_sized */
          "\x5c\5\0\2\0xy\6\x80\0\0"                       /* svcfte_csqcentities_sized */
          "\x5b\x0e\x80\x15\7\0\0\x80\x3f\0\0\0\0\0\0\0\0" /* te, sized */
          "\1",
          "nq.time.move = 5", "nq.precache.particle = true", "nq.updatestatstring.value = hello",
          "nq.updatestatfloat.value = 4", "nq.voicechat.player.name = bob",
          "nq.setangledelta.angles.yaw = 90", "nq.setanglebase.angles.yaw = 90",
          "nq.csqcentities.entity = 5", "nq.temp_entity.count = 7");
    assert_null(qs_table_get(&wire->session.models, 1 | 0x4000));
    wire_block(wire, VIEW("\x53zz"));
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED], 1);
}

/* Protocol 15 with FTE's FLOATCOORDS: its angles and coordinates are as wide as 999's. */
WIRE_TEST(floatcoords_widen_protocol_15)
{
    SERVER_SENDS("\x0b"
                 "FTEX\0\x80\0\0" VERSION_15 LIST);
    READS("\x0a\0\x40\0\0\0\0"
          "\x13\1\2\0\0\0\x3f\0\0\0\0\0\0\0\0",
          "nq.setangle.angles.pitch = 90", "nq.damage.origin.x = 0.5");
}

/* --- Of the client */

#define MOVE "\x03\x29\0\0\0\x80\x3f\0\x40\0\0\0\0\x90\1\0\0\0\0"

WIRE_TEST(moves_have_a_number_and_a_cursor)
{
    SERVER_SENDS(FTE_SERVERINFO("\x7f\0", VERSION_999));
    CLIENT_SENDS(0, MOVE "\2\0\0\0\7"
                         "\x32\x13\0\0\0");
    RECEIVED("nq.move.sequence = 41", "nq.move.angles.pitch = 90", "nq.move.forwardmove = 400",
             "nq.move.jump = true", "nq.move.impulse = 7", "nq.ackframe.frame = 19");
    CLIENT_SENDS(1, MOVE "\0\0\0\xc0\0\5\0\0\0"
                         "\xff\x7f\x01\x80"
                         "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\0\0\0\0\0"
                         "\1\x80\4");
    RECEIVED("nq.move.weapon = 5", "nq.move.cursor.screen_x = 1", "nq.move.cursor.impact.x = 1",
             "nq.move.cursor.entity = 260");
}

/* Protocol 15's angles stay narrow where a move is followed by what it acknowledges. */
WIRE_TEST(narrow_moves_are_distinguished_from_precise_ones)
{
    SERVER_SENDS(FTE_SERVERINFO("\x7f\0", VERSION_15));
    CLIENT_SENDS(0, "\x03\x29\0\0\0\x80\x3f\x40\x80\xc0\x90\1\0\0\0\0"
                    "\2\0\0\0\7\x32\x13\0\0\0");
    RECEIVED("nq.move.angles.yaw = -180", "nq.ackframe.frame = 19");
}

WIRE_TEST(vrinputs_replace_moves)
{
    SERVER_SENDS(FTE_SERVERINFO("\x7f\6", VERSION_999));
    CLIENT_SENDS(0, "\x55\x29\0\x0a\x01\x81"
                    "\x85\x2a\xc0\x53\xa5\xc0\0\x50\x82\x00\x00");
    RECEIVED("nq.move.sequence = 41", "nq.input.time = 21413", "nq.move.forwardmove = 400",
             "nq.usercmd.msec = 255");
    assert_true(wire->session.moved);
    assert_true(wire->session.move.yaw == 192 * (360.0 / 65536));
}

WIRE_TEST(voice_and_qc_requests_are_read)
{
    SERVER_SENDS(FTE_SERVERINFO("\x7f\0", VERSION_999));
    CLIENT_SENDS(0, "\x53\x12\5\2\0ab"
                    "\x51\1hi\0\4\1\x80\4\0Cmd_F\0");
    RECEIVED("nq.voicechat.size = 2", "nq.qcrequest.string = hi", "nq.qcrequest.entity = 260",
             "nq.qcrequest.name = Cmd_F");
}

/* An update is acknowledged by its packet's number; -1 requests a full update. */
WIRE_TEST(missing_update_that_is_acknowledged_was_not_captured)
{
    const struct qs_view update = VIEW("\x56\7\0\0\0\x80\x3f\0\0");

    SERVER_SENDS(FTE_SERVERINFO("\x7f\0", VERSION_999) "\x19\1\x19\2\x19\3");
    wire_send(wire, QS_S2C, NETFLAG_UNRELIABLE, 18, update);
    wire_send(wire, QS_S2C, NETFLAG_UNRELIABLE, 20, update);
    CLIENT_SENDS(0, "\x32\xff\xff\xff\xff\x32\x12\0\0\0");
    assert_int_equal(wire->session.base.to_client.not_captured, 0);
    wire_send(wire, QS_C2S, NETFLAG_UNRELIABLE, 1, VIEW("\x32\x13\0\0\0\x32\x14\0\0\0"));
    assert_int_equal(wire->session.base.to_client.not_captured, 1);
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_NOT_CAPTURED], 1);
}

/* In a capture that begins in mid-game the messages show which extensions are in use. */
WIRE_TEST(extensions_are_inferred_in_mid_game)
{
    READS("\x56\7\0\0\0\x80\x3f\1\0\2\0\0\x80\x3f\0\0\x80\x3f\0\0", "nq.delta.origin.x = 1");
    assert_int_equal(wire->session.base.version, 0);
    assert_int_equal(wire->session.ext.fte2, 0x7f);
}
