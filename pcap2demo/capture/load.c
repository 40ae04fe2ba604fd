/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/load.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

enum { CHUNK = 64 * 1024 };

static GByteArray *read_all(FILE *stream, guint max, char **problem)
{
    GByteArray *bytes = g_byte_array_new();
    uint8_t chunk[CHUNK];
    size_t size;

    while ((size = fread(chunk, 1, sizeof chunk, stream))) {
        const guint room = max - bytes->len;

        g_byte_array_append(bytes, chunk, (guint)MIN(size, room));
        if (size > room) {
            *problem = g_strdup_printf("larger than %u bytes; the rest is left out", max);
            return bytes;
        }
    }
    if (ferror(stream))
        *problem = g_strdup(g_strerror(errno));
    return bytes;
}

/* --- gzip */

static bool is_gzip(const GByteArray *bytes)
{
    return bytes->len >= 2 && bytes->data[0] == 0x1f && bytes->data[1] == 0x8b;
}

/* One call of zlib; what comes out is added to `out`. */
static int inflate_some(z_stream *stream, GByteArray *out)
{
    uint8_t chunk[CHUNK];
    int status;

    stream->next_out = chunk;
    stream->avail_out = sizeof chunk;
    status = inflate(stream, Z_NO_FLUSH);
    g_byte_array_append(out, chunk, (guint)(sizeof chunk - stream->avail_out));
    return status;
}

/* gzip files may be several, one behind the other. */
static const char *inflate_members(z_stream *stream, GByteArray *out, guint max)
{
    while (out->len <= max) {
        const int status = inflate_some(stream, out);

        if (status == Z_STREAM_END && !stream->avail_in)
            return NULL;
        if (status == Z_STREAM_END)
            inflateReset(stream);
        else if (status == Z_BUF_ERROR ||
                 (status == Z_OK && !stream->avail_in && stream->avail_out))
            return "the compressed data end early";
        else if (status != Z_OK)
            return "the compressed data are damaged";
    }
    g_byte_array_set_size(out, max);
    return "larger than can be read; the rest is left out";
}

static GByteArray *inflate_all(GByteArray *packed, guint max, char **problem)
{
    enum { GZIP_ONLY = 16 + MAX_WBITS }; /* zlib.h, inflateInit2 */
    GByteArray *out = g_byte_array_new();
    z_stream stream = {.next_in = packed->data, .avail_in = packed->len};
    const char *fault = "zlib cannot be used";

    if (inflateInit2(&stream, GZIP_ONLY) == Z_OK) {
        fault = inflate_members(&stream, out, max);
        inflateEnd(&stream);
    }
    if (fault && !*problem)
        *problem = g_strdup(fault);
    g_byte_array_free(packed, TRUE);
    return out;
}

GByteArray *load_stream(FILE *stream, guint max, char **problem)
{
    GByteArray *bytes;

    *problem = NULL;
    bytes = read_all(stream, max, problem);
    return is_gzip(bytes) ? inflate_all(bytes, max, problem) : bytes;
}
