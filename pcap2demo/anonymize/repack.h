/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressing what was replaced, to as many bytes as before where that is possible, so that nothing
 * moves in the packet.
 *
 * Raw deflate (RFC 1951) may have blocks of nothing: they stand before the data for what lacks.
 */
#ifndef PCAP2DEMO_REPACK_H
#define PCAP2DEMO_REPACK_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/reader.h"

/* Whether the bytes are what `packed` inflates to, as raw deflate. */
bool repack_understands(struct qs_view packed, struct qs_view bytes);

/* Deflates to exactly `size` bytes, or to more where that cannot be; to 0 without memory. New. */
GByteArray *repack(struct qs_view bytes, uint32_t size);

#endif
