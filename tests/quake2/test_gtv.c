/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GTV: how its streams are cut into PDUs, their effect on a session, and the loss of a stream. */
#include <string.h>
#include <zlib.h>

#include "common/quake2/session.h"
#include "common/core/writer.h"
#include "tests/quake2/unit.h"

#define CLIENT QS_END_A
#define SERVER QS_END_B

/* op, protocol, flags, reserved, name, password, program */
#define CLIENT_HELLO "\x16\0\0\x04\xed\x03\0\0\0\0\0\0\0r\0pw\0q2pro"
#define SERVER_HELLO "\x05\0\0\0\0\0\0"
#define SERVER_HELLO_DEFLATE "\x05\0\0\1\0\0\0"
#define PONG "\1\0\1"
#define SUSPEND "\1\0\4"
/* mvd_print, PRINT_HIGH */
#define PRINT "\x06\0\x04\x11\x02one"
/* mvd_nop */
#define NOP "\x02\0\x04\x01"

static struct qs_packet packet_of(enum qs_end from, struct qs_view bytes)
{
    return (struct qs_packet){.data = bytes.data,
                              .size = bytes.size,
                              .wire_size = bytes.size,
                              .from = from,
                              .pdu = 1,
                              .number = 1,
                              .source_is_server_port = from == SERVER,
                              .destination_is_server_port = from == CLIENT};
}

static uint32_t pdu_length(const struct game *game, enum qs_end from, struct qs_view bytes)
{
    const struct qs_packet start = packet_of(from, bytes);

    return q2_protocol.pdu_length(&game->session.base, &start, 0);
}

/* Decodes a PDU, and returns how many problems it has. */
static uint32_t pdu(struct game *game, const struct qs_packet *packet)
{
    qs_decode_pdu(&game->decoder, &game->session.base, NULL, packet);
    return qs_decoder_problems(&game->decoder);
}

/* Decodes the PDUs in the bytes, and returns how many problems they have. */
static uint32_t send(struct game *game, enum qs_end from, struct qs_view bytes)
{
    uint32_t problems = 0;

    while (bytes.size) {
        const uint32_t size = pdu_length(game, from, bytes);
        struct qs_packet packet = packet_of(from, (struct qs_view){bytes.data, size});

        assert_true(size <= bytes.size);
        problems += pdu(game, &packet);
        bytes.data += size;
        bytes.size -= size;
    }
    return problems;
}

static void shake_hands(struct game *game, struct qs_view server_hello)
{
    game_open(game);
    assert_int_equal(send(game, CLIENT, VIEW("MVD2")), 0);
    assert_int_equal(send(game, SERVER, VIEW("MVD2")), 0);
    assert_int_equal(send(game, CLIENT, VIEW(CLIENT_HELLO "\0")), 0);
    assert_int_equal(game->session.base.connection, 0);
    assert_int_equal(send(game, SERVER, server_hello), 0);
    assert_int_equal(game->session.base.connection, 1);
    assert_int_equal(game->session.base.server, SERVER);
}

static void open_plain(struct game *game)
{
    shake_hands(game, VIEW(SERVER_HELLO));
}

static void open_deflate(struct game *game)
{
    shake_hands(game, VIEW(SERVER_HELLO_DEFLATE));
}

#define STREAM_TEST(function) TEST_WITH(function, struct game, game, open_plain, game_close)
#define BEGINNING_TEST(function) TEST_WITH(function, struct game, game, game_open, game_close)

static void assert_notes(struct game *game, enum qs_end from, struct qs_view bytes,
                         enum qs_note note)
{
    assert_int_not_equal(send(game, from, bytes), 0);
    assert_int_equal(game->decoder.found.notes[note], 1);
}

/* --- PDUs --- */

BEGINNING_TEST(the_magic_word_has_four_bytes)
{
    assert_int_equal(pdu_length(game, CLIENT, VIEW("M")), 4);
    assert_int_equal(pdu_length(game, CLIENT, VIEW("MVD2\x01")), 4);
}

