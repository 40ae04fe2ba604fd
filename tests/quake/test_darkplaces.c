/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of DarkPlaces' protocols byte by byte: those that its versions write differently. */
#include "common/core/writer.h"
#include "common/core/findings.h"
#include "common/demo/dem/dem.h"
#include "tests/quake/wire.h"

#define ONE "\0\0\x80\x3f"   /* 1.0 */
#define HALF "\0\0\0\x3f"    /* 0.5 */
#define MINUS "\0\0\x80\xbf" /* -1.0 */

/* --- Entities from DP5 on --- */

WIRE_TEST(entities_from_dp5_on_have_frames)
{
    SERVER_SENDS(DP7);
    READS("\x39\7\0\0\0\x2a\0\0\0"
          "\1\0\x0e\x08\0\xf8\xff\x10\0\x40\x80\xc0\2" /* 1/8 unit, bytes */
          "\2\x80"
          "\0\x80",
          "nq.entities.frame = 7", "nq.entities.move = 42", "nq.entity.number = 1",
          "nq.entity.player.name = bob", "nq.entity.origin.x = 1", "nq.entity.origin.y = -1",
          "nq.entity.angles.pitch = 90", "nq.entity.angles.yaw = -180",
          "nq.entity.model.name = progs/a.mdl", "nq.entity.remove = true",
          "nq.entities.end = 0x8000");
    SERVER_SENDS(DP6); /* without the move */
    READS("\x39\7\0\0\0\5\0\x20\3\0\x80", "nq.entity.skin = 3");
}

/* All bits, in the order of the values. */
WIRE_TEST(entities_from_dp5_on_have_all_bits)
{
    SERVER_SENDS(DP5);
    READS("\x39\1\0\0\0\1\1\xff\xff\xff\7"
          "\x10" ONE MINUS HALF "\0\x40\0\x80\0\0"
          "\2\0\1\1\4\1\0\0\x80"     /* model, frame, skin, effects */
          "\xff\x20\x11\3\0\5"       /* to the attachment */
          "\1\0\2\0\3\0\x90\1\6\x80" /* light */
          "\2\xfe\x20\x10\x40\x20\x20\x20"
          "\1\1\0\2\0\3\0\4\0\xff\0" /* two frames */
          "\x0a\0"
          "\0\x80",
          "nq.entity.flags.lowprecision = true", "nq.entity.origin.y = -1",
          "nq.entity.angles.yaw = -180", "nq.entity.model = 2", "nq.entity.frame = 257",
          "nq.entity.effects = 0x80000001", "nq.entity.effects.tracer3 = true",
          "nq.entity.alpha = 1", "nq.entity.scale = 2", "nq.entity.colormap = 17",
          "nq.entity.tag.entity = 3", "nq.entity.light.radius = 400",
          "nq.entity.light.pflags.fulldynamic = true", "nq.entity.glow.size = 8",
          "nq.entity.colormod.blue = 2", "nq.entity.glowmod.red = 1", "nq.entity.blend.frame = 2",
          "nq.entity.blend.age = 4", "nq.entity.trail = 10");
}

/* Ends the message behind its update. */
static void end_update(struct wire *wire, GByteArray *message)
{
    const struct qs_entity_update *update;

    wire->decoder.want_entities = QS_ENTITIES_ALL;
    wire_block(wire, (struct qs_view){message->data, message->len});
    update = &g_array_index(wire->decoder.found.entities, struct qs_entity_update, 0);
    g_byte_array_set_size(message,
                          (guint)(update->bytes.data + update->bytes.size - message->data));
    qs_write_u16(message, 0x8000);
}

/* The bytes of an update that a sign-on keeps can be read to their end. */
static void check_kept(struct wire *wire, GByteArray *message)
{
    struct qs_sign_on *sign_on = qs_sign_on_new();
    g_autoptr(GByteArray) kept = g_byte_array_new();

    sign_on->complete = true;
    end_update(wire, message);
    wire_block(wire, (struct qs_view){message->data, message->len});
    dem_late_join.add_packet(sign_on, &wire->decoder);
    qs_write_view(kept, qs_sign_on_state(sign_on, 5));
    assert_true(kept->len > 0);
    qs_write_u8(kept, SVC_NOP);
    wire_assert_reads(wire, (struct qs_view){kept->data, kept->len});
    assert_int_equal(wire->decoder.found.messages->len, 2);
    qs_sign_on_free(sign_on);
}

