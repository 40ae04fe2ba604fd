/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams of what gzip, xz and zstd have compressed. */
#include "tests/tool/frames.h"

#include <string.h>
#include <zlib.h>

#include "common/demo/format.h"
#include "pcap2demo/capture/unpack.h"
#include "pcap2demo/config.h"
#ifdef QUAKESHARK_XZ
#include <lzma.h>
#endif
#ifdef QUAKESHARK_ZSTD
#include <zstd.h>
#endif

enum { ROOM = 4096, BOMB = 64 * 1024 * 1024 };

static const char early[] = "the compressed data end early";
static const char damaged[] = "the compressed data are damaged";

/* --- Compressing --- */

/* Adds a piece of a compressed file, which can be one alone. */
typedef void packer(GByteArray *file, const void *data, size_t size);

static void append_packed(GByteArray *file, uint8_t *packed, size_t size)
{
    g_byte_array_append(file, packed, (guint)size);
    g_free(packed);
}

static void pack_gzip(GByteArray *file, const void *data, size_t size)
{
    enum { GZIP = 16 + MAX_WBITS };
    z_stream stream = {.next_in = (Bytef *)data, .avail_in = (uInt)size};

    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.avail_out = (uInt)deflateBound(&stream, (uLong)size);
    stream.next_out = g_malloc(stream.avail_out);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    append_packed(file, stream.next_out - stream.total_out, stream.total_out);
    deflateEnd(&stream);
}

#ifdef QUAKESHARK_XZ
static void pack_xz_by(GByteArray *file, const void *data, size_t size, uint32_t dictionary)
{
    const size_t room = lzma_stream_buffer_bound(size);
    uint8_t *packed = g_malloc(room);
    lzma_options_lzma options;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    size_t length = 0;

    assert_false(lzma_lzma_preset(&options, 0));
    options.dict_size = dictionary;
    assert_int_equal(lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC64, NULL, data, size, packed,
                                               &length, room),
                     LZMA_OK);
    append_packed(file, packed, length);
}

static void pack_xz(GByteArray *file, const void *data, size_t size)
{
    pack_xz_by(file, data, size, 1 << 20);
}

/* Padding between streams is good. */
static void pack_padded_xz(GByteArray *file, const void *data, size_t size)
{
    pack_xz(file, data, size);
    g_byte_array_append(file, (const guint8 *)"\0\0\0\0", 4);
}
#endif

#ifdef QUAKESHARK_ZSTD
static void pack_zstd_by(GByteArray *file, const void *data, size_t size, int window_log)
{
    const size_t room = ZSTD_compressBound(size);
    uint8_t *packed = g_malloc(room);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_inBuffer in = {data, size, 0};
    ZSTD_outBuffer out = {packed, room, 0};

    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, window_log);
    /* In two calls, so that the frame cannot say how long it will be. */
    ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_continue);
    assert_int_equal(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(zstd);
    append_packed(file, packed, out.pos);
}

static void pack_zstd(GByteArray *file, const void *data, size_t size)
{
    pack_zstd_by(file, data, size, 0);
}

/* As pzstd does: its frames follow skippable ones. */
static void pack_skippable_zstd(GByteArray *file, const void *data, size_t size)
{
    static const guint8 skippable[] = {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};

    g_byte_array_append(file, skippable, sizeof skippable);
    pack_zstd(file, data, size);
}
#endif

static packer *const packers[] = {
    pack_gzip,
#ifdef QUAKESHARK_XZ
    pack_xz,   pack_padded_xz,
#endif
#ifdef QUAKESHARK_ZSTD
    pack_zstd, pack_skippable_zstd,
#endif
};

/* --- Reading --- */

/* Reads the first `size` bytes of a file as a stream, up to its end. How long it is. */
static uint64_t read_all(const GByteArray *file, size_t size, uint64_t max, char out[ROOM],
                         char **problem)
{
    FILE *packed = fmemopen(file->data, size, "rb");
    struct unpack *unpack = unpack_new(codec_of(file->data), packed, max);
    FILE *stream = unpack_stream(unpack);
    uint64_t length = fread(out, 1, ROOM, stream);
    char more[ROOM];
    size_t got;

    while ((got = fread(more, 1, ROOM, stream)))
        length += got;
    fclose(stream);
    *problem = g_strdup(unpack_problem(unpack));
    assert_true(unpack_position(unpack) <= size);
    unpack_free(unpack);
    fclose(packed);
    return length;
}

static void expect_problem(const char *problem, const char *expected)
{
    if (expected)
        assert_string_equal(problem, expected);
    else
        assert_null(problem);
}

static void expect(const GByteArray *file, size_t size, uint64_t max, const char *content,
                   const char *expected)
{
    char out[ROOM], *problem;
    const uint64_t length = read_all(file, size, max, out, &problem);

    assert_int_equal(length, strlen(content));
    assert_memory_equal(out, content, length);
    expect_problem(problem, expected);
    g_free(problem);
}

static void reads_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(packers); i++) {
        GByteArray *file = g_byte_array_new();

        packers[i](file, "hello, ", 7);
        packers[i](file, "", 0);
        packers[i](file, "world", 5);
        expect(file, file->len, ROOM, "hello, world", NULL);
        g_byte_array_free(file, TRUE);
    }
}

