/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/repack.h"

#include <string.h>
#include <zlib.h>

/* Of a little memory come shorter blocks, with codes that fit them better. */
enum { RAW_DEFLATE = -15, MEMORY_LEVELS = 9 };

/* Blocks of nothing. Source: RFC 1951, sections 3.2.3, 3.2.4 and 3.2.6. */
enum {
    FIXED_BITS = 10,
    FIXED_BLOCK = 2, /* not the last one, fixed codes, end of block */
    STORED_HEAD_BITS = 3,
    STORED_BITS = 32,
    STORED_INVERTED = 0xffff, /* the length 0, inverted */
};

/* Blocks with which padding begins: so many fixed ones, and then a stored one, which ends a byte.
 */
enum { NO_STORED = -1, STORED_AFTER_MAX = 3 };

/* So many bytes more can be filled where a number of them cannot. */
enum { PADDING_MAX = 8 };

bool repack_understands(struct qs_view packed, struct qs_view bytes)
{
    z_stream stream = {.next_in = (Bytef *)packed.data, .avail_in = packed.size};
    uint8_t *out = g_malloc(bytes.size + 1);
    bool same = false;

    if (inflateInit2(&stream, RAW_DEFLATE) == Z_OK) {
        stream.next_out = out;
        stream.avail_out = bytes.size + 1;
        same = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == bytes.size &&
               memcmp(out, bytes.data, bytes.size) == 0;
        inflateEnd(&stream);
    }
    g_free(out);
    return same;
}

static unsigned bits_of_stored(int after)
{
    const unsigned bits = (unsigned)after * FIXED_BITS + STORED_HEAD_BITS;

    return (bits + 7) / 8 * 8 + STORED_BITS;
}

static bool put_fixed(z_stream *stream, unsigned count)
{
    while (count--)
        if (deflatePrime(stream, FIXED_BITS, FIXED_BLOCK) != Z_OK)
            return false;
    return true;
}

static bool put_stored(z_stream *stream, int after)
{
    const unsigned used = (unsigned)after * FIXED_BITS + STORED_HEAD_BITS;

    return put_fixed(stream, (unsigned)after) &&
           deflatePrime(stream, STORED_HEAD_BITS + (8 - (int)(used % 8)) % 8, 0) == Z_OK &&
           deflatePrime(stream, 16, 0) == Z_OK && deflatePrime(stream, 16, STORED_INVERTED) == Z_OK;
}

/*
 * Behind that padding. Returns how many bytes come of it; 0: they do not fit into `packed`, of
 * which deflate needs one more than it writes.
 */
static uint32_t pack(struct qs_view bytes, GByteArray *packed, int memory_level, int stored_after,
                     unsigned fixed)
{
    z_stream stream = {.next_in = (Bytef *)bytes.data, .avail_in = bytes.size};
    uint32_t length = 0;

    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, RAW_DEFLATE, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    stream.next_out = packed->data;
    stream.avail_out = packed->len;
    if ((stored_after == NO_STORED || put_stored(&stream, stored_after)) &&
        put_fixed(&stream, fixed) && deflate(&stream, Z_FINISH) == Z_STREAM_END)
        length = (uint32_t)stream.total_out;
    deflateEnd(&stream);
    return length;
}

/* Blocks have 10 bits: not every size is met with them alone. */
static bool pad(struct qs_view bytes, GByteArray *packed, int memory_level, uint32_t size,
                uint32_t lacking, int stored_after)
{
    const unsigned bits = lacking * 8 + 7;
    const unsigned stored = stored_after == NO_STORED ? 0 : bits_of_stored(stored_after);
    const unsigned most = bits < stored ? 0 : (bits - stored) / FIXED_BITS;
    bool done = false;

    if (bits < stored)
        return false;
    for (unsigned fixed = most ? most - 1 : 0; fixed <= most && !done; fixed++)
        done = pack(bytes, packed, memory_level, stored_after, fixed) == size;
    return done;
}

/* The level with which the fewest bytes come of it, `*least`. */
static int best_level(struct qs_view bytes, GByteArray *packed, uint32_t *least)
{
    int best = MEMORY_LEVELS;

    *least = pack(bytes, packed, best, NO_STORED, 0);
    for (int level = MEMORY_LEVELS - 1; level > 0; level--) {
        const uint32_t size = pack(bytes, packed, level, NO_STORED, 0);

        if (size && size < *least) {
            *least = size;
            best = level;
        }
    }
    return best;
}

/* To exactly `size` bytes, which are not fewer than come of it. */
static bool pack_to(struct qs_view bytes, GByteArray *packed, int memory_level, uint32_t size,
                    uint32_t least)
{
    bool done = false;

    for (int after = NO_STORED; !done && after <= STORED_AFTER_MAX; after++)
        done = pad(bytes, packed, memory_level, size, size - least, after);
    return done;
}

GByteArray *repack(struct qs_view bytes, uint32_t size)
{
    GByteArray *packed = g_byte_array_new();
    uint32_t least, most;
    int level;
    bool done = false;

    g_byte_array_set_size(packed, (guint)deflateBound(NULL, bytes.size) + size + PADDING_MAX + 1);
    level = best_level(bytes, packed, &least);
    most = MAX(size, least) + PADDING_MAX;
    for (size = most - PADDING_MAX; !done && size <= most; size += !done)
        done = pack_to(bytes, packed, level, size, least);
    g_byte_array_set_size(packed, done ? size : 0);
    return packed;
}