WIRE_TEST(a_kept_update_can_be_read_to_its_end)
{
    enum { ROUNDS = 3000, BODY = 80 };
    g_autoptr(GRand) dice = g_rand_new_with_seed(1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const bool moves = round % 2; /* from DP7 on with the number of a move */
        g_autoptr(GByteArray) message = g_byte_array_new();

        wire_assert_reads(wire, moves ? VIEW(DP7) : VIEW(DP6));
        qs_write_u8(message, SVC_DP_ENTITIES);
        qs_write_u32(message, 1);
        if (moves)
            qs_write_u32(message, 1);
        qs_write_u16(message, 5);
        qs_write_u32(message, (g_rand_int(dice) & (UINT32_MAX ^ E5_COMPLEXANIMATION)) |
                                  E5_FULLUPDATE | E_EXTEND1 | E_EXTEND2 | E_EXTEND3);
        for (unsigned i = 0; i < BODY; i++)
            qs_write_u8(message, 0x11);
        check_kept(wire, message);
    }
}

WIRE_TEST(animations_have_five_kinds)
{
    static const uint8_t size[] = {4, 10, 15, 20};
    uint8_t bytes[48] = {0x39, 1, 0, 0, 0, 5, 0, 0x80, 0x80, 0x80, 0x02};

    SERVER_SENDS(DP5);
    for (uint8_t type = 0; type < G_N_ELEMENTS(size); type++) {
        const uint32_t end = 12u + size[type];

        bytes[11] = type;
        memcpy(bytes + end, "\0\x80", 2);
        wire_assert_reads(wire, (struct qs_view){bytes, end + 2});
        memset(bytes + end, 0, 2);
    }
    READS("\x39\1\0\0\0\5\0\x80\x80\x80\2\4\2\0\1"
          "\1\0\2\0\3\0\4\0\5\0\6\0\7\0"
          "\0\x80",
          "nq.entity.bone.count = 1");
    wire_block(wire, VIEW("\x39\1\0\0\0\5\0\x80\x80\x80\2\5"));
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_MALFORMED], 1);
}

/* --- Entities up to DP4 --- */

#define FRAME "\x39\1\0\0\0\2\0\0\0" /* with its reference */
#define EYE ONE ONE ONE

WIRE_TEST(entities_of_dp3_and_dp4_have_floats)
{
    SERVER_SENDS(DP3);
    READS(FRAME EYE "\1\0\x47" ONE MINUS HALF "\2" /* floats */
                    "\2\x80\xff\xff",
          "nq.entities.reference = 1", "nq.entities.frame = 2", "nq.entities.eye.x = 1",
          "nq.entity.origin.z = 0.5", "nq.entity.model.name = progs/a.mdl",
          "nq.entity.remove = true");
    SERVER_SENDS(DP4);
    READS(FRAME "\5\0"
                "\6\0\x09" ONE "\x40"
                "\0\x80\x20\0",
          "nq.entities.first = 5", "nq.entity.angles.pitch = 90", "nq.entities.last = 32");
}

/* Whole units, from the flag on to the entity's removal. */
WIRE_TEST(entities_of_dp1_and_dp2_may_have_whole_units)
{
    SERVER_SENDS(DP1);
    READS(FRAME EYE "\5\0\x81\x40\x10\x2a\0\xff\xff", "nq.entity.origin.x = 42");
    READS(FRAME EYE "\5\0\1\xff\xff\6\0\1" ONE "\xff\xff", "nq.entity.origin.x = -1",
          "nq.entity.origin.x = 1");
    SERVER_SENDS(FRAME EYE "\5\x80\xff\xff");
    SERVER_SENDS(FRAME EYE "\5\0\1" ONE "\xff\xff");
    SERVER_SENDS(DP2); /* all of them; the flags come late */
    SERVER_SENDS(FRAME EYE "\5\0\x81\xc0\x10\x2a\0\5\1\xff\xff");
}

