/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making the segments of a TCP connection in which a server streams a demo to a client. Source: RFC
 * 9293.
 */
#ifndef QS_DEMO_STREAM_PACKETS_H
#define QS_DEMO_STREAM_PACKETS_H

#include "common/demo/packets.h"

/* The state of a format's packet maker begins with it; zeroed but for `out`. */
struct stream_packets {
    struct qs_demo_sender *out;
    bool open;
    uint32_t client, server; /* numbers of the bytes that either sends next */
    uint32_t acknowledged;   /* by the client */
};

/* The handshake. */
void stream_packets_open(struct stream_packets *stream);

/* What either end sends, in one segment; `piece` or NULL. */
void stream_packets_client(struct stream_packets *stream, struct qs_view bytes,
                           const struct qs_demo_piece *piece);
void stream_packets_server(struct stream_packets *stream, struct qs_view bytes,
                           const struct qs_demo_piece *piece);

/*
 * A unit that the server sends, in as many segments as it takes. What units are is known when they
 * are whole: the last segment has the piece.
 */
void stream_packets_unit(struct stream_packets *stream, struct qs_view unit,
                         const struct qs_demo_piece *piece);

/* Both ends close the connection, where it is open. */
void stream_packets_close(struct stream_packets *stream);

#endif