STREAM_TEST(messages_begin_with_their_length)
{
    assert_int_equal(pdu_length(game, SERVER, VIEW("\x01")), 2);
    assert_int_equal(pdu_length(game, SERVER, VIEW("\x03\0\4")), 5);
    assert_int_equal(pdu_length(game, SERVER, VIEW("\0\x80\4")), 0x8002);
    assert_int_equal(pdu_length(game, CLIENT, VIEW("\0\1\4")), 0x102);
    /* Longer than any: all that is there. */
    assert_int_equal(pdu_length(game, SERVER, VIEW("\1\x80\4")), 3);
    assert_int_equal(pdu_length(game, CLIENT, VIEW("\1\1\4")), 3);
}

/* If the ports do not show which end is the server, the client speaks first. */
BEGINNING_TEST(the_client_speaks_first)
{
    struct qs_packet packet = packet_of(SERVER, VIEW("MVD2"));

    packet.source_is_server_port = false;
    assert_int_equal(pdu(game, &packet), 0);
    assert_int_equal(game->session.base.server, CLIENT);
}

/* --- Messages --- */

static void assert_blocks(const struct game *game, struct qs_view expected)
{
    GByteArray *blocks = game->session.gtv.blocks;

    assert_non_null(blocks);
    assert_view_is(qs_view_of_bytes(blocks), expected);
}

STREAM_TEST(a_pdu_of_the_game_is_a_block)
{
    assert_int_equal(send(game, SERVER, VIEW(SUSPEND)), 0);
    assert_null(game->session.gtv.blocks);
    assert_int_equal(send(game, SERVER, VIEW("\x07\0\x04\x11\x02one\0")), 0);
    assert_blocks(game, VIEW("\x06\0\x11\x02one\0"));
    assert_int_equal(send(game, SERVER, VIEW(PONG)), 0);
    assert_blocks(game, VIEW(""));
}

STREAM_TEST(a_bad_message_costs_no_more_than_itself)
{
    assert_notes(game, SERVER, VIEW("\1\0\x0a"), QS_NOTE_UNKNOWN_MESSAGE);
    assert_int_not_equal(send(game, CLIENT, VIEW("\1\0\x05")), 0);
    assert_notes(game, SERVER, VIEW(PRINT), QS_NOTE_MALFORMED);
    assert_notes(game, SERVER, VIEW("\x02\0\x04\x02"), QS_NOTE_UNKNOWN_MESSAGE); /* reserved */
    assert_int_equal(send(game, SERVER, VIEW(NOP)), 0);
}

STREAM_TEST(a_multicast_ends_at_its_messages_end)
{
    assert_int_equal(send(game, SERVER, VIEW("\x05\0\x04\x0a\1\6\1")), 0);
    /* svc_serverdata, which only MVD has for itself. */
    assert_notes(game, SERVER, VIEW("\x05\0\x04\x0a\1\x0c\1"), QS_NOTE_UNKNOWN_MESSAGE);
    /* A text that ends behind the multicast. */
    assert_int_not_equal(send(game, SERVER, VIEW("\x08\0\x04\x0a\2\13a\1\1\1")), 0);
    assert_int_equal(game->decoder.found.undecoded, 1);
    /* A multicast that ends behind its message. */
    assert_notes(game, SERVER, VIEW("\x04\0\x04\x0a\2\6"), QS_NOTE_MALFORMED);
}

STREAM_TEST(an_unknown_minor_version_is_not_decoded)
{
    assert_notes(game, SERVER, VIEW("\x09\0\x04\x04\x25\0\0\0\xde\7\1"),
                 QS_NOTE_PROTOCOL_UNDECODED);
    assert_true(game->session.undecodable);
    assert_notes(game, SERVER, VIEW(NOP), QS_NOTE_PROTOCOL_UNDECODED);
}

/* --- The deflate stream --- */

static GByteArray *deflated(struct qs_view plain, int flush)
{
    GByteArray *packed = g_byte_array_new();
    z_stream z = {.next_in = (uint8_t *)plain.data, .avail_in = plain.size};

    g_byte_array_set_size(packed, plain.size + 256);
    assert_int_equal(deflateInit(&z, Z_DEFAULT_COMPRESSION), Z_OK);
    z.next_out = packed->data;
    z.avail_out = packed->len;
    deflate(&z, flush);
    g_byte_array_set_size(packed, (guint)z.total_out);
    deflateEnd(&z);
    return packed;
}

