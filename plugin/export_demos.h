/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File > Export Objects > Quake demos: what pcap2demo writes, of all protocols.
 * `tshark --export-objects quake_demos,FOLDER`.
 *
 * A tap receives each datagram, and each unit of a stream, that came to one of our dissectors. They
 * take the same way that they take in pcap2demo (common/sessions/), which decodes them again: in
 * the order in which they were sent. What that gives is listed as sessions end, the rest when there
 * are no more packets.
 */
#ifndef QS_PLUGIN_EXPORT_DEMOS_H
#define QS_PLUGIN_EXPORT_DEMOS_H

#include "plugin/dissector.h"

void export_demos_register(void);

/* The capture is closed. */
void export_demos_end(void);

/*
 * Gives the tap a packet or unit; `dissector` NULL: nobody knows what it is of. `conversation`
 * identifies that of a unit.
 */
void export_demos_queue(const struct dissector *dissector, packet_info *pinfo,
                        const struct qs_packet *packet, const void *conversation);

#endif
