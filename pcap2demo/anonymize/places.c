/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/places.h"

#include <string.h>

#include "common/core/writer.h"
#include "pcap2demo/anonymize/repack.h"

static void put(GByteArray *payload, uint32_t offset, const void *bytes, uint32_t size)
{
    if (offset <= payload->len && size <= payload->len - offset)
        memcpy(payload->data + offset, bytes, size);
}

/* --- Joined fragments ------------------------------------------------------------------------ */

static guint count_fragments(const struct marked_source *source)
{
    return source->packets->len;
}

/* NULL where it is not held any more. */
static struct held_packet *fragment_at(const struct place *place,
                                       const struct marked_source *source, guint index)
{
    return copy_find(place->copy, g_array_index(source->packets, uint64_t, index));
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

/* Of a joined message the fragments are replaced that carried it, where they are held. */
static void put_joined(const struct place *place, const struct marked_source *source,
                       uint32_t offset, const uint8_t *bytes, uint32_t size)
{
    uint32_t start = 0;

    for (guint i = 0; i < count_fragments(source); i++) {
        struct held_packet *packet = fragment_at(place, source, i);

        if (!packet)
            return;
        put_into_fragment(packet, start, offset, bytes, size);
        start += packet->fragment_size;
    }
}

/* The joined bytes as they are now; NULL where not all fragments are held. */
static GByteArray *join(const struct place *place, const struct marked_source *source)
{
    GByteArray *joined = g_byte_array_new();
    bool whole = true;

    for (guint i = 0; i < count_fragments(source) && whole; i++) {
        const struct held_packet *packet = fragment_at(place, source, i);

        whole = packet && packet->fragment + packet->fragment_size <= packet->payload->len;
        if (whole)
            g_byte_array_append(joined, packet->payload->data + packet->fragment,
                                packet->fragment_size);
    }
    if (!whole)
        g_clear_pointer(&joined, g_byte_array_unref);
    return joined;
}

/* --- What does not fit any more -------------------------------------------------------------- */

/* Replaces the compressed bytes, and their count. What is behind them moves. */
static void splice(GByteArray *bytes, uint32_t base, const struct marked_source *source,
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

/* Its last fragment takes what is more, where nothing stands behind it. */
static bool grow_joined(const struct place *place, const struct marked_source *joined_source,
                        const struct marked_source *source, const GByteArray *packed)
{
    const uint32_t more = packed->len - source->packed_size;
    struct held_packet *last =
        fragment_at(place, joined_source, count_fragments(joined_source) - 1);
    GByteArray *joined = join(place, joined_source);

    if (!joined || last->fragment + last->fragment_size != last->payload->len ||
        source->packed + source->packed_size > joined->len) {
        g_clear_pointer(&joined, g_byte_array_unref);
        return false;
    }
    splice(joined, 0, source, packed);
    last->fragment_size += more;
    g_byte_array_set_size(last->payload, last->payload->len + more);
    put_joined(place, joined_source, 0, joined->data, joined->len);
    g_byte_array_unref(joined);
    return true;
}

static bool grow(const struct place *place, const struct marked_source *source,
                 const GByteArray *packed)
{
    const struct marked_source *parent = place_source(place->marks, source->parent);
    GByteArray *payload = place->packet->payload;

    if (!source->count || packed->len > UINT16_MAX || packed->len < source->packed_size)
        return false;
    if (parent)
        return count_fragments(parent) && grow_joined(place, parent, source, packed);
    if (place->base + source->packed + source->packed_size > payload->len)
        return false;
    splice(payload, place->base, source, packed);
    return true;
}

/* --- What others call ------------------------------------------------------------------------ */

struct marked_source *place_source(const struct marks *marks, unsigned number)
{
    return number ? g_ptr_array_index(marks->sources, number - 1) : NULL;
}

bool place_is_opaque(const struct marked_source *source)
{
    return source && !source->packets->len && !source->packed_size;
}

bool place_enter(struct place *place, unsigned source)
{
    place->source = place_source(place->marks, source);
    place->bytes = place->source ? marked_source_bytes(place->source) : place->payload;
    return !place_is_opaque(place->source);
}

/* What was inflated is changed apart, and deflated at the end. */
static void put_inflated(const struct place *place, uint32_t offset, const void *bytes,
                         uint32_t size)
{
    struct marked_source *source = place->source;

    if (!source->changed) {
        source->changed = g_byte_array_new();
        g_byte_array_append(source->changed, place->bytes.data, place->bytes.size);
    }
    put(source->changed, offset, bytes, size);
}

void place_replace(const struct place *place, uint32_t offset, const void *bytes, uint32_t size)
{
    if (!place->source)
        put(place->packet->payload, place->base + offset, bytes, size);
    else if (place->source->packed_size)
        put_inflated(place, offset, bytes, size);
    else
        put_joined(place, place->source, offset, bytes, size);
}

static bool deflate_source(struct place *place, const struct marked_source *source)
{
    GByteArray *packed = repack(qs_view_of_bytes(source->changed), source->packed_size);
    bool done = packed->len == source->packed_size;

    place_enter(place, source->parent);
    if (done)
        place_replace(place, source->packed, packed->data, packed->len);
    else
        done = grow(place, source, packed);
    g_byte_array_unref(packed);
    return done;
}

/* From the last on, since what grows moves what is behind it. */
bool place_deflate(struct place *place)
{
    bool done = true;

    for (guint i = place->marks->sources->len; i > 0 && done; i--) {
        const struct marked_source *source = place_source(place->marks, i);

        done = !source->changed || source->is_stream || deflate_source(place, source);
    }
    return done;
}