/* All bits, in the order of the values. */
WIRE_TEST(entities_up_to_dp4_have_all_bits)
{
    SERVER_SENDS(DP4);
    READS(FRAME "\0\0"
                "\1\0\xff\xff\xff\x18"
                "\0" ONE ONE ONE "\1\2\3\2\0\4\1\5\1\6\7\xff\x20\1\xfe"
                "\3\0\1\1\0\2\0\3\0\4\0\x0b\x80"
                "\0\x80\0\0",
          "nq.entity.model.name = progs/a.mdl", "nq.entity.frame_high = 1",
          "nq.entity.effects_high = 0x1", "nq.entity.colormap = 6", "nq.entity.scale = 2",
          "nq.entity.glow.color = 254", "nq.entity.light.radius = 4", "nq.entity.light.style = 11",
          "nq.entity.light.pflags = 0x80");
}

/* --- csqcentities --- */

WIRE_TEST(csqcentities_end_at_data_of_the_mod)
{
    SERVER_SENDS(DP7);
    SERVER_SENDS("\x3a\5\x80\6\x80\0\0\1");
    assert_int_equal(wire->decoder.found.messages->len, 2);
    wire_block(wire, VIEW("\x3a\5\x80\6\0\1\2\3\0\0"));
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED], 1);
    assert_int_equal(wire->decoder.found.undecoded, 5);
}

/* --- Updates of Quake's kind --- */

WIRE_TEST(updates_of_quakes_kind_have_all_bits)
{
    SERVER_SENDS("\x08\nServer: DarkPlaces (progs 1 crc)\n\0"
                 "\x0b\x0f\0\0\0" LISTS);
    READS("\xc1\x84\xff\x0d\7\2\3\x80\x20\1\2\xfe\xff\1\0", "nq.update.dpflags3.delta = true",
          "nq.update.alpha = 128", "nq.update.effects_high = 0x1", "nq.update.glowsize = 8",
          "nq.update.colormod.red = 7", "nq.update.frame_high = 1",
          "nq.update.model.name = progs/a.mdl");
}

WIRE_TEST(baselines_differ_by_version)
{
    SERVER_SENDS(DP7);
    READS("\x37\5\0\2\0\1\1\3\4" ONE "\0\x40" ONE "\0\0" ONE "\0\0"
          "\x38\2\0\1\1\3\4" ONE "\0\0" ONE "\0\0" ONE "\0\0"
          "\x16\5\0\2\1\3\4" ONE "\0\0" ONE "\0\0" ONE "\0\0",
          "nq.baseline.model.name = progs/a.mdl", "nq.baseline.frame = 257",
          "nq.baseline.angles.pitch = 90");
    SERVER_SENDS(DP3); /* whole units, angles of bytes */
    READS("\x14\2\1\3\4\x2a\0\x40\0\0\0\0\0\0", "nq.baseline.origin.x = 42");
}

/* --- clientdata --- */

WIRE_TEST(clientdata_differs_by_version)
{
    SERVER_SENDS(DP7);
    READS("\x0f\x27\x86\x09\x16\xfe\0\x40" ONE HALF "\1\0\0\x80\x80\0",
          "nq.clientdata.viewheight = 22", "nq.clientdata.punch.pitch = 90",
          "nq.clientdata.punchvec.x = 1", "nq.clientdata.velocity.x = 0.5",
          "nq.clientdata.items = 0x80000001", "nq.clientdata.viewzoom = 128");
    SERVER_SENDS("\x0f\0\0");
    SERVER_SENDS(DP5); /* all of 16 bits */
    READS("\x0f\0\x70\0\0\0\0\1\0\xc8\0\2\0\x64\0\1\0\2\0\3\0\4\0\5\0\0\1",
          "nq.clientdata.armor = 200", "nq.clientdata.activeweapon = 256",
          "nq.clientdata.weapon.name = progs/a.mdl");
    SERVER_SENDS(DP3); /* all of 8 bits */
    READS("\x0f\x24\xc0\x09\0\x40\x2a\0\2\0\0\0\0\2\x64\0\1\2\3\4\5\1\x80",
          "nq.clientdata.punchvec.x = 42", "nq.clientdata.velocity.x = 32",
          "nq.clientdata.viewzoom = 128");
}

