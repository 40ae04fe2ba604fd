/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/inflate.h"

#include <zlib.h>

#include "common/core/emit.h"
#include "common/core/writer.h"

enum { RAW_DEFLATE = -15 }; /* zlib's window bits: no header */

static int64_t ahead(const struct qs_decoder *d)
{
    return d->packet->pdu ? QS_INFLATED_AHEAD_STREAM : QS_INFLATED_AHEAD;
}

/* Returns how much the session may inflate in this packet without the advance; may be negative. */
static int64_t credit(const struct qs_decoder *d)
{
    return (int64_t)QS_INFLATED_RATIO * d->packet->size + d->session->may_inflate;
}

static uint64_t allowance(const struct qs_decoder *d)
{
    return (uint64_t)MIN(credit(d) + ahead(d), (int64_t)QS_INFLATED_MAX);
}

/* Returns how many bytes the packet may still inflate to. */
static uint32_t allowed(const struct qs_decoder *d)
{
    const uint64_t all = allowance(d);

    return d->inflated < all ? (uint32_t)(all - d->inflated) : 0;
}

void qs_inflate_end(struct qs_decoder *d)
{
    int64_t left;

    if (!d->inflated && d->session->may_inflate == QS_INFLATED_MAX - ahead(d))
        return; /* the usual case: the allowance is at its maximum */
    left = credit(d) - (int64_t)MIN(d->inflated, allowance(d));
    d->session->may_inflate = (int32_t)MIN(left, (int64_t)QS_INFLATED_MAX - ahead(d));
}

static void refuse(struct qs_decoder *d, uint32_t offset, uint32_t size)
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
    const bool fits = size <= allowed(d);

    d->inflated += size;
    if (!fits) {
        refuse(d, offset, packed.size);
        return NULL;
    }
    inflated = inflate_exactly(packed, size);
    if (!inflated)
        qs_note(d, QS_NOTE_MALFORMED, offset, d->in.pos - offset,
                "The %u bytes do not inflate to %u", packed.size, size);
    return inflated;
}

/* --- Streams --- */

enum {
    HEADER_SIZE = 2,
    METHOD_DEFLATE = 8,
    HAS_DICTIONARY = 0x20,
    STEP = 16384 /* bytes inflated at once */
};

struct outcome {
    GBytes *inflated; /* NULL if the bytes were refused */
    uint32_t used;    /* number of the packet's bytes that belong to the stream */
    bool limit;       /* the bytes were refused because of the limit */
    bool ended;
};

struct qs_inflater {
    unsigned references;
    z_stream z;
    uint8_t header[HEADER_SIZE];
    uint32_t header_size; /* number of its bytes received so far */
    uint32_t position;    /* number of packets inflated */
    GArray *outcomes; /* struct outcome of the latest packets, for copies at earlier positions */
};

static void clear_outcome(gpointer outcome)
{
    g_clear_pointer(&((struct outcome *)outcome)->inflated, g_bytes_unref);
}

static struct qs_inflater *inflater_new(void)
{
    struct qs_inflater *inflater = g_new0(struct qs_inflater, 1);

    inflater->references = 1;
    inflater->outcomes = g_array_new(FALSE, FALSE, sizeof(struct outcome));
    g_array_set_clear_func(inflater->outcomes, clear_outcome);
    if (inflateInit2(&inflater->z, RAW_DEFLATE) != Z_OK)
        g_error("zlib cannot inflate: %s", inflater->z.msg ? inflater->z.msg : "no memory");
    return inflater;
}

void qs_inflate_stream_copy(struct qs_inflate_stream *to, const struct qs_inflate_stream *from)
{
    *to = *from;
    if (to->inflater)
        to->inflater->references++;
}

void qs_inflate_stream_clear(struct qs_inflate_stream *stream)
{
    struct qs_inflater *inflater = stream->inflater;

    *stream = (struct qs_inflate_stream){0};
    if (!inflater || --inflater->references)
        return;
    inflateEnd(&inflater->z);
    g_array_free(inflater->outcomes, TRUE);
    g_free(inflater);
}

