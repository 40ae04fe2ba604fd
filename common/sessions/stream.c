/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/conversation.h"

#include <glib.h>

#include "common/core/containers.h"

struct qs_stream {
    const struct qs_protocol *protocol;
    GByteArray *bytes[2]; /* bytes that are left, by enum qs_end */
    guint taken[2];       /* number of these that were returned, in PDUs */
    uint32_t seen[2];     /* number of bytes of the incomplete PDU that were tried */
    struct qs_packet last[2];
    uint32_t pdus; /* number of PDUs that the packet `number` completed */
    uint64_t number;
};

struct qs_stream *qs_stream_new(const struct qs_protocol *protocol)
{
    struct qs_stream *stream = g_new0(struct qs_stream, 1);

    stream->protocol = protocol;
    stream->bytes[QS_END_A] = g_byte_array_new();
    stream->bytes[QS_END_B] = g_byte_array_new();
    return stream;
}

void qs_stream_free(struct qs_stream *stream)
{
    g_byte_array_free(stream->bytes[QS_END_A], TRUE);
    g_byte_array_free(stream->bytes[QS_END_B], TRUE);
    g_free(stream);
}

void qs_stream_add(struct qs_stream *stream, const struct qs_packet *bytes)
{
    GByteArray *all = stream->bytes[bytes->from];

    g_byte_array_remove_range(all, 0, stream->taken[bytes->from]);
    stream->taken[bytes->from] = 0;
    /* The end of the incomplete PDU is missing. */
    if (bytes->missing) {
        qs_bytes_empty(all);
        stream->seen[bytes->from] = 0;
    }
    if (bytes->size)
        g_byte_array_append(all, bytes->data, bytes->size);
    stream->last[bytes->from] = *bytes;
    if (bytes->number != stream->number)
        stream->pdus = 0;
    stream->number = bytes->number;
}

static struct qs_packet left(const struct qs_stream *stream, enum qs_end end)
{
    const GByteArray *all = stream->bytes[end];
    struct qs_packet pdu = stream->last[end];

    pdu.data = all->data ? all->data + stream->taken[end] : NULL;
    pdu.size = pdu.wire_size = all->len - stream->taken[end];
    return pdu;
}

static bool next_of(struct qs_stream *stream, const struct qs_session *session, enum qs_end end,
                    struct qs_packet *pdu)
{
    uint32_t size;

    *pdu = left(stream, end);
    if (!pdu->size && !pdu->missing)
        return false;
    size = pdu->size ? stream->protocol->pdu_length(session, pdu, stream->seen[end]) : 0;
    stream->seen[end] = size > pdu->size ? pdu->size : 0;
    if (size > pdu->size)
        return false;
    pdu->size = pdu->wire_size = size;
    pdu->pdu = ++stream->pdus;
    stream->taken[end] += size;
    stream->last[end].missing = 0;
    return true;
}

bool qs_stream_next(struct qs_stream *stream, const struct qs_session *session,
                    struct qs_packet *pdu)
{
    return next_of(stream, session, QS_END_A, pdu) || next_of(stream, session, QS_END_B, pdu);
}

bool qs_stream_rest(struct qs_stream *stream, const struct qs_session *session, enum qs_end end,
                    struct qs_packet *pdu)
{
    *pdu = left(stream, end);
    if (!pdu->size)
        return false;
    pdu->wire_size = stream->protocol->pdu_length(session, pdu, stream->seen[end]);
    pdu->pdu = ++stream->pdus;
    stream->taken[end] += pdu->size;
    return true;
}
