/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The beginning of a connection, its knowledge, and the packets that it accepts. */
#include "tests/quake2/unit.h"

#include <string.h>

#define NOP VIEW("\6")
#define CLIENT_NOP VIEW("\1")

static uint32_t send_text(struct game *game, enum qs_end from, const char *text)
{
    g_autoptr(GByteArray) out = g_byte_array_new();

    qs_write_u32(out, UINT32_MAX);
    g_byte_array_append(out, (const uint8_t *)text, (guint)strlen(text));
    return game_packet(game, from, out->data, out->len);
}

static uint32_t send_packet(struct game *game, enum qs_end from, uint32_t sequence,
                            struct qs_view messages)
{
    g_autoptr(GByteArray) out = g_byte_array_new();

    qs_write_u32(out, sequence);
    qs_write_u32(out, 0);
    if (from == QS_END_A)
        qs_write_u16(out, 1234);
    qs_write_view(out, messages);
    return game_packet(game, from, out->data, out->len);
}

static void connect_game(struct game *game)
{
    assert_int_equal(
        send_text(game, QS_END_A, "connect 34 1234 5678 \"\\name\\somebody\\rate\\25000\"\n"), 0);
    assert_int_equal(send_text(game, QS_END_B, "client_connect map=lab1"), 0);
}

static void run_to(struct game *game, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        assert_int_equal(send_packet(game, QS_END_A, i, CLIENT_NOP), 0);
        assert_int_equal(send_packet(game, QS_END_B, i, NOP), 0);
    }
}

static void open_connected(struct game *game)
{
    game_open(game);
    connect_game(game);
}

#define GAME_TEST(function) TEST_WITH(function, struct game, game, open_connected, game_close)

GAME_TEST(connect_begins_a_connection)
{
    assert_int_equal(game->session.base.server, QS_END_B);
    assert_int_equal(game->session.base.connection, 1);
    assert_int_equal(game->session.base.version, 34);
    assert_int_equal(game->session.qport_width, Q2_QPORT_SHORT);
    assert_describes(&q2_protocol, &game->session.base, "34", "lab1", "somebody");
}

GAME_TEST(the_answer_may_come_twice)
{
    run_to(game, 1, 5);
    assert_int_equal(send_text(game, QS_END_B, "client_connect"), 0);
    run_to(game, 6, 10);
    assert_int_equal(game->session.base.connection, 1);
}

/* It belongs to another client behind the same address. */
GAME_TEST(packet_with_another_qport_is_not_accepted)
{
    run_to(game, 1, 5);
    game_packet(game, QS_END_A, "\x50\0\0\0\0\0\0\0\x21\x43\1", 11);
    assert_false(game->decoder.found.accepted);
    assert_int_equal(game->session.base.qport, Q2_QPORT_SHORT << 16 | 1234);
    run_to(game, 6, 10);
    assert_true(game->decoder.found.accepted);
}

TEST_WITH(packets_may_come_before_the_answer, struct game, game, game_open, game_close)
{
    send_text(game, QS_END_A, "connect 34 1234 5678 \"\\name\\somebody\"\n");
    send_packet(game, QS_END_B, 1, VIEW(""));
    assert_int_equal(game->session.base.connection, 1);
    assert_int_equal(send_text(game, QS_END_B, "client_connect"), 0);
    run_to(game, 2, 5);
    assert_int_equal(game->session.base.connection, 1);
}

/* The same connect line again is another connection, if the old one was closed... */
GAME_TEST(connect_after_disconnect_is_another_connection)
{
    run_to(game, 1, 40);
    /* The goodbye of id's client has no NUL. */
    assert_int_equal(send_packet(game, QS_END_A, 41, VIEW("\4disconnect")), 0);
    assert_true(game->session.base.disconnected);
    connect_game(game);
    assert_int_equal(game->session.base.connection, 2);
    run_to(game, 1, 3);
    assert_true(game->decoder.found.accepted);
}

/* ...or if the numbers begin again. */
GAME_TEST(numbers_that_begin_again_are_another_connection)
{
    run_to(game, 1, 40);
    connect_game(game);
    assert_int_equal(game->session.base.connection, 1);
    run_to(game, 1, 1);
    assert_int_equal(game->session.base.connection, 2);
    assert_true(game->decoder.found.accepted);
    assert_describes(&q2_protocol, &game->session.base, "34", "lab1", "somebody");
}

