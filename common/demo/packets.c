/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/packets.h"

#include "common/core/text.h"

void qs_demo_send_text(struct qs_demo_sender *sender, enum qs_direction direction, const char *text)
{
    GByteArray *packet = g_byte_array_new();

    qs_write_u32(packet, UINT32_MAX);
    qs_write_view(packet, qs_view_of(text));
    sender->datagram(sender, direction, qs_view_of_bytes(packet));
    g_byte_array_free(packet, TRUE);
}

/* --- Streams */

enum {
    WINDOW = 32 * 1024, /* of the client: so many bytes go unacknowledged */
    CLIENT_START = 1000,
    SERVER_START = 2000
};

static const struct qs_view nothing;

/* A segment with these flags; SYN and FIN count as a byte each. */
static void send_flagged(struct qs_demo_stream *stream, enum qs_direction direction, uint8_t flags,
                         struct qs_view bytes)
{
    const bool is_client = direction == QS_C2S;
    uint32_t *own = is_client ? &stream->client : &stream->server;
    const uint32_t other = is_client ? stream->server : stream->client;
    const struct qs_demo_segment segment = {.sequence = *own,
                                            .acknowledged = flags & QS_DEMO_ACK ? other : 0,
                                            .flags = flags,
                                            .payload = bytes};

    stream->out->segment(stream->out, direction, &segment);
    *own += bytes.size + (flags & (QS_DEMO_SYN | QS_DEMO_FIN) ? 1 : 0);
    if (is_client)
        stream->acknowledged = stream->server;
}

void qs_demo_stream_open(struct qs_demo_stream *stream)
{
    stream->client = CLIENT_START;
    stream->server = SERVER_START;
    stream->open = true;
    send_flagged(stream, QS_C2S, QS_DEMO_SYN, nothing);
    send_flagged(stream, QS_S2C, QS_DEMO_SYN | QS_DEMO_ACK, nothing);
}

void qs_demo_stream_send(struct qs_demo_stream *stream, enum qs_direction direction,
                         struct qs_view bytes)
{
    send_flagged(stream, direction, QS_DEMO_ACK, bytes);
}

void qs_demo_stream_unit(struct qs_demo_stream *stream, struct qs_view unit)
{
    for (uint32_t at = 0; at < unit.size;) {
        const uint32_t size = MIN(unit.size - at, (uint32_t)QS_DEMO_SEGMENT_MAX);

        qs_demo_stream_send(stream, QS_S2C, (struct qs_view){unit.data + at, size});
        at += size;
        if (stream->server - stream->acknowledged > WINDOW)
            qs_demo_stream_send(stream, QS_C2S, nothing);
    }
}

void qs_demo_stream_close(void *data)
{
    struct qs_demo_stream *stream = data;

    if (!stream->open)
        return;
    send_flagged(stream, QS_S2C, QS_DEMO_FIN | QS_DEMO_ACK, nothing);
    send_flagged(stream, QS_C2S, QS_DEMO_FIN | QS_DEMO_ACK, nothing);
    send_flagged(stream, QS_S2C, QS_DEMO_ACK, nothing);
}
