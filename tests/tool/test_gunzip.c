/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams of what gzip has compressed. */
#include "tests/tool/frames.h"

#include <string.h>
#include <zlib.h>

#include "pcap2demo/capture/gunzip.h"

enum { GZIP = 16 + MAX_WBITS, ROOM = 4096 };

/* A member of gzip's: header, data, checksum. */
static void add_member(GByteArray *file, const void *data, size_t size)
{
    uint8_t packed[ROOM];
    z_stream stream = {.next_in = (Bytef *)data,
                       .avail_in = (uInt)size,
                       .next_out = packed,
                       .avail_out = sizeof packed};

    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    g_byte_array_append(file, packed, (guint)stream.total_out);
}

/* Reads the first `size` bytes of a file as a stream; what comes of it is told by its length. */
static size_t read_all(const GByteArray *file, size_t size, uint64_t max, char *out, char **problem)
{
    FILE *packed = fmemopen(file->data, size, "rb");
    struct gunzip *gunzip = gunzip_new(packed, max);
    FILE *stream = gunzip_stream(gunzip);
    const size_t length = fread(out, 1, ROOM, stream);

    assert_int_equal(fgetc(stream), EOF);
    fclose(stream);
    *problem = g_strdup(gunzip_problem(gunzip));
    gunzip_free(gunzip);
    fclose(packed);
    return length;
}

static void expect(const GByteArray *file, size_t size, uint64_t max, const char *content,
                   const char *expected)
{
    char out[ROOM], *problem;
    const size_t length = read_all(file, size, max, out, &problem);

    assert_int_equal(length, strlen(content));
    assert_memory_equal(out, content, length);
    if (expected)
        assert_string_equal(problem, expected);
    else
        assert_null(problem);
    g_free(problem);
}

static void reads_members(void **state)
{
    GByteArray *file = g_byte_array_new();

    (void)state;
    add_member(file, "hello, ", 7);
    add_member(file, "", 0);
    add_member(file, "world", 5);
    expect(file, file->len, ROOM, "hello, world", NULL);
    g_byte_array_free(file, TRUE);
}

/* All cuts but the one between the members. */
static void notices_cuts(void **state)
{
    GByteArray *file = g_byte_array_new();
    guint first;

    (void)state;
    add_member(file, "hello, ", 7);
    first = file->len;
    add_member(file, "world", 5);
    for (guint size = 1; size < file->len; size++) {
        char out[ROOM], *problem;
        const size_t length = read_all(file, size, ROOM, out, &problem);

        assert_memory_equal(out, "hello, world", length);
        if (size == first)
            assert_null(problem);
        else
            assert_string_equal(problem, "the compressed data end early");
        g_free(problem);
    }
    g_byte_array_free(file, TRUE);
}

static void notices_damage(void **state)
{
    GByteArray *file = g_byte_array_new();

    (void)state;
    add_member(file, "hello, world", 12);
    file->data[file->len - 8] ^= 1; /* the checksum */
    expect(file, file->len, ROOM, "hello, world", "the compressed data are damaged");
    g_byte_array_append(file, (const guint8 *)"rubbish", 7);
    file->data[file->len - 7 - 8] ^= 1;
    expect(file, file->len, ROOM, "hello, world", "the compressed data are damaged");
    g_byte_array_free(file, TRUE);
}

static void ends_at_the_limit(void **state)
{
    GByteArray *file = g_byte_array_new();

    (void)state;
    add_member(file, "hello, world", 12);
    expect(file, file->len, 12, "hello, world", NULL);
    expect(file, file->len, 11, "hello, worl",
           "inflates to more than 11 bytes; the rest is left out");
    expect(file, file->len, 1, "h", "inflates to more than 1 bytes; the rest is left out");
    g_byte_array_free(file, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_members),
        cmocka_unit_test(notices_cuts),
        cmocka_unit_test(notices_damage),
        cmocka_unit_test(ends_at_the_limit),
    };

    return cmocka_run_group_tests_name("gunzip", tests, NULL, NULL);
}
