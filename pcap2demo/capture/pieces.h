/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream whose bytes stay where they were read to, while somebody looks at them.
 *
 * A regular file is read in large pieces: to copy each frame out of a stream by two calls of
 * fread(3), one for its header and one for its bytes, takes a tenth of what it costs to make a demo
 * of a frame. Of all other streams no byte more is asked for than is needed, since it may be long
 * in coming.
 */
#ifndef PCAP2DEMO_PIECES_H
#define PCAP2DEMO_PIECES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct pieces {
    FILE *stream;
    bool regular;
    off_t offset;      /* in a regular file, behind what is in `room` */
    uint8_t *room;     /* a piece of the stream, behind what the one before left over */
    uint32_t capacity; /* of it */
    uint32_t at, size; /* what was read and not yet left behind: from `at` up to `size` */
    uint64_t position; /* bytes that were left behind */
    int failure;       /* an errno value; 0: none so far */
};

/* From where the stream stands, which remains the caller's and is not read beside this. */
void pieces_init(struct pieces *pieces, FILE *stream);
void pieces_clear(struct pieces *pieces);

/* Of what is at hand. */
static inline const uint8_t *pieces_bytes(const struct pieces *pieces)
{
    return pieces->room + pieces->at;
}

static inline uint32_t pieces_left(const struct pieces *pieces)
{
    return pieces->size - pieces->at;
}

/* What pieces_need() does where fewer bytes are at hand. */
bool pieces_fetch(struct pieces *pieces, uint32_t size);

/*
 * Whether this many bytes are at hand, after reading on if need be: false at the end of the stream
 * or on failure. What pieces_bytes() was before is not valid any more.
 */
static inline bool pieces_need(struct pieces *pieces, uint32_t size)
{
    return pieces_left(pieces) >= size || pieces_fetch(pieces, size);
}

/* Leaves bytes at hand behind; they stay valid until pieces_need(). */
static inline void pieces_pass(struct pieces *pieces, uint32_t size)
{
    pieces->at += size;
    pieces->position += size;
}

#endif