/* True for the header before the blocks: RFC 1950. */
static bool is_header(const uint8_t *bytes)
{
    return (bytes[0] & 15) == METHOD_DEFLATE && !(bytes[1] & HAS_DICTIONARY) &&
           (bytes[0] << 8 | bytes[1]) % 31 == 0;
}

/* Reads the header's bytes in this packet. Returns false if the header is invalid. */
static bool read_header(struct qs_inflater *inflater, struct qs_reader *in)
{
    const uint32_t size = MIN(qs_reader_left(in), HEADER_SIZE - inflater->header_size);

    if (!size)
        return true;
    memcpy(inflater->header + inflater->header_size, qs_reader_bytes(in, size), size);
    inflater->header_size += size;
    return inflater->header_size < HEADER_SIZE || is_header(inflater->header);
}

/* Inflates all input. Returns zlib's result: Z_BUF_ERROR if the input ended without an error. */
static int inflate_blocks(z_stream *z, struct qs_reader *in, GByteArray *out, uint32_t limit)
{
    int result = Z_OK;

    z->next_in = (uint8_t *)in->data + in->pos;
    z->avail_in = qs_reader_left(in);
    while (result == Z_OK && out->len <= limit) {
        const guint before = out->len, room = MIN((guint)STEP, limit + 1 - before);

        g_byte_array_set_size(out, before + room);
        z->next_out = out->data + before;
        z->avail_out = room;
        result = inflate(z, Z_SYNC_FLUSH);
        g_byte_array_set_size(out, before + room - z->avail_out);
    }
    in->pos = in->size - z->avail_in;
    return result;
}

static struct outcome inflate_packet(struct qs_inflater *inflater, struct qs_view packed,
                                     uint32_t limit)
{
    struct qs_reader in = qs_reader_over(packed.data, packed.size);
    GByteArray *out = g_byte_array_new();
    struct outcome outcome = {0};
    int result = Z_BUF_ERROR;

    if (!read_header(inflater, &in))
        result = Z_DATA_ERROR;
    else if (qs_reader_left(&in))
        result = inflate_blocks(&inflater->z, &in, out, limit);
    outcome.used = in.pos;
    outcome.limit = out->len > limit;
    outcome.ended = result == Z_STREAM_END;
    if (!outcome.limit && (outcome.ended || result == Z_BUF_ERROR))
        outcome.inflated = g_byte_array_free_to_bytes(out);
    else
        g_byte_array_free(out, TRUE);
    return outcome;
}

/* Returns the outcome of the stream's next packet, which another copy may have inflated already.
 * Frees outcomes that no copy needs. */
static struct outcome next_outcome(struct qs_inflate_stream *stream, struct qs_view packed,
                                   uint32_t limit)
{
    struct qs_inflater *inflater = stream->inflater;
    const uint32_t behind = inflater->position - stream->position;
    GArray *outcomes = inflater->outcomes;
    struct outcome outcome;

    if (inflater->references == 1 && behind < outcomes->len)
        g_array_remove_range(outcomes, 0, outcomes->len - behind);
    if (!behind) {
        outcome = inflate_packet(inflater, packed, limit);
        g_array_append_val(outcomes, outcome);
        inflater->position++;
    } else {
        outcome = g_array_index(outcomes, struct outcome, outcomes->len - behind);
    }
    stream->position++;
    return outcome;
}

bool qs_inflate_more(struct qs_decoder *d, struct qs_inflate_stream *stream, uint32_t offset,
                     struct qs_view packed, GByteArray *out, uint32_t *used)
{
    struct outcome outcome;
    gconstpointer bytes;
    gsize size;

    if (!stream->inflater)
        stream->inflater = inflater_new();
    outcome = next_outcome(stream, packed, allowed(d));
    *used = MIN(outcome.used, packed.size);
    stream->ended = outcome.ended;
    if (outcome.inflated) {
        bytes = g_bytes_get_data(outcome.inflated, &size);
        if (size)
            g_byte_array_append(out, bytes, (guint)size);
        d->inflated += (uint32_t)size;
        return true;
    }
    if (outcome.limit)
        refuse(d, offset, packed.size);
    else
        qs_note(d, QS_NOTE_MALFORMED, offset, d->in.pos - offset,
                "The %u bytes do not continue the deflate stream", packed.size);
    return false;
}
