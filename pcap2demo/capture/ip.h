/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IPv4 and IPv6 down to UDP and TCP, with the reassembly of fragments. Sources: RFC 791, 8200, 768,
 * 4302.
 *
 * Checksums are not looked at: captures made on the sending machine hold packets whose checksums
 * the network card had still to fill in.
 *
 * Reassembly holds back at most IP_DATAGRAMS_MAX datagrams of at most 64 KiB each; the oldest give
 * way. One that is not complete IP_TIMEOUT after its first fragment is given up, measured in the
 * capture's time. Fragments that contradict each other (other bytes at the same offset, two ends)
 * spoil their datagram for good: which bytes the receiver took cannot be known. Where the capture
 * cut a fragment, the datagram is handed out up to there.
 */
#ifndef PCAP2DEMO_IP_H
#define PCAP2DEMO_IP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/span.h"

enum { IP_DATAGRAMS_MAX = 256 };

/* Nanoseconds. Source: RFC 8200, section 4.5 (60 s); systems use 30 s. */
#define IP_TIMEOUT (INT64_C(30) * 1000000000)

struct ip_counts {
    uint64_t fragments;     /* seen */
    uint64_t reassembled;   /* datagrams made whole */
    uint64_t incomplete;    /* datagrams given up: fragments are missing */
    uint64_t contradictory; /* datagrams given up: fragments contradict each other */
};

struct ip;

struct ip *ip_new(void);
void ip_free(struct ip *ip);

enum ip_found { IP_NOTHING, IP_UDP, IP_TCP };

/*
 * Reads one IP packet, captured at `time`. When it is, or completes, a UDP datagram, `packet` has
 * its data, size, wire_size, source and destination; the data of a TCP segment begin with its
 * header. The data may be the ip's own, and are valid until the
 * next call.
 */
enum ip_found ip_read(struct ip *ip, struct span bytes, int64_t time, struct qs_packet *packet);

/* The same from the link layer on; `packet` has the frame's number and time, too. */
enum ip_found ip_read_frame(struct ip *ip, const struct input_frame *frame,
                            struct qs_packet *packet);

/*
 * The numbers of the packets that the last UDP datagram or TCP segment came in before the one that
 * completed it, in the order in which they came: uint64_t. Empty: it was not fragmented. The caller
 * sets packet->number before ip_read().
 */
const GArray *ip_fragments(const struct ip *ip);

/* Fragments that wait when the input ends are counted as incomplete by this. */
void ip_end(struct ip *ip);

const struct ip_counts *ip_counts(const struct ip *ip);

#endif
