/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where bytes of a decode lie in the packets that are held: in the packet itself, in the fragments
 * that were joined, or in what was inflated, which is deflated again.
 */
#ifndef PCAP2DEMO_LOCATIONS_H
#define PCAP2DEMO_LOCATIONS_H

#include "pcap2demo/anonymize/writer.h"
#include "pcap2demo/anonymize/redactions.h"

struct location {
    const struct anonymous_writer *writer;
    const struct redactions *redactions; /* of the packet */
    struct held_packet *packet;
    struct qs_view payload; /* as it was */
    uint32_t base;          /* of it, in the bytes that are held */

    struct redaction_source *source; /* NULL: the payload */
    struct qs_view bytes;            /* of the source, as they were */
};

/* The source of this number; 0: NULL. */
struct redaction_source *location_source(const struct redactions *redactions, unsigned number);

/* Nothing can be replaced in it: it was compressed, and cannot be again. */
bool location_is_opaque(const struct redaction_source *source);

/* Goes to the source of this number. False where nothing can be replaced in it. */
bool location_enter(struct location *location, unsigned source);

void location_replace(const struct location *location, uint32_t offset, const void *bytes,
                      uint32_t size);

/*
 * At last: deflates what was replaced in inflated bytes, but those of streams. False where
 * something has no room.
 */
bool location_deflate(struct location *location);

#endif
