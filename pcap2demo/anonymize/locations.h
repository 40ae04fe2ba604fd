/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces decoded bytes in the held packets: in the packet itself, in joined fragments, or in
 * inflated bytes, which are deflated again.
 */
#ifndef PCAP2DEMO_LOCATIONS_H
#define PCAP2DEMO_LOCATIONS_H

#include "pcap2demo/anonymize/writer.h"
#include "pcap2demo/anonymize/redactions.h"

struct location {
    const struct anonymous_writer *writer;
    const struct redactions *redactions; /* of the packet */
    struct held_packet *packet;
    struct qs_view payload; /* original */

    struct redaction_source *source; /* NULL: the payload */
    struct qs_view bytes;            /* of the source, original */
};

/* The source of this number; 0: NULL. */
struct redaction_source *location_source(const struct redactions *redactions, unsigned number);

/* Whether nothing can be replaced in it: it was inflated, and cannot be deflated again. */
bool location_is_opaque(const struct redaction_source *source);

/* Selects the source of this number. False if nothing can be replaced in it. */
bool location_select(struct location *location, unsigned source);

void location_replace(const struct location *location, uint32_t offset, const void *bytes,
                      uint32_t size);

/* Finally writes what changed in sources into the packets. False if something does not fit. */
bool location_write(const struct location *location);

#endif
