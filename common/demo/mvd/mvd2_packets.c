/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments of MVD2 demos: a GTV stream over TCP that is not deflated, whose messages have the
 * blocks in them. Source: common/quake2/gtv.c.
 */
#include "common/core/lists.h"
#include "common/core/writer.h"
#include "common/demo/mvd/mvd2.h"
#include "common/demo/stream_packets.h"
#include "common/quake2/constants.h"
#include "common/quake2/mvd.h"

enum {
    MESSAGE_HEADER = 3, /* length and number */
    GTV_PROTOCOL = 0xed04,
    FRAMES_HELD_BACK = 10
};

struct state {
    struct stream_packets stream;
    GByteArray *message; /* scratch, while the stream is open */
};

/* --- Messages --- */

static void begin_message(struct state *state, uint8_t id)
{
    qs_bytes_empty(state->message);
    qs_write_u16(state->message, 0);
    qs_write_u8(state->message, id);
}

static struct qs_view finished_message(struct state *state)
{
    const uint32_t length = state->message->len - Q2_MVD_LENGTH_SIZE;

    state->message->data[0] = (uint8_t)length;
    state->message->data[1] = (uint8_t)(length >> 8);
    return qs_view_of_bytes(state->message);
}

static void send_magic(struct state *state)
{
    static const uint8_t magic[] = Q2_MVD_MAGIC;
    const struct qs_view bytes = {magic, Q2_MVD_MAGIC_SIZE};
    const struct qs_demo_piece piece = {
        .kind = QS_DEMO_PIECE_START, .size = bytes.size, .head = bytes};

    stream_packets_client(&state->stream, bytes, &piece);
    stream_packets_server(&state->stream, bytes, NULL);
}

static void say_hello(struct state *state)
{
    begin_message(state, GTC_HELLO);
    qs_write_u16(state->message, GTV_PROTOCOL);
    qs_write_u32(state->message, 0); /* flags: no deflate, no commands */
    qs_write_u32(state->message, 0);
    qs_write_text(state->message, ""); /* name, password, program */
    qs_write_text(state->message, "");
    qs_write_text(state->message, "");
    stream_packets_client(&state->stream, finished_message(state), NULL);
    begin_message(state, GTS_HELLO);
    qs_write_u32(state->message, 0);
    stream_packets_server(&state->stream, finished_message(state), NULL);
}

static void begin(struct state *state)
{
    state->message = g_byte_array_new();
    stream_packets_open(&state->stream);
    send_magic(state);
    say_hello(state);
    begin_message(state, GTC_STREAM_START);
    qs_write_u16(state->message, FRAMES_HELD_BACK);
    stream_packets_client(&state->stream, finished_message(state), NULL);
    begin_message(state, GTS_STREAM_START);
    stream_packets_server(&state->stream, finished_message(state), NULL);
}

/* --- Blocks --- */

static void send_block(struct state *state, struct qs_view block)
{
    const struct qs_demo_piece piece = qs_demo_block_in(block, Q2_MVD_LENGTH_SIZE, MESSAGE_HEADER);

    begin_message(state, GTS_STREAM_DATA);
    qs_write_view(state->message, (struct qs_view){block.data + Q2_MVD_LENGTH_SIZE,
                                                   block.size - Q2_MVD_LENGTH_SIZE});
    stream_packets_unit(&state->stream, finished_message(state), &piece);
}

/* What ends the file is no block of the stream. */
static void send_end(struct state *state, struct qs_view mark)
{
    const struct qs_demo_piece piece = qs_demo_block_apart(mark);

    begin_message(state, GTC_STREAM_STOP);
    stream_packets_client(&state->stream, finished_message(state), &piece);
    begin_message(state, GTS_STREAM_STOP);
    stream_packets_server(&state->stream, finished_message(state), NULL);
}

static void take_block(void *data, const struct qs_decoder *decoder, const struct qs_packet *block)
{
    const struct qs_view bytes = {block->data, block->size};
    struct state *state = data;

    (void)decoder;
    if (!state->stream.open)
        begin(state);
    if (!block->number)
        return; /* the magic, with which the stream has begun */
    if (bytes.size == Q2_MVD_LENGTH_SIZE)
        send_end(state, bytes);
    else
        send_block(state, bytes);
}

static void finish(void *data)
{
    struct state *state = data;

    if (!state->stream.open)
        return;
    stream_packets_close(&state->stream);
    g_byte_array_free(state->message, TRUE);
}

const struct qs_demo_packet_maker mvd2_packets = {
    .port = 27910,
    .state_size = sizeof(struct state),
    .block = take_block,
    .finish = finish,
};