GAME_TEST(stale_packets_teach_nothing)
{
    send_packet(game, QS_END_B, 3, VIEW("\x0d\0\0new level\0"));
    send_packet(game, QS_END_B, 2, VIEW("\x0d\0\0old level\0"));
    assert_false(game->decoder.found.accepted);
    assert_int_equal(game->decoder.found.notes[QS_NOTE_SEQUENCE_STALE], 1);
    assert_string_equal(qs_table_get(&game->session.level.configstrings, 0), "new level");
}

GAME_TEST(a_copy_does_not_change_with_the_session)
{
    struct q2_session before;

    q2_protocol.session_copy(&before.base, &game->session.base);
    send_packet(game, QS_END_B, 1, VIEW("\x0d\0\0level\0"));
    assert_null(qs_table_get(&before.level.configstrings, 0));
    assert_non_null(qs_table_get(&game->session.level.configstrings, 0));
    q2_protocol.session_clear(&before.base);
}

TEST_WITH(player_is_unknown_without_serverdata, struct game, game, game_open, game_close)
{
    send_packet(game, QS_END_B, 3,
                VIEW("\x0d\x20\x05"
                     "anna\\male/grunt\0"));
    assert_int_equal(game->session.viewed, Q2_PLAYER_UNKNOWN);
    assert_describes(&q2_protocol, &game->session.base, NULL, NULL, NULL);
}

/* --- Versions that are known, and not decoded --- */

/* Nothing is read until another connection begins: neither as 34 nor as anything else. */
static void assert_stays_undecoded(struct game *game)
{
    const struct qs_view serverdata = VIEW("\x0c\x22\0\0\0\1\0\0\0\0\0\0\0\0");

    for (uint32_t i = 1; i < 4; i++) {
        send_packet(game, QS_END_B, i, NOP);
        assert_int_equal(game->decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED], 1);
        assert_int_equal(game->decoder.found.messages->len, 0);
        assert_int_equal(game->decoder.found.undecoded, 1);
    }
    send_packet(game, QS_END_B, 4, serverdata);
    assert_int_equal(game->decoder.found.messages->len, 0);
    send_packet(game, QS_END_A, 1, NOP);
    assert_int_equal(game->decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED], 1);
    send_text(game, QS_END_B, "disconnect");
    connect_game(game);
    game->session.base.disconnected = true;
    connect_game(game);
    assert_int_equal(send_packet(game, QS_END_B, 1, serverdata), 0);
    assert_describes(&q2_protocol, &game->session.base, "34", "lab1", "somebody");
}

/* A message that ends early is no sign of another game if the capture cut the packet. */
TEST(cut_packets_are_not_foreign)
{
    static const uint8_t print[] = {9, 0, 0, 0, 8, 0, 0, 0, SVC_PRINT, 2, 'a', 'b'};
    struct qs_packet packet = {.data = print,
                               .size = sizeof print,
                               .wire_size = sizeof print,
                               .from = QS_END_B,
                               .source_is_server_port = true};

    assert_true(q2_protocol.is_foreign(&q2_protocol, &packet));
    packet.wire_size += 20;
    assert_false(q2_protocol.is_foreign(&q2_protocol, &packet));
}