/* Sends the stream in two parts. Returns the messages that came of them. */
static GByteArray *send_in_two(struct game *game, struct qs_view packed, uint32_t cut)
{
    const struct qs_view parts[] = {{packed.data, cut}, {packed.data + cut, packed.size - cut}};
    GByteArray *blocks = g_byte_array_new();

    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(send(game, SERVER, parts[i]), 0);
        if (parts[i].size && game->session.gtv.blocks)
            qs_write_view(blocks, qs_view_of_bytes(game->session.gtv.blocks));
    }
    return blocks;
}

/* However the stream is cut, each message comes once, when it is whole. */
TEST(each_message_of_a_deflated_stream_comes_once)
{
    const struct qs_view plain = VIEW(PONG "\x07\0\x04\x11\x02one\0" NOP SUSPEND NOP);
    g_autoptr(GByteArray) packed = deflated(plain, Z_SYNC_FLUSH);

    for (uint32_t cut = 0; cut <= packed->len; cut++) {
        g_autoptr(GByteArray) blocks = NULL;
        struct game game;

        open_deflate(&game);
        blocks = send_in_two(&game, qs_view_of_bytes(packed), cut);
        assert_view_is(qs_view_of_bytes(blocks), VIEW("\x06\0\x11\x02one\0\1\0\1\1\0\1"));
        assert_null(game.session.gtv.held);
        game_close(&game);
    }
}

TEST(the_end_of_a_deflated_stream_is_no_problem)
{
    g_autoptr(GByteArray) packed = deflated(VIEW(PONG), Z_FINISH);

    for (uint32_t cut = packed->len - 6; cut <= packed->len; cut++) {
        struct game game;

        open_deflate(&game);
        g_byte_array_unref(send_in_two(&game, qs_view_of_bytes(packed), cut));
        game_close(&game);
    }
}

/* The beginning of a message is held, and a copy of the session holds it too. */
TEST(the_beginning_of_a_message_is_held)
{
    g_autoptr(GByteArray) packed = deflated(VIEW(PONG "\x07\0\x04"), Z_SYNC_FLUSH);
    struct q2_session copy;
    struct game game;

    open_deflate(&game);
    assert_int_equal(send(&game, SERVER, qs_view_of_bytes(packed)), 0);
    q2_protocol.session_copy(&copy.base, &game.session.base);
    game_close(&game);
    assert_int_equal(g_bytes_get_size(copy.gtv.held), 3);
    q2_protocol.session_clear(&copy.base);
}

/* --- Streams that are lost --- */

static void assert_lost(struct game *game, enum qs_end end)
{
    assert_int_equal(game->session.gtv.stage[end], Q2_GTV_STAGE_LOST);
    assert_int_not_equal(send(game, end, VIEW(NOP)), 0);
    assert_int_equal(game->decoder.found.undecoded, 4);
}

static void assert_loses(struct game *game, enum qs_end from, struct qs_view bytes)
{
    assert_int_not_equal(send(game, from, bytes), 0);
    assert_lost(game, from);
}

BEGINNING_TEST(another_magic_word_loses_the_stream)
{
    assert_loses(game, CLIENT, VIEW("QTV\n"));
}

STREAM_TEST(a_length_that_is_too_large_loses_one_direction)
{
    assert_loses(game, SERVER, VIEW("\1\x80\4"));
    assert_int_equal(send(game, CLIENT, VIEW(PONG)), 0);
}

STREAM_TEST(missing_bytes_lose_the_stream)
{
    struct qs_packet packet = packet_of(SERVER, VIEW(NOP));

    packet.missing = 100;
    pdu(game, &packet);
    assert_int_equal(game->decoder.found.notes[QS_NOTE_NOT_CAPTURED], 1);
    assert_lost(game, SERVER);
}

TEST_WITH(bad_deflated_bytes_lose_the_stream, struct game, game, open_deflate, game_close)
{
    g_autoptr(GByteArray) packed = deflated(VIEW(PONG "\1\x80\4"), Z_SYNC_FLUSH);

    assert_loses(game, SERVER, VIEW("none"));
    game_close(game);
    open_deflate(game);
    assert_loses(game, SERVER, qs_view_of_bytes(packed));
}
