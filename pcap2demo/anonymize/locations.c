/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/locations.h"

#include <string.h>
#include <zlib.h>

#include "common/core/writer.h"

enum { RAW_DEFLATE = -15 };

static void put(GByteArray *payload, uint32_t offset, const void *bytes, uint32_t size)
{
    if (offset <= payload->len && size <= payload->len - offset)
        memcpy(payload->data + offset, bytes, size);
}

/* --- Replacing ------------------------------------------------------------------------------- */

struct redaction_source *location_source(const struct redactions *redactions, unsigned number)
{
    return number ? g_ptr_array_index(redactions->sources, number - 1) : NULL;
}

bool location_is_opaque(const struct redaction_source *source)
{
    return source && !source->packets->len && !source->packed_size;
}

bool location_select(struct location *location, unsigned source)
{
    location->source = location_source(location->redactions, source);
    location->bytes =
        location->source ? redaction_source_bytes(location->source) : location->payload;
    return !location_is_opaque(location->source);
}

/* A copy of the source's bytes, which location_write() writes back. */
static GByteArray *changed(struct redaction_source *source)
{
    const struct qs_view bytes = redaction_source_bytes(source);

    if (!source->changed)
        source->changed = g_byte_array_append(g_byte_array_new(), bytes.data, bytes.size);
    return source->changed;
}

void location_replace(const struct location *location, uint32_t offset, const void *bytes,
                      uint32_t size)
{
    if (location->source)
        put(changed(location->source), offset, bytes, size);
    else
        put(location->packet->payload, offset, bytes, size);
}

/* --- Writing back ---------------------------------------------------------------------------- */

/* Of the packets of a joined message the last one may grow, if nothing follows its fragment. */
static bool write_fragments(const struct location *location, const struct redaction_source *source)
{
    const GByteArray *bytes = source->changed;
    uint32_t done = 0;

    for (guint i = 0; i < source->packets->len; i++) {
        struct held_packet *packet =
            anonymous_writer_find(location->writer, g_array_index(source->packets, uint64_t, i));

        if (!packet || done > bytes->len)
            return false;
        if (i + 1 == source->packets->len && bytes->len - done != packet->fragment_size) {
            if (packet->fragment + packet->fragment_size != packet->payload->len)
                return false;
            packet->fragment_size = bytes->len - done;
            g_byte_array_set_size(packet->payload, packet->fragment + packet->fragment_size);
        }
        put(packet->payload, packet->fragment, bytes->data + done,
            MIN(packet->fragment_size, bytes->len - done));
        done += packet->fragment_size;
    }
    return true;
}

/*
 * Deflates to `size` bytes or more. Pads shorter data with zeros, which decoders ignore, so that
 * only longer data move what follows. Empty if out of memory.
 */
static GByteArray *deflate_raw(const GByteArray *bytes, uint32_t size)
{
    enum { MEMORY_LEVEL = 9 };
    z_stream stream = {.next_in = bytes->data, .avail_in = bytes->len};
    GByteArray *packed = g_byte_array_new();

    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, RAW_DEFLATE, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return packed;
    g_byte_array_set_size(packed, (guint)deflateBound(&stream, bytes->len) + size);
    memset(packed->data, 0, packed->len);
    stream.next_out = packed->data;
    stream.avail_out = packed->len;
    deflate(&stream, Z_FINISH);
    g_byte_array_set_size(packed, MAX(size, (guint)stream.total_out));
    deflateEnd(&stream);
    return packed;
}

/* Replaces the compressed bytes; with another size, their size field, and moves what follows. */
static bool splice(GByteArray *bytes, const struct redaction_source *source,
                   const GByteArray *packed)
{
    const uint32_t more = packed->len - source->packed_size, length = bytes->len;
    const uint32_t end = source->packed + source->packed_size;
    const uint8_t count[] = {(uint8_t)packed->len, (uint8_t)(packed->len >> 8)};

    if (packed->len < source->packed_size || end > length ||
        (more && (!source->count || packed->len > UINT16_MAX)))
        return false;
    if (more) {
        g_byte_array_set_size(bytes, length + more);
        memmove(bytes->data + end + more, bytes->data + end, length - end);
        put(bytes, source->count, count, sizeof count);
    }
    put(bytes, source->packed, packed->data, packed->len);
    return true;
}

static bool write_inflated(const struct location *location, const struct redaction_source *source)
{
    struct redaction_source *parent = location_source(location->redactions, source->parent);
    GByteArray *packed = deflate_raw(source->changed, source->packed_size);
    const bool done = !location_is_opaque(parent) &&
                      splice(parent ? changed(parent) : location->packet->payload, source, packed);

    g_byte_array_unref(packed);
    return done;
}

/* Starts with the last source, since longer data move what follows. */
bool location_write(const struct location *location)
{
    bool done = true;

    for (guint i = location->redactions->sources->len; i > 0 && done; i--) {
        const struct redaction_source *source = location_source(location->redactions, i);

        if (source->changed)
            done = (source->packets->len ? write_fragments : write_inflated)(location, source);
    }
    return done;
}
