/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link layers: functions that find the IP packet in a frame.
 *
 * Supported are Ethernet (with any number of VLAN tags, and MPLS), Linux cooked capture 1 and 2,
 * BSD loopback, PPP, PPPoE and bare IP. Source: tcpdump.org's list of link types.
 */
#ifndef PCAP2DEMO_LINK_H
#define PCAP2DEMO_LINK_H

#include "common/core/packet.h"

/*
 * Shortens `frame` to the IPv4 or IPv6 packet in it, recognized by its first nibble. False if it
 * contains none.
 */
typedef bool link_reader(struct qs_packet *frame);

/* Returns the reader for a DLT_ value of libpcap, or NULL if the link layer is not supported. */
link_reader *link_find(int link_type);

/*
 * Convert between LINKTYPE_ numbers in files and DLT_ values. Of the supported link types only raw
 * IP differs. Source: tcpdump.org's list of link types.
 */
enum { LINKTYPE_RAW = 101 };
int link_type_of_file(uint16_t number);
uint16_t link_type_to_file(int link_type);

/* Skips a header of `count` bytes. Returns false, without a change, if they were not captured. */
static inline bool packet_skip(struct qs_packet *packet, uint32_t count)
{
    if (packet->size < count)
        return false;
    packet->data += count;
    packet->size -= count;
    packet->wire_size -= count;
    return true;
}

/* Limits the packet to `wire_size` bytes, the value of a length field. */
static inline void packet_limit(struct qs_packet *packet, uint32_t wire_size)
{
    packet->wire_size = MIN(packet->wire_size, wire_size);
    packet->size = MIN(packet->size, wire_size);
}

/* --- Tunnels: headers that mirror ports and virtual networks add ----------------------------- */

/*
 * Both functions shorten `packet`, which begins with the tunnel's header, to the IPv4 or IPv6
 * packet in it. They return false if it contains none that can be read.
 */

/*
 * Reads GRE with IP, MPLS, PPP (PPTP), Ethernet, or the mirrored Ethernet of ERSPAN I, II and III.
 * Sources: RFC 1701, 2784, 2890, 2637; draft-foschiano-erspan-03.
 */
bool tunnel_read_gre(struct qs_packet *packet);

/* Reads the payload of a UDP datagram to port TUNNEL_VXLAN_PORT. Source: RFC 7348. */
enum { TUNNEL_VXLAN_PORT = 4789 };
bool tunnel_read_vxlan(struct qs_packet *packet);

#endif
