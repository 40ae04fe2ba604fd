/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holes of the capture in a game: where the next level may have begun in one, the level is over. */
#include "common/core/writer.h"
#include "common/netchan/netchan.h"
#include "common/quakeworld/session.h"
#include "tests/unit/unit.h"

enum {
    ROOM =
        5 /* packets of each end, between ends next to each other: a sign-on has that many parts */
};

struct game {
    struct qs_decoder decoder;
    struct qw_session session;
    uint64_t packet;
    uint32_t number; /* of the last packets of both ends */
    bool bit;        /* how many reliable ones of the server the client has received */
};

static void send_packet(struct game *game, enum qs_end from, uint32_t sequence, uint32_t ack)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    struct qs_packet packet = {.number = ++game->packet, .from = from};

    qs_write_u32(bytes, sequence);
    qs_write_u32(bytes, ack);
    if (from == QS_END_A)
        qs_write_u16(bytes, 1);
    qs_write_u8(bytes, 1); /* nop */
    packet.data = bytes->data;
    packet.size = packet.wire_size = bytes->len;
    qs_decode(&game->decoder, &game->session.base, NULL, &packet);
}

/* Both ends send so many packets, of which the client's first acknowledges what came before it. */
static void play(struct game *game, uint32_t count)
{
    while (count--) {
        game->number++;
        send_packet(game, QS_END_A, game->number, (game->number - 1) | (uint32_t)game->bit << 31);
        send_packet(game, QS_END_B, game->number, game->number);
    }
}

/* The capture lacks so many of both, among them one of the server that was reliable. */
static void lack(struct game *game, uint32_t count)
{
    game->number += count;
    game->bit = !game->bit;
}

static void start(struct game *game)
{
    qs_decoder_init(&game->decoder, &qw_protocol);
    qw_protocol.session_init(&game->session.base);
    game->session.base.server = QS_END_B;
    game->session.base.version = 28;
    game->session.base.connection = game->session.base.level = 1;
    game->session.base.level_state = QS_LEVEL_PLAYING;
    game->session.format.known = true;
    play(game, 20);
    game->number++;
    send_packet(game, QS_END_B, game->number | QS_RELIABLE_BIT, game->number - 1);
    send_packet(game, QS_END_A, game->number, game->number | QS_RELIABLE_BIT);
    game->bit = true;
    play(game, 20);
    assert_int_equal(game->session.base.lost.packet, 0);
}

static void end(struct game *game)
{
    qw_protocol.session_clear(&game->session.base);
    qs_decoder_clear(&game->decoder);
}

#define GAME_TEST(function) TEST_WITH(function, struct game, game, start, end)

GAME_TEST(level_is_over_behind_a_hole_with_room_for_a_sign_on)
{
    lack(game, ROOM);
    play(game, 1);
    assert_int_equal(game->session.base.lost.packet, game->packet - 1);
    assert_true(game->session.base.lost.before && game->session.base.lost.in_game);
}

GAME_TEST(level_goes_on_behind_a_smaller_hole)
{
    lack(game, ROOM - 1);
    play(game, 20);
    assert_int_equal(game->session.base.lost.packet, 0);
}

/* Nothing reliable is missing, and a sign-on is. */
GAME_TEST(level_goes_on_behind_a_hole_of_updates)
{
    game->number += 10 * ROOM;
    play(game, 20);
    assert_int_equal(game->session.base.lost.packet, 0);
}

/* A donor's sign-on is for what comes behind the first hole, and for nothing behind later ones. */
GAME_TEST(hole_before_a_donor_is_none_but_later_ones_are)
{
    game->session.hole.is_before_donor = true;
    lack(game, 10 * ROOM);
    play(game, 20);
    assert_int_equal(game->session.base.lost.packet, 0);
    lack(game, ROOM);
    play(game, 1);
    assert_int_not_equal(game->session.base.lost.packet, 0);
}
