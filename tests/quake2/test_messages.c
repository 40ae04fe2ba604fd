/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages that no capture at hand has, or that differ by protocol version. */
#include "tests/quake2/unit.h"

#include <string.h>
#include <zlib.h>

#include "common/core/inflate.h"

#define POSITION "\0\0\0\0\0\0"
#define LINE POSITION POSITION
#define IMPACT POSITION "\0"
#define STEAM POSITION "\0\0\0\0\0" /* with a count, a direction, a color and a magnitude */

/* Whether a level of that version reads the bytes without a problem. */
TEST(versions_read_their_own_messages)
{
    enum { CLIENT = Q2_RECORD_CLIENT, SERVER = Q2_RECORD_SERVER, RELAY = Q2_RECORD_RELAY };
    const struct {
        uint32_t version;
        uint8_t record;
        struct qs_view bytes;
        bool is_read;
    } messages[] = {
        /* Temporary entity 26 is a line up to protocol 31, an impact later; 27 the other way round.
         */
        {31, CLIENT, VIEW("\3\x1a" LINE), true},
        {31, CLIENT, VIEW("\3\x1a" IMPACT), false},
        {32, CLIENT, VIEW("\3\x1a" IMPACT), true},
        {32, CLIENT, VIEW("\3\x1a" LINE), false},
        {34, CLIENT, VIEW("\3\x1b" LINE), true},
        {31, CLIENT, VIEW("\3\x1b" LINE), false},
        /* Steam with a number lasts, for a time that follows. */
        {34, CLIENT, VIEW("\3\x28\xff\xff" STEAM), true},
        {34, CLIENT, VIEW("\3\x28\0\0" STEAM "\0\0\0\0"), true},
        {34, CLIENT, VIEW("\3\x28\0\0" STEAM), false},
        /* There are 162 directions. */
        {34, CLIENT, VIEW("\3\0" POSITION "\xa1"), true},
        {34, CLIENT, VIEW("\3\0" POSITION "\xa2"), false},
        /* Downloads carry data from protocol 32 on; -1 refuses one. */
        {31, CLIENT, VIEW("\x10\2\0\x64\6\6"), true},
        {34, CLIENT, VIEW("\x10\2\0\x64\6\6"), true},
        {34, CLIENT, VIEW("\x10\2\0\x64\6"), false},
        {34, CLIENT, VIEW("\x10\xff\xff\0"), true},
        /* A message for one client of a relay: its number with the upper bit, and the client. */
        {34, RELAY, VIEW("\x84\3a\0\6"), true},
        {34, CLIENT, VIEW("\x84\3a\0\6"), false},
        /* A frame of a server's recording has nothing but entities. */
        {34, SERVER, VIEW("\x14\1\0\0\0\x12\0\0"), true},
        {34, CLIENT, VIEW("\x14\1\0\0\0\x12\0\0"), false},
        /* Protocol 26 has no byte of suppressed frames. */
        {26, CLIENT, VIEW("\x14\1\0\0\0\xff\xff\xff\xff\0\6"), true},
        {27, CLIENT, VIEW("\x14\1\0\0\0\xff\xff\xff\xff\0\6"), false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(messages); i++) {
        struct game game;

        game_open(&game);
        game_begin_level(&game, messages[i].version, messages[i].record);
        if (!game_block(&game, messages[i].bytes.data, messages[i].bytes.size) !=
            messages[i].is_read)
            fail_msg("message %zu", i);
        game_close(&game);
    }
}

#define GAME_TEST(function) TEST_WITH(function, struct game, game, game_open, game_close)

GAME_TEST(the_test_release_is_not_decoded)
{
    static const uint8_t block[] = {7, 25, 0, 0, 0, 1, 2, 3};

    assert_int_not_equal(game_block(game, block, sizeof block), 0);
    assert_int_equal(game->decoder.found.notes[QS_NOTE_PROTOCOL_UNDECODED], 1);
    assert_int_equal(game->decoder.found.undecoded, sizeof block);
}

/* --- Compressed packets */

static GByteArray *zpacket(const uint8_t *data, size_t size, uint16_t stated)
{
    uint8_t packed[256];
    z_stream stream = {.next_in = (uint8_t *)data,
                       .avail_in = (uInt)size,
                       .next_out = packed,
                       .avail_out = sizeof packed};
    GByteArray *out = g_byte_array_new();

    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    qs_write_u8(out, SVC_ZPACKET);
    qs_write_u16(out, (uint16_t)stream.total_out);
    qs_write_u16(out, stated);
    g_byte_array_append(out, packed, (guint)stream.total_out);
    return out;
}

static uint32_t decode_packed(struct game *game, GByteArray *block)
{
    uint32_t problems;

    game->session.base.version = Q2_PROTOCOL_R1Q2;
    game->session.variant.packed = true;
    problems = game_block(game, block->data, block->len);
    g_byte_array_free(block, TRUE);
    return problems;
}

GAME_TEST(a_zpacket_must_have_its_size)
{
    static const uint8_t inner[] = {SVC_NOP, SVC_PRINT, 2, 'h', 'i', 0};

    assert_int_equal(decode_packed(game, zpacket(inner, sizeof inner, sizeof inner)), 0);
    assert_int_equal(game->decoder.found.messages->len, 3);
    /* A size that is not the right one, both ways. */
    assert_int_not_equal(decode_packed(game, zpacket(inner, sizeof inner, 5)), 0);
    assert_int_not_equal(decode_packed(game, zpacket(inner, sizeof inner, 60000)), 0);
    /* Messages that are not whole. */
    assert_int_not_equal(decode_packed(game, zpacket(inner, 5, 5)), 0);
}

/* No client reads them, and each could be a thousand times longer than what it is in. */
GAME_TEST(nested_zpackets_are_not_read)
{
    static const uint8_t inner[] = {SVC_NOP};
    GByteArray *block = zpacket(inner, sizeof inner, sizeof inner);
    GByteArray *around = zpacket(block->data, block->len, (uint16_t)block->len);

    assert_int_not_equal(decode_packed(game, around), 0);
    for (guint i = 0; i < game->decoder.found.messages->len; i++)
        assert_int_equal(g_array_index(game->decoder.found.messages, struct qs_message, i).id,
                         SVC_ZPACKET);
    /* Two in a row, not nested, inflate. */
    assert_int_equal(decode_packed(game, block), 0);
}

/* A few bytes of a datagram stand for as many messages as they like. */
GAME_TEST(messages_of_zpackets_have_a_limit)
{
    enum { PACKETS = 8, MESSAGES = 5000 };
    g_autofree uint8_t *inner = g_malloc(MESSAGES);
    GByteArray *block = g_byte_array_new();

    memset(inner, SVC_NOP, MESSAGES);
    for (unsigned i = 0; i < PACKETS; i++) {
        g_autoptr(GByteArray) one = zpacket(inner, MESSAGES, MESSAGES);

        g_byte_array_append(block, one->data, one->len);
    }
    assert_int_not_equal(decode_packed(game, block), 0);
    assert_int_equal(game->decoder.found.messages->len, MESSAGES + PACKETS);
    assert_int_equal(game->decoder.found.notes[QS_NOTE_LIMIT], PACKETS - 1);
}

#define FRAME(number, delta) 20, number, 0, 0, 0, delta, 0, 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0, 18

/* If a frame has an entity twice, the first delta is from its state before, the second from its
 * baseline: engine, cl_ents.c CL_ParsePacketEntities. */
GAME_TEST(an_entity_twice_in_a_frame_is_a_delta_from_its_baseline)
{
    static const uint8_t both[] = {
        FRAME(1, 0), 1,  5, 80, 0, 1,  6, 88, 0, 0,           0, FRAME(2, 1), 2,
        5,           16, 0, 2,  5, 24, 0, 0,  0, FRAME(3, 2), 0, 0,
    };

    q2_tracker_attach(q2_tracker_new(), &game->session);
    game_begin_level(game, Q2_PROTOCOL_VANILLA, Q2_RECORD_CLIENT);
    assert_int_equal(game_block(game, both, sizeof both), 1); /* servers do not send that */
    for (int32_t number = 2; number <= 3; number++) {
        static const int32_t origins[][2] = {{80, 16}, {0, 24}, {88, 0}};
        const struct q2_frame *frame = q2_tracker_frame(game->session.tracker, number);

        assert_non_null(frame);
        assert_int_equal(frame->entities->len, 3);
        for (guint i = 0; i < 3; i++) {
            assert_int_equal(q2_entities_at(frame->entities, i)->number, i < 2 ? 5 : 6);
            assert_memory_equal(q2_entities_at(frame->entities, i)->origin, origins[i],
                                sizeof origins[i]);
        }
    }
}
