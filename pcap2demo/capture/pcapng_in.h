/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the frames of pcapng files, interface by interface.
 *
 * libpcap reads such files, too, but its interface has room for one link type and one snapshot
 * length a file: it gives a file up at the first interface description that has others
 * (libpcap 1.10, sf-pcapng.c, pcap_ng_next_packet()), and captures of several interfaces are the
 * rule for Wireshark and dumpcap.
 *
 * All kinds of packet blocks are read, of any number of sections of either byte order.
 */
#ifndef PCAP2DEMO_PCAPNG_IN_H
#define PCAP2DEMO_PCAPNG_IN_H

#include <stdio.h>

#include "pcap2demo/capture/frame_reader.h"

enum { PCAPNG_INTERFACES_MAX = 65536 /* in a section */ };

/*
 * Reads up to the first interface. The reader closes the stream; so does failure, which is NULL and
 * a new text in `*error`. Simple packet blocks have the time of the frame before.
 */
struct frame_reader *pcapng_in_open(FILE *stream, char **error);

#endif
