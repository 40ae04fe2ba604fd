/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extensions that no capture has: FTE's netchan with fragments, its experimental bits, and messages
 * that no server of the captures sent.
 */
#include "common/quakeworld/constants.h"
#include "common/quakeworld/session.h"
#include "tests/unit/text_listener.h"
#include "tests/unit/unit.h"

struct fixture {
    struct qs_decoder decoder;
    struct qw_session session;
    struct text_listener listener;
};

static void set_up(struct fixture *f)
{
    qs_decoder_init(&f->decoder, &qw_protocol);
    qw_protocol.session_init(&f->session.base);
    f->session.base.server = QS_END_B;
    f->session.base.version = QW_PROTOCOL_LAST;
    f->session.base.level = 1;
    f->session.format.known = true;
    f->listener = text_listener_new();
}

static void tear_down(struct fixture *f)
{
    g_string_free(f->listener.received, TRUE);
    qw_protocol.session_clear(&f->session.base);
    qs_decoder_clear(&f->decoder);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

/* Returns how many problems the packet has. */
static uint32_t decode(struct fixture *f, enum qs_end from, struct qs_view bytes)
{
    const struct qs_packet packet = {
        .data = bytes.data, .size = bytes.size, .wire_size = bytes.size, .from = from};

    g_string_truncate(f->listener.received, 0);
    qs_decode(&f->decoder, &f->session.base, &f->listener.base, &packet);
    return qs_decoder_problems(&f->decoder);
}

#define from_server(f, bytes) decode(f, QS_END_B, bytes)
#define from_client(f, bytes) decode(f, QS_END_A, bytes)
/* A packet of the server or the client, without a problem; with one. */
#define READS(side, bytes) assert_int_equal(from_##side(f, VIEW(bytes)), 0)
#define REFUSES(side, bytes) assert_int_not_equal(from_##side(f, VIEW(bytes)), 0)
/* Lines of the last packet. */
#define RECEIVED(...) text_listener_assert(&f->listener, (const char *const[]){__VA_ARGS__, NULL})

/* A test of one packet without a problem, and of lines that it shows; `agreed`: extensions. */
#define PACKET_TEST(function, agreed, side, bytes, ...)                                            \
    FIXTURE_TEST(function)                                                                         \
    {                                                                                              \
        const struct fte_session extensions = {AGREED agreed};                                     \
        f->session.ext.fte = extensions.fte;                                                       \
        f->session.ext.fte2 = extensions.fte2;                                                     \
        f->session.ext.mvd1 = extensions.mvd1;                                                     \
        READS(side, bytes);                                                                        \
        RECEIVED(__VA_ARGS__);                                                                     \
    }
#define AGREED(...) __VA_ARGS__

/* Headers: sequence 1, 2, or 3, acknowledged 1; clients add a qport. */
#define SERVER "\1\0\0\0\1\0\0\0"
#define CLIENT "\1\0\0\0\1\0\0\0\x34\x12"
#define SERVER_2 "\2\0\0\0\1\0\0\0"
#define CLIENT_2 "\2\0\0\0\1\0\0\0\x34\x12"
#define SERVER_3 "\3\0\0\0\1\0\0\0"
#define CLIENT_3 "\3\0\0\0\1\0\0\0\x34\x12"

/* --- The netchan */

#define FRAGMENT_SERVER(sequence, word) "\x40\0\0" sequence "\0\0\0\1" word

static void use_fte_netchan(struct fixture *f)
{
    f->session.format.stunaware = f->session.format.fragments = true;
}

FIXTURE_TEST(fragments_are_joined)
{
    use_fte_netchan(f);
    READS(server, FRAGMENT_SERVER("\5", "\1\0") "\x1a"
                                                "Hello, ");
    assert_false(f->decoder.found.accepted);
    RECEIVED("qw.sequence = 5", "qw.fragment.more = true");
    READS(server, FRAGMENT_SERVER("\5", "\2\0") "world\0");
    assert_true(f->decoder.found.accepted);
    RECEIVED("qw.fragment.offset = 8", "qw.centerprint.text = Hello, world");
    assert_non_null(f->session.joined);
    assert_int_equal(g_bytes_get_size(f->session.joined), 14);
    assert_int_equal(g_array_index(f->decoder.found.messages, struct qs_message, 0).source, 1);
}

FIXTURE_TEST(a_lost_fragment_drops_the_message)
{
    use_fte_netchan(f);
    from_server(f, VIEW(FRAGMENT_SERVER("\5", "\1\0") "12345678"));
    from_server(f, VIEW(FRAGMENT_SERVER("\5", "\4\0") "x"));
    assert_false(f->decoder.found.accepted);
    RECEIVED("! Fragment at 16 does not follow the 8 bytes received so far: dropped");
    from_server(f, VIEW(FRAGMENT_SERVER("\6", "\2\0") "x"));
    assert_false(f->decoder.found.accepted);
}

FIXTURE_TEST(a_late_fragment_is_stale)
{
    use_fte_netchan(f);
    from_server(f, VIEW(FRAGMENT_SERVER("\7", "\0\0") "\1"));
    assert_true(f->decoder.found.accepted);
    from_server(f, VIEW(FRAGMENT_SERVER("\6", "\1\0") "12345678"));
    assert_false(f->decoder.found.accepted);
    RECEIVED("! Sequence number 6 arrived late");
    assert_int_equal(f->session.base.to_client.stale, 1);
}

/* A packet of STUN: the bias distinguishes it. */
FIXTURE_TEST(words_without_the_bias_are_ignored)
{
    use_fte_netchan(f);
    READS(server, "\0\1\0\0\x21\x12\xa4\x42"
                  "123456789012");
    assert_false(f->decoder.found.accepted);
    RECEIVED("! Without STUNAWARE's bias: engines ignore it");
}

FIXTURE_TEST(the_netchan_is_known_without_a_handshake)
{
    f->session.format.known = false;
    READS(client, "\xc0\0\1\1\x80\0\1\0\x61\x26\0\0"
                  "\5\x2f");
    assert_true(f->session.format.stunaware);
    assert_true(f->session.format.fragments);
    RECEIVED("qw.sequence = 257", "qw.delta.sequence = 47");
}

/* A later fragment, and words that are 0x80000040 and 0x80000000 without the bias. */
FIXTURE_TEST(packets_of_two_netchans_show_neither)
{
    f->session.format.known = false;
    from_server(f, VIEW(FRAGMENT_SERVER("\5", "\4\0") "x"));
    assert_false(f->session.format.known);
    from_server(f, VIEW("\x40\0\0\x80\0\0\0\x80\0\0\1"));
    assert_false(f->session.format.known);
}

FIXTURE_TEST(the_plain_netchan_is_known_without_a_handshake)
{
    f->session.format.known = false;
    READS(client, "\x41\1\0\x80\0\1\0\0\x61\x26"
                  "\5\x2f");
    assert_true(f->session.format.known);
    assert_false(f->session.format.stunaware);
    assert_false(f->session.format.fragments);
    RECEIVED("qw.sequence = 321");
}

/* An accept, a request, and two messages that end a demo. Engines ignore them in the game. */
FIXTURE_TEST(packets_without_a_connection_change_no_game)
{
    from_client(f, VIEW("\xff\xff\xff\xffj"));
    from_server(f, VIEW("\xff\xff\xff\xffstatus\n"));
    from_client(f, VIEW("\xff\xff\xff\xff\2"));
    from_server(f, VIEW("\xff\xff\xff\xffn\\chunk\1\0\0\0\2\0"));
    assert_int_equal(f->session.base.server, QS_END_B);
    assert_false(f->session.base.disconnected);
}

/* --- FTE's experimental bits */

FIXTURE_TEST(vrinputs_replace_moves)
{
    f->session.ext.fte2 = FTE2_VRINPUTS | FTE2_REPLACEMENTDELTAS;
    READS(client, CLIENT "\x55\x0a\x01\x81"
                         "\x85\x2a\xc0\x53\xa5\xd4\x3a\x50\x82\x00\x00");
    RECEIVED("qw.input.delay = 12.9", "qw.input.bits = 0x52a", "qw.input.time = 21413",
             "qw.usercmd.forwardmove = 400", "qw.input.buttons = 0x200", "qw.input.weapon = 0");
    assert_true(f->session.moved);
    assert_int_equal(f->session.cmds[2].forward, 400);
    assert_int_equal(f->session.ext.input_time, 21413);
}

/* Angles count from what the server sent last. */
FIXTURE_TEST(vrinputs_count_angles_from_the_base)
{
    f->session.ext.fte2 = FTE2_VRINPUTS;
    READS(server, SERVER "\x5d\x02\x00\x40");
    READS(client, CLIENT "\x55\x08\x01\x81\x02\x0e\x00\x20");
    RECEIVED("qw.usercmd.angles.yaw = 45");
    assert_int_equal(f->session.cmds[2].angles[1], 0x6000);
    READS(server, SERVER_3 "\x5d\x08");
    assert_int_equal(f->session.ext.angle_base[1], 0);
}

/* Demos need the newest three, as with clc_move. */
FIXTURE_TEST(vrinputs_push_out_older_ones)
{
    f->session.ext.fte2 = FTE2_VRINPUTS;
    READS(client, CLIENT "\x55\x08\x01\x81\x02\x0e\x00\x10");
    READS(client, CLIENT_2 "\x55\x08\x01\x81\x02\x1c\x00\x20");
    READS(client, CLIENT_3 "\x55\x08\x01\x81\x02\x2a\x00\x30");
    assert_int_equal(f->session.cmds[0].angles[1], 0x1000);
    assert_int_equal(f->session.cmds[1].angles[1], 0x2000);
    assert_int_equal(f->session.cmds[2].angles[1], 0x3000);
}

/* As long as the client signs on, it has no commands to send. */
FIXTURE_TEST(vrinputs_may_be_none)
{
    f->session.ext.fte2 = FTE2_VRINPUTS;
    READS(client, CLIENT "\x55\x0a\x00\xff");
    RECEIVED("qw.input.frames = 0");
    assert_true(f->session.moved);
    assert_int_equal(f->session.cmds[2].msec, 0);
}

FIXTURE_TEST(vrinputs_know_devices)
{
    f->session.ext.fte2 = FTE2_VRINPUTS;
    READS(client, CLIENT "\x55\x18\1\1\xff\xff\xff\xff"
                         "\xa0\x00\5" /* head */
                         "\x23\7\1\0\2\0\3\0\x09");
    RECEIVED("qw.ackframe.frame = -1", "qw.input.vr.status = 0x7", "qw.input.vr.weapon = 9");
    REFUSES(client, CLIENT_2 "\x55\x20");
    RECEIVED("! Unknown flags of clcfte_move: 0x20");
}

FIXTURE_TEST(setanglebase_has_the_axes_of_its_flags)
{
    f->session.ext.fte2 = FTE2_VRINPUTS;
    READS(server, SERVER "\x5d\x08"
                         "\x5d\x02\x00\x40");
    RECEIVED("qw.setanglebase.flags.lock = true", "qw.setanglebase.angles.yaw = 90");
    text_listener_assert_not(&f->listener, "qw.setanglebase.angles.pitch");
}

/* Frame 300, lerp end 21 ms, effects, skin -1, tag 1 of entity 0x8005. */
PACKET_TEST(lerptime_writes_numbers_of_variable_length,
            (.fte2 = FTE2_LERPTIME | FTE2_REPLACEMENTDELTAS), server,
            SERVER "\x56\0\0\x80\x3f\1\0"
                   "\xa1\x8a\x10" /* bits */
                   "\xac\2\x15\x80\1\x3f\x80\x80\5\2"
                   "\0\0",
            "qw.delta.bits = 0x108aa1", "qw.delta.frame = 300", "qw.delta.lerpend = 21",
            "qw.delta.effects = 0x80", "qw.delta.skin = -1", "qw.delta.tag.entity = 32773",
            "qw.delta.tag.index = 1")

/* --- Replacement deltas without the later bits */

/* Angles of 16 bits for what is predicted, a weapon's frame of 9 bits, a size of 16. */
PACKET_TEST(updates_without_predinfo_differ, (.fte2 = FTE2_REPLACEMENTDELTAS), server,
            SERVER "\x56\0\0\x80\x3f\1\x40\2"
                   "\xd0\x20\x00\x40\x80\xff\1\x22\x10"
                   "\0\0",
            "qw.delta.number = 32769", "qw.delta.angles.yaw = 90", "qw.delta.weaponframe = 255",
            "qw.delta.size16 = 0x1022")

FIXTURE_TEST(illegal_updates_end_the_packet)
{
    f->session.ext.fte2 = FTE2_REPLACEMENTDELTAS | FTE2_NEWSIZEENCODING;
    REFUSES(server, SERVER "\x56\0\0\0\0\1\0\x80\x80\x80\x40\0\0");
    RECEIVED("! Illegal bits of an entity update: 0x40808080");
    REFUSES(server, SERVER_2 "\x56\0\0\0\0\1\0\x80\x20\x09\0\0");
    RECEIVED("! Unknown size encoding of an entity update: 0x9");
}

/* --- Messages */

FIXTURE_TEST(messages_need_their_extension)
{
    REFUSES(server, SERVER "\x54\1\x21\3\2\0ab");
    f->session.ext.fte2 = FTE2_VOICECHAT;
    READS(server, SERVER_2 "\x54\1\x21\3\2\0ab");
    RECEIVED("qw.voicechat.codec = 2", "qw.voicechat.data = 6162");
}

FIXTURE_TEST(the_mods_own_data_is_named)
{
    f->session.ext.fte = FTE_CSQC;
    f->session.ext.fte2 = FTE2_REPLACEMENTDELTAS;
    READS(server, SERVER "\x4c\5\x80\0\0"
                         "\x5a\2\0ab"
                         "\1");
    RECEIVED("qw.csqcentities.entity = 5", "qw.mod.data = 6162");
    REFUSES(server, SERVER_2 "\x4c\5\0abc");
    RECEIVED("! svcfte_csqcentities not decoded: only the server's mod knows its length",
             "qw.undecoded = 616263");
}

/* The messages of common/fte/PROTOCOL.md, section 7, with short coordinates. */
PACKET_TEST(sounds_and_lights_have_more_options,
            (.fte = FTE_SOUNDDBL | FTE_LIGHTSTYLECOL, .fte2 = FTE2_REPLACEMENTDELTAS), server,
            SERVER "\x37\x83\x7f\x2c\x96\x12\x00\x03\x08\0\0\0\0\0"
                   "\x37\x08\x02\x00\x09\x03\x08\0\0\0\0\0"
                   "\x39\x28\x87\x00\x04\x00\x02\x00\x00"
                   "az\0"
                   "\x39\x29\x04mm\0",
            "qw.soundextended.pitch = 150", "qw.stopsound.entity = 2",
            "qw.soundextended.channel = 9", "qw.lightstylecol.red = 1",
            "qw.lightstylecol.green = 0.5", "qw.lightstyle.map = mm")

PACKET_TEST(pictures_are_placed, (.fte = FTE_SHOWPIC), server,
            SERVER "\x45\1slot\0pic\0\1\0\2\0"
                   "\x47slot\0\2\3\0\4\0"
                   "\x48slot\0other\0"
                   "\x46slot\0",
            "qw.pic.y = 4", "qw.pic.name = other")

PACKET_TEST(particles_come_in_many_shapes, (.fte = FTE_HEXEN2), server,
            SERVER "\x12\0\0\0\0\0\0\x10\0\0\5\6"
                   "\x3f\0\0\0\0\0\0"
                   "aaaabbbbccccddddeeeeffff"
                   "\1\0\2\3"
                   "\x40\0\0\0\0\0\0\1\2\3\1\0\2\3"
                   "\x41\0\0\0\0\0\0\x09\1\0\2\3"
                   "\x4a\0\0\0\0\0\0\1\2\3\4"
                   "\x4b\0\0\0\0\0\0\1\0\2\0\3\4"
                   "\x50\1\0\7\0\0\0\0\0\0\0\0\0\0\0\0\0"
                   "\x51\7\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0"
                   "\x52\x08\0\0\0\0\0\0\0",
            "qw.particle.direction.x = 1", "qw.particle.box.z = 3", "qw.particle.radius = 9",
            "qw.effect.rate = 4", "qw.particles.count = 5", "qw.particles.effect = 8")

FIXTURE_TEST(a_size_bounds_temporary_entities)
{
    f->session.ext.fte = FTE_CSQC;
    READS(server, SERVER "\x5b\x0b\0\x32\x08\0\0\0\0\0\1\2\3\4"
                         "\x5b\2\0\xf0\1"
                         "\1");
    RECEIVED("qw.temp_entity.spray.z = 3", "qw.mod.data = f001");
    REFUSES(server, SERVER_2 "\x5b\3\0\x32\x08\0\0\0\0\0\1\2\3\4");
    RECEIVED("! Temporary entity longer than its 3 bytes");
}

PACKET_TEST(requests_carry_arguments, (.fte = FTE_CSQC), client,
            CLIENT "\x51\1text\0\2\0\0\x80\x3f\x0c\0\0\0\0\0\0\xf0\x3f"
                   "\x0a\3\0name\0",
            "qw.qcrequest.string = text", "qw.qcrequest.float = 1", "qw.qcrequest.double = 1",
            "qw.qcrequest.int64 = -2", "qw.qcrequest.name = name")

FIXTURE_TEST(late_precaches_are_remembered)
{
    f->session.ext.fte = FTE_CSQC;
    READS(server, SERVER "\x4d\5\0progs/late.mdl\0"
                         "\x4d\6\x80misc/late.wav\0");
    assert_string_equal(qs_table_get(&f->session.models, 5), "progs/late.mdl");
    assert_string_equal(qs_table_get(&f->session.sounds, 6), "misc/late.wav");
}

/* A definition: style beam, count and velocity; then one such effect, of the defined layout. */
FIXTURE_TEST(custom_effects_are_read_as_defined)
{
    f->session.ext.fte = FTE_CUSTOMTEMPEFFECTS;
    REFUSES(server, SERVER "\x43\7\0\0\0\0\0\0");
    RECEIVED("! svcfte_customtempent not decoded: the capture lacks the definition of effect 7");
    READS(server, SERVER_2 "\x43\xff\7\xa1spark\0");
    READS(server, SERVER_3 "\x43\7\x08\0\x10\0\x18\0\1\0\2\0\3\0\x09"
                           "\x20\0\0\0\0\0");
    RECEIVED("qw.temp_entity.origin.x = 1", "qw.temp_entity.count = 9",
             "qw.temp_entity.velocity.x = 4");
}

FIXTURE_TEST(split_screens_have_seats)
{
    READS(server, SERVER "\x0b"
                         "FTEX\0\0\x10\0\x18\0\0\0\1\0\0\0"
                         "qw\0\1\2\x80Level\0");
    RECEIVED("qw.agreed.fte = 0x100000");
    assert_int_equal(f->session.player, 1);
    READS(server, SERVER_2 "\x44\1"
                           "\x19\2\1\2");
    RECEIVED("qw.seat = 1", "qw.seats.player = 2");
}

/* The key vlen: an identifier, a length, data. */
#define VLEN_SERVERDATA                                                                            \
    "\x0b"                                                                                         \
    "FTEX\0\x80\0\0vlenname\3\0\0\0abc"                                                            \
    "FTE2\2\0\0\0\x1c\0\0\0\1\0\0\0"                                                               \
    "qw\0\5Level\0"

FIXTURE_TEST(vlen_has_data_of_any_length)
{
    from_server(f, VIEW(SERVER VLEN_SERVERDATA));
    RECEIVED("qw.extension.length = 3", "qw.agreed.fte = 0x8000", "qw.agreed.fte2 = 0x2");
    assert_int_equal(f->session.player, 5);
    REFUSES(server, SERVER_2 "\x0b"
                             "vlenname\xff\xff\xff\x7f");
}

/* The highest bit of the player's number is not part of it. */
FIXTURE_TEST(spectators_have_a_bit)
{
    READS(server, SERVER "\x0b\x18\0\0\0\1\0\0\0"
                         "qw\0\x85Level\0");
    assert_int_equal(f->session.player, 5);
    assert_true(f->session.spectator);
    READS(server, SERVER_2 "\x0b\x18\0\0\0\2\0\0\0"
                           "qw\0\6Level\0");
    assert_int_equal(f->session.player, 6);
    assert_false(f->session.spectator);
}

PACKET_TEST(mvdsv_chooses_weapons, (.mvd1 = MVD1_SERVERSIDEWEAPON | MVD1_DEBUG_ANTILAG), client,
            CLIENT "\xc8\x44\3\x78\x50"
                   "\xc8\xc0\7\2\0"
                   "\xc9\1\1\2\x0d\4\0\0\x80\x3f\0\0\0\0\0\0\0\0",
            "qw.mvd_weapon.age = 3", "qw.mvd_weapon.first = 5", "qw.mvd_weapon.impulse = 7",
            "qw.mvd_debug.position.x = 1")

PACKET_TEST(projectiles_move_by_themselves, (.mvd1 = MVD1_SIMPLEPROJECTILE), server,
            SERVER "\x64\5\0\0\0"
                   "\x20\0\x05\x08\x40\0\0\7\0\1\0\xff"
                   "\x21\x80\0\0",
            "qw.projectile.number = 32", "qw.projectile.angles.pitch = 90",
            "qw.projectile.owner = 1", "qw.projectile.age = 1", "qw.projectile.word.remove = true")

PACKET_TEST(players_predict_weapons, (.mvd1 = MVD1_WEAPONPREDICTION), server,
            SERVER "\x2a\0\0\1\0\0\0\0\0\0\5\3\1\2\x20\0"
                   "\0\0\x80\x3f\0\0\0\0\0\0\0\0\1\x14\2\1\2\3\4"
                   "\x2a\1\0\1\0\0\0\0\0\0\5\3\0",
            "qw.playerinfo.weapon.weapon = 32", "qw.playerinfo.weapon.cells = 4")

PACKET_TEST(old_deltas_have_all_bits, (.fte = FTE_SCALE | FTE_FATNESS | FTE_HEXEN2 | FTE_DPFLAGS),
            server,
            SERVER "\x2f\5\x80\x80\x85\x7b"
                   "\x10\xff\1\2\3\5\0\1\0"
                   "\1\0\2\0\3\0\4\0\5\6\7"
                   "\0\0",
            "qw.entity.scale = 1", "qw.entity.fatness = -1", "qw.entity.dpflags = 0x3",
            "qw.entity.tag.entity = 5", "qw.entity.light.radius = 4",
            "qw.entity.effects_high = 0x7")

FIXTURE_TEST(edited_brushes_have_few_planes)
{
    f->session.ext.fte = FTE_CSQC;
    REFUSES(server, SERVER "\x57\1\0\1\5\0\0\0\0\0\0\0\1\x20\0\0");
    RECEIVED("! Number of planes of brush editing: 0x2001");
}

/* --- What bits mean */

#define CHALLENGE_FTE2                                                                             \
    "\xff\xff\xff\xff"                                                                             \
    "c1\0"                                                                                         \
    "FTE2\1\0\0\0"

static void set_serverinfo(struct fixture *f, const char *info)
{
    const struct qs_view text = {(const uint8_t *)info, (uint32_t)strlen(info)};

    qs_table_set(&f->session.texts, QW_TEXT_SERVERINFO, text);
}

/* mvdsv's VOICECHAT has the number of PRYDONCURSOR: both are named where the server is not
 * known. */
FIXTURE_TEST(mvdsv_means_voicechat_by_bit_1_of_fte2)
{
    static const struct {
        const char *info;
        bool is_voicechat;
    } servers[] = {{"", false},
                   {"\\*version\\MVDSV 0.34\\map\\dm4", false},
                   {"\\*version\\MVDSV 1.20-dev", true},
                   {"\\map\\dm4\\*version\\MVDSV 0.35", true},
                   {"\\*version\\FTE 1.00", false}};

    for (size_t i = 0; i < G_N_ELEMENTS(servers); i++) {
        set_serverinfo(f, servers[i].info);
        READS(server, CHALLENGE_FTE2);
        RECEIVED("qw.extension.fte2.prydoncursor = true");
        if (servers[i].is_voicechat)
            RECEIVED("qw.extension.fte2.bit_1 = VOICECHAT");
        else
            text_listener_assert_not(&f->listener, "fte2.bit_1");
    }
}
