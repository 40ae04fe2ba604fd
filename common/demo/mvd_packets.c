/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments of MVD demos: a QTV stream over TCP that carries the blocks as they are. Source: RFC
 * 9293; common/quakeworld/qtv.c.
 */
#include "common/core/text.h"
#include "common/demo/appendix.h"
#include "common/demo/mvd.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/quakeworld.h"

enum {
    WINDOW = 32 * 1024, /* of the client: so many bytes go unacknowledged */
    CLIENT_START = 1000,
    SERVER_START = 2000
};

static const char request[] = "QTV\nVERSION: 1\nRECEIVE\n\n";
static const char reply[] = "QTVSV 1\nBEGIN\n\n";

struct state {
    struct qs_demo_sender *out;
    bool begun;
    uint32_t client, server; /* numbers of the bytes that either sends next */
    uint32_t acknowledged;   /* by the client */
};

/* --- Segments --- */

static void client_sends(struct state *state, uint8_t flags, struct qs_view bytes,
                         const struct qs_demo_piece *piece)
{
    const struct qs_demo_segment segment = {.sequence = state->client,
                                            .acknowledged = flags & QS_DEMO_ACK ? state->server : 0,
                                            .flags = flags,
                                            .payload = bytes};

    qs_demo_send_segment(state->out, QS_C2S, &segment, piece);
    state->client += bytes.size + (flags & (QS_DEMO_SYN | QS_DEMO_FIN) ? 1 : 0);
    state->acknowledged = state->server;
}

static void server_sends(struct state *state, uint8_t flags, struct qs_view bytes,
                         const struct qs_demo_piece *piece)
{
    const struct qs_demo_segment segment = {
        .sequence = state->server, .acknowledged = state->client, .flags = flags, .payload = bytes};

    qs_demo_send_segment(state->out, QS_S2C, &segment, piece);
    state->server += bytes.size + (flags & (QS_DEMO_SYN | QS_DEMO_FIN) ? 1 : 0);
}

static void client_acknowledges(struct state *state)
{
    client_sends(state, QS_DEMO_ACK, (struct qs_view){0}, NULL);
}

static void begin(struct state *state)
{
    const struct qs_view nothing = {0};

    state->client = CLIENT_START;
    state->server = SERVER_START;
    client_sends(state, QS_DEMO_SYN, nothing, NULL);
    server_sends(state, QS_DEMO_SYN | QS_DEMO_ACK, nothing, NULL);
    client_sends(state, QS_DEMO_ACK, qs_view_of(request), NULL);
    server_sends(state, QS_DEMO_ACK, qs_view_of(reply), &qs_demo_start);
    state->begun = true;
}

/* --- Blocks --- */

/* What a stream's units are is known when they are whole: the comment of the last segment names the
 * block. */
static void send_block(struct state *state, struct qs_view block)
{
    const struct qs_demo_piece piece = qs_demo_block_in(block, 0, 0);

    for (uint32_t at = 0; at < block.size;) {
        const uint32_t size = MIN(block.size - at, (uint32_t)QS_DEMO_SEGMENT_MAX);
        const bool last = at + size == block.size;

        server_sends(state, QS_DEMO_ACK, (struct qs_view){block.data + at, size},
                     last ? &piece : NULL);
        at += size;
        if (state->server - state->acknowledged > WINDOW)
            client_acknowledges(state);
    }
}

/* It is no part of the stream: its bytes go into comments, beside commands that say nothing. */
static void send_appendix(struct state *state, struct qs_view appendix)
{
    static const uint8_t command[] = {4, 0, QTV_CLC_STRINGCMD, 0}; /* length, id, empty text */

    for (uint32_t offset = 0; offset < appendix.size; offset += APPENDIX_PIECE_MAX) {
        const struct qs_demo_piece piece = appendix_piece(appendix, offset);

        client_sends(state, QS_DEMO_ACK, (struct qs_view){command, sizeof command}, &piece);
    }
}

static void take_block(void *data, const struct qs_decoder *decoder, const struct qs_packet *block)
{
    const struct qs_view bytes = {block->data, block->size};
    struct state *state = data;

    (void)decoder;
    if (!state->begun)
        begin(state);
    if (appendix_is_whole(bytes))
        send_appendix(state, bytes);
    else
        send_block(state, bytes);
}

static void finish(void *data)
{
    struct state *state = data;
    const struct qs_view nothing = {0};

    if (!state->begun)
        return;
    server_sends(state, QS_DEMO_FIN | QS_DEMO_ACK, nothing, NULL);
    client_sends(state, QS_DEMO_FIN | QS_DEMO_ACK, nothing, NULL);
    server_sends(state, QS_DEMO_ACK, nothing, NULL);
}

const struct qs_demo_packet_maker mvd_packets = {
    .port = 28000,
    .state_size = sizeof(struct state),
    .block = take_block,
    .finish = finish,
};
