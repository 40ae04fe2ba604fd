/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A read buffer for a stream: callers use the bytes in place.
 *
 * Regular files are read in large chunks: two calls of fread(3) for each frame, one for its header
 * and one for its bytes, take a tenth of the cost of converting the frame to a demo. Other streams
 * are read only as far as needed, since further bytes may take long to arrive.
 */
#ifndef PCAP2DEMO_READ_BUFFER_H
#define PCAP2DEMO_READ_BUFFER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct read_buffer {
    FILE *stream;
    bool regular;
    off_t offset;      /* in a regular file, of the end of `bytes` */
    uint8_t *bytes;    /* unread bytes of the previous chunk, then the current one */
    uint32_t capacity; /* of `bytes` */
    uint32_t at, size; /* available bytes: from `at` up to `size` */
    uint64_t position; /* bytes consumed */
    int failure;       /* an errno value; 0: no failure so far */
};

/* Reads from the stream's position. The caller keeps the stream, but must not read it itself. */
void read_buffer_init(struct read_buffer *buffer, FILE *stream);
void read_buffer_clear(struct read_buffer *buffer);

/* The available bytes. */
static inline const uint8_t *read_buffer_bytes(const struct read_buffer *buffer)
{
    return buffer->bytes + buffer->at;
}

static inline uint32_t read_buffer_left(const struct read_buffer *buffer)
{
    return buffer->size - buffer->at;
}

/* The slow path of read_buffer_need(). */
bool read_buffer_fetch(struct read_buffer *buffer, uint32_t size);

/*
 * Makes `size` bytes available, reading if needed. False at the end of the stream or on failure.
 * Invalidates earlier results of read_buffer_bytes().
 */
static inline bool read_buffer_need(struct read_buffer *buffer, uint32_t size)
{
    return read_buffer_left(buffer) >= size || read_buffer_fetch(buffer, size);
}

/* Consumes available bytes; they stay valid until read_buffer_need(). */
static inline void read_buffer_pass(struct read_buffer *buffer, uint32_t size)
{
    buffer->at += size;
    buffer->position += size;
}

/*
 * Reads the first bytes of a stream and pushes them back with ungetc(): C guarantees one, Linux's C
 * libraries accept any number. Returns how many there are.
 */
size_t peek_stream(FILE *stream, uint8_t *bytes, size_t size);

#endif
