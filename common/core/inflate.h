/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed messages of a packet. A byte of deflate data may inflate to a thousand, and each of
 * those may become a line of a dump: the inflated size of a packet has a limit, and so has that of
 * all packets of a session.
 */
#ifndef QS_CORE_INFLATE_H
#define QS_CORE_INFLATE_H

#include <glib.h>

#include "common/core/decoder.h"

/*
 * Bytes that all compressed messages of a packet inflate to. Servers send two of up to 16 KiB
 * together; the size that a message states is below 64 KiB.
 */
enum { QS_INFLATED_MAX = 128 * 1024 };

/*
 * All packets of a session inflate to so many times their size, and to so many bytes more: of
 * datagrams, or of a stream. Servers' messages inflate to four times their size; only what a GTV
 * stream begins with, 7 KiB, to thirteen times.
 */
enum { QS_INFLATED_RATIO = 8, QS_INFLATED_AHEAD = 4 * 1024, QS_INFLATED_AHEAD_STREAM = 16 * 1024 };

/* Bytes that the packet at hand may still inflate to. */
uint32_t qs_inflate_left(const struct qs_decoder *d);

/* The packet was decoded: adds its unused allowance to that of later packets. */
void qs_inflate_end(struct qs_decoder *d);

/* Notes that the `size` bytes from `offset` to the reader's position stay packed. */
void qs_inflate_refuse(struct qs_decoder *d, uint32_t offset, uint32_t size);

/*
 * Inflates all of `packed`, raw deflate data, to exactly `size` bytes (unref them when they are
 * read). NULL where that is not what they are, or from where on the packet's limit is passed: then
 * a note about the bytes from `offset` to the reader's position says so.
 */
GBytes *qs_inflate(struct qs_decoder *d, uint32_t offset, struct qs_view packed, uint32_t size);

/*
 * A deflate stream that continues from packet to packet over TCP (zlib's format, RFC 1950).
 *
 * Its state is a value: copies share what is large, and each can go on by itself, so that sessions
 * can hold it (see session.h). What it keeps are the last 32 KiB that it inflated to, and the
 * packed bytes behind the last place where a block begins.
 */

/* Zeroed: a stream that has not begun. */
struct qs_inflate_stream {
    bool begun;        /* the header has been read */
    bool ended;        /* the last block has */
    uint8_t bits;      /* how many upper bits of `pending` belong to the block; 0: the whole byte */
    uint32_t given;    /* bytes that `pending` inflates to, which were given out */
    uint32_t again;    /* bytes that were inflated again, by which they are more than is usual */
    GBytes *pending;   /* from the byte on in which a block begins; or NULL: it has not come */
    GPtrArray *window; /* GBytes, the oldest first: what was before that block; or NULL */
};

/* Overwrites `to` without clearing it. */
void qs_inflate_stream_copy(struct qs_inflate_stream *to, const struct qs_inflate_stream *from);
void qs_inflate_stream_clear(struct qs_inflate_stream *stream);

/* Whether both hold the same bytes. */
static inline bool qs_inflate_stream_shares(const struct qs_inflate_stream *a,
                                            const struct qs_inflate_stream *b)
{
    return a->pending == b->pending && a->window == b->window;
}

/*
 * Appends to `out` what the next bytes of the stream inflate to, within the packet's limit (see
 * inflate.h); and within one of its own, since a block that does not end is inflated again with
 * each packet. `*used`: how many of `packed` belong to the stream: all of them, but where it ends.
 * False where they are no such stream, or where the limit is passed: then a note about the bytes
 * from `offset` to the reader's position says so, and nothing that follows can be inflated.
 */
bool qs_inflate_more(struct qs_decoder *d, struct qs_inflate_stream *stream, uint32_t offset,
                     struct qs_view packed, GByteArray *out, uint32_t *used);

#endif
