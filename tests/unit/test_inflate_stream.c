/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deflate streams in pieces of any size, their copies at other positions, and their limits. */
#include <zlib.h>

#include "common/core/decode.h"
#include "common/core/inflate.h"
#include "common/core/writer.h"
#include "tests/unit/toy.h"
#include "tests/unit/unit.h"

enum { PARTS = 60 };

struct stream {
    struct qs_decoder decoder;
    struct qs_session session;
    struct qs_packet packet;
    struct qs_inflate_stream inflating;
    GByteArray *out;
    uint32_t used;
};

static void open_stream(struct stream *stream)
{
    *stream = (struct stream){.out = g_byte_array_new()};
    qs_decoder_init(&stream->decoder, &toy_protocol);
    qs_session_init(&stream->session);
    stream->decoder.session = &stream->session;
    stream->decoder.packet = &stream->packet;
}

static void close_stream(struct stream *stream)
{
    qs_inflate_stream_clear(&stream->inflating);
    g_byte_array_free(stream->out, TRUE);
    qs_decoder_clear(&stream->decoder);
}

/* Decodes a packet with these bytes of the stream. */
static bool more(struct stream *stream, struct qs_view packed)
{
    bool good;

    stream->packet = (struct qs_packet){.data = packed.data, .size = packed.size};
    stream->decoder.inflated = 0;
    stream->decoder.in = qs_reader_over(packed.data, packed.size);
    good = qs_inflate_more(&stream->decoder, &stream->inflating, 0, packed, stream->out,
                           &stream->used);
    qs_inflate_end(&stream->decoder);
    return good;
}

/* --- Streams --- */

/* Appends a part that repeats words of earlier parts or, each fifth time, random bytes. */
static void append_part(GByteArray *plain, unsigned part)
{
    uint32_t chance = part;

    for (unsigned i = 0; i < 40 + part * 37 % 900; i++) {
        chance = chance * 1103515245 + 12345;
        qs_write_u8(plain, part % 5 ? (uint8_t)("frames of a game"[chance >> 16 & 15])
                                    : (uint8_t)(chance >> 16));
    }
}

/* Deflates the parts with zlib's mode `flush`, and the last one with `last`. */
static GByteArray *deflate_parts(const GByteArray *plain, const uint32_t *ends, int flush, int last)
{
    GByteArray *packed = g_byte_array_new();
    z_stream z = {0};
    uint32_t done = 0;

    g_byte_array_set_size(packed, plain->len * 2 + 4096);
    assert_int_equal(deflateInit(&z, Z_DEFAULT_COMPRESSION), Z_OK);
    z.next_out = packed->data;
    z.avail_out = packed->len;
    for (unsigned i = 0; i < PARTS; i++) {
        z.next_in = plain->data + done;
        z.avail_in = ends[i] - done;
        deflate(&z, i + 1 < PARTS ? flush : last);
        assert_int_equal(z.avail_in, 0);
        done = ends[i];
    }
    g_byte_array_set_size(packed, (guint)z.total_out);
    deflateEnd(&z);
    return packed;
}

static GByteArray *make_plain(uint32_t *ends)
{
    GByteArray *plain = g_byte_array_new();

    for (unsigned i = 0; i < PARTS; i++) {
        append_part(plain, i);
        ends[i] = plain->len;
    }
    return plain;
}

static GByteArray *deflate_zeros(uint32_t size)
{
    g_autoptr(GByteArray) plain = g_byte_array_new();
    uint32_t ends[PARTS];

    g_byte_array_set_size(plain, size);
    memset(plain->data, 0, size);
    for (unsigned i = 0; i < PARTS; i++)
        ends[i] = size;
    return deflate_parts(plain, ends, Z_NO_FLUSH, Z_SYNC_FLUSH);
}

/* --- Pieces --- */

static void assert_inflates(const GByteArray *packed, uint32_t size, const GByteArray *plain)
{
    struct stream stream;

    open_stream(&stream);
    for (uint32_t at = 0; at < packed->len; at += size) {
        const struct qs_view piece = {packed->data + at, MIN(size, packed->len - at)};

        assert_true(more(&stream, piece));
        assert_int_equal(stream.used, piece.size);
    }
    assert_int_equal(stream.out->len, plain->len);
    assert_memory_equal(stream.out->data, plain->data, plain->len);
    close_stream(&stream);
}

TEST(pieces_of_any_size_are_inflated)
{
    static const int flushes[] = {Z_SYNC_FLUSH, Z_NO_FLUSH, Z_BLOCK, Z_PARTIAL_FLUSH, Z_FULL_FLUSH};
    static const uint32_t sizes[] = {1, 2, 3, 7, 100, 1448, 4096};
    uint32_t ends[PARTS];
    g_autoptr(GByteArray) plain = make_plain(ends);

    for (unsigned i = 0; i < G_N_ELEMENTS(flushes); i++) {
        g_autoptr(GByteArray) packed = deflate_parts(plain, ends, flushes[i], Z_SYNC_FLUSH);

        for (unsigned j = 0; j < G_N_ELEMENTS(sizes); j++)
            assert_inflates(packed, sizes[j], plain);
    }
}

