/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/inflate.h"

#include <zlib.h>

#include "common/core/emit.h"
#include "common/core/writer.h"

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

/*
 * Inflating goes on where the last block began that was not whole: with the bytes before it as
 * dictionary, and the bits that the block has of its first byte. Source: RFC 1950; RFC 1951,
 * section 3.2; zlib.h, inflate() with Z_BLOCK.
 */

enum {
    WINDOW_SIZE = 32768,
    WINDOW_PARTS_MAX = 64, /* more are joined */
    HEADER_SIZE = 2,
    METHOD_DEFLATE = 8,
    HAS_DICTIONARY = 0x20,
    BLOCK_MAX = 1024 * 1024, /* bytes that a block inflates to; zlib's have 16384 symbols */
    STEP = 16384,            /* bytes inflated at once */
    AGAIN_EACH = 16 * 1024,  /* bytes inflated again, for each packet that comes, */
    AGAIN_RATIO = 256,       /* for each byte of it, */
    AGAIN_MAX = 1024 * 1024, /* and so many more */
    AT_BLOCK = 128,          /* z_stream.data_type: a block begins here */
    LAST_BLOCK = 64,         /* the one before was the last */
    BITS_UNUSED = 7          /* of the byte before */
};

/* --- The state as a value --- */

static void *ref(const void *bytes, void *user)
{
    (void)user;
    return g_bytes_ref((GBytes *)bytes);
}

static GPtrArray *parts_new(void)
{
    return g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
}

void qs_inflate_stream_copy(struct qs_inflate_stream *to, const struct qs_inflate_stream *from)
{
    *to = *from;
    if (from->pending)
        to->pending = g_bytes_ref(from->pending);
    if (from->window) {
        to->window = g_ptr_array_copy(from->window, ref, NULL);
        g_ptr_array_set_free_func(to->window, (GDestroyNotify)g_bytes_unref);
    }
}

void qs_inflate_stream_clear(struct qs_inflate_stream *stream)
{
    if (stream->pending)
        g_bytes_unref(stream->pending);
    if (stream->window)
        g_ptr_array_free(stream->window, TRUE);
    *stream = (struct qs_inflate_stream){0};
}

/* --- The window --- */

static GByteArray *join(const GPtrArray *parts)
{
    GByteArray *all = g_byte_array_new();

    for (guint i = 0; parts && i < parts->len; i++) {
        gsize size;
        const uint8_t *data = g_bytes_get_data(parts->pdata[i], &size);

        g_byte_array_append(all, data, (guint)size);
    }
    return all;
}

static gsize size_of(const GPtrArray *parts)
{
    gsize size = 0;

    for (guint i = 0; i < parts->len; i++)
        size += g_bytes_get_size(parts->pdata[i]);
    return size;
}

/* What is further back than any block can refer to goes. */
static void drop_old(GPtrArray *window)
{
    gsize size = size_of(window);

    while (size - g_bytes_get_size(window->pdata[0]) >= WINDOW_SIZE) {
        size -= g_bytes_get_size(window->pdata[0]);
        g_ptr_array_remove_index(window, 0);
    }
    if (window->len > WINDOW_PARTS_MAX) {
        GBytes *all = g_byte_array_free_to_bytes(join(window));

        g_ptr_array_set_size(window, 0);
        g_ptr_array_add(window, all);
    }
}

static void remember(struct qs_inflate_stream *stream, const uint8_t *inflated, uint32_t size)
{
    if (!size)
        return;
    if (size > WINDOW_SIZE) {
        inflated += size - WINDOW_SIZE;
        size = WINDOW_SIZE;
    }
    if (!stream->window)
        stream->window = parts_new();
    g_ptr_array_add(stream->window, g_bytes_new(inflated, size));
    drop_old(stream->window);
}

/* --- Inflating --- */

/* Where the last block began that was seen. */
struct boundary {
    uint32_t packed, inflated; /* bytes before it; the byte that it shares with the block before
                                  counts as its own */
    uint8_t bits;
};

struct run {
    z_stream z;
    struct qs_view packed;
    GByteArray *out; /* from the boundary before on */
    uint32_t limit;
    struct boundary boundary;
};

static bool start(struct run *run, const struct qs_inflate_stream *stream)
{
    GByteArray *window;
    bool good;

    if (inflateInit2(&run->z, RAW_DEFLATE) != Z_OK)
        return false;
    window = join(stream->window);
    good = !window->len || inflateSetDictionary(&run->z, window->data, window->len) == Z_OK;
    g_byte_array_free(window, TRUE);
    run->z.next_in = (uint8_t *)run->packed.data;
    run->z.avail_in = run->packed.size;
    if (good && stream->bits && run->packed.size) {
        good =
            inflatePrime(&run->z, stream->bits, run->packed.data[0] >> (8 - stream->bits)) == Z_OK;
        run->z.next_in++;
        run->z.avail_in--;
    }
    return good;
}

static void note_boundary(struct run *run)
{
    const uint8_t bits = run->z.data_type & BITS_UNUSED;

    if (!(run->z.data_type & AT_BLOCK) || run->z.data_type & LAST_BLOCK)
        return;
    run->boundary = (struct boundary){.packed = run->packed.size - run->z.avail_in - (bits != 0),
                                      .inflated = run->out->len,
                                      .bits = bits};
}

