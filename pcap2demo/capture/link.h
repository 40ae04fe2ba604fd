/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link layers: finds the IP packet in a frame.
 *
 * Known are Ethernet (with any number of VLAN tags, and MPLS), Linux cooked capture 1 and 2, BSD
 * loopback, PPP, PPPoE and bare IP. Source: tcpdump.org's list of link types.
 */
#ifndef PCAP2DEMO_LINK_H
#define PCAP2DEMO_LINK_H

#include "pcap2demo/capture/span.h"

/*
 * Shortens `frame` to the IPv4 or IPv6 packet in it, recognized by its first nibble. False if there
 * is none.
 */
typedef bool link_reader(struct span *frame);

/* The reader for a DLT_ value of libpcap, or NULL if the link layer is not supported. */
link_reader *link_find(int link_type);

/*
 * Converts between LINKTYPE_ numbers in files and DLT_ values. Of the supported link types only raw
 * IP differs. Source: tcpdump.org's list of link types.
 */
enum { LINKTYPE_RAW = 101 };
int link_type_of_file(uint16_t number);
uint16_t link_type_to_file(int link_type);

#endif
