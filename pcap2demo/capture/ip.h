/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IPv4 and IPv6 down to UDP and TCP, through tunnels (IP in IP, GRE, VXLAN: see link.h), with the
 * reassembly of fragments. Sources: RFC 791, 8200, 768, 4302, 2003, 2473, 4213.
 *
 * Checksums are not verified: in captures made on the sending machine, checksum offload leaves them
 * unset.
 *
 * Reassembly holds at most IP_DATAGRAMS_MAX datagrams of at most 64 KiB each, and evicts the
 * oldest. A datagram that is incomplete IP_TIMEOUT after its first fragment, in capture time, is
 * dropped. So is one whose fragments contradict each other (other bytes at the same offset, two
 * ends): which bytes the receiver used is unknown. If the capture cut a fragment, the datagram is
 * returned up to there.
 */
#ifndef PCAP2DEMO_IP_H
#define PCAP2DEMO_IP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "pcap2demo/capture/frame_reader.h"

enum { IP_DATAGRAMS_MAX = 256 };

/* Nanoseconds. Source: RFC 8200, section 4.5 (60 s); systems use 30 s. */
#define IP_TIMEOUT (INT64_C(30) * 1000000000)

struct ip_counts {
    uint64_t fragments;     /* seen */
    uint64_t reassembled;   /* datagrams completed */
    uint64_t incomplete;    /* datagrams dropped: fragments are missing */
    uint64_t contradictory; /* datagrams dropped: fragments contradict each other */
};

struct ip;

struct ip *ip_new(void);
void ip_free(struct ip *ip);

enum ip_found { IP_NOTHING, IP_UDP, IP_TCP };

/*
 * Reads one IP packet, whose addresses are still zero. If it is or completes a UDP datagram, its
 * payload replaces it in `packet`, with the addresses; of a TCP segment the header stays. `ip` may
 * own the data, which are valid until the next call.
 */
enum ip_found ip_read(struct ip *ip, struct qs_packet *packet);

/* The same for a copy of the frame's packet, from the link layer on. */
enum ip_found ip_read_frame(struct ip *ip, const struct input_frame *frame,
                            struct qs_packet *packet);

/*
 * The frames (uint64_t, qs_packet.frame) of the fragments of the last UDP datagram or TCP segment,
 * in capture order, without the one that completed it. Empty: it was not fragmented.
 */
const GArray *ip_fragments(const struct ip *ip);

/* Ends the input: counts datagrams that are not complete as incomplete. */
void ip_end(struct ip *ip);

const struct ip_counts *ip_counts(const struct ip *ip);

#endif