/* --- The other messages of the server --- */

WIRE_TEST(other_messages_differ_by_version)
{
    SERVER_SENDS(DP7);
    READS("\x32\0\1\0\0\3\0abc"
          "\x33\4\xc8"
          "\x36\3\0progs/b.mdl\0"
          "\x36\2\x80s/2.wav\0"
          "\x34" ONE ONE ONE "\3\0\5\x0a"
          "\6\x28\x40\x1f\3\0\2\2" ONE ONE ONE "\x0a\0\x40\0\0\0\0",
          "nq.downloaddata.start = 256", "nq.updatestat.value = 200",
          "nq.effect.model.name = progs/b.mdl", "nq.sound.speed = 8000", "nq.sound.entity = 3",
          "nq.sound.name = s/2.wav");
    assert_true(wire->session.angle_set && wire->session.set.pitch == 90);
    SERVER_SENDS(DP3); /* svc_sound2 */
    READS("\x36\0\x0b\0\1\0\1\0\0\0\0\0", "nq.sound.name = s/1.wav");
    SERVER_SENDS(DP8);
    READS("\2bye\0", "nq.disconnect.reason = bye");
}

/* --- The client --- */

#define SPEEDS "\x90\1\x70\xfe\0\0"
#define CURSOR "\xff\x7f\0\0" ONE ONE ONE HALF HALF HALF "\5\0"
#define ANGLES16 "\0\x40\0\x80\0\0"

WIRE_TEST(moves_differ_by_version)
{
    SERVER_SENDS(DP7);
    CLIENT_SENDS(0, "\3\7\0\0\0" ONE ANGLES16 SPEEDS "\2\1\0\0\x0a" CURSOR
                    "\3\x08\0\0\0" ONE ANGLES16 SPEEDS "\1\0\0\0\0" CURSOR
                    "\x32\x2a\0\0\0\x33\0\1\0\0\3\0");
    RECEIVED("nq.move.sequence = 7", "nq.move.angles.pitch = 90", "nq.move.buttons = 0x102",
             "nq.move.impulse = 10", "nq.move.cursor.screen_x = 1", "nq.move.cursor.impact.z = 0.5",
             "nq.move.cursor.entity = 5", "nq.move.sequence = 8", "nq.ackframe.frame = 42",
             "nq.ackdownloaddata.size = 3");
    assert_true(wire->session.moved && wire->session.move.yaw == -180);
    SERVER_SENDS(DP6);
    CLIENT_SENDS(1, "\3" ONE ANGLES16 SPEEDS "\1\0\0\0\0" CURSOR);
    SERVER_SENDS(DP5);
    CLIENT_SENDS(2, "\3" ONE ANGLES16 SPEEDS "\1\0");
    SERVER_SENDS(DP2);
    CLIENT_SENDS(3, "\3" ONE HALF HALF HALF SPEEDS "\1\0");
    assert_true(wire->session.move.yaw == 0.5);
    SERVER_SENDS("\x0b\x0f\0\0\0" LISTS); /* a piece is acknowledged */
    CLIENT_SENDS(4, "\3" ONE "\x40\0\0" SPEEDS "\1\0\x33\0\1\0\0\3\0");
    assert_true(wire->session.move.pitch == 90);
    SERVER_SENDS(DP8);
    CLIENT_SENDS(5, "\2bye\0");
    RECEIVED("nq.disconnect.reason = bye");
}

/* --- Frames that clients acknowledge --- */

static void send_frame(struct wire *wire, uint32_t sequence, uint8_t number)
{
    const uint8_t frame[] = {SVC_DP_ENTITIES, number, 0, 0, 0, 0, 0x80};

    wire_send(wire, QS_S2C, NETFLAG_UNRELIABLE, sequence, (struct qs_view){frame, sizeof frame});
}

/* Returns how many frames turn out not to have been captured. */
static uint32_t acknowledge_two(struct wire *wire, uint32_t sequence, uint8_t first, uint8_t second)
{
    const uint8_t frames[] = {CLC_DP_ACKFRAME, first, 0, 0, 0, CLC_DP_ACKFRAME, second, 0, 0, 0};
    const uint32_t before = wire->session.base.to_client.not_captured;
    uint32_t found;

    wire_send(wire, QS_C2S, NETFLAG_UNRELIABLE, sequence, (struct qs_view){frames, sizeof frames});
    found = wire->session.base.to_client.not_captured - before;
    assert_int_equal(wire->decoder.found.notes[QS_NOTE_NOT_CAPTURED] != 0, found != 0);
    return found;
}

