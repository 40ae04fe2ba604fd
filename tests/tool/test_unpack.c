/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams from files of gzip, xz, zstd, bzip2 and lz4, and from members of archives. */
#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "common/demo_formats.h"
#include "pcap2demo/capture/source.h"
#include "tests/support/test.h"

enum { ROOM = 4096, BOMB = 18 * 1024 * 1024, TOLERANCE = 512 * 1024 };

static const char early[] = "the compressed data end early";
static const char damaged[] = "the compressed data are damaged";
static const char too_much[] = "inflates to more than 200 times its size; the rest is left out";

/* zlib reads the first, libarchive the others. lz4 compresses to 1/255 of a size at best. */
static const int filters[] = {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD,
                              ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_LZ4};

/* --- Compressing --- */

static la_ssize_t append(struct archive *archive, void *file, const void *bytes, size_t size)
{
    (void)archive;
    g_byte_array_append(file, bytes, (guint)size);
    return (la_ssize_t)size;
}

static struct archive *start(GByteArray *file, int filter, int format)
{
    struct archive *archive = archive_write_new();

    assert_int_equal(archive_write_set_format(archive, format), ARCHIVE_OK);
    assert_int_equal(archive_write_add_filter(archive, filter), ARCHIVE_OK);
    archive_write_set_bytes_per_block(archive, 0);
    assert_int_equal(archive_write_open(archive, file, NULL, append, NULL), ARCHIVE_OK);
    return archive;
}

/* Adds a member with a hole from `begin` to `end`; without one if they are equal. */
static void add_member(struct archive *archive, const void *data, size_t size, size_t begin,
                       size_t end)
{
    struct archive_entry *entry = archive_entry_new();

    archive_entry_set_pathname(entry, "data");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)size);
    if (end > begin) {
        archive_entry_sparse_add_entry(entry, 0, (la_int64_t)begin);
        archive_entry_sparse_add_entry(entry, (la_int64_t)end, (la_int64_t)(size - end));
    }
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(archive, data, size), size);
    archive_entry_free(entry);
}

static void finish(struct archive *archive)
{
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
}

/* Appends compressed data to a file: a file may be several of them, one behind the other. */
static void pack(GByteArray *file, int filter, const void *data, size_t size)
{
    struct archive *archive = start(file, filter, ARCHIVE_FORMAT_RAW);

    add_member(archive, data, size, 0, 0);
    finish(archive);
}

/* --- Reading --- */

struct result {
    unsigned files;
    uint64_t length;  /* of all files */
    char begin[ROOM]; /* first bytes of the last file */
    char *problem;
};

static uint64_t read_file(struct unpack *unpack, char begin[ROOM])
{
    FILE *stream = unpack_stream(unpack);
    uint64_t length = fread(begin, 1, ROOM, stream);
    char more[ROOM];
    size_t got;

    while ((got = fread(more, 1, ROOM, stream)))
        length += got;
    fclose(stream);
    return length;
}

/* Unpacks the first `size` bytes of a file. Unless `read`, only moves from member to member. */
static struct result unpack_part(const GByteArray *file, size_t size, bool read)
{
    FILE *packed = fmemopen(file->data, size, "rb");
    struct unpack *unpack = unpack_new(packed, NULL);
    struct result result = {0};

    for (; unpack_next(unpack); result.files++)
        result.length += read ? read_file(unpack, result.begin) : 0;
    result.problem = unpack_problem(unpack);
    assert_null(unpack_problem(unpack));
    unpack_free(unpack);
    fclose(packed);
    return result;
}

static bool is_known(const GByteArray *file)
{
    FILE *stream = fmemopen(file->data, file->len, "rb");
    const bool known = unpack_knows(stream);

    assert_int_equal(ftell(stream), 0);
    fclose(stream);
    return known;
}

static void expect(const GByteArray *file, const char *content, const char *problem)
{
    const struct result result = unpack_part(file, file->len, true);

    assert_int_equal(result.files, 1);
    assert_int_equal(result.length, strlen(content));
    assert_memory_equal(result.begin, content, result.length);
    if (problem)
        assert_true(result.problem && g_str_has_prefix(result.problem, problem));
    else
        assert_null(result.problem);
    g_free(result.problem);
}

