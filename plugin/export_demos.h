/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File > Export Objects > Quake demos: what pcap2demo writes, of all protocols. `tshark
 * --export-objects quake_demos,FOLDER`.
 *
 * A tap receives each datagram and stream unit of our dissectors and passes it to common/sessions/,
 * as pcap2demo does, which decodes it again in the order of sending. Demos are listed when their
 * sessions end, the rest after the last packet.
 */
#ifndef QS_PLUGIN_EXPORT_DEMOS_H
#define QS_PLUGIN_EXPORT_DEMOS_H

#include "plugin/dissector.h"

void export_demos_register(void);

/* Call it when the capture is closed. */
void export_demos_end(void);

/*
 * Queues a packet or unit for the tap; `dissector` NULL: protocol unknown. `conversation`
 * identifies a unit's conversation.
 */
void export_demos_queue(const struct dissector *dissector, packet_info *pinfo,
                        const struct qs_packet *packet, const void *conversation);

#endif
