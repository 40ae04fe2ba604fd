/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/text.h"
#include "common/demo/format.h"

void qs_demo_reader_init(struct qs_demo_reader *reader, const struct qs_demo_format *format,
                         struct qs_view demo)
{
    *reader = (struct qs_demo_reader){.format = format, .in = qs_reader_over(demo.data, demo.size)};
}

enum qs_demo_status qs_demo_next(struct qs_demo_reader *reader, struct qs_demo_block *block)
{
    const uint32_t start = reader->in.pos;
    const enum qs_demo_status status = reader->format->file->next(reader);

    if (status != QS_DEMO_BLOCK && status != QS_DEMO_LINE)
        return status;
    reader->number += status == QS_DEMO_BLOCK;
    reader->begun = true;
    reader->block = (struct qs_view){reader->in.data + start, reader->in.pos - start};
    *block =
        (struct qs_demo_block){.number = reader->number, .offset = start, .bytes = reader->block};
    return QS_DEMO_BLOCK;
}

enum qs_demo_status qs_demo_read_framed(struct qs_reader *in, const struct qs_demo_framing *framing,
                                        struct qs_view *block)
{
    const uint32_t left = qs_reader_left(in);
    const uint8_t *head = in->data + in->pos;
    uint32_t length;

    *block = (struct qs_view){0};
    if (!left)
        return QS_DEMO_UNMARKED;
    if (left < framing->header)
        return QS_DEMO_CUT;
    length = framing->header == 2 ? qs_le16(head) : qs_le32(head);
    if (length == framing->end)
        return QS_DEMO_END;
    if (length > framing->max)
        return QS_DEMO_BAD;
    if (length > left - framing->header)
        return QS_DEMO_CUT;
    qs_reader_bytes(in, framing->header);
    *block = (struct qs_view){qs_reader_bytes(in, length), length};
    return QS_DEMO_BLOCK;
}

enum qs_demo_status qs_demo_next_framed(struct qs_demo_reader *reader,
                                        const struct qs_demo_framing *framing)
{
    struct qs_view block;
    enum qs_demo_status status;

    if (reader->ended)
        return qs_reader_left(&reader->in) ? QS_DEMO_BAD : QS_DEMO_END;
    status = qs_demo_read_framed(&reader->in, framing, &block);
    if (status == QS_DEMO_UNMARKED && reader->unmarked)
        return QS_DEMO_END;
    if (status != QS_DEMO_END)
        return status;
    reader->ended = true;
    qs_reader_bytes(&reader->in, framing->header);
    return QS_DEMO_BLOCK;
}

const char *qs_demo_status_text(const struct qs_demo_reader *reader, enum qs_demo_status status)
{
    switch (status) {
    case QS_DEMO_BLOCK:
    case QS_DEMO_LINE:
    case QS_DEMO_END:
        break;
    case QS_DEMO_UNMARKED:
        return "the file ends without an end mark";
    case QS_DEMO_CUT:
        return "the file ends within the block";
    case QS_DEMO_BAD:
        return reader->ended ? "there is more behind the end mark" : "no block begins here";
    }
    return NULL;
}

int64_t qs_demo_time(struct qs_demo_reader *reader, const struct qs_decoder *decoder)
{
    const double limit = 1e9; /* demos can contain any number */
    const double time = reader->format->file->seconds(reader, decoder);

    if (time >= 0 && time < limit)
        reader->time = time;
    return (int64_t)(reader->time * 1e9 + 0.5);
}

/* --- Packets of a block ----------------------------------------------------------------------- */

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
    WINDOW = 32 * 1024, /* number of bytes that the client leaves unacknowledged */
    CLIENT_START = 1000,
    SERVER_START = 2000
};

static const struct qs_view nothing;

/* Sends a segment with these flags; SYN and FIN count as one byte each. */
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

void qs_demo_stream_pdu(struct qs_demo_stream *stream, struct qs_view pdu)
{
    for (uint32_t at = 0; at < pdu.size;) {
        const uint32_t size = MIN(pdu.size - at, (uint32_t)QS_DEMO_SEGMENT_MAX);

        qs_demo_stream_send(stream, QS_S2C, (struct qs_view){pdu.data + at, size});
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
