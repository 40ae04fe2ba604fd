/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GTV: how its streams are cut into units, what these make of a session, and what loses it. */
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

/* The problems of one unit. */
static uint32_t pdu(struct game *game, const struct qs_packet *packet)
{
    qs_decode_pdu(&game->decoder, &game->session.base, NULL, packet);
    return qs_decoder_problems(&game->decoder);
}

/* Bytes that hold several units. */
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

/* --- Units --- */

TEST(test_units)
{
    struct game game;

    game_open(&game);
    assert_int_equal(pdu_length(&game, CLIENT, VIEW("M")), 4);
    assert_int_equal(pdu_length(&game, CLIENT, VIEW("MVD2\x01")), 4);
    game_close(&game);
    shake_hands(&game, VIEW(SERVER_HELLO));
    assert_int_equal(pdu_length(&game, SERVER, VIEW("\x01")), 2);
    assert_int_equal(pdu_length(&game, SERVER, VIEW("\x03\0\4")), 5);
    assert_int_equal(pdu_length(&game, SERVER, VIEW("\0\x80\4")), 0x8002);
    assert_int_equal(pdu_length(&game, CLIENT, VIEW("\0\1\4")), 0x102);
    /* Longer than any: all that is there. */
    assert_int_equal(pdu_length(&game, SERVER, VIEW("\1\x80\4")), 3);
    assert_int_equal(pdu_length(&game, CLIENT, VIEW("\1\1\4")), 3);
    game_close(&game);
}

/* The client speaks first where the ports do not tell. */
TEST(test_ends_without_ports)
{
    struct qs_packet packet = packet_of(SERVER, VIEW("MVD2"));
    struct game game;

    game_open(&game);
    packet.source_is_server_port = false;
    assert_int_equal(pdu(&game, &packet), 0);
    assert_int_equal(game.session.base.server, CLIENT);
    game_close(&game);
}

/* --- Messages --- */

static void assert_blocks(const struct game *game, struct qs_view expected)
{
    const struct q2_gtv_blocks *blocks = game->session.gtv.blocks;

    assert_non_null(blocks);
    assert_view_is(qs_view_of_bytes(blocks->bytes), expected);
}

static void open_stream(struct game *game)
{
    shake_hands(game, VIEW(SERVER_HELLO));
}

#define STREAM_TEST(function) TEST_WITH(function, struct game, game, open_stream, game_close)

STREAM_TEST(test_blocks)
{
    assert_int_equal(send(game, SERVER, VIEW(SUSPEND)), 0);
    assert_null(game->session.gtv.blocks);
    assert_int_equal(send(game, SERVER, VIEW("\x07\0\x04\x11\x02one\0")), 0);
    assert_blocks(game, VIEW("\x06\0\x11\x02one\0"));
    assert_int_equal(send(game, SERVER, VIEW(PONG)), 0);
    assert_blocks(game, VIEW(""));
}

