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

/* --- Joined fragments ------------------------------------------------------------------------ */

static guint count_fragments(const struct redaction_source *source)
{
    return source->packets->len;
}

/* NULL: it is not held any more. */
static struct held_packet *fragment_at(const struct location *location,
                                       const struct redaction_source *source, guint index)
{
    return anonymous_writer_find(location->writer, g_array_index(source->packets, uint64_t, index));
}

/* The part of [offset, offset + size) that lies in the fragment at `start` of the joined bytes. */
static void put_into_fragment(struct held_packet *packet, uint32_t start, uint32_t offset,
                              const uint8_t *bytes, uint32_t size)
{
    const uint32_t from = MAX(start, offset);
    const uint32_t to = MIN(start + packet->fragment_size, offset + size);

    if (from < to)
        put(packet->payload, packet->fragment + from - start, bytes + (from - offset), to - from);
}

/* Replaces bytes of a joined message in the fragments that carried it and are still held. */
static void put_joined(const struct location *location, const struct redaction_source *source,
                       uint32_t offset, const uint8_t *bytes, uint32_t size)
{
    uint32_t start = 0;

    for (guint i = 0; i < count_fragments(source); i++) {
        struct held_packet *packet = fragment_at(location, source, i);

        if (!packet)
            return;
        put_into_fragment(packet, start, offset, bytes, size);
        start += packet->fragment_size;
    }
}

/* The joined bytes with replacements; NULL if not all fragments are held. */
static GByteArray *join(const struct location *location, const struct redaction_source *source)
{
    GByteArray *joined = g_byte_array_new();
    bool whole = true;

    for (guint i = 0; i < count_fragments(source) && whole; i++) {
        const struct held_packet *packet = fragment_at(location, source, i);

        whole = packet && packet->fragment + packet->fragment_size <= packet->payload->len;
        if (whole)
            g_byte_array_append(joined, packet->payload->data + packet->fragment,
                                packet->fragment_size);
    }
    if (!whole)
        g_clear_pointer(&joined, g_byte_array_unref);
    return joined;
}

/* --- Replacements of another size --------------------------------------------------------------
 */

/* Replaces the compressed bytes and their size field, and moves what follows. */
static void splice(GByteArray *bytes, uint32_t base, const struct redaction_source *source,
                   const GByteArray *packed)
{
    const uint32_t more = packed->len - source->packed_size;
    const uint32_t end = base + source->packed + source->packed_size;
    const uint8_t count[] = {(uint8_t)packed->len, (uint8_t)(packed->len >> 8)};
    const uint32_t length = bytes->len;

    g_byte_array_set_size(bytes, length + more);
    memmove(bytes->data + end + more, bytes->data + end, length - end);
    put(bytes, base + source->count, count, sizeof count);
    put(bytes, base + source->packed, packed->data, packed->len);
}

/* The last fragment grows, if nothing follows it. */
static bool grow_joined(const struct location *location,
                        const struct redaction_source *joined_source,
                        const struct redaction_source *source, const GByteArray *packed)
{
    const uint32_t more = packed->len - source->packed_size;
    struct held_packet *last =
        fragment_at(location, joined_source, count_fragments(joined_source) - 1);
    GByteArray *joined = join(location, joined_source);

    if (!joined || last->fragment + last->fragment_size != last->payload->len ||
        source->packed + source->packed_size > joined->len) {
        g_clear_pointer(&joined, g_byte_array_unref);
        return false;
    }
    splice(joined, 0, source, packed);
    last->fragment_size += more;
    g_byte_array_set_size(last->payload, last->payload->len + more);
    put_joined(location, joined_source, 0, joined->data, joined->len);
    g_byte_array_unref(joined);
    return true;
}

static bool grow(const struct location *location, const struct redaction_source *source,
                 const GByteArray *packed)
{
    const struct redaction_source *parent = location_source(location->redactions, source->parent);
    GByteArray *payload = location->packet->payload;

    if (!source->count || packed->len > UINT16_MAX || packed->len < source->packed_size)
        return false;
    if (parent)
        return count_fragments(parent) && grow_joined(location, parent, source, packed);
    if (location->base + source->packed + source->packed_size > payload->len)
        return false;
    splice(payload, location->base, source, packed);
    return true;
}

/* --- Interface ------------------------------------------------------------------------ */

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

/* Changes a copy of the inflated bytes, which location_deflate() deflates. */
static void put_inflated(const struct location *location, uint32_t offset, const void *bytes,
                         uint32_t size)
{
    struct redaction_source *source = location->source;

    if (!source->changed) {
        source->changed = g_byte_array_new();
        g_byte_array_append(source->changed, location->bytes.data, location->bytes.size);
    }
    put(source->changed, offset, bytes, size);
}

void location_replace(const struct location *location, uint32_t offset, const void *bytes,
                      uint32_t size)
{
    if (!location->source)
        put(location->packet->payload, location->base + offset, bytes, size);
    else if (location->source->packed_size)
        put_inflated(location, offset, bytes, size);
    else
        put_joined(location, location->source, offset, bytes, size);
}

/*
 * Deflates to `size` bytes or more. Pads shorter data with zeros, which decoders ignore, so that
 * only longer data move what follows. Empty if out of memory.
 */
static GByteArray *deflate_raw(struct qs_view bytes, uint32_t size)
{
    enum { MEMORY_LEVEL = 9 };
    z_stream stream = {.next_in = (Bytef *)bytes.data, .avail_in = bytes.size};
    GByteArray *packed = g_byte_array_new();

    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, RAW_DEFLATE, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return packed;
    g_byte_array_set_size(packed, (guint)deflateBound(&stream, bytes.size) + size);
    memset(packed->data, 0, packed->len);
    stream.next_out = packed->data;
    stream.avail_out = packed->len;
    deflate(&stream, Z_FINISH);
    g_byte_array_set_size(packed, MAX(size, (guint)stream.total_out));
    deflateEnd(&stream);
    return packed;
}

static bool deflate_source(struct location *location, const struct redaction_source *source)
{
    GByteArray *packed = deflate_raw(qs_view_of_bytes(source->changed), source->packed_size);
    bool done = packed->len == source->packed_size;

    location_select(location, source->parent);
    if (done)
        location_replace(location, source->packed, packed->data, packed->len);
    else
        done = grow(location, source, packed);
    g_byte_array_unref(packed);
    return done;
}

/* Starts with the last source, since longer data move what follows. */
bool location_deflate(struct location *location)
{
    bool done = true;

    for (guint i = location->redactions->sources->len; i > 0 && done; i--) {
        const struct redaction_source *source = location_source(location->redactions, i);

        done = !source->changed || deflate_source(location, source);
    }
    return done;
}