/* pzstd begins its files with a frame of its own: one of 16 kinds. */
TEST(skippable_frames_of_zstd_are_skipped)
{
    for (guint8 kind = 0x50; kind < 0x60; kind++) {
        const guint8 frame[] = {kind, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
        g_autoptr(GByteArray) file = g_byte_array_new();

        g_byte_array_append(file, frame, sizeof frame);
        pack(file, ARCHIVE_FILTER_ZSTD, "hello", 5);
        assert_true(is_known(file));
        expect(file, "hello", NULL);
    }
}

/* A file may end behind any of its members. libarchive ignores a part of another one's header
 * there. Of gzip, the bytes before a cut are read. */
TEST(cuts_are_reported_unless_they_are_between_members)
{
    enum { HEADER_MAX = 14 }; /* of bzip2 */

    for (size_t i = 0; i < G_N_ELEMENTS(filters); i++) {
        const bool is_gzip = filters[i] == ARCHIVE_FILTER_GZIP;
        g_autoptr(GByteArray) file = g_byte_array_new();
        guint first;

        pack(file, filters[i], "hello, ", 7);
        first = file->len;
        pack(file, filters[i], "world", 5);
        for (guint size = 16; size < file->len; size++) {
            const struct result result = unpack_part(file, size, true);

            assert_memory_equal(result.begin, "hello, world", MIN(result.length, 12));
            if (size == first)
                assert_null(result.problem);
            else if (is_gzip || size < first || size >= first + HEADER_MAX)
                assert_string_equal(result.problem, early);
            if (size >= first && is_gzip)
                assert_true(result.length >= 7);
            g_free(result.problem);
        }
    }
}

/* libarchive drops no more than one block before the cut. */
TEST(bytes_before_a_cut_are_read)
{
    enum { SIZE = 5 * 1024 * 1024, BLOCK_MAX = 4 * 1024 * 1024 + 65536 };
    g_autofree uint32_t *noise = g_malloc(SIZE); /* its compressed size is about the same */
    g_autoptr(GRand) random = g_rand_new_with_seed(1);

    for (unsigned i = 0; i < SIZE / sizeof *noise; i++)
        noise[i] = g_rand_int(random);
    for (size_t i = 0; i < G_N_ELEMENTS(filters); i++) {
        g_autoptr(GByteArray) file = g_byte_array_new();
        struct result result;

        pack(file, filters[i], noise, SIZE);
        result = unpack_part(file, file->len - 1000, true);
        assert_string_equal(result.problem, early);
        assert_true(result.length > SIZE - (filters[i] == ARCHIVE_FILTER_GZIP ? 2000 : BLOCK_MAX));
        assert_memory_equal(result.begin, noise, ROOM);
        g_free(result.problem);
    }
}

/* Sanitizers notice accesses out of bounds. */
TEST(damaged_files_do_no_harm)
{
    for (size_t i = 0; i < G_N_ELEMENTS(filters); i++) {
        g_autoptr(GByteArray) file = g_byte_array_new();

        pack(file, filters[i], "hello, world", 12);
        for (guint at = 0; at < file->len; at++) {
            file->data[at] ^= 0x55;
            if (is_known(file))
                g_free(unpack_part(file, file->len, true).problem);
            file->data[at] ^= 0x55;
        }
    }
}

TEST(checksums_and_trailing_bytes_are_checked)
{
    static const struct {
        int filter;
        const char *behind, *content;
    } rows[] = {
        /* Without bytes behind the file, its checksum is damaged. */
        {ARCHIVE_FILTER_GZIP, NULL, "hello, world"},
        {ARCHIVE_FILTER_GZIP, "rubbish", "hello, world"},
        {ARCHIVE_FILTER_XZ, NULL, ""}, /* libarchive returns nothing of its last block */
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GByteArray) file = g_byte_array_new();

        pack(file, rows[i].filter, "hello, world", 12);
        if (rows[i].behind)
            g_byte_array_append(file, (const guint8 *)rows[i].behind, 7);
        else
            file->data[file->len - 8] ^= 1;
        expect(file, rows[i].content, damaged);
    }
}