/* A message that is none costs no more than itself. */
STREAM_TEST(test_bad_messages)
{
    assert_int_not_equal(send(game, SERVER, VIEW("\1\0\x0a")), 0);
    assert_int_equal(game->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
    assert_int_not_equal(send(game, CLIENT, VIEW("\1\0\x05")), 0);
    assert_int_not_equal(send(game, SERVER, VIEW(PRINT)), 0);
    assert_int_equal(game->decoder.found.notes[QS_NOTE_MALFORMED], 1);
    assert_int_not_equal(send(game, SERVER, VIEW("\x02\0\x04\x02")), 0); /* reserved */
    assert_int_equal(game->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
    assert_int_equal(send(game, SERVER, VIEW(NOP)), 0);
}

/* What a multicast says of its length ends at its message's end. */
STREAM_TEST(test_carried_messages)
{
    assert_int_equal(send(game, SERVER, VIEW("\x05\0\x04\x0a\1\6\1")), 0);
    /* A text that ends behind the multicast. */
    assert_int_not_equal(send(game, SERVER,
                              VIEW("\x08\0\x04\x0a\2\x0b"
                                   "a\1\1\1")),
                         0);
    assert_int_equal(game->decoder.found.undecoded, 1);
    /* A multicast that ends behind its message. */
    assert_int_not_equal(send(game, SERVER, VIEW("\x04\0\x04\x0a\2\6")), 0);
    assert_int_equal(game->decoder.found.notes[QS_NOTE_MALFORMED], 1);
}

STREAM_TEST(test_unknown_minor_version)
{
    assert_int_not_equal(send(game, SERVER, VIEW("\x09\0\x04\x04\x25\0\0\0\xde\7\1")), 0);
    assert_int_equal(game->decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED], 1);
    assert_true(game->session.undecodable);
    assert_int_not_equal(send(game, SERVER, VIEW(NOP)), 0);
    assert_int_equal(game->decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED], 1);
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

/* However the stream is cut, each message comes once, when it is whole. */
TEST(test_deflated)
{
    const struct qs_view plain = VIEW(PONG "\x07\0\x04\x11\x02one\0" NOP SUSPEND NOP);
    g_autoptr(GByteArray) packed = deflated(plain, Z_SYNC_FLUSH);
    struct game game;

    for (uint32_t cut = 0; cut <= packed->len; cut++) {
        g_autoptr(GByteArray) blocks = g_byte_array_new();

        shake_hands(&game, VIEW(SERVER_HELLO_DEFLATE));
        for (unsigned half = 0; half < 2; half++) {
            const struct qs_view bytes = {packed->data + (half ? cut : 0),
                                          half ? packed->len - cut : cut};

            assert_int_equal(send(&game, SERVER, bytes), 0);
            if (bytes.size && game.session.gtv.blocks)
                qs_write_view(blocks, qs_view_of_bytes(game.session.gtv.blocks->bytes));
        }
        assert_view_is(qs_view_of_bytes(blocks), VIEW("\x06\0\x11\x02one\0\1\0\1\1\0\1"));
        assert_null(game.session.gtv.held);
        game_close(&game);
    }
}

/* The beginning of a message is held, and a copy of the session holds it too. */
TEST(test_held)
{
    g_autoptr(GByteArray) packed = deflated(VIEW(PONG "\x07\0\x04"), Z_SYNC_FLUSH);
    struct q2_session copy;
    struct game game;

    shake_hands(&game, VIEW(SERVER_HELLO_DEFLATE));
    assert_int_equal(send(&game, SERVER, qs_view_of_bytes(packed)), 0);
    q2_protocol.session_copy(&copy.base, &game.session.base);
    game_close(&game);
    assert_int_equal(g_bytes_get_size(copy.gtv.held), 3);
    q2_protocol.session_clear(&copy.base);
}

TEST(test_deflated_end)
{
    g_autoptr(GByteArray) packed = deflated(VIEW(PONG), Z_FINISH);
    struct game game;

    for (uint32_t cut = packed->len - 6; cut <= packed->len; cut++) {
        shake_hands(&game, VIEW(SERVER_HELLO_DEFLATE));
        assert_int_equal(send(&game, SERVER, (struct qs_view){packed->data, cut}), 0);
        assert_int_equal(
            send(&game, SERVER, (struct qs_view){packed->data + cut, packed->len - cut}), 0);
        game_close(&game);
    }
}

/* --- What loses the stream --- */

static void assert_lost(struct game *game, enum qs_end end)
{
    assert_int_equal(game->session.gtv.stage[end], Q2_GTV_STAGE_LOST);
    assert_int_not_equal(send(game, end, VIEW(NOP)), 0);
    assert_int_equal(game->decoder.found.undecoded, 4);
}

TEST(test_lost)
{
    struct qs_packet packet = packet_of(SERVER, VIEW(NOP));
    g_autoptr(GByteArray) packed = deflated(VIEW(PONG "\1\x80\4"), Z_SYNC_FLUSH);
    struct game game;

    game_open(&game);
    assert_int_not_equal(send(&game, CLIENT, VIEW("QTV\n")), 0);
    assert_lost(&game, CLIENT);
    game_close(&game);
    shake_hands(&game, VIEW(SERVER_HELLO));
    assert_int_not_equal(send(&game, SERVER, VIEW("\1\x80\4")), 0);
    assert_lost(&game, SERVER);
    assert_int_equal(send(&game, CLIENT, VIEW(PONG)), 0);
    game_close(&game);
    shake_hands(&game, VIEW(SERVER_HELLO));
    packet.missing = 100;
    pdu(&game, &packet);
    assert_int_equal(game.decoder.found.notes[QS_NOTE_NOT_CAPTURED], 1);
    assert_lost(&game, SERVER);
    game_close(&game);
    shake_hands(&game, VIEW(SERVER_HELLO_DEFLATE));
    assert_int_not_equal(send(&game, SERVER, VIEW("none")), 0);
    assert_lost(&game, SERVER);
    game_close(&game);
    shake_hands(&game, VIEW(SERVER_HELLO_DEFLATE));
    assert_int_not_equal(send(&game, SERVER, qs_view_of_bytes(packed)), 0);
    assert_lost(&game, SERVER);
    game_close(&game);
}
