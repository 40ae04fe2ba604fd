/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds the demo that a capture was made of by --pcap, byte for byte. Such a capture says what
 * it is in the client's first packet; see aside.h.
 */
#ifndef PCAP2DEMO_REBUILD_MADE_H
#define PCAP2DEMO_REBUILD_MADE_H

#include "pcap2demo/rebuild.h"

/* The rebuilder for a session that begins with this packet, if it was made of a demo; or NULL. */
const struct rebuilder *rebuild_made_find(const struct qs_decoder *decoder,
                                          const struct qs_packet *first);

#endif
