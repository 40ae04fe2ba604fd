/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/stream_packets.h"

enum {
    WINDOW = 32 * 1024, /* of the client: so many bytes go unacknowledged */
    CLIENT_START = 1000,
    SERVER_START = 2000
};

static const struct qs_view nothing;

static void client_sends(struct stream_packets *stream, uint8_t flags, struct qs_view bytes,
                         const struct qs_demo_piece *piece)
{
    const struct qs_demo_segment segment = {.sequence = stream->client,
                                            .acknowledged =
                                                flags & QS_DEMO_ACK ? stream->server : 0,
                                            .flags = flags,
                                            .payload = bytes};

    qs_demo_send_segment(stream->out, QS_C2S, &segment, piece);
    stream->client += bytes.size + (flags & (QS_DEMO_SYN | QS_DEMO_FIN) ? 1 : 0);
    stream->acknowledged = stream->server;
}

static void server_sends(struct stream_packets *stream, uint8_t flags, struct qs_view bytes,
                         const struct qs_demo_piece *piece)
{
    const struct qs_demo_segment segment = {.sequence = stream->server,
                                            .acknowledged = stream->client,
                                            .flags = flags,
                                            .payload = bytes};

    qs_demo_send_segment(stream->out, QS_S2C, &segment, piece);
    stream->server += bytes.size + (flags & (QS_DEMO_SYN | QS_DEMO_FIN) ? 1 : 0);
}

void stream_packets_open(struct stream_packets *stream)
{
    stream->client = CLIENT_START;
    stream->server = SERVER_START;
    stream->open = true;
    client_sends(stream, QS_DEMO_SYN, nothing, NULL);
    server_sends(stream, QS_DEMO_SYN | QS_DEMO_ACK, nothing, NULL);
}

void stream_packets_client(struct stream_packets *stream, struct qs_view bytes,
                           const struct qs_demo_piece *piece)
{
    client_sends(stream, QS_DEMO_ACK, bytes, piece);
}

void stream_packets_server(struct stream_packets *stream, struct qs_view bytes,
                           const struct qs_demo_piece *piece)
{
    server_sends(stream, QS_DEMO_ACK, bytes, piece);
}

void stream_packets_unit(struct stream_packets *stream, struct qs_view unit,
                         const struct qs_demo_piece *piece)
{
    for (uint32_t at = 0; at < unit.size;) {
        const uint32_t size = MIN(unit.size - at, (uint32_t)QS_DEMO_SEGMENT_MAX);
        const bool last = at + size == unit.size;

        stream_packets_server(stream, (struct qs_view){unit.data + at, size}, last ? piece : NULL);
        at += size;
        if (stream->server - stream->acknowledged > WINDOW)
            stream_packets_client(stream, nothing, NULL);
    }
}

void stream_packets_close(struct stream_packets *stream)
{
    if (!stream->open)
        return;
    server_sends(stream, QS_DEMO_FIN | QS_DEMO_ACK, nothing, NULL);
    client_sends(stream, QS_DEMO_FIN | QS_DEMO_ACK, nothing, NULL);
    server_sends(stream, QS_DEMO_ACK, nothing, NULL);
}
