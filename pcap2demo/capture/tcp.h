/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP: puts what each end of a connection sends in order. Source: RFC 9293.
 *
 * Checksums are not looked at, as in ip.h. Of bytes that were sent several times the copy that came
 * first counts. Segments ahead of their turn wait. The bytes before them are given up, as a hole,
 * when the other end has acknowledged them and TCP_PATIENCE further segments of the connection did
 * not bring them, when too much waits, or at the connection's end. A connection may begin in the
 * middle: then the first segment of each end is where its stream begins.
 *
 * Memory is bounded: of a connection's direction at most TCP_WAITING_SEGMENTS segments and
 * TCP_WAITING_BYTES bytes wait, of all connections TCP_WAITING_TOTAL bytes. Connections come and go
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

struct connection;

struct tcp_connection {
    struct connection *inside;
    void *reader; /* the user's own; NULL at first */
};

/* What tcp_next() hands out: bytes of one end, or that the connection is over. */
struct tcp_piece {
    struct tcp_connection *connection;
    bool over;
    /*
     * Data, size (0: only `missing` matters), addresses, `from` (A: who sent the first segment),
     * time of the segment, `missing` and `missing_before`. The number is that of the segment that
     * was taken last: pieces and datagrams together have rising numbers.
     */
    struct qs_packet packet;
};

struct tcp_counts {
    uint64_t segments;
    uint64_t reordered; /* segments that had to wait */
    uint64_t repeated;  /* bytes that had come before */
    uint64_t holes;     /* given up */
    uint64_t missing;   /* bytes in them */
};

struct tcp;

struct tcp *tcp_new(void);

/* Pieces not fetched are lost. */
void tcp_free(struct tcp *tcp);

/*
 * Takes a segment: an IP packet's payload, from the TCP header on (data, size, wire_size, addresses
 * without ports, number and time). What it gives is fetched by tcp_next() before the next call.
 */
void tcp_take(struct tcp *tcp, const struct qs_packet *segment);

/* The input ended behind packet `number`: so do all connections. */
void tcp_end(struct tcp *tcp, uint64_t number);

/* The next piece. Data are valid until the next tcp_take(). */
bool tcp_next(struct tcp *tcp, struct tcp_piece *piece);

/* Nobody reads the connection: nothing more is handed out of it. */
void tcp_ignore(struct tcp_connection *connection);

const struct tcp_counts *tcp_counts(const struct tcp *tcp);

#endif
