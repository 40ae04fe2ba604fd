/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where bytes of a decode lie in the packets that are held: in the packet itself, in the fragments
 * that were joined, or in what was inflated, which is deflated again.
 */
#ifndef PCAP2DEMO_PLACES_H
#define PCAP2DEMO_PLACES_H

#include "pcap2demo/anonymize/copy.h"
#include "pcap2demo/anonymize/marks.h"

struct place {
    const struct copy *copy;
    const struct marks *marks; /* of the packet */
    struct held_packet *packet;
    struct qs_view payload; /* as it was */
    uint32_t base;          /* of it, in the bytes that are held */

    struct marked_source *source; /* NULL: the payload */
    struct qs_view bytes;         /* of the source, as they were */
};

/* The source of this number; 0: NULL. */
struct marked_source *place_source(const struct marks *marks, unsigned number);

/* Nothing can be replaced in it: it was compressed, and cannot be again. */
bool place_is_opaque(const struct marked_source *source);

/* Goes to the source of this number. False where nothing can be replaced in it. */
bool place_enter(struct place *place, unsigned source);

void place_replace(const struct place *place, uint32_t offset, const void *bytes, uint32_t size);

/*
 * At last: deflates what was replaced in inflated bytes, but those of streams. False where
 * something has no room.
 */
bool place_deflate(struct place *place);

#endif
