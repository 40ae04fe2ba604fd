/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions that were running when the capture began. On ports that say nothing: heuristics that are
 * off by default ("qw_late_udp" …, in Analyze > Enabled Protocols), since they keep the first
 * packets of everybody's conversations to judge by several of them. On servers' ports: where no
 * packet can be read by itself. What counts as evidence is in common/sessions/heuristic.h, as for
 * pcap2demo.
 */
#ifndef QS_PLUGIN_LATE_H
#define QS_PLUGIN_LATE_H

#include "plugin/dissector.h"

/* The capture is closed. */
void late_end(void);

/*
 * Whether the packet, which nobody claims, completes the evidence that its conversation is of this
 * dissector's protocol. In a first pass the first of several questions about a packet counts it.
 */
bool late_is_recognised(const struct dissector *dissector, packet_info *pinfo,
                        const struct qs_packet *packet);

/* Says below `top` what the evidence was, where it was the packet's conversation that it completed.
 */
void late_show(struct dissector *dissector, packet_info *pinfo, proto_item *top);

#endif
