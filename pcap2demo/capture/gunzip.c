/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/gunzip.h"

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <zlib.h>

enum {
    GZIP_ONLY = 16 + MAX_WBITS, /* zlib.h, inflateInit2 */
    PACKED_CHUNK = 64 * 1024,
    STREAM_BUFFER = 256 * 1024
};

struct gunzip {
    FILE *packed;
    z_stream zlib;
    uint64_t size, packed_size; /* so far */
    uint64_t total_max;
    bool between; /* a member is over */
    bool over;
    char *problem;
    uint8_t chunk[PACKED_CHUNK];
    char buffer[STREAM_BUFFER];
};

static void fail(struct gunzip *gunzip, char *problem)
{
    gunzip->over = true;
    gunzip->problem = problem;
}

/* --- What comes in --- */

/* Reads more of the file. A file ends well between members, of which it may have several. */
static bool fetch(struct gunzip *gunzip)
{
    const size_t size = fread(gunzip->chunk, 1, sizeof gunzip->chunk, gunzip->packed);

    gunzip->zlib.next_in = gunzip->chunk;
    gunzip->zlib.avail_in = (uInt)size;
    gunzip->packed_size += size;
    if (size)
        return true;
    if (ferror(gunzip->packed))
        fail(gunzip, g_strdup(g_strerror(errno)));
    else if (!gunzip->between)
        fail(gunzip, g_strdup("the compressed data end early"));
    gunzip->over = true;
    return false;
}

/* One call of zlib. */
static void inflate_some(struct gunzip *gunzip)
{
    const int status = inflate(&gunzip->zlib, Z_NO_FLUSH);

    gunzip->between = status == Z_STREAM_END;
    if (status == Z_STREAM_END)
        inflateReset(&gunzip->zlib);
    else if (status != Z_OK && status != Z_BUF_ERROR)
        fail(gunzip, g_strdup("the compressed data are damaged"));
}

/* --- What goes out --- */

/* How much of `size` more bytes is within the limits. */
static size_t limit(struct gunzip *gunzip, size_t size)
{
    const uint64_t room = gunzip->total_max - gunzip->size;

    if (size > room) {
        fail(gunzip, g_strdup_printf("inflates to more than %" G_GUINT64_FORMAT
                                     " bytes; the rest is left out",
                                     gunzip->total_max));
        return (size_t)room;
    }
    if (gunzip->size + size > GUNZIP_RATIO_FROM &&
        gunzip->size + size > gunzip->packed_size * GUNZIP_RATIO_MAX)
        fail(gunzip, g_strdup_printf("inflates to more than %d times its size; "
                                     "the rest is left out",
                                     GUNZIP_RATIO_MAX));
    return size;
}

static ssize_t read_inflated(void *cookie, char *out, size_t size)
{
    struct gunzip *gunzip = cookie;
    const uInt room = (uInt)MIN(size, (size_t)STREAM_BUFFER);
    size_t inflated;

    gunzip->zlib.next_out = (Bytef *)out;
    gunzip->zlib.avail_out = room;
    while (!gunzip->over && gunzip->zlib.avail_out == room)
        if (gunzip->zlib.avail_in || fetch(gunzip))
            inflate_some(gunzip);
    inflated = room - gunzip->zlib.avail_out;
    if (inflated)
        inflated = limit(gunzip, inflated);
    gunzip->size += inflated;
    return (ssize_t)inflated;
}

struct gunzip *gunzip_new(FILE *packed, uint64_t total_max)
{
    struct gunzip *gunzip = g_new0(struct gunzip, 1);

    gunzip->packed = packed;
    gunzip->total_max = total_max;
    if (inflateInit2(&gunzip->zlib, GZIP_ONLY) != Z_OK)
        fail(gunzip, g_strdup("zlib cannot be used"));
    return gunzip;
}

FILE *gunzip_stream(struct gunzip *gunzip)
{
    FILE *stream = fopencookie(gunzip, "r", (cookie_io_functions_t){.read = read_inflated});

    if (stream)
        setvbuf(stream, gunzip->buffer, _IOFBF, sizeof gunzip->buffer);
    return stream;
}

const char *gunzip_problem(const struct gunzip *gunzip)
{
    return gunzip->problem;
}

void gunzip_free(struct gunzip *gunzip)
{
    inflateEnd(&gunzip->zlib);
    g_free(gunzip->problem);
    g_free(gunzip);
}
