/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/unpack.h"

#include <errno.h>
#include <glib.h>
#include <stdbool.h>

enum { PACKED_CHUNK = 64 * 1024, STREAM_BUFFER = 256 * 1024 };

struct unpack {
    FILE *packed;
    const struct codec *codec;
    void *state;                /* the decoder's; NULL: there is none */
    struct codec_buffers left;  /* what of the chunk the decoder did not take */
    uint64_t size, packed_size; /* so far */
    uint64_t total_max;
    bool between; /* a piece is over: the file may end */
    bool full;    /* the decoder filled all the room that it had: it may hold back more */
    bool over;
    char *problem;
    uint8_t chunk[PACKED_CHUNK];
    char buffer[STREAM_BUFFER];
};

static void fail(struct unpack *unpack, char *problem)
{
    unpack->over = true;
    g_free(unpack->problem);
    unpack->problem = problem;
}

/* --- What comes in --- */

/* Reads more of the file. A file ends well between pieces, of which it may have several. */
static bool fetch(struct unpack *unpack)
{
    const size_t size = fread(unpack->chunk, 1, sizeof unpack->chunk, unpack->packed);

    unpack->left.in = unpack->chunk;
    unpack->left.in_size = size;
    unpack->packed_size += size;
    if (size)
        return true;
    if (ferror(unpack->packed))
        fail(unpack, g_strdup(g_strerror(errno)));
    else if (!unpack->between)
        fail(unpack, g_strdup("the compressed data end early"));
    unpack->over = true;
    return false;
}

/* One step of the decoder. */
static void decode_some(struct unpack *unpack)
{
    const struct codec_buffers before = unpack->left;
    const enum codec_status status = unpack->codec->decoder->step(unpack->state, &unpack->left);

    unpack->full = !unpack->left.out_size;
    if (status == CODEC_DAMAGED)
        fail(unpack, g_strdup("the compressed data are damaged"));
    else if (status == CODEC_GREEDY)
        fail(unpack, g_strdup_printf("the compressed data need more than %d MiB of memory",
                                     CODEC_MEMORY_MAX >> 20));
    else if (before.in_size != unpack->left.in_size || before.out_size != unpack->left.out_size)
        unpack->between = status == CODEC_BETWEEN;
    else
        unpack->full = false; /* nothing was held back */
}

/* --- What goes out --- */

/* How much of `size` more bytes is within the limits. */
static size_t limit(struct unpack *unpack, size_t size)
{
    const uint64_t room = unpack->total_max - unpack->size;

    if (size > room) {
        fail(unpack, g_strdup_printf("inflates to more than %" G_GUINT64_FORMAT
                                     " bytes; the rest is left out",
                                     unpack->total_max));
        return (size_t)room;
    }
    if (unpack->size + size > UNPACK_RATIO_FROM &&
        unpack->size + size > unpack->packed_size * UNPACK_RATIO_MAX)
        fail(unpack, g_strdup_printf("inflates to more than %d times its size; "
                                     "the rest is left out",
                                     UNPACK_RATIO_MAX));
    return size;
}

static ssize_t read_unpacked(void *cookie, char *out, size_t size)
{
    struct unpack *unpack = cookie;
    const size_t room = MIN(size, (size_t)STREAM_BUFFER);
    size_t unpacked;

    unpack->left.out = (uint8_t *)out;
    unpack->left.out_size = room;
    while (!unpack->over && unpack->left.out_size == room)
        if (unpack->left.in_size || unpack->full || fetch(unpack))
            decode_some(unpack);
    unpacked = room - unpack->left.out_size;
    if (unpacked)
        unpacked = limit(unpack, unpacked);
    unpack->size += unpacked;
    return (ssize_t)unpacked;
}

struct unpack *unpack_new(const struct codec *codec, FILE *packed, uint64_t total_max)
{
    struct unpack *unpack = g_new0(struct unpack, 1);

    unpack->codec = codec;
    unpack->packed = packed;
    unpack->total_max = total_max;
    unpack->state = codec->decoder ? codec->decoder->open() : NULL;
    if (!codec->decoder)
        fail(unpack,
             g_strdup_printf("is compressed by %s, which this build cannot read", codec->name));
    else if (!unpack->state)
        fail(unpack, g_strdup_printf("%s cannot be used", codec->name));
    return unpack;
}

FILE *unpack_stream(struct unpack *unpack)
{
    FILE *stream = fopencookie(unpack, "r", (cookie_io_functions_t){.read = read_unpacked});

    if (stream)
        setvbuf(stream, unpack->buffer, _IOFBF, sizeof unpack->buffer);
    return stream;
}

const char *unpack_problem(const struct unpack *unpack)
{
    return unpack->problem;
}

uint64_t unpack_position(const struct unpack *unpack)
{
    return unpack->packed_size - unpack->left.in_size;
}

void unpack_free(struct unpack *unpack)
{
    if (unpack->state)
        unpack->codec->decoder->close(unpack->state);
    g_free(unpack->problem);
    g_free(unpack);
}
