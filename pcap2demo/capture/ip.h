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
 * dropped. So is one whose fragments contradict each other (different bytes at the same offset, or
 * different ends): which bytes the receiver used is unknown. If the capture cut a fragment, the
 * datagram ends there.
 */
#ifndef PCAP2DEMO_IP_H
#define PCAP2DEMO_IP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "pcap2demo/capture/frame_reader.h"

enum { IP_DATAGRAMS_MAX = 256 };

/* Time limit for reassembly (ns). Source: RFC 8200, section 4.5 (60 s); systems use 30 s. */
#define IP_TIMEOUT (INT64_C(30) * 1000000000)

struct ip_counts {
    uint64_t fragments;     /* fragments read */
    uint64_t reassembled;   /* datagrams completed */
    uint64_t incomplete;    /* datagrams dropped because fragments are missing */
    uint64_t contradictory; /* datagrams dropped because their fragments contradict each other */
};

struct ip;

struct ip *ip_new(void);
void ip_free(struct ip *ip);

enum ip_found { IP_NOTHING, IP_UDP, IP_TCP };

/*
 * Reads one IP packet, whose addresses must be zero. If it is a UDP datagram, or completes one,
 * sets `packet` to its payload and addresses; for TCP, to the segment with its header, and the
 * ports unless they are cut. Other packets: IP_NOTHING. The data may belong to `ip`, and are valid
 * until the next call.
 */
enum ip_found ip_read(struct ip *ip, struct qs_packet *packet);

/* Reads a copy of the frame's packet, from the link layer on, like ip_read(). */
enum ip_found ip_read_frame(struct ip *ip, const struct input_frame *frame,
                            struct qs_packet *packet);

/*
 * Returns the frames (uint64_t, qs_packet.frame) of the fragments of the last UDP datagram or TCP
 * segment, in capture order, without the one that completed it. Empty if it was not fragmented.
 */
const GArray *ip_fragments(const struct ip *ip);

/* Returns the frame that made a datagram whole, if the last frame repeats one of its fragments
 * before another datagram became whole; else 0. */
uint64_t ip_repeated(const struct ip *ip);

/* Ends the input: counts the remaining datagrams as incomplete. */
void ip_end(struct ip *ip);

const struct ip_counts *ip_counts(const struct ip *ip);

/* --- tcp.c ------------------------------------------------------------------------------------ */

/*
 * TCP reassembly: delivers what each end of a connection sends, in order. Source: RFC 9293.
 *
 * Checksums are not verified. Of retransmitted bytes the first copy counts. Segments that arrive
 * early are queued. The bytes missing before them are given up, as a hole, if the other end has
 * acknowledged them and TCP_PATIENCE further segments of the connection do not contain them, if too
 * much is queued, or at the connection's end. If a capture starts mid-connection, each stream
 * begins with its end's first segment.
 *
 * Memory is bounded: each direction of a connection queues at most TCP_WAITING_SEGMENTS segments
 * and TCP_WAITING_BYTES bytes, all connections TCP_WAITING_TOTAL bytes. A connection ends with a
 * RST, with a FIN of both ends, or as common/sessions/flow.h says, where a pause of all connections
 * does not count.
 */

enum {
    TCP_PATIENCE = 32,
    TCP_WAITING_SEGMENTS = 1024,
    TCP_WAITING_BYTES = 4 * 1024 * 1024,
    TCP_WAITING_TOTAL = 64 * 1024 * 1024
};

struct tcp_connection {
    void *reader; /* owned by the receiver; initially NULL */
    bool ignored; /* set by the receiver, which needs no more bytes */
};

struct tcp_counts {
    uint64_t segments;
    uint64_t reordered; /* segments that arrived early */
    uint64_t repeated;  /* bytes received before */
    uint64_t holes;     /* gaps that were given up */
    uint64_t missing;   /* bytes missing in all holes */
};

struct tcp;

/*
 * Receives bytes of one end: data, size (0: only `missing` matters), addresses, `from` (A: the end
 * that sent the first segment), time of the segment, `missing` and `missing_before`. The number is
 * that of the current segment, so that bytes and datagrams together have rising numbers. If the
 * connection has ended, `packet` is NULL.
 */
typedef void tcp_receiver(void *user, struct tcp_connection *connection,
                          const struct qs_packet *packet);

/* Connections end after `idle` ns without segments; 0: QS_FLOW_IDLE. */
struct tcp *tcp_new(int64_t idle, tcp_receiver *receive, void *user);

/* Frees the connections without calling the receiver. */
void tcp_free(struct tcp *tcp);

/*
 * Adds a segment: an IP packet's payload, from the TCP header on (data, size, wire_size, addresses,
 * number and time).
 */
void tcp_add_segment(struct tcp *tcp, const struct qs_packet *segment);

/* Ends all connections; `number` is that of the input's last packet. */
void tcp_end(struct tcp *tcp, uint64_t number);

/* Ends connections that were idle too long by time `now`. */
void tcp_expire(struct tcp *tcp, int64_t now);

const struct tcp_counts *tcp_counts(const struct tcp *tcp);

#endif
