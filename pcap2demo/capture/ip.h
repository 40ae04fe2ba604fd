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

/* --- tcp.c ------------------------------------------------------------------------------------ */

/*
 * TCP reassembly: delivers what each end of a connection sends, in order. Source: RFC 9293.
 *
 * Checksums are not verified, as in ip.h. Of retransmitted bytes the first copy counts. Segments
 * ahead of their turn are queued. The bytes missing before them are given up, as a hole, if the
 * other end has acknowledged them and TCP_PATIENCE further segments of the connection do not
 * contain them, if too much is queued, or at the connection's end. A capture may start
 * mid-connection: then each stream begins with its end's first segment.
 *
 * Memory is bounded: each direction of a connection queues at most TCP_WAITING_SEGMENTS segments
 * and TCP_WAITING_BYTES bytes, all connections TCP_WAITING_TOTAL bytes. Connections begin and end
 * as in flow.h.
 */

enum {
    TCP_PATIENCE = 32,
    TCP_WAITING_SEGMENTS = 1024,
    TCP_WAITING_BYTES = 4 * 1024 * 1024,
    TCP_WAITING_TOTAL = 64 * 1024 * 1024
};

struct tcp_connection {
    void *reader; /* the receiver's; NULL at first */
    bool ignored; /* by the receiver: it wants nothing more */
};

struct tcp_counts {
    uint64_t segments;
    uint64_t reordered; /* segments that were queued */
    uint64_t repeated;  /* bytes seen before */
    uint64_t holes;     /* gaps given up */
    uint64_t missing;   /* bytes in them */
};

struct tcp;

/*
 * Receives bytes of one end: data, size (0: only `missing` matters), addresses, `from` (A: the end
 * that sent the first segment), time of the segment, `missing` and `missing_before`. The number is
 * that of the segment at hand, so bytes and datagrams together have rising numbers. `packet` NULL:
 * the connection is over.
 */
typedef void tcp_receiver(void *user, struct tcp_connection *connection,
                          const struct qs_packet *packet);

struct tcp *tcp_new(tcp_receiver *receive, void *user);

/* Frees connections without ending them. */
void tcp_free(struct tcp *tcp);

/*
 * Adds a segment: an IP packet's payload, from the TCP header on (data, size, wire_size, addresses
 * without ports, number and time).
 */
void tcp_add_segment(struct tcp *tcp, const struct qs_packet *segment);

/* Ends all connections after packet `number`, the input's last. */
void tcp_end(struct tcp *tcp, uint64_t number);

const struct tcp_counts *tcp_counts(const struct tcp *tcp);

#endif
