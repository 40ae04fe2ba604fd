/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams of what gzip, xz, zstd, bzip2 and lz4 have compressed, and of members of archives. */
#include "tests/unit/unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "common/demo_formats.h"
#include "pcap2demo/capture/source.h"

enum { ROOM = 4096, BOMB = 24 * 1024 * 1024, ZEROS = 10 * 1024 * 1024 };

static const char early[] = "the compressed data end early";
static const char damaged[] = "the compressed data are damaged";

/* Those that libarchive reads, and gzip first. */
static const int filters[] = {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD,
                              ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_LZ4};

/* --- Compressing --- */

static la_ssize_t append(struct archive *archive, void *file, const void *bytes, size_t size)
{
    (void)archive;
    g_byte_array_append(file, bytes, (guint)size);
    return (la_ssize_t)size;
}

static struct archive *begin(GByteArray *file, int filter, int format)
{
    struct archive *archive = archive_write_new();

    assert_int_equal(archive_write_set_format(archive, format), ARCHIVE_OK);
    assert_int_equal(archive_write_add_filter(archive, filter), ARCHIVE_OK);
    archive_write_set_bytes_per_block(archive, 0);
    assert_int_equal(archive_write_open(archive, file, NULL, append, NULL), ARCHIVE_OK);
    return archive;
}

static void add_member(struct archive *archive, const char *name, unsigned type, const void *data,
                       size_t size)
{
    struct archive_entry *entry = archive_entry_new();

    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, type == AE_IFREG ? (la_int64_t)size : 0);
    if (type == AE_IFLNK)
        archive_entry_set_symlink(entry, "elsewhere");
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    if (type == AE_IFREG)
        assert_int_equal(archive_write_data(archive, data, size), size);
    archive_entry_free(entry);
}

static void end(struct archive *archive)
{
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
}

/* Adds a piece of a compressed file, which can be one alone. */
static void pack(GByteArray *file, int filter, const void *data, size_t size)
{
    struct archive *archive = begin(file, filter, ARCHIVE_FORMAT_RAW);

    add_member(archive, "data", AE_IFREG, data, size);
    end(archive);
}

/* --- Reading --- */

/* Reads what is in the file at hand up to its end. How long it is. */
static uint64_t read_stream(struct unpack *unpack, char out[ROOM])
{
    FILE *stream = unpack_stream(unpack);
    uint64_t length = fread(out, 1, ROOM, stream);
    char more[ROOM];
    size_t got;

    while ((got = fread(more, 1, ROOM, stream)))
        length += got;
    fclose(stream);
    return length;
}

/* Reads the first `size` bytes of a file as a stream, up to its end. How long it is. */
static uint64_t read_all(const GByteArray *file, size_t size, char out[ROOM], char **problem)
{
    FILE *packed = fmemopen(file->data, size, "rb");
    struct unpack *unpack = unpack_new(packed, NULL);
    uint64_t length;

    assert_true(unpack_next(unpack));
    assert_null(unpack_member(unpack));
    length = read_stream(unpack, out);
    assert_false(unpack_next(unpack));
    *problem = unpack_problem(unpack);
    assert_null(unpack_problem(unpack));
    unpack_free(unpack);
    fclose(packed);
    return length;
}

static bool knows(const GByteArray *file)
{
    FILE *stream = fmemopen(file->data, file->len, "rb");
    const bool known = unpack_knows(stream);

    assert_int_equal(ftell(stream), 0);
    fclose(stream);
    return known;
}

static void expect(const GByteArray *file, const char *content, const char *expected)
{
    char out[ROOM], *problem;
    const uint64_t length = read_all(file, file->len, out, &problem);

    assert_int_equal(length, strlen(content));
    assert_memory_equal(out, content, length);
    if (expected)
        assert_true(problem && g_str_has_prefix(problem, expected));
    else
        assert_null(problem);
    g_free(problem);
}

