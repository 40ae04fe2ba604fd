/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/pieces.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 64 * 1024 /* bytes that are read at once: they stay in a processor's cache */ };

static bool is_regular(FILE *stream)
{
    const int file = fileno(stream);
    struct stat status;

    return file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void pieces_init(struct pieces *pieces, FILE *stream)
{
    *pieces = (struct pieces){.stream = stream};
    pieces->offset = is_regular(stream) ? ftello(stream) : -1;
    pieces->regular = pieces->offset >= 0;
}

void pieces_clear(struct pieces *pieces)
{
    g_free(pieces->room);
}

/* In whole pieces, and with one to spare: it grows seldom. */
static void make_room(struct pieces *pieces, uint32_t size)
{
    const uint32_t wanted = (size / PIECE + 2) * PIECE;

    if (pieces->capacity >= wanted)
        return;
    pieces->capacity = wanted;
    pieces->room = g_realloc(pieces->room, wanted);
}

static void read_file(struct pieces *pieces, uint32_t size)
{
    while (pieces->size < size) {
        const ssize_t read =
            pread(fileno(pieces->stream), pieces->room + pieces->size, PIECE, pieces->offset);

        if (read < 0 && errno == EINTR)
            continue;
        if (read < 0)
            pieces->failure = errno;
        if (read <= 0)
            return;
        pieces->offset += read;
        pieces->size += (uint32_t)read;
    }
}

/* A signal ends it. */
static void read_stream(struct pieces *pieces, uint32_t size)
{
    const uint32_t wanted = size - pieces->size;
    const size_t read = fread(pieces->room + pieces->size, 1, wanted, pieces->stream);

    if (read < wanted && ferror(pieces->stream))
        pieces->failure = errno;
    pieces->size += (uint32_t)read;
}

bool pieces_fetch(struct pieces *pieces, uint32_t size)
{
    pieces->size -= pieces->at;
    if (pieces->size)
        memmove(pieces->room, pieces->room + pieces->at, pieces->size);
    pieces->at = 0;
    make_room(pieces, size);
    if (pieces->regular)
        read_file(pieces, size);
    else
        read_stream(pieces, size);
    return pieces->size >= size;
}
