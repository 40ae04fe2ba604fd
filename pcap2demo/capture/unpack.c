/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/source.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <glib.h>
#include <string.h>
#include <zlib.h>

#include "common/core/reader.h"

enum { CHUNK = 64 * 1024, STREAM_BUFFER = 256 * 1024, GZIP_ONLY = 16 + MAX_WBITS /* zlib.h */ };

struct unpack {
    FILE *packed;
    struct unpack *outer;
    struct archive *archive;
    struct archive_entry *entry; /* current file; NULL: it is empty */
    bool is_gzip;
    bool between;   /* gzip: between two members, where the file may end */
    bool gzip_over; /* gzip: no data remain */
    z_stream gzip;
    bool begun;      /* unpack_next() was called */
    bool ended;      /* `packed` has ended */
    bool over;       /* no data of any file remain */
    bool entry_over; /* no data of the current file remain */
    char *problem;
    uint64_t size, packed_size; /* bytes so far; `size` includes those of unpacked members */

    /* Block of the current file: `left` bytes, at offset `start`. */
    const uint8_t *block;
    size_t left;
    int64_t start, at; /* `at`: number of bytes read */

    uint8_t chunk[CHUNK], inflated[CHUNK];
    char buffer[STREAM_BUFFER];
};

size_t peek_stream(FILE *stream, uint8_t *bytes, size_t size)
{
    size = fread(bytes, 1, size, stream);
    for (size_t i = size; i--;)
        ungetc(bytes[i], stream);
    return size;
}

static const char ends_early[] = "the compressed data end early";

/* Records a problem. Keeps only the first one, because others follow from it. */
static void fail(struct unpack *unpack, char *problem)
{
    if (unpack->problem)
        g_free(problem);
    else
        unpack->problem = problem;
}

/* Records libarchive's error. Only a fatal one ends the archive, others the current file. */
static void fail_by_archive(struct unpack *unpack, int status)
{
    fail(unpack, unpack->ended ? g_strdup(ends_early)
                               : g_strdup_printf("the compressed data are damaged (%s)",
                                                 archive_error_string(unpack->archive)));
    unpack->over |= status <= ARCHIVE_FATAL;
    unpack->entry_over = true;
}

/* --- Limits ---------------------------------------------------------------------------------- */

/* Ends the streams, with a problem, and returns true if `size` bytes exceed the file's limit. */
static bool stop_at_limit(struct unpack *unpack, uint64_t size)
{
    if (size <= UNPACK_RATIO_FROM || size <= unpack->packed_size * UNPACK_RATIO_MAX)
        return false;
    fail(unpack, g_strdup_printf("inflates to more than %d times its size; the rest is left out",
                                 UNPACK_RATIO_MAX));
    unpack->over = true;
    return true;
}

/* Counts unpacked bytes for the outermost file. */
static void count(struct unpack *unpack, size_t size)
{
    struct unpack *outermost = unpack;

    while (outermost->outer)
        outermost = outermost->outer;
    outermost->size += size;
    if (stop_at_limit(outermost, outermost->size) && outermost != unpack)
        unpack->over = true;
}

/* --- Compressed data ------------------------------------------------------------------------- */

/* Reads the next chunk of the file. Returns its size, or 0 at the end. */
static size_t fetch(struct unpack *unpack)
{
    const size_t size = fread(unpack->chunk, 1, sizeof unpack->chunk, unpack->packed);

    unpack->packed_size += size;
    unpack->ended = unpack->ended || !size;
    if (!size && ferror(unpack->packed))
        fail(unpack, g_strdup(g_strerror(errno)));
    return size;
}

/* Reads the next chunk of gzip. False at the end of the file, which is no error between members. */
static bool fetch_gzip(struct unpack *unpack)
{
    unpack->gzip.next_in = unpack->chunk;
    unpack->gzip.avail_in = (uInt)fetch(unpack);
    unpack->gzip_over = !unpack->gzip.avail_in;
    if (unpack->gzip_over && !unpack->between)
        fail(unpack, g_strdup(ends_early));
    return !unpack->gzip_over;
}

