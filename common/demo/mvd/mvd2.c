/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/mvd/mvd.h"

#include "common/core/containers.h"
#include "common/core/writer.h"
#include "common/demo/format.h"
#include "common/quake2/session.h"

enum { FRAMES_A_SECOND = 10 };

static const uint8_t magic[] = Q2_MVD_MAGIC;

static const struct qs_demo_framing framing = {Q2_MVD_LENGTH_SIZE, Q2_MVD_BLOCK_MAX, 0};

/* --- Packets: an undeflated GTV stream over TCP, a block per message (common/quake2/gtv.c) */

enum { GTV_PROTOCOL = 0xed04, FRAMES_HELD_BACK = 10 };

static void begin_message(struct qs_demo_stream *stream, uint8_t id)
{
    qs_bytes_empty(stream->out->packet);
    qs_write_u16(stream->out->packet, 0);
    qs_write_u8(stream->out->packet, id);
}

static struct qs_view finished_message(struct qs_demo_stream *stream)
{
    const uint32_t length = stream->out->packet->len - Q2_MVD_LENGTH_SIZE;

    stream->out->packet->data[0] = (uint8_t)length;
    stream->out->packet->data[1] = (uint8_t)(length >> 8);
    return qs_view_of_bytes(stream->out->packet);
}

static void send_hello(struct qs_demo_stream *stream)
{
    begin_message(stream, GTC_HELLO);
    qs_write_u16(stream->out->packet, GTV_PROTOCOL);
    qs_write_u32(stream->out->packet, 0); /* flags: no deflate, no commands */
    qs_write_u32(stream->out->packet, 0);
    qs_write_text(stream->out->packet, ""); /* name, password, program */
    qs_write_text(stream->out->packet, "");
    qs_write_text(stream->out->packet, "");
    qs_demo_stream_send(stream, QS_C2S, finished_message(stream));
    begin_message(stream, GTS_HELLO);
    qs_write_u32(stream->out->packet, 0);
    qs_demo_stream_send(stream, QS_S2C, finished_message(stream));
}

static void open_stream(struct qs_demo_stream *stream)
{
    const struct qs_view bytes = {magic, Q2_MVD_MAGIC_SIZE};

    qs_demo_stream_open(stream);
    qs_demo_stream_send(stream, QS_C2S, bytes);
    qs_demo_stream_send(stream, QS_S2C, bytes);
    send_hello(stream);
    begin_message(stream, GTC_STREAM_START);
    qs_write_u16(stream->out->packet, FRAMES_HELD_BACK);
    qs_demo_stream_send(stream, QS_C2S, finished_message(stream));
    begin_message(stream, GTS_STREAM_START);
    qs_demo_stream_send(stream, QS_S2C, finished_message(stream));
}

static void send_block(struct qs_demo_stream *stream, struct qs_view block)
{
    begin_message(stream, GTS_STREAM_DATA);
    qs_write_view(stream->out->packet, (struct qs_view){block.data + Q2_MVD_LENGTH_SIZE,
                                                        block.size - Q2_MVD_LENGTH_SIZE});
    qs_demo_stream_pdu(stream, finished_message(stream));
}

/* Ends the stream. The empty block that ends the file is not part of it. */
static void send_end(struct qs_demo_stream *stream)
{
    begin_message(stream, GTC_STREAM_STOP);
    qs_demo_stream_send(stream, QS_C2S, finished_message(stream));
    begin_message(stream, GTS_STREAM_STOP);
    qs_demo_stream_send(stream, QS_S2C, finished_message(stream));
}

static void send_next(void *data, const struct qs_decoder *decoder, const struct qs_packet *block)
{
    const struct qs_view bytes = {block->data, block->size};
    struct qs_demo_stream *stream = data;

    (void)decoder;
    if (!stream->open)
        open_stream(stream);
    if (!block->number)
        return; /* the magic, which open_stream() sends */
    if (bytes.size == Q2_MVD_LENGTH_SIZE)
        send_end(stream);
    else
        send_block(stream, bytes);
}

const struct qs_demo_packet_maker mvd2_packets = {
    .port = 27910,
    .state_size = sizeof(struct qs_demo_stream),
    .block = send_next,
    .finish = qs_demo_stream_close,
};

/* --- Rebuilding of GTV streams: the blocks from the first gamestate on, as the server sent them
 * and would have recorded them. Source: Q2PRO, server/mvd.c rec_write, rec_frame, rec_stop. */

