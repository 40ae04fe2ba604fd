/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments of MVD demos: a QTV stream over TCP that carries the blocks as they are. Source:
 * common/quakeworld/qtv.c.
 */
#include "common/core/text.h"
#include "common/demo/zip_archive.h"
#include "common/demo/mvd/mvd.h"
#include "common/demo/stream_packets.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/quakeworld.h"

static const char request[] = "QTV\nVERSION: 1\nRECEIVE\n\n";
static const char reply[] = "QTVSV 1\nBEGIN\n\n";

static void begin(struct stream_packets *stream)
{
    stream_packets_open(stream);
    stream_packets_client(stream, qs_view_of(request), NULL);
    stream_packets_server(stream, qs_view_of(reply), &qs_demo_start);
}

static void send_block(struct stream_packets *stream, struct qs_view block)
{
    const struct qs_demo_piece piece = qs_demo_block_in(block, 0, 0);

    stream_packets_unit(stream, block, &piece);
}

/* It is no part of the stream: its bytes go into comments, beside commands that say nothing. */
static void send_appendix(struct stream_packets *stream, struct qs_view appendix)
{
    static const uint8_t command[] = {4, 0, QTV_CLC_STRINGCMD, 0}; /* length, id, empty text */

    for (uint32_t offset = 0; offset < appendix.size; offset += APPENDIX_PIECE_MAX) {
        const struct qs_demo_piece piece = appendix_piece(appendix, offset);

        stream_packets_client(stream, (struct qs_view){command, sizeof command}, &piece);
    }
}

static void take_block(void *data, const struct qs_decoder *decoder, const struct qs_packet *block)
{
    const struct qs_view bytes = {block->data, block->size};
    struct stream_packets *stream = data;

    (void)decoder;
    if (!stream->open)
        begin(stream);
    if (appendix_is_whole(bytes))
        send_appendix(stream, bytes);
    else
        send_block(stream, bytes);
}

static void finish(void *data)
{
    stream_packets_close(data);
}

const struct qs_demo_packet_maker mvd_packets = {
    .port = 28000,
    .state_size = sizeof(struct stream_packets),
    .block = take_block,
    .finish = finish,
};
