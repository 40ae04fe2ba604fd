/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sign-ons that are incomplete in the capture, and holes of the capture in a game: a level ends at
 * a hole in which the next one may have begun. */
#include "common/core/writer.h"
#include "common/netchan/netchan.h"
#include "common/quakeworld/session.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { ROOM = 5 }; /* packets of each end in the smallest hole that may hide a sign-on */

struct game {
    struct qs_decoder decoder;
    struct qw_session session;
    uint64_t packet;
    uint32_t number; /* of the last packets of both ends */
    bool bit;        /* the client has received an odd number of reliable packets */
};

static void send_messages(struct game *game, enum qs_end from, uint32_t sequence, uint32_t ack,
                          struct qs_view messages)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    struct qs_packet packet = {.number = ++game->packet, .from = from};

    qs_write_u32(bytes, sequence);
    qs_write_u32(bytes, ack);
    if (from == QS_END_A)
        qs_write_u16(bytes, 1);
    qs_write_view(bytes, messages);
    packet.data = bytes->data;
    packet.size = packet.wire_size = bytes->len;
    qs_decode(&game->decoder, &game->session.base, NULL, &packet);
}

static void send_packet(struct game *game, enum qs_end from, uint32_t sequence, uint32_t ack)
{
    send_messages(game, from, sequence, ack, VIEW("\1")); /* nop */
}

/* Both ends send `count` packets; the client's first acknowledges the packets before it. */
static void play(struct game *game, uint32_t count)
{
    while (count--) {
        game->number++;
        send_packet(game, QS_END_A, game->number, (game->number - 1) | (uint32_t)game->bit << 31);
        send_packet(game, QS_END_B, game->number, game->number);
    }
}

/* The capture lacks `count` packets of both, one of them reliable and of the server. */
static void lack(struct game *game, uint32_t count)
{
    game->number += count;
    game->bit = !game->bit;
}

static void connect_game(struct game *game)
{
    qs_decoder_init(&game->decoder, &qw_protocol);
    qw_protocol.session_init(&game->session.base);
    game->session.base.server = QS_END_B;
    game->session.base.version = 28;
    game->session.base.connection = 1;
    game->session.format.known = true;
}