struct mvd2 {
    struct qs_demo_writer *out;
    bool lost; /* blocks after a hole cannot be used */
};

static void *mvd2_new(struct qs_demo_writer *out)
{
    struct mvd2 *mvd2 = g_new0(struct mvd2, 1);

    mvd2->out = out;
    return mvd2;
}

static void mvd2_free(void *state)
{
    struct mvd2 *mvd2 = state;

    g_free(mvd2);
}

/* Writes a block, except frames before the first gamestate, which are deltas from nothing. */
static void add_block(struct mvd2 *mvd2, struct qs_view messages)
{
    const uint8_t head[] = {(uint8_t)messages.size, (uint8_t)(messages.size >> 8)};

    /* A demo must begin with a level. */
    if (!messages.size ||
        (!mvd2->out->begun && (messages.data[0] & Q2_MVD_ID_MASK) != MVD_SERVERDATA))
        return;
    if (!mvd2->out->begun) {
        qs_demo_begin(mvd2->out);
        qs_demo_write(mvd2->out, (struct qs_view){magic, Q2_MVD_MAGIC_SIZE});
    }
    qs_demo_write(mvd2->out, (struct qs_view){head, sizeof head});
    qs_demo_write(mvd2->out, messages);
    mvd2->out->counts.blocks++;
}

static void add_blocks(struct mvd2 *mvd2, const struct qs_decoder *decoder,
                       const struct qs_packet *packet, const GByteArray *blocks)
{
    struct qs_reader in = qs_reader_over(blocks->data, blocks->len);
    struct qs_view messages;

    if (blocks->len && qs_decoder_problems(decoder))
        qs_demo_not_decoded(mvd2->out, packet, false);
    while (qs_demo_read_framed(&in, &framing, &messages) == QS_DEMO_BLOCK)
        add_block(mvd2, messages);
}

static void mvd2_packet(void *state, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    const struct q2_gtv *gtv = &q2_session_of_const(decoder->session)->gtv;
    struct mvd2 *mvd2 = state;

    if (mvd2->lost || !qs_session_from_server(decoder->session, packet))
        return;
    if (gtv->blocks)
        add_blocks(mvd2, decoder, packet, gtv->blocks);
    if (gtv->stage[packet->from] == Q2_GTV_STAGE_LOST) {
        qs_demo_stream_broken(mvd2->out, packet, "message");
        mvd2->lost = true;
    }
}

static void mvd2_finish(void *state)
{
    struct mvd2 *mvd2 = state;

    if (mvd2->out->begun)
        qs_demo_write(mvd2->out, (struct qs_view){(const uint8_t[]){0, 0}, 2});
    else if (!mvd2->lost)
        qs_demo_start_missing(mvd2->out, NULL);
}

const struct qs_demo_rebuilder mvd2_rebuilder = {
    .create = mvd2_new,
    .packet = mvd2_packet,
    .finish = mvd2_finish,
    .free = mvd2_free,
};

/* --- Format --- */

static enum qs_demo_status read_magic(struct qs_reader *in)
{
    const uint32_t left = MIN(qs_reader_left(in), (uint32_t)Q2_MVD_MAGIC_SIZE);

    if (memcmp(in->data + in->pos, Q2_MVD_MAGIC, left) != 0)
        return QS_DEMO_BAD;
    return qs_reader_bytes(in, Q2_MVD_MAGIC_SIZE) ? QS_DEMO_LINE : QS_DEMO_CUT;
}

static bool recognize(struct qs_view file)
{
    struct qs_reader in = qs_reader_over(file.data, file.size);

    return read_magic(&in) == QS_DEMO_LINE;
}

static enum qs_demo_status next(struct qs_demo_reader *reader)
{
    return reader->begun ? qs_demo_next_framed(reader, &framing) : read_magic(&reader->in);
}

static double seconds(struct qs_demo_reader *reader, const struct qs_decoder *decoder)
{
    (void)reader;
    return (double)q2_session_of_const(decoder->session)->mvd_frames / FRAMES_A_SECOND;
}

/* Appends an empty block. */
static void append_end(GByteArray *out, struct qs_view last)
{
    (void)last;
    qs_write_u16(out, 0);
}

const struct qs_demo_file mvd2_file = {
    .recognize = recognize,
    .next = next,
    .seconds = seconds,
    .decode_block = q2_decode_mvd_block,
    .append_end = append_end,
};