/* pzstd begins its files with a frame of its own: one of 16 kinds. */
TEST(reads_behind_skippable_frames)
{
    for (guint8 kind = 0x50; kind < 0x60; kind++) {
        const guint8 frame[] = {kind, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
        g_autoptr(GByteArray) file = g_byte_array_new();

        g_byte_array_append(file, frame, sizeof frame);
        pack(file, ARCHIVE_FILTER_ZSTD, "hello", 5);
        assert_true(knows(file));
        expect(file, "hello", NULL);
    }
}

/* A cut is good only where one piece is over. Of gzip all that can be had is given. */
TEST(notices_cuts)
{
    for (size_t i = 0; i < G_N_ELEMENTS(filters); i++) {
        g_autoptr(GByteArray) file = g_byte_array_new();
        guint first;

        pack(file, filters[i], "hello, ", 7);
        first = file->len;
        pack(file, filters[i], "world", 5);
        for (guint size = 16; size < file->len; size++) {
            char out[ROOM], *problem;
            const uint64_t length = read_all(file, size, out, &problem);

            assert_memory_equal(out, "hello, world", MIN(length, 12));
            if (size == first)
                assert_null(problem);
            else if (problem && filters[i] == ARCHIVE_FILTER_GZIP)
                assert_string_equal(problem, early);
            if (size >= first && filters[i] == ARCHIVE_FILTER_GZIP)
                assert_true(length >= 7);
            g_free(problem);
        }
    }
}

/* Bytes that are as good as random, so that blocks of it are as long when they are compressed. */
static GByteArray *noise(guint size)
{
    GByteArray *bytes = g_byte_array_sized_new(size);
    g_autoptr(GRand) random = g_rand_new_with_seed(1);

    for (guint i = 0; i < size; i++) {
        const guint8 byte = (guint8)g_rand_int(random);

        g_byte_array_append(bytes, &byte, 1);
    }
    return bytes;
}

/* What libarchive drops in front of the cut is no more than its block. */
TEST(keeps_what_is_before_a_cut)
{
    enum { SIZE = 6 * 1024 * 1024, BLOCK_MAX = 4 * 1024 * 1024 + 65536 };
    g_autoptr(GByteArray) bytes = noise(SIZE);

    for (size_t i = 0; i < G_N_ELEMENTS(filters); i++) {
        g_autoptr(GByteArray) file = g_byte_array_new();
        char out[ROOM], *problem;
        uint64_t length;

        pack(file, filters[i], bytes->data, bytes->len);
        length = read_all(file, file->len - 1000, out, &problem);
        assert_string_equal(problem, early);
        assert_true(length > SIZE - (filters[i] == ARCHIVE_FILTER_GZIP ? 2000 : BLOCK_MAX));
        assert_memory_equal(out, bytes->data, ROOM);
        g_free(problem);
    }
}

TEST(notices_damage)
{
    for (size_t i = 0; i < G_N_ELEMENTS(filters); i++) {
        g_autoptr(GByteArray) file = g_byte_array_new();
        char out[ROOM], *problem;

        pack(file, filters[i], "hello, world", 12);
        for (guint at = 0; at < file->len; at++) {
            file->data[at] ^= 0x55;
            if (knows(file)) {
                read_all(file, file->len, out, &problem);
                g_free(problem);
            }
            file->data[at] ^= 0x55;
        }
    }
}

TEST(checks_sums)
{
    g_autoptr(GByteArray) file = g_byte_array_new();

    pack(file, ARCHIVE_FILTER_GZIP, "hello, world", 12);
    file->data[file->len - 8] ^= 1;
    expect(file, "hello, world", damaged);
    g_byte_array_set_size(file, 0);
    pack(file, ARCHIVE_FILTER_GZIP, "hello, world", 12);
    g_byte_array_append(file, (const guint8 *)"rubbish", 7);
    expect(file, "hello, world", damaged);
    g_byte_array_set_size(file, 0);
    pack(file, ARCHIVE_FILTER_XZ, "hello, world", 12);
    file->data[file->len - 8] ^= 1;
    expect(file, "", damaged); /* libarchive gives nothing of its last block */
}

/* More than any capture shrinks by. */
TEST(stops_bombs)
{
    static const int strong[] = {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD,
                                 ARCHIVE_FILTER_BZIP2}; /* lz4 stands for 255 times its size */
    g_autofree char *zeros = g_malloc0(BOMB);

    *zeros = 'x'; /* a block of zeros ends a tar archive */
    for (size_t i = 0; i < G_N_ELEMENTS(strong); i++) {
        g_autoptr(GByteArray) file = g_byte_array_new();
        char out[ROOM], *problem;
        uint64_t length;

        pack(file, strong[i], zeros, BOMB);
        length = read_all(file, file->len, out, &problem);
        assert_true(length >= UNPACK_RATIO_FROM - 512 * 1024);
        assert_true(length <= UNPACK_RATIO_FROM + 512 * 1024);
        assert_string_equal(problem, "inflates to more than 200 times its size; "
                                     "the rest is left out");
        g_free(problem);
    }
}

/* --- Archives --- */

/* Members that nobody reads, and the members of members, count with the others. */
TEST(stops_bombs_in_archives)
{
    char *zeros = g_malloc0(ZEROS), name[] = "0", out[ROOM], *problem;
    g_autoptr(GByteArray) file = g_byte_array_new();
    struct archive *archive = begin(file, ARCHIVE_FILTER_XZ, ARCHIVE_FORMAT_TAR_USTAR);
    struct unpack *unpack;
    FILE *packed;
    uint64_t length = 0;
    unsigned files = 0;

    for (unsigned i = 0; i < 4; i++, name[0]++)
        add_member(archive, name, AE_IFREG, zeros, ZEROS);
    end(archive);
    for (unsigned read = 0; read < 2; read++, files = 0, length = 0) {
        packed = fmemopen(file->data, file->len, "rb");
        unpack = unpack_new(packed, NULL);
        for (; unpack_next(unpack); files++)
            length += read ? read_stream(unpack, out) : 0;
        problem = unpack_problem(unpack);
        assert_true(length <= UNPACK_RATIO_FROM + 512 * 1024);
        if (read)
            assert_string_equal(problem, "inflates to more than 200 times its size; "
                                         "the rest is left out");
        assert_true(files <= (read ? 2 : 4));
        g_free(problem);
        unpack_free(unpack);
        fclose(packed);
    }
    g_free(zeros);
}

/* A hole is not in the archive; it reads as zeros. */
TEST(reads_sparse_members)
{
    static const char zeros[300];
    g_autoptr(GByteArray) file = g_byte_array_new();
    struct archive *archive = begin(file, ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_TAR);
    struct archive_entry *entry = archive_entry_new();
    struct unpack *unpack;
    char out[ROOM], data[1000] = "front";
    FILE *packed;

    memcpy(data + 900, "back", 4);
    archive_entry_set_pathname(entry, "sparse");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, sizeof data);
    archive_entry_sparse_add_entry(entry, 0, 5);
    archive_entry_sparse_add_entry(entry, 900, 100);
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(archive, data, sizeof data), sizeof data);
    archive_entry_free(entry);
    end(archive);
    packed = fmemopen(file->data, file->len, "rb");
    unpack = unpack_new(packed, NULL);
    assert_true(unpack_next(unpack));
    assert_int_equal(read_stream(unpack, out), sizeof data);
    assert_memory_equal(out, data, sizeof data);
    assert_memory_equal(out + 100, zeros, sizeof zeros);
    unpack_free(unpack);
    fclose(packed);
}

TEST(knows_others)
{
    static const char *const others[] = {"", "hel", "hello, world",
                                         "\xd4\xc3\xb2\xa1 a capture of which this is the head"};

    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_autoptr(GByteArray) file = g_byte_array_new();

        g_byte_array_append(file, (const guint8 *)others[i], (guint)strlen(others[i]) + 1);
        assert_false(knows(file));
    }
}

TEST(knows_names)
{
    static const char *const names[] = {"a.pcap.gz",  "a.pcap.XZ", "a.pcap.zst", "a.pcap.bz2",
                                        "a.pcap.lz4", "a.pcap",    ".gz"};
    static const size_t lengths[] = {6, 6, 6, 6, 6, 6, 3};

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        assert_int_equal(qs_unpacked_name_length(names[i]), lengths[i]);
}
