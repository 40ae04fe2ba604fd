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

/* The packet was decoded: adds its unused allowance to that of later packets. */
void qs_inflate_end(struct qs_decoder *d);

/*
 * Inflates all of `packed`, raw deflate data, to exactly `size` bytes (unref them when they are
 * read). NULL if they do not inflate to that, or if the packet's limit is passed: then the decoder
 * adds a note about the bytes from `offset` to the reader's position.
 */
GBytes *qs_inflate(struct qs_decoder *d, uint32_t offset, struct qs_view packed, uint32_t size);

/*
 * A deflate stream that continues from packet to packet over TCP (zlib's format, RFC 1950).
 *
 * Sessions can hold it (see session.h): copies share zlib's state, and each has its own position.
 * What a packet inflated to is kept as long as a copy stands before that packet; all copies get the
 * same packets.
 */
struct qs_inflater;

/* Zeroed: a stream that has not begun. */
struct qs_inflate_stream {
    struct qs_inflater *inflater;
    uint32_t position; /* packets that were inflated */
    bool ended;        /* the last block has */
};

/* Overwrites `to` without clearing it. */
void qs_inflate_stream_copy(struct qs_inflate_stream *to, const struct qs_inflate_stream *from);
void qs_inflate_stream_clear(struct qs_inflate_stream *stream);

/*
 * Appends to `out` what the next bytes of the stream inflate to, within the packet's limit.
 * `*used`: how many of `packed` belong to the stream: all of them, but where it ends. False where
 * they are no such stream, or where the limit is passed: then a note about the bytes from `offset`
 * to the reader's position says so, and nothing that follows can be inflated.
 */
bool qs_inflate_more(struct qs_decoder *d, struct qs_inflate_stream *stream, uint32_t offset,
                     struct qs_view packed, GByteArray *out, uint32_t *used);

#endif