/* Inflates up to a buffer's size from one or more gzip members. Returns 0 at the end. */
static size_t inflate_some(struct unpack *unpack)
{
    z_stream *gzip = &unpack->gzip;

    gzip->next_out = unpack->inflated;
    gzip->avail_out = sizeof unpack->inflated;
    while (!unpack->gzip_over && gzip->avail_out == sizeof unpack->inflated) {
        uInt before;
        int status;

        /* Zeros behind a member pad a tape or a disk. */
        while (unpack->between && gzip->avail_in && !*gzip->next_in) {
            gzip->next_in++;
            gzip->avail_in--;
        }
        before = gzip->avail_in;
        status = inflate(gzip, Z_NO_FLUSH);
        if (before != gzip->avail_in)
            unpack->between = status == Z_STREAM_END;
        if (status == Z_STREAM_END)
            inflateReset(gzip);
        else if (status == Z_BUF_ERROR && !fetch_gzip(unpack))
            break;
        else if (status != Z_OK && status != Z_BUF_ERROR) {
            fail(unpack, g_strdup("the compressed data are damaged"));
            unpack->gzip_over = true;
        }
    }
    return sizeof unpack->inflated - gzip->avail_out;
}

/* Read callback of libarchive. Limits what libarchive skips as well, which count() does not see. */
static la_ssize_t read_packed(struct archive *archive, void *user, const void **bytes)
{
    struct unpack *unpack = user;
    const la_int64_t unpacked = archive_filter_bytes(archive, 0);

    if (stop_at_limit(unpack, unpacked > 0 ? (uint64_t)unpacked : 0))
        return ARCHIVE_FATAL;
    *bytes = unpack->is_gzip ? unpack->inflated : unpack->chunk;
    return (la_ssize_t)(unpack->is_gzip ? inflate_some(unpack) : fetch(unpack));
}

/* --- Unpacked data --------------------------------------------------------------------------- */

/* Reads the next block of the current file. Returns false at its end. */
static bool next_block(struct unpack *unpack)
{
    const void *block;
    int status;

    if (unpack->over || unpack->entry_over)
        return false;
    status = archive_read_data_block(unpack->archive, &block, &unpack->left, &unpack->start);
    unpack->block = block;
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN)
        return true;
    unpack->left = 0;
    unpack->entry_over = true;
    if (status != ARCHIVE_EOF)
        fail_by_archive(unpack, status);
    return false;
}

/* Reads bytes of the current file. Holes in sparse files read as zeros. */
static ssize_t read_file(void *cookie, char *out, size_t size)
{
    struct unpack *unpack = cookie;

    while (!unpack->left)
        if (!next_block(unpack))
            return 0;
    if (unpack->over)
        return 0;
    if (unpack->start > unpack->at) {
        size = (size_t)MIN((uint64_t)(unpack->start - unpack->at), size);
        memset(out, 0, size);
    } else {
        size = MIN(size, unpack->left);
        memcpy(out, unpack->block, size);
        unpack->block += size;
        unpack->left -= size;
        unpack->start += (int64_t)size;
    }
    unpack->at += (int64_t)size;
    count(unpack, size);
    return (ssize_t)size;
}

#ifdef __APPLE__
static int read_for_funopen(void *cookie, char *out, int size)
{
    return (int)read_file(cookie, out, (size_t)size);
}
#endif

FILE *unpack_stream(struct unpack *unpack)
{
#ifdef __APPLE__
    FILE *stream = funopen(unpack, read_for_funopen, NULL, NULL, NULL);
#else
    FILE *stream = fopencookie(unpack, "r", (cookie_io_functions_t){.read = read_file});
#endif

    if (stream)
        setvbuf(stream, unpack->buffer, _IOFBF, sizeof unpack->buffer);
    return stream;
}

/* --- Files ----------------------------------------------------------------------------------- */

/*
 * Sources: RFC 1952, section 2.3.1; The .xz File Format 1.2.1, section 2.1.1.1; RFC 8878, sections
 * 3.1.1 and 3.1.2 (files of pzstd begin with a skippable frame); LZ4 Frame Format 1.6.2; bzip2's
 * compress.c; PKWARE's APPNOTE, section 4.3.7.
 */
static const struct {
    uint32_t magic, mask; /* first four bytes, little-endian */
} magics[] = {
    {0x00008b1f, 0x0000ffff}, {0x587a37fd, 0xffffffff}, {0xfd2fb528, 0xffffffff},
    {0x184d2a50, 0xfffffff0}, {0x00685a42, 0x00ffffff}, {0x184d2204, 0xffffffff},
    {0x04034b50, 0xffffffff},
};