TEST(unknown_protocols_are_named_and_not_decoded)
{
    static const struct {
        const char *connect, *version;
    } kinds[] = {
        {"connect 56 1 2 \"\\name\\a\"", "KMQuake2 56"},
        {"connect 2024 1 2 \"\\name\\a\"", "yquake2remaster 2024"},
        {"connect 36 1 2 \"\\name\\a\" 2000 1390 1", "q2pro-ng 36 (2000)"},
        {"connect 2023 1 2 \"\\name\\a\"", "rerelease 2023"},
        {"connect 99 1 2 \"\\name\\a\"", "99"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        struct game game;

        game_open(&game);
        assert_int_equal(send_text(&game, QS_END_A, kinds[i].connect), 0);
        assert_int_equal(send_text(&game, QS_END_B, "client_connect"), 0);
        assert_describes(&q2_protocol, &game.session.base, kinds[i].version, NULL, "a");
        assert_stays_undecoded(&game);
        game_close(&game);
    }
}

static void check_new_netchan(const char *connect, const char *answer, const char *version,
                              const char *map)
{
    struct game game;

    game_open(&game);
    send_text(&game, QS_END_A, connect);
    send_text(&game, QS_END_B, answer);
    assert_describes(&q2_protocol, &game.session.base, version, map, "a");
    assert_false(game.session.undecodable);
    assert_true(game.session.new_netchan);
    assert_int_equal(game.session.qport_width, Q2_QPORT_BYTE);
    game_close(&game);
}

/* Q2PRO's own connect has the longest message first; q2repro's has no word for the netchan, which
 * is always the new one. */
TEST(connect_names_the_netchan)
{
    check_new_netchan("connect 36 1 2 \"\\name\\a\" 2048 1 1 1026", "client_connect nc=1",
                      "36 (1026)", NULL);
    check_new_netchan("connect 1038 226 2 \"\\name\\a\" 1390 1", "client_connect nc=1 map=lab1",
                      "q2repro 1038", "lab1");
}

TEST(unknown_demos_are_named_and_not_decoded)
{
    static const struct {
        uint8_t low, high;
        const char *version;
    } kinds[] = {{37, 0, "MVD 37"}, {56, 0, "KMQuake2 56"}};

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        const uint8_t block[] = {SVC_SERVERDATA, kinds[i].low, kinds[i].high, 0, 0, 1, 0};
        struct game game;

        game_open(&game);
        assert_int_not_equal(game_block(&game, block, sizeof block), 0);
        assert_describes(&q2_protocol, &game.session.base, kinds[i].version, NULL, NULL);
        assert_int_not_equal(game_block(&game, "\6", 1), 0);
        assert_int_equal(game.decoder.found.messages->len, 0);
        game_close(&game);
    }
}

/* The rerelease's demos are read, except those of several players at one screen. */
TEST(demos_of_the_rerelease_are_read)
{
    static const char *const versions[] = {"rerelease 2022", "rerelease 2023"};

    for (uint8_t i = 0; i < G_N_ELEMENTS(versions); i++) {
        uint8_t block[] = {
            SVC_SERVERDATA, (uint8_t)(0xe6 + i), 7, 0, 0, 1, 0, 0, 0, 1, 40, 0, 0, 0, 0};
        struct game game;

        game_open(&game);
        assert_int_equal(game_block(&game, block, sizeof block), 0);
        assert_describes(&q2_protocol, &game.session.base, versions[i], NULL, NULL);
        assert_int_equal(game.session.level.frame_rate, 40);
        assert_int_equal(game.session.base.level, 1);
        game_close(&game);
        game_open(&game);
        block[12] = 0xfe; /* player -2 */
        block[13] = 0xff;
        assert_int_not_equal(game_block(&game, block, sizeof block), 0);
        assert_int_equal(game.decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED], 1);
        game_close(&game);
    }
}

/* --- Levels --- */

#define LEVEL(count) "\x0c\x22\0\0\0" count "\0\0\0\0\0\0\0L\0"
#define FRAME(number) "\x14" number "\0\0\xff\xff\xff\xff\0\0\x11\0\0\0\0\0\0\x12\0\0"

/* A level in which frame 500 was the last one. */
static void open_playing(struct game *game)
{
    open_connected(game);
    send_packet(game, QS_END_A, 1, VIEW("\4new\0"));
    send_packet(game, QS_END_B, 1, VIEW(LEVEL("\5")));
    send_packet(game, QS_END_B, 2, VIEW(LEVEL("\6")));
    send_packet(game, QS_END_A, 2, VIEW("\4begin 6\0"));
    send_packet(game, QS_END_B, 3, VIEW(FRAME("\xf4\1")));
    assert_int_equal(game->session.base.level, 2);
    assert_int_equal(game->session.base.lost.packet, 0);
}

#define LEVEL_TEST(function) TEST_WITH(function, struct game, game, open_playing, game_close)

LEVEL_TEST(commands_of_the_level_before_begin_none)
{
    send_packet(game, QS_END_A, 3, VIEW("\4begin 5\0"));
    assert_int_equal(game->session.base.level, 2);
    send_packet(game, QS_END_A, 4, VIEW("\4begin 7\0"));
    assert_int_equal(game->session.base.level, 3);
    assert_int_equal(game->session.level.servercount, 7);
}

LEVEL_TEST(frames_that_begin_again_are_of_another_level)
{
    send_packet(game, QS_END_B, 4, VIEW(FRAME("\xf5\1")));
    assert_int_equal(game->session.base.level, 2);
    send_packet(game, QS_END_B, 5, VIEW(FRAME("\xf4\1")));
    assert_int_equal(game->session.base.level, 3);
}
