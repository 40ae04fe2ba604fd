/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#ifndef PCAP2DEMO_TCP_H
#define PCAP2DEMO_TCP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"

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
