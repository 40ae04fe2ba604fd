/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deflate streams that span the units of a TCP stream (zlib's format, RFC 1950). They are inflated,
 * and deflated again with the replacements: each unit inflates to as many bytes as before, so that
 * the copy decodes the same.
 */
#ifndef PCAP2DEMO_DEFLATED_H
#define PCAP2DEMO_DEFLATED_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

/* A stream, with a reference count. */
struct deflated;

/* NULL if out of memory. */
struct deflated *deflated_new(void);
struct deflated *deflated_ref(struct deflated *deflated);
void deflated_unref(struct deflated *deflated);

/*
 * Inflates the next unit. Returns a reference to the inflated bytes; NULL: the unit does not
 * continue the stream. `*ended`: the stream ends in it.
 */
GByteArray *deflated_take(struct deflated *deflated, struct qs_view packed, bool *ended);

/*
 * Replaces the last inflated bytes, of the last unit and the ends of units before it, except in
 * units that deflated_give() has returned.
 */
void deflated_replace(struct deflated *deflated, struct qs_view bytes);

/* Appends the copy's unit to `packed`. Call it once for each unit, in order. */
void deflated_give(struct deflated *deflated, GByteArray *inflated, bool ended, GByteArray *packed);

#endif
