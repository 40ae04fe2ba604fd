/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/read_buffer.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024 /* bytes per read: they fit into the CPU's cache */ };

static bool is_regular(FILE *stream)
{
    const int file = fileno(stream);
    struct stat status;

    return file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void read_buffer_init(struct read_buffer *buffer, FILE *stream)
{
    *buffer = (struct read_buffer){.stream = stream};
    buffer->offset = is_regular(stream) ? ftello(stream) : -1;
    buffer->regular = buffer->offset >= 0;
}

void read_buffer_clear(struct read_buffer *buffer)
{
    g_free(buffer->bytes);
}

/* Allocates whole chunks and a spare one, so that the buffer grows seldom. */
static void reserve(struct read_buffer *buffer, uint32_t size)
{
    const uint32_t wanted = (size / CHUNK + 2) * CHUNK;

    if (buffer->capacity >= wanted)
        return;
    buffer->capacity = wanted;
    buffer->bytes = g_realloc(buffer->bytes, wanted);
}

static void read_file(struct read_buffer *buffer, uint32_t size)
{
    while (buffer->size < size) {
        const ssize_t read =
            pread(fileno(buffer->stream), buffer->bytes + buffer->size, CHUNK, buffer->offset);

        if (read < 0 && errno == EINTR)
            continue;
        if (read < 0)
            buffer->failure = errno;
        if (read <= 0)
            return;
        buffer->offset += read;
        buffer->size += (uint32_t)read;
    }
}

/* A signal ends the read. */
static void read_stream(struct read_buffer *buffer, uint32_t size)
{
    const uint32_t wanted = size - buffer->size;
    const size_t read = fread(buffer->bytes + buffer->size, 1, wanted, buffer->stream);

    if (read < wanted && ferror(buffer->stream))
        buffer->failure = errno;
    buffer->size += (uint32_t)read;
}

bool read_buffer_fetch(struct read_buffer *buffer, uint32_t size)
{
    buffer->size -= buffer->at;
    if (buffer->size)
        memmove(buffer->bytes, buffer->bytes + buffer->at, buffer->size);
    buffer->at = 0;
    reserve(buffer, size);
    if (buffer->regular)
        read_file(buffer, size);
    else
        read_stream(buffer, size);
    return buffer->size >= size;
}

size_t peek_stream(FILE *stream, uint8_t *bytes, size_t size)
{
    size = fread(bytes, 1, size, stream);
    for (size_t i = size; i--;)
        ungetc(bytes[i], stream);
    return size;
}