#define SIGNED_ON DP6 "\x19\1\x19\2\x19\3"

WIRE_TEST(an_acknowledged_frame_that_is_missing_is_reported_once)
{
    SERVER_SENDS(SIGNED_ON);
    send_frame(wire, 10, 2); /* 1 was lost on the path: no client acknowledges it */
    assert_int_equal(acknowledge_two(wire, 0, 2, 2), 0);
    send_frame(wire, 12, 4);
    assert_int_equal(acknowledge_two(wire, 1, 4, 9), 0); /* that is no frame so far */
    assert_int_equal(acknowledge_two(wire, 2, 3, 4), 1);
    RECEIVED("! The capture lacks 1 frame of entities that the client has acknowledged");
    assert_int_equal(acknowledge_two(wire, 3, 3, 4), 0); /* printed once */
}

/* The recorder has the acknowledgement before the frame, or neither frame comes. */
WIRE_TEST(an_acknowledged_frame_may_still_come)
{
    SERVER_SENDS(SIGNED_ON);
    send_frame(wire, 10, 1);
    assert_int_equal(acknowledge_two(wire, 0, 2, 3), 0);
    send_frame(wire, 11, 2);
    assert_int_equal(acknowledge_two(wire, 1, 3, 3), 0);
    assert_int_equal(nq_frames_awaited(&wire->session.frames), 1);
    send_frame(wire, 13, 4);
    assert_int_equal(nq_frames_awaited(&wire->session.frames), 1);
    assert_int_equal(acknowledge_two(wire, 2, 4, 4), 1);
    assert_int_equal(nq_frames_awaited(&wire->session.frames), 0);
    for (uint8_t i = 0; i < 40; i += 2) /* all but the last 8 will not come any more */
        acknowledge_two(wire, 3u + i, (uint8_t)(5 + i), (uint8_t)(6 + i));
    assert_int_equal(wire->session.base.to_client.not_captured, 1 + 40 - 8);
    assert_int_equal(nq_frames_awaited(&wire->session.frames), 8);
}

/* Numbers begin anew; servers ignore what is acknowledged of the level before. */
WIRE_TEST(acknowledgements_of_the_level_before_are_ignored)
{
    SERVER_SENDS(SIGNED_ON);
    send_frame(wire, 10, 100);
    SERVER_SENDS(DP6 "\x19\1\x19\2");
    assert_int_equal(acknowledge_two(wire, 0, 99, 100), 0);
    SERVER_SENDS("\x19\3");
    send_frame(wire, 20, 2);
    assert_int_equal(acknowledge_two(wire, 1, 1, 2), 1); /* the level's first, of all */
}

/* A frame behind messages that cannot be read; and the first one of a capture that begins in
 * mid-game. */
WIRE_TEST(an_unreadable_frame_is_not_missing)
{
    send_frame(wire, 10, 7);
    assert_int_equal(acknowledge_two(wire, 0, 6, 7), 0);
    SERVER_SENDS(SIGNED_ON);
    wire_send(wire, QS_S2C, NETFLAG_UNRELIABLE, 30, VIEW("\x7f\x7f"));
    send_frame(wire, 31, 2);
    assert_int_equal(acknowledge_two(wire, 1, 1, 2), 0);
}

/* --- A capture that begins in a game --- */

WIRE_TEST(a_move_shows_the_version)
{
    CLIENT_SENDS(9, "\3\7\0\0\0" ONE ANGLES16 SPEEDS "\2\1\0\0\x0a" CURSOR "\x32\x2a\0\0\0");
    assert_int_equal(wire->session.assumed_version, PROTOCOL_DP7);
    SERVER_SENDS("\7" ONE "\x0f\0\0\x39\7\0\0\0\x2a\0\0\0\2\x80\0\x80");
    assert_int_equal(wire->session.assumed_version, PROTOCOL_DP7);
}