#define STREAM_TEST(function) TEST_WITH(function, struct stream, stream, open_stream, close_stream)

/* Each piece ends where the server flushed. */
STREAM_TEST(flushed_bytes_are_inflated_at_once)
{
    uint32_t ends[PARTS];
    g_autoptr(GByteArray) plain = make_plain(ends);
    g_autoptr(GByteArray) packed = deflate_parts(plain, ends, Z_SYNC_FLUSH, Z_SYNC_FLUSH);
    uint32_t at = 0;

    for (unsigned i = 0; i < PARTS; i++) {
        uint32_t end = at + 4;

        while (memcmp(packed->data + end - 4, "\0\0\xff\xff", 4) != 0)
            end++;
        assert_true(more(stream, (struct qs_view){packed->data + at, end - at}));
        at = end;
    }
    assert_int_equal(at, packed->len);
    assert_int_equal(stream->out->len, plain->len);
}

/* The checksum behind the stream is left to the caller. */
STREAM_TEST(bytes_behind_the_end_are_not_used)
{
    uint32_t ends[PARTS];
    g_autoptr(GByteArray) plain = make_plain(ends);
    g_autoptr(GByteArray) packed = deflate_parts(plain, ends, Z_NO_FLUSH, Z_FINISH);

    assert_true(more(stream, qs_view_of_bytes(packed)));
    assert_int_equal(stream->used, packed->len - 4);
    assert_true(stream->inflating.ended);
    assert_int_equal(stream->out->len, plain->len);
}

STREAM_TEST(a_copy_inflates_the_same_bytes_as_its_original)
{
    uint32_t ends[PARTS];
    g_autoptr(GByteArray) plain = make_plain(ends);
    g_autoptr(GByteArray) packed = deflate_parts(plain, ends, Z_NO_FLUSH, Z_SYNC_FLUSH);
    const uint32_t half = packed->len / 2;
    struct qs_inflate_stream copy;

    assert_true(more(stream, (struct qs_view){packed->data, half}));
    for (unsigned i = 0; i < 2; i++) {
        const guint before = stream->out->len;

        qs_inflate_stream_copy(&copy, &stream->inflating);
        assert_true(more(stream, (struct qs_view){packed->data + half, packed->len - half}));
        assert_int_equal(stream->out->len, plain->len);
        assert_memory_equal(stream->out->data, plain->data, plain->len);
        qs_inflate_stream_clear(&stream->inflating);
        stream->inflating = copy;
        g_byte_array_set_size(stream->out, before);
    }
}

/* --- Limits --- */

TEST(other_bytes_are_malformed)
{
    struct stream stream;

    open_stream(&stream);
    assert_false(more(&stream, VIEW("MVD2")));
    assert_int_equal(stream.decoder.found.notes[QS_NOTE_MALFORMED], 1);
    close_stream(&stream);
    open_stream(&stream);
    assert_true(more(&stream, VIEW("\x78\x9c")));
    assert_false(more(&stream, VIEW("\x07")));
    assert_int_equal(stream.decoder.found.notes[QS_NOTE_MALFORMED], 1);
    close_stream(&stream);
}

static void assert_limit(uint32_t size, bool good)
{
    g_autoptr(GByteArray) packed = deflate_zeros(size);
    struct stream stream;

    open_stream(&stream);
    stream.session.may_inflate = QS_INFLATED_MAX - QS_INFLATED_AHEAD;
    assert_int_equal(more(&stream, qs_view_of_bytes(packed)), good);
    assert_int_equal(stream.decoder.found.notes[QS_NOTE_LIMIT], !good);
    assert_int_equal(stream.out->len, good ? size : 0);
    close_stream(&stream);
}

TEST(a_packet_inflates_to_a_limit)
{
    assert_limit(QS_INFLATED_MAX, true);
    assert_limit(QS_INFLATED_MAX + 1, false);
    assert_limit(50 * QS_INFLATED_MAX, false);
}

TEST(all_packets_of_a_session_inflate_to_a_multiple_of_their_size)
{
    enum { SIZE = 4000, PACKETS = 20 };
    g_autoptr(GByteArray) packed = deflate_zeros(SIZE);
    struct stream stream;
    uint32_t sent = 0;

    open_stream(&stream);
    assert_true(more(&stream, qs_view_of_bytes(packed)));
    for (unsigned i = 1; i < PACKETS; i++) {
        /* Each packet begins a new stream. */
        qs_inflate_stream_clear(&stream.inflating);
        more(&stream, qs_view_of_bytes(packed));
        sent += packed->len;
    }
    assert_true(stream.out->len >= SIZE);
    assert_true(stream.out->len <= QS_INFLATED_AHEAD + QS_INFLATED_RATIO * sent);
    assert_true(stream.decoder.found.notes[QS_NOTE_LIMIT]);
    close_stream(&stream);
}