/* A cut is good only where one piece is over, or in the padding or skippable bytes behind it. */
static void notices_cuts(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(packers); i++) {
        GByteArray *file = g_byte_array_new();
        guint first;

        packers[i](file, "hello, ", 7);
        first = file->len;
        packers[i](file, "world", 5);
        for (guint size = 4; size < file->len; size++) {
            char out[ROOM], *problem;
            const uint64_t length = read_all(file, size, ROOM, out, &problem);

            assert_memory_equal(out, "hello, world", length);
            if (size == first)
                assert_null(problem);
            else if (problem)
                assert_string_equal(problem, early);
            else
                assert_true(length == 7 || length == 12 || length == 0);
            g_free(problem);
        }
        g_byte_array_free(file, TRUE);
    }
}

static void notices_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(packers); i++) {
        GByteArray *file = g_byte_array_new();
        char out[ROOM], *problem;

        packers[i](file, "hello, world", 12);
        for (guint at = 0; at < file->len; at++) {
            file->data[at] ^= 0x55;
            if (codec_of(file->data)) {
                read_all(file, file->len, ROOM, out, &problem);
                g_free(problem);
            }
            file->data[at] ^= 0x55;
        }
        for (unsigned n = 0; n < 8; n++)
            g_byte_array_append(file, (const guint8 *)"rubbish", 7);
        expect(file, file->len, ROOM, "hello, world", damaged);
        g_byte_array_free(file, TRUE);
    }
}

static void checks_sums(void **state)
{
    GByteArray *file = g_byte_array_new();

    (void)state;
    pack_gzip(file, "hello, world", 12);
    file->data[file->len - 8] ^= 1;
    expect(file, file->len, ROOM, "hello, world", damaged);
#ifdef QUAKESHARK_ZSTD
    g_byte_array_set_size(file, 0);
    pack_zstd(file, "hello, world", 12);
    file->data[file->len - 4] ^= 1;
    expect(file, file->len, ROOM, "", damaged); /* zstd gives nothing of its last call */
#endif
    g_byte_array_free(file, TRUE);
}

static void ends_at_the_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(packers); i++) {
        GByteArray *file = g_byte_array_new();

        packers[i](file, "hello, world", 12);
        expect(file, file->len, 12, "hello, world", NULL);
        expect(file, file->len, 11, "hello, worl",
               "inflates to more than 11 bytes; the rest is left out");
        expect(file, file->len, 1, "h", "inflates to more than 1 bytes; the rest is left out");
        g_byte_array_free(file, TRUE);
    }
}

/* More than any capture shrinks by. */
static void stops_bombs(void **state)
{
    char *zeros = g_malloc0(BOMB);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(packers); i++) {
        GByteArray *file = g_byte_array_new();
        char out[ROOM], *problem;
        uint64_t length;

        packers[i](file, zeros, BOMB);
        length = read_all(file, file->len, UNPACK_TOTAL_MAX, out, &problem);
        assert_true(length >= UNPACK_RATIO_FROM);
        assert_true(length <= UNPACK_RATIO_FROM + 512 * 1024);
        assert_string_equal(problem, "inflates to more than 200 times its size; "
                                     "the rest is left out");
        g_free(problem);
        g_byte_array_free(file, TRUE);
    }
    g_free(zeros);
}

#if defined QUAKESHARK_XZ || defined QUAKESHARK_ZSTD
/* A few bytes that want all memory there is. */
static void bounds_memory(void **state)
{
    static const char greedy[] = "the compressed data need more than 129 MiB of memory";
    GByteArray *file = g_byte_array_new();

    (void)state;
#ifdef QUAKESHARK_XZ
    pack_xz_by(file, "hello", 5, 256 << 20);
    expect(file, file->len, ROOM, "", greedy);
#endif
#ifdef QUAKESHARK_ZSTD
    g_byte_array_set_size(file, 0);
    pack_zstd_by(file, "hello", 5, 28);
    expect(file, file->len, ROOM, "", greedy);
    g_byte_array_set_size(file, 0);
    pack_zstd_by(file, "hello", 5, 27);
    expect(file, file->len, ROOM, "hello", NULL);
#endif
    g_byte_array_free(file, TRUE);
}
#endif

static void knows_names(void **state)
{
    static const char *const names[] = {"a.pcap.gz", "a.pcap.XZ", "a.pcap.zst", "a.pcap", ".gz"};
    static const size_t lengths[] = {6, 6, 6, 6, 3};

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        assert_int_equal(qs_unpacked_name_length(names[i]), lengths[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_pieces),
        cmocka_unit_test(notices_cuts),
        cmocka_unit_test(notices_damage),
        cmocka_unit_test(checks_sums),
        cmocka_unit_test(ends_at_the_limit),
        cmocka_unit_test(stops_bombs),
#if defined QUAKESHARK_XZ || defined QUAKESHARK_ZSTD
        cmocka_unit_test(bounds_memory),
#endif
        cmocka_unit_test(knows_names),
    };

    return cmocka_run_group_tests_name("unpack", tests, NULL, NULL);
}