static void start(struct game *game)
{
    connect_game(game);
    game->session.base.level = 1;
    game->session.base.level_state = QS_LEVEL_PLAYING;
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

GAME_TEST(level_continues_behind_a_smaller_hole)
{
    lack(game, ROOM - 1);
    play(game, 20);
    assert_int_equal(game->session.base.lost.packet, 0);
}

/* No reliable packet is missing; those of a sign-on are reliable. */
GAME_TEST(level_continues_behind_a_hole_of_updates)
{
    game->number += 10 * ROOM;
    play(game, 20);
    assert_int_equal(game->session.base.lost.packet, 0);
}

/* A donor's sign-on is for what comes behind the first hole, and for nothing behind later ones. */
GAME_TEST(hole_before_a_donor_ends_no_level_but_later_ones_do)
{
    game->session.hole.is_before_donor = true;
    lack(game, 10 * ROOM);
    play(game, 20);
    assert_int_equal(game->session.base.lost.packet, 0);
    lack(game, ROOM);
    play(game, 1);
    assert_int_not_equal(game->session.base.lost.packet, 0);
}

/* --- Sign-ons --- */

#define ZEROS "\0\0\0\0\0\0\0\0\0\0"
#define LEVEL(count) "\x0b\x1c\0\0\0" count "\0\0\0qw\0\0L\0" ZEROS ZEROS ZEROS ZEROS
/* A part of a list of models, from `first` on, with one; `next`: the number of the next part. */
#define MODELS(first, next) "\x2d" first "m\0\0" next

static void ask(struct game *game, const char *request)
{
    g_autofree char *command = g_strdup_printf("\4%s", request);

    game->number++;
    send_messages(game, QS_END_A, game->number, game->number - 1,
                  (struct qs_view){(const uint8_t *)command, (uint32_t)strlen(command) + 1});
}

static void answer(struct game *game, struct qs_view messages)
{
    send_messages(game, QS_END_B, game->number, game->number, messages);
}

static void sign_on(struct game *game)
{
    connect_game(game);
    ask(game, "new");
    answer(game, VIEW(LEVEL("\1")));
    ask(game, "soundlist 1 0");
    answer(game, VIEW("\x2e\0s\0\0\0"));
}

#define SIGN_ON_TEST(function) TEST_WITH(function, struct game, game, sign_on, end)

static void assert_lost(const struct game *game, bool lost)
{
    assert_int_equal(game->session.base.level, 1);
    assert_int_equal(game->session.base.level_state, QS_LEVEL_SIGNING_ON);
    assert_int_equal(game->session.base.lost.packet, lost ? game->packet : 0);
}

SIGN_ON_TEST(request_that_follows_its_answer_lacks_nothing)
{
    ask(game, "modellist 1 0");
    answer(game, VIEW(MODELS("\0", "\5")));
    ask(game, "modellist 1 5");
    answer(game, VIEW(MODELS("\5", "\0")));
    ask(game, "prespawn 1 0 0");
    assert_lost(game, false);
}

SIGN_ON_TEST(other_request_than_the_answer_wants_lacks_a_part)
{
    ask(game, "prespawn 1 0 0");
    assert_lost(game, true);
}

SIGN_ON_TEST(request_without_an_answer_to_the_one_before_lacks_a_part)
{
    ask(game, "modellist 1 0");
    ask(game, "prespawn 1 0 0");
    assert_lost(game, true);
}

SIGN_ON_TEST(same_request_again_lacks_nothing)
{
    ask(game, "modellist 1 0");
    ask(game, "modellist 1 0");
    assert_lost(game, false);
}

SIGN_ON_TEST(request_with_another_count_is_of_another_level)
{
    ask(game, "modellist 2 0");
    assert_lost(game, true);
}

/* Clients that begin to record in mid-game write a number that is one too low. */
SIGN_ON_TEST(answer_may_begin_one_behind_the_request_and_no_more)
{
    ask(game, "modellist 1 4");
    game->session.base.lost.packet = 0; /* 0 was wanted */
    answer(game, VIEW(MODELS("\5", "\7")));
    assert_lost(game, false);
    ask(game, "modellist 1 7");
    answer(game, VIEW(MODELS("\x09", "\0")));
    assert_lost(game, true);
}

SIGN_ON_TEST(part_across_256_names_the_next_one_by_its_last_entry)
{
    ask(game, "modellist 1 0");
    answer(game, VIEW(MODELS("\0", "\377")));
    ask(game, "modellist 1 255");
    answer(game, VIEW("\x2d\377m\0m\0m\0m\0m\0\0\4"));
    ask(game, "modellist 1 260");
    assert_lost(game, false);
}

SIGN_ON_TEST(part_behind_256_is_asked_for_as_255)
{
    ask(game, "modellist 1 255");
    game->session.base.lost.packet = 0; /* 0 was wanted */
    answer(game, VIEW("\x2d\377m\0\0\377"));
    ask(game, "modellist 1 511");
    game->session.ext.fte = FTE_MODELDBL;
    answer(game, VIEW("\x3c\0\1m\0\0\0"));
    ask(game, "prespawn 1 0 0");
    assert_lost(game, false);
}

/* Another answer, and its request, may be in a hole of both ends whose last packet of the server is
 * an answer. */
SIGN_ON_TEST(hole_of_both_ends_around_an_answer_may_hide_another)
{
    ask(game, "modellist 1 0");
    send_messages(game, QS_END_B, game->number + 4, game->number, VIEW(MODELS("\0", "\0")));
    assert_lost(game, false);
    send_messages(game, QS_END_A, game->number + 4, game->number + 4, VIEW("\1"));
    assert_lost(game, true);
}
