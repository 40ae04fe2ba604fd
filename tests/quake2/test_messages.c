/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages that no capture at hand has, or that differ by protocol version. */
#include "tests/quake2/unit.h"

#include <string.h>
#include <zlib.h>

#include "common/core/inflate.h"

#define BLOCK(...) ((const uint8_t[]){__VA_ARGS__})

/* Decodes bytes in a level of that version. Returns the number of problems. */
static uint32_t decode(uint32_t version, uint8_t record, const uint8_t *data, size_t size)
{
    struct game game;
    uint32_t problems;

    game_open(&game);
    game_begin_level(&game, version, record);
    problems = game_block(&game, data, size);
    game_close(&game);
    return problems;
}

/* 26 is a line of two positions up to protocol 31, an impact later; 27 the other way round. */
TEST(test_types_that_changed)
{
    static const uint8_t line[2 + 12] = {SVC_TEMP_ENTITY, TE31_PLASMATRAIL};
    static const uint8_t impact[2 + 7] = {SVC_TEMP_ENTITY, TE31_PLASMATRAIL};
    static const uint8_t line27[2 + 12] = {SVC_TEMP_ENTITY, TE31_GREENBLOOD};

    assert_int_equal(decode(31, Q2_RECORD_CLIENT, line, sizeof line), 0);
    assert_int_not_equal(decode(31, Q2_RECORD_CLIENT, impact, sizeof impact), 0);
    assert_int_equal(decode(32, Q2_RECORD_CLIENT, impact, sizeof impact), 0);
    assert_int_not_equal(decode(32, Q2_RECORD_CLIENT, line, sizeof line), 0);
    assert_int_equal(decode(34, Q2_RECORD_CLIENT, line27, sizeof line27), 0);
    assert_int_not_equal(decode(31, Q2_RECORD_CLIENT, line27, sizeof line27), 0);
}

TEST(test_steam)
{
    static const uint8_t once[2 + 13] = {SVC_TEMP_ENTITY, TE_STEAM, 0xff, 0xff};
    static const uint8_t lasting[2 + 17] = {SVC_TEMP_ENTITY, TE_STEAM, 0, 0};

    assert_int_equal(decode(34, Q2_RECORD_CLIENT, once, sizeof once), 0);
    assert_int_equal(decode(34, Q2_RECORD_CLIENT, lasting, sizeof lasting), 0);
    assert_int_not_equal(decode(34, Q2_RECORD_CLIENT, lasting, sizeof once), 0);
}

TEST(test_direction_out_of_range)
{
    assert_int_equal(decode(34, 1, BLOCK(SVC_TEMP_ENTITY, TE_GUNSHOT, 0, 0, 0, 0, 0, 0, 161), 9),
                     0);
    assert_int_not_equal(
        decode(34, 1, BLOCK(SVC_TEMP_ENTITY, TE_GUNSHOT, 0, 0, 0, 0, 0, 0, 162), 9), 0);
}

/* Downloads carry data from protocol 32 on. */
TEST(test_download)
{
    static const uint8_t block[] = {SVC_DOWNLOAD, 2, 0, 100, SVC_NOP, SVC_NOP};
    static const uint8_t refused[] = {SVC_DOWNLOAD, 0xff, 0xff, 0};

    assert_int_equal(decode(31, Q2_RECORD_CLIENT, block, sizeof block), 0);
    assert_int_equal(decode(34, Q2_RECORD_CLIENT, block, sizeof block), 0);
    assert_int_not_equal(decode(34, Q2_RECORD_CLIENT, block, sizeof block - 1), 0);
    assert_int_equal(decode(34, Q2_RECORD_CLIENT, refused, sizeof refused), 0);
}

/* A message for one client of a relay: its number with the upper bit, and the client. */
TEST(test_relay)
{
    static const uint8_t block[] = {SVC_LAYOUT | 0x80, 3, 'a', 0, SVC_NOP};

    assert_int_equal(decode(34, Q2_RECORD_RELAY, block, sizeof block), 0);
    assert_int_not_equal(decode(34, Q2_RECORD_CLIENT, block, sizeof block), 0);
}

TEST(test_server_recording)
{
    static const uint8_t block[] = {SVC_FRAME, 1, 0, 0, 0, SVC_PACKETENTITIES, 0, 0};

    assert_int_equal(decode(34, Q2_RECORD_SERVER, block, sizeof block), 0);
    assert_int_not_equal(decode(34, Q2_RECORD_CLIENT, block, sizeof block), 0);
}

/* Protocol 26 has no byte of suppressed frames. */
TEST(test_suppress_byte)
{
    static const uint8_t block[] = {SVC_FRAME, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, SVC_NOP};

    assert_int_equal(decode(26, Q2_RECORD_CLIENT, block, sizeof block), 0);
    assert_int_not_equal(decode(27, Q2_RECORD_CLIENT, block, sizeof block), 0);
}

#define GAME_TEST(function) TEST_WITH(function, struct game, game, game_open, game_close)

GAME_TEST(test_test_release)
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

GAME_TEST(test_zpacket)
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
GAME_TEST(test_nested_zpackets)
{
    static const uint8_t inner[] = {SVC_NOP};
    GByteArray *block = zpacket(inner, sizeof inner, sizeof inner);
    GByteArray *around = zpacket(block->data, block->len, (uint16_t)block->len);

    assert_int_not_equal(decode_packed(game, around), 0);
    for (guint i = 0; i < game->decoder.found.messages->len; i++)
        assert_int_equal(g_array_index(game->decoder.found.messages, struct qs_message, i).id,
                         SVC_ZPACKET);
    /* One behind the other is as usual. */
    assert_int_equal(decode_packed(game, block), 0);
}

/* A few bytes of a datagram stand for as many messages as they like. */
GAME_TEST(test_many_zpackets)
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

/* Of an entity that a frame has twice the first is a change to what it was before, the second to
 * its baseline: engine, cl_ents.c CL_ParsePacketEntities. */
GAME_TEST(test_entity_twice_in_a_frame)
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
