/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognizes sessions that started before the capture. On unknown ports: heuristics, off by default
 * ("qw_late_udp" …, in Analyze > Enabled Protocols), since they store the first packets of all
 * conversations to judge by several. On servers' ports: if no single packet can be decoded. The
 * evidence is that of common/sessions/heuristic.h, as for pcap2demo.
 */
#ifndef QS_PLUGIN_LATE_H
#define QS_PLUGIN_LATE_H

#include "plugin/dissector.h"

/* Call it when the capture is closed. */
void late_end(void);

/*
 * Whether the packet, which no dissector accepted, completes the evidence that its conversation has
 * this protocol. In the first pass, the first call for a packet counts it.
 */
bool late_is_recognised(const struct dissector *dissector, packet_info *pinfo,
                        const struct qs_packet *packet);

/* Shows the evidence below `top` if the packet completed it.
 */
void late_show(struct dissector *dissector, packet_info *pinfo, proto_item *top);

#endif
