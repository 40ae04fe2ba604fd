/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inflates compressed messages. A byte of deflate data may inflate to a thousand, and each of those
 * may become a line of a dump, so the inflated sizes of a packet and of a session are limited.
 */
#ifndef QS_CORE_INFLATE_H
#define QS_CORE_INFLATE_H

#include <glib.h>

#include "common/core/decoder.h"

/*
 * Maximum inflated size of all compressed messages of a packet (bytes). Servers send two of up to
 * 16 KiB together; the size that a message states is below 64 KiB.
 */
enum { QS_INFLATED_MAX = 128 * 1024 };

/*
 * Limit of a session: all packets inflate to at most QS_INFLATED_RATIO times their size, plus an
 * advance (bytes) for datagrams or a stream. Servers' messages inflate to four times their size;
 * only the beginning of a GTV stream, 7 KiB, inflates to thirteen times its size.
 */
enum { QS_INFLATED_RATIO = 8, QS_INFLATED_AHEAD = 4 * 1024, QS_INFLATED_AHEAD_STREAM = 16 * 1024 };

/* Ends a decoded packet: adds its unused allowance to that of later packets. */
void qs_inflate_end(struct qs_decoder *d);

/*
 * Inflates all of `packed`, raw deflate data, to exactly `size` bytes, which the caller unrefs.
 * Returns NULL if they inflate to another size or exceed the packet's limit, after a note about the
 * bytes from `offset` to the reader's position.
 */
GBytes *qs_inflate(struct qs_decoder *d, uint32_t offset, struct qs_view packed, uint32_t size);

/*
 * A deflate stream that continues from packet to packet over TCP (zlib's format, RFC 1950).
 *
 * Sessions may contain it (see session.h): copies share zlib's state, and each has its own
 * position. All copies must get the same packets. The output of a packet is kept while a copy is at
 * an earlier position.
 */
struct qs_inflater;

/* A zeroed struct is a stream that has not begun. */
struct qs_inflate_stream {
    struct qs_inflater *inflater;
    uint32_t position; /* number of packets inflated */
    bool ended;        /* the last block has ended */
};

/* Makes `to` a copy of `from` without clearing `to` first. */
void qs_inflate_stream_copy(struct qs_inflate_stream *to, const struct qs_inflate_stream *from);
void qs_inflate_stream_clear(struct qs_inflate_stream *stream);

/*
 * Inflates the next bytes of the stream, within the packet's limit, and appends the output to
 * `out`. Sets `*used` to the number of bytes of `packed` in the stream: all of them unless it ends.
 * Returns false if they are invalid or exceed the limit, after a note about the bytes from `offset`
 * to the reader's position; no later bytes can be inflated then.
 */
bool qs_inflate_more(struct qs_decoder *d, struct qs_inflate_stream *stream, uint32_t offset,
                     struct qs_view packed, GByteArray *out, uint32_t *used);

#endif
