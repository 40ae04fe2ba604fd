/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/inflate.h"

#include <zlib.h>

#include "common/core/emit.h"

enum { RAW_DEFLATE = -15 }; /* zlib's window bits: no header */

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

    d->inflated += size;
    if (d->inflated > QS_INFLATED_MAX) {
        qs_note(d, QS_NOTE_LIMIT, offset, d->in.pos - offset,
                "The %u bytes stay packed: a packet's messages inflate to %u bytes at most",
                packed.size, QS_INFLATED_MAX);
        return NULL;
    }
    inflated = inflate_exactly(packed, size);
    if (!inflated)
        qs_note(d, QS_NOTE_MALFORMED, offset, d->in.pos - offset,
                "The %u bytes do not inflate to %u", packed.size, size);
    return inflated;
}
