/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the unit tests of Quake II: a session that is decoded step by step. */
#ifndef TESTS_QUAKE2_UNIT_H
#define TESTS_QUAKE2_UNIT_H

#include "common/core/decode.h"
#include "common/quake2/encode.h"
#include "common/quake2/session.h"
#include "tests/unit/unit.h"

struct game {
    struct q2_session session;
    struct qs_decoder decoder;
    struct qs_sink *sink; /* or NULL */
};

static inline void game_open(struct game *game)
{
    game->sink = NULL;
    q2_protocol.session_init(&game->session.base);
    qs_decoder_init(&game->decoder, &q2_protocol);
}

static inline void game_close(struct game *game)
{
    q2_tracker_free(game->session.tracker);
    qs_decoder_clear(&game->decoder);
    q2_protocol.session_clear(&game->session.base);
}

/* Decodes server messages, and returns how many problems they have. */
static inline uint32_t game_block(struct game *game, const void *data, size_t size)
{
    const struct qs_packet packet = {
        .data = data, .size = (uint32_t)size, .wire_size = (uint32_t)size};

    qs_decode_server_messages(&game->decoder, &game->session.base, game->sink, &packet);
    return qs_decoder_problems(&game->decoder);
}

/* Decodes a datagram of the client (QS_END_A) or of the server (QS_END_B). */
static inline uint32_t game_packet(struct game *game, enum qs_end from, const void *data,
                                   size_t size)
{
    const struct qs_packet packet = {.data = data,
                                     .size = (uint32_t)size,
                                     .wire_size = (uint32_t)size,
                                     .from = from,
                                     .source_is_server_port = from == QS_END_B,
                                     .destination_is_server_port = from == QS_END_A};

    qs_decode(&game->decoder, &game->session.base, game->sink, &packet);
    return qs_decoder_problems(&game->decoder);
}

/* svc_serverdata of a protocol that has nothing behind the level's name. */
static inline void game_begin_level(struct game *game, uint32_t version, uint8_t record)
{
    GByteArray *out = g_byte_array_new();

    qs_write_u8(out, SVC_SERVERDATA);
    qs_write_u32(out, version);
    qs_write_u32(out, 1);
    qs_write_u8(out, record);
    qs_write_u8(out, 0);
    qs_write_u16(out, 0);
    qs_write_u8(out, 0);
    assert_int_equal(game_block(game, out->data, out->len), 0);
    g_byte_array_free(out, TRUE);
}

#endif