/* Captures do not compress to 1/200 of their size. */
TEST(bombs_are_cut)
{
    g_autofree char *zeros = g_malloc0(BOMB);

    *zeros = 'x'; /* a block of zeros ends a tar archive */
    for (size_t i = 0; i < G_N_ELEMENTS(filters) - 1; i++) {
        g_autoptr(GByteArray) file = g_byte_array_new();
        struct result result;

        pack(file, filters[i], zeros, BOMB);
        result = unpack_part(file, file->len, true);
        assert_true(result.length >= UNPACK_RATIO_FROM - TOLERANCE);
        assert_true(result.length <= UNPACK_RATIO_FROM + TOLERANCE);
        assert_string_equal(result.problem, too_much);
        g_free(result.problem);
    }
}

/* --- Archives --- */

/* Four members of 10 MiB: all count together, also those that are skipped. */
TEST(bombs_in_archives_are_cut)
{
    enum { SIZE = 10 * 1024 * 1024 };
    g_autofree char *zeros = g_malloc0(SIZE);
    g_autoptr(GByteArray) file = g_byte_array_new();
    struct archive *archive = start(file, ARCHIVE_FILTER_XZ, ARCHIVE_FORMAT_TAR_USTAR);

    for (unsigned i = 0; i < 4; i++)
        add_member(archive, zeros, SIZE, 0, 0);
    finish(archive);
    for (int read = 0; read < 2; read++) {
        const struct result result = unpack_part(file, file->len, read);

        assert_string_equal(result.problem, too_much);
        assert_true(result.files <= (read ? 2 : 4));
        assert_true(result.length <= UNPACK_RATIO_FROM + TOLERANCE);
        g_free(result.problem);
    }
}

/* An archive of a folder has no file; an empty file that is compressed has one empty stream. */
TEST(archives_without_files_have_no_stream)
{
    g_autoptr(GByteArray) tar = g_byte_array_new(), gzip = g_byte_array_new();
    struct archive *archive = start(tar, ARCHIVE_FILTER_GZIP, ARCHIVE_FORMAT_TAR_USTAR);
    struct archive_entry *folder = archive_entry_new();
    struct result result;

    archive_entry_set_pathname(folder, "folder");
    archive_entry_set_filetype(folder, AE_IFDIR);
    assert_int_equal(archive_write_header(archive, folder), ARCHIVE_OK);
    archive_entry_free(folder);
    finish(archive);
    result = unpack_part(tar, tar->len, true);
    assert_null(result.problem);
    assert_int_equal(result.files, 0);

    pack(gzip, ARCHIVE_FILTER_GZIP, "", 0);
    expect(gzip, "", NULL);
}

/* A hole is not in the archive; it reads as zeros. */
TEST(holes_of_sparse_members_are_zeros)
{
    const char data[1000] = {[0] = 'f', [1] = 'r', [900] = 'b'};
    g_autoptr(GByteArray) file = g_byte_array_new();
    struct archive *archive = start(file, ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_TAR);
    struct result result;

    add_member(archive, data, sizeof data, 5, 900);
    finish(archive);
    result = unpack_part(file, file->len, true);
    assert_null(result.problem);
    assert_int_equal(result.length, sizeof data);
    assert_memory_equal(result.begin, data, sizeof data);
}

TEST(other_files_are_not_compressed)
{
    static const char *const others[] = {"", "hel", "hello, world",
                                         "\xd4\xc3\xb2\xa1 a capture of which this is the head"};

    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        GByteArray file = {(guint8 *)others[i], (guint)strlen(others[i]) + 1};

        assert_false(is_known(&file));
    }
}

TEST(names_of_compressed_files_have_one_extension_more)
{
    static const struct {
        const char *name;
        size_t length;
    } rows[] = {{"a.pcap.gz", 6},  {"a.pcap.XZ", 6}, {"a.pcap.zst", 6}, {"a.pcap.bz2", 6},
                {"a.pcap.lz4", 6}, {"a.pcap", 6},    {".gz", 3}};

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_int_equal(qs_unpacked_name_length(rows[i].name), rows[i].length);
}
