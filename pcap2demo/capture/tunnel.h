/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tunnels: what mirror ports and virtual networks put before a packet. */
#ifndef PCAP2DEMO_TUNNEL_H
#define PCAP2DEMO_TUNNEL_H

#include "common/core/packet.h"

/*
 * Both shorten `packet`, which begins with the header, to the IPv4 or IPv6 packet in it. False if
 * there is none that can be read.
 */

/*
 * GRE with IP, MPLS, PPP (PPTP) or Ethernet, or the mirrored Ethernet of ERSPAN I, II and III.
 * Sources: RFC 1701, 2784, 2890, 2637; draft-foschiano-erspan-03.
 */
bool tunnel_read_gre(struct qs_packet *packet);

/* What UDP carries to port TUNNEL_VXLAN_PORT. Source: RFC 7348. */
enum { TUNNEL_VXLAN_PORT = 4789 };
bool tunnel_read_vxlan(struct qs_packet *packet);

#endif
