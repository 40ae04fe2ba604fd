/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/inflate.h"

#include <zlib.h>

#include "common/core/emit.h"

enum { RAW_DEFLATE = -15 }; /* zlib's window bits: no header */

static int64_t ahead(const struct qs_decoder *d)
{
    return d->packet->unit ? QS_INFLATED_AHEAD_STREAM : QS_INFLATED_AHEAD;
}

/* Bytes that the session may inflate to with the packet, beyond those ahead or below them. */
static int64_t credit(const struct qs_decoder *d)
{
    return (int64_t)QS_INFLATED_RATIO * d->packet->size + d->session->may_inflate;
}

/* Bytes that the packet may inflate to. */
static uint64_t allowance(const struct qs_decoder *d)
{
    return (uint64_t)MIN(credit(d) + ahead(d), (int64_t)QS_INFLATED_MAX);
}

uint32_t qs_inflate_left(const struct qs_decoder *d)
{
    const uint64_t all = allowance(d);

    return d->inflated < all ? (uint32_t)(all - d->inflated) : 0;
}

void qs_inflate_end(struct qs_decoder *d)
{
    const int64_t left = credit(d) - (int64_t)MIN(d->inflated, allowance(d));

    d->session->may_inflate = (int32_t)MIN(left, (int64_t)QS_INFLATED_MAX - ahead(d));
}

void qs_inflate_refuse(struct qs_decoder *d, uint32_t offset, uint32_t size)
{
    qs_note(d, QS_NOTE_LIMIT, offset, d->in.pos - offset,
            "The %u bytes stay packed: a packet's messages inflate to %u bytes at most, and those "
            "of a session to %d times what is sent",
            size, QS_INFLATED_MAX, QS_INFLATED_RATIO);
}

static GBytes *inflate_exactly(struct qs_view packed, uint32_t size)
{
    uint8_t *out = g_malloc(MAX(size, 1));
    z_stream stream = {
        .next_in = (uint8_t *)packed.data,
        .avail_in = packed.size,
        .next_out = out,
        .avail_out = size,
    };

    if (inflateInit2(&stream, RAW_DEFLATE) == Z_OK) {
        inflate(&stream, Z_FINISH);
        inflateEnd(&stream);
        if (stream.total_out == size)
            return g_bytes_new_take(out, size);
    }
    g_free(out);
    return NULL;
}

GBytes *qs_inflate(struct qs_decoder *d, uint32_t offset, struct qs_view packed, uint32_t size)
{
    GBytes *inflated;

    const bool fits = size <= qs_inflate_left(d);

    d->inflated += size;
    if (!fits) {
        qs_inflate_refuse(d, offset, packed.size);
        return NULL;
    }
    inflated = inflate_exactly(packed, size);
    if (!inflated)
        qs_note(d, QS_NOTE_MALFORMED, offset, d->in.pos - offset,
                "The %u bytes do not inflate to %u", packed.size, size);
    return inflated;
}