/* One step; the result is zlib's. */
static int step(struct run *run)
{
    const guint before = run->out->len;
    const guint room = MIN((guint)STEP, run->limit + 1 - before);
    int result;

    g_byte_array_set_size(run->out, before + room);
    run->z.next_out = run->out->data + before;
    run->z.avail_out = room;
    result = inflate(&run->z, Z_BLOCK);
    g_byte_array_set_size(run->out, before + room - run->z.avail_out);
    if (result == Z_OK)
        note_boundary(run);
    return result;
}

/* To the end of what there is. The result is zlib's: Z_BUF_ERROR where that is all right. */
static int inflate_all(struct run *run)
{
    int result = Z_OK;

    while (result == Z_OK && run->out->len <= run->limit)
        result = step(run);
    return result;
}

static void keep(struct qs_inflate_stream *stream, const struct run *run)
{
    const struct boundary *boundary = &run->boundary;

    remember(stream, run->out->data, boundary->inflated);
    if (stream->pending)
        g_bytes_unref(stream->pending);
    stream->pending =
        g_bytes_new(run->packed.data + boundary->packed, run->packed.size - boundary->packed);
    stream->bits = boundary->bits;
    stream->given = run->out->len - boundary->inflated;
}

static bool fail(struct qs_decoder *d, uint32_t offset, uint32_t size, bool limit)
{
    if (limit)
        qs_inflate_refuse(d, offset, size);
    else
        qs_note(d, QS_NOTE_MALFORMED, offset, d->in.pos - offset,
                "The %u bytes do not go on with the deflate stream", size);
    return false;
}

/* What the header has before the blocks; the reader's `pending` holds it until it is whole. */
static bool is_header(const uint8_t *bytes)
{
    return (bytes[0] & 15) == METHOD_DEFLATE && !(bytes[1] & HAS_DICTIONARY) &&
           (bytes[0] << 8 | bytes[1]) % 31 == 0;
}

static uint32_t allowed(const struct qs_decoder *d, const struct qs_inflate_stream *stream)
{
    return (uint32_t)MIN((uint64_t)qs_inflate_left(d) + stream->given, (uint64_t)BLOCK_MAX);
}

/* Blocks: `all` is what is pending and what has come. */
static bool inflate_blocks(struct qs_decoder *d, struct qs_inflate_stream *stream, uint32_t offset,
                           struct qs_view all, GByteArray *out, uint32_t *left)
{
    struct run run = {.packed = all,
                      .out = g_byte_array_new(),
                      .limit = allowed(d, stream),
                      .boundary = {.bits = stream->bits}};
    int result = Z_STREAM_ERROR;
    bool limit, good;

    if (start(&run, stream))
        result = inflate_all(&run);
    limit = run.out->len > run.limit;
    good = (result == Z_BUF_ERROR || result == Z_STREAM_END) && !limit &&
           run.out->len >= stream->given;
    *left = 0;
    if (good) {
        d->inflated += run.out->len - stream->given;
        g_byte_array_append(out, run.out->data + stream->given, run.out->len - stream->given);
        stream->ended = result == Z_STREAM_END;
        if (stream->ended)
            *left = run.z.avail_in;
        else
            keep(stream, &run);
    }
    inflateEnd(&run.z);
    g_byte_array_free(run.out, TRUE);
    return good || fail(d, offset, all.size, limit);
}

/* Blocks of servers' streams are short, or come in few packets. */
static bool may_inflate_again(struct qs_inflate_stream *stream, uint32_t size)
{
    const uint64_t again = (uint64_t)stream->again + stream->given;
    const uint64_t usual = (uint64_t)AGAIN_RATIO * size + AGAIN_EACH;

    stream->again = again > usual ? (uint32_t)(again - usual) : 0;
    return stream->again <= AGAIN_MAX;
}

static GByteArray *pending_and(const struct qs_inflate_stream *stream, struct qs_view packed)
{
    GByteArray *all = g_byte_array_new();

    if (stream->pending)
        g_byte_array_append(all, g_bytes_get_data(stream->pending, NULL),
                            (guint)g_bytes_get_size(stream->pending));
    if (packed.size)
        g_byte_array_append(all, packed.data, packed.size);
    return all;
}

static void keep_header(struct qs_inflate_stream *stream, const GByteArray *all)
{
    if (stream->pending)
        g_bytes_unref(stream->pending);
    stream->pending = g_bytes_new(all->data, all->len);
}

/* False where it is none. */
static bool take_header(struct qs_inflate_stream *stream, GByteArray *all)
{
    if (!is_header(all->data))
        return false;
    g_byte_array_remove_range(all, 0, HEADER_SIZE);
    stream->begun = true;
    return true;
}

bool qs_inflate_more(struct qs_decoder *d, struct qs_inflate_stream *stream, uint32_t offset,
                     struct qs_view packed, GByteArray *out, uint32_t *used)
{
    GByteArray *all = pending_and(stream, packed);
    uint32_t left = 0;
    bool good = true;

    if (!may_inflate_again(stream, packed.size))
        good = fail(d, offset, packed.size, true);
    else if (!stream->begun && all->len < HEADER_SIZE)
        keep_header(stream, all);
    else if (!stream->begun && !take_header(stream, all))
        good = fail(d, offset, packed.size, false);
    else
        good = inflate_blocks(d, stream, offset, qs_view_of_bytes(all), out, &left);
    *used = packed.size - MIN(left, packed.size);
    g_byte_array_free(all, TRUE);
    return good;
}