static bool has_magic(const uint8_t *bytes)
{
    for (size_t i = 0; i < G_N_ELEMENTS(magics); i++)
        if ((qs_le32(bytes) & magics[i].mask) == magics[i].magic)
            return true;
    return false;
}

/* Source: POSIX, pax: ustar Interchange Format. A block of zeros ends an archive. */
static bool is_tar(FILE *stream)
{
    enum { BLOCK = 512, MAGIC_AT = 257, MAGIC = 5 };
    static const uint8_t zeros[BLOCK];
    uint8_t bytes[BLOCK];

    return peek_stream(stream, bytes, BLOCK) == BLOCK &&
           (memcmp(bytes + MAGIC_AT, "ustar", MAGIC) == 0 || memcmp(bytes, zeros, BLOCK) == 0);
}

bool unpack_knows(FILE *stream)
{
    uint8_t bytes[4] = {0};

    return peek_stream(stream, bytes, sizeof bytes) == sizeof bytes &&
           (has_magic(bytes) || is_tar(stream));
}

static struct archive *new_archive(bool with_members)
{
    struct archive *archive = archive_read_new();

    if (!archive)
        return NULL;
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_zstd(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_lz4(archive);
    archive_read_support_format_raw(archive);
    archive_read_support_format_empty(archive);
    if (with_members) {
        archive_read_support_format_tar(archive);
        archive_read_support_format_zip_streamable(archive);
    }
    return archive;
}

struct unpack *unpack_new(FILE *packed, struct unpack *outer)
{
    struct unpack *unpack = g_new0(struct unpack, 1);
    uint8_t magic[4] = {0};
    int status;

    unpack->packed = packed;
    unpack->outer = outer;
    unpack->archive = new_archive(!outer);
    peek_stream(packed, magic, sizeof magic);
    unpack->is_gzip = (qs_le32(magic) & magics[0].mask) == magics[0].magic;
    if (!unpack->archive || (unpack->is_gzip && inflateInit2(&unpack->gzip, GZIP_ONLY) != Z_OK)) {
        fail(unpack, g_strdup(g_strerror(ENOMEM)));
        return unpack;
    }
    status = archive_read_open(unpack->archive, unpack, NULL, read_packed, NULL);
    if (status != ARCHIVE_OK)
        fail_by_archive(unpack, status);
    return unpack;
}

static bool is_archive(const struct unpack *unpack)
{
    const int format = archive_format(unpack->archive) & ARCHIVE_FORMAT_BASE_MASK;

    return format == ARCHIVE_FORMAT_TAR || format == ARCHIVE_FORMAT_ZIP;
}

static bool next_file(struct unpack *unpack)
{
    int status;

    do {
        status = archive_read_next_header(unpack->archive, &unpack->entry);
    } while (!unpack->over && (status == ARCHIVE_OK || status == ARCHIVE_WARN) &&
             archive_entry_filetype(unpack->entry) != AE_IFREG);
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN)
        return !unpack->over;
    unpack->over = true;
    unpack->entry = NULL;
    if (status != ARCHIVE_EOF)
        fail_by_archive(unpack, ARCHIVE_FATAL);
    return false;
}

/* A compressed file that is empty or unreadable has one empty stream. */
bool unpack_next(struct unpack *unpack)
{
    const bool first = !unpack->begun;

    unpack->begun = true;
    unpack->left = 0;
    unpack->start = unpack->at = 0;
    unpack->entry_over = false;
    return (!unpack->over && next_file(unpack)) || (first && !is_archive(unpack));
}

const char *unpack_member(const struct unpack *unpack)
{
    const char *name;

    if (!unpack->entry || !is_archive(unpack))
        return NULL;
    name = archive_entry_pathname(unpack->entry);
    if (!name)
        name = archive_entry_pathname_utf8(unpack->entry);
    return name ? name : "";
}

char *unpack_problem(struct unpack *unpack)
{
    return g_steal_pointer(&unpack->problem);
}

void unpack_free(struct unpack *unpack)
{
    if (unpack->is_gzip)
        inflateEnd(&unpack->gzip);
    if (unpack->archive)
        archive_read_free(unpack->archive);
    g_free(unpack->problem);
    g_free(unpack);
}
