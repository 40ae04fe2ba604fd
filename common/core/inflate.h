/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed messages of a packet. A byte of deflate data may stand for a thousand, and each of
 * those for a line of a dump: what a packet inflates to has a limit, and so has what all packets of
 * a session do.
 */
#ifndef QS_CORE_INFLATE_H
#define QS_CORE_INFLATE_H

#include <glib.h>

#include "common/core/decoder_state.h"

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

/* The packet was decoded: what it did not inflate to, later ones may. */
void qs_inflate_end(struct qs_decoder *d);

/* Says that the bytes from `offset` to the reader's position stay packed, `size` of them. */
void qs_inflate_refuse(struct qs_decoder *d, uint32_t offset, uint32_t size);

/*
 * Inflates all of `packed`, raw deflate data, to exactly `size` bytes (unref them when they are
 * read). NULL where that is not what they are, or from where on the packet's limit is passed: then
 * a note about the bytes from `offset` to the reader's position says so.
 */
GBytes *qs_inflate(struct qs_decoder *d, uint32_t offset, struct qs_view packed, uint32_t size);

#endif
