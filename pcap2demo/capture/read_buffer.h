/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream whose bytes stay where they were read to, while somebody looks at them.
 *
 * A regular file is read in large pieces: to copy each frame out of a stream by two calls of
 * fread(3), one for its header and one for its bytes, takes a tenth of what it costs to make a demo
 * of a frame. Of all other streams no byte more is asked for than is needed, since it may be long
 * in coming.
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
    off_t offset;      /* in a regular file, behind what is in `bytes` */
    uint8_t *bytes;    /* a piece of the stream, behind what the one before left over */
    uint32_t capacity; /* of it */
    uint32_t at, size; /* what was read and not yet left behind: from `at` up to `size` */
    uint64_t position; /* bytes that were left behind */
    int failure;       /* an errno value; 0: none so far */
};

/* From where the stream stands, which remains the caller's and is not read beside this. */
void read_buffer_init(struct read_buffer *buffer, FILE *stream);
void read_buffer_clear(struct read_buffer *buffer);

/* Of what is at hand. */
static inline const uint8_t *read_buffer_bytes(const struct read_buffer *buffer)
{
    return buffer->bytes + buffer->at;
}

static inline uint32_t read_buffer_left(const struct read_buffer *buffer)
{
    return buffer->size - buffer->at;
}

/* What read_buffer_need() does where fewer bytes are at hand. */
bool read_buffer_fetch(struct read_buffer *buffer, uint32_t size);

/*
 * Whether this many bytes are at hand, after reading on if need be: false at the end of the stream
 * or on failure. What read_buffer_bytes() was before is not valid any more.
 */
static inline bool read_buffer_need(struct read_buffer *buffer, uint32_t size)
{
    return read_buffer_left(buffer) >= size || read_buffer_fetch(buffer, size);
}

/* Leaves bytes at hand behind; they stay valid until read_buffer_need(). */
static inline void read_buffer_pass(struct read_buffer *buffer, uint32_t size)
{
    buffer->at += size;
    buffer->position += size;
}

#endif
