/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deflate streams that go on from unit to unit of a TCP stream (zlib's format, RFC 1950). They are
 * inflated, and deflated anew with what was replaced: each unit inflates to as many bytes as
 * before, so that the copy decodes the same.
 */
#ifndef PCAP2DEMO_DEFLATED_H
#define PCAP2DEMO_DEFLATED_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

/* A stream; it is counted who holds it. */
struct deflated;

/* NULL without memory. */
struct deflated *deflated_new(void);
struct deflated *deflated_ref(struct deflated *deflated);
void deflated_unref(struct deflated *deflated);

/*
 * Takes the next unit. What it inflates to, which the caller must unref, too; NULL: it does not go
 * on with the stream. `*ended`: the stream ends in it.
 */
GByteArray *deflated_take(struct deflated *deflated, struct qs_view packed, bool *ended);

/*
 * Replaces all that the last units inflate to, the last one and the ends of those before it, except
 * in units that are given out already.
 */
void deflated_replace(struct deflated *deflated, struct qs_view bytes);

/* Appends to `packed` what a unit is in the copy. All are to come once, in their order. */
void deflated_give(struct deflated *deflated, GByteArray *inflated, bool ended, GByteArray *packed);

#endif
