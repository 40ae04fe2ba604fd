/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/deflated.h"

#include <string.h>
#include <zlib.h>

#include "common/core/inflate.h"

/* Bytes inflated or deflated per step. */
enum { STEP = 16384 };

/* An empty stored block at a byte boundary. Source: RFC 1951, section 3.2.4. */
static const uint8_t empty_block[] = {0, 0, 0, 0xff, 0xff};

struct deflated {
    z_stream in, out;
    GQueue units; /* GByteArray: the inflated units that deflated_give() has not returned yet */
};

static void clear(gpointer data)
{
    struct deflated *deflated = data;

    inflateEnd(&deflated->in);
    deflateEnd(&deflated->out);
    g_queue_clear_full(&deflated->units, (GDestroyNotify)g_byte_array_unref);
}

struct deflated *deflated_new(void)
{
    struct deflated *deflated = g_rc_box_new0(struct deflated);

    g_queue_init(&deflated->units);
    if (inflateInit(&deflated->in) == Z_OK &&
        deflateInit(&deflated->out, Z_BEST_COMPRESSION) == Z_OK)
        return deflated;
    deflated_unref(deflated);
    return NULL;
}

struct deflated *deflated_ref(struct deflated *deflated)
{
    return g_rc_box_acquire(deflated);
}

void deflated_unref(struct deflated *deflated)
{
    g_rc_box_release_full(deflated, clear);
}

/* Returns zlib's result: Z_BUF_ERROR if the stream continues after the unit, Z_OK if the unit
 * inflates to more than decoders accept. */
static int inflate_unit(z_stream *in, struct qs_view packed, GByteArray *inflated)
{
    uint8_t bytes[STEP];
    int result = Z_OK;

    in->next_in = (Bytef *)packed.data;
    in->avail_in = packed.size;
    while (result == Z_OK && inflated->len <= QS_INFLATED_MAX) {
        in->next_out = bytes;
        in->avail_out = sizeof bytes;
        result = inflate(in, Z_SYNC_FLUSH);
        g_byte_array_append(inflated, bytes, (guint)(sizeof bytes - in->avail_out));
    }
    return result;
}

GByteArray *deflated_take(struct deflated *deflated, struct qs_view packed, bool *ended)
{
    GByteArray *inflated = g_byte_array_new();
    const int result = inflate_unit(&deflated->in, packed, inflated);

    *ended = result == Z_STREAM_END;
    if ((result != Z_BUF_ERROR && !*ended) || inflated->len > QS_INFLATED_MAX)
        g_clear_pointer(&inflated, g_byte_array_unref);
    else
        g_queue_push_tail(&deflated->units, g_byte_array_ref(inflated));
    return inflated;
}

void deflated_replace(struct deflated *deflated, struct qs_view bytes)
{
    uint32_t left = bytes.size;

    for (GList *link = deflated->units.tail; link && left; link = link->prev) {
        GByteArray *unit = link->data;
        const uint32_t size = MIN(unit->len, left);

        left -= size;
        if (size)
            memcpy(unit->data + (unit->len - size), bytes.data + left, size);
    }
}

static void deflate_unit(z_stream *out, const GByteArray *inflated, int flush, GByteArray *packed)
{
    uint8_t bytes[STEP];

    out->next_in = inflated->data;
    out->avail_in = inflated->len;
    do {
        out->next_out = bytes;
        out->avail_out = sizeof bytes;
        deflate(out, flush);
        g_byte_array_append(packed, bytes, (guint)(sizeof bytes - out->avail_out));
    } while (!out->avail_out);
}

/* An empty unit needs its own block: zlib writes nothing without new data. */
void deflated_give(struct deflated *deflated, GByteArray *inflated, bool ended, GByteArray *packed)
{
    const guint before = packed->len;

    deflate_unit(&deflated->out, inflated, ended ? Z_FINISH : Z_SYNC_FLUSH, packed);
    if (packed->len == before && !ended)
        g_byte_array_append(packed, empty_block, sizeof empty_block);
    if (g_queue_remove(&deflated->units, inflated))
        g_byte_array_unref(inflated);
}
