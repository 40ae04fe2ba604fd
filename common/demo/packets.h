/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes packets of demos: the functions with which a format sends. A handshake comes first, so that
 * readers of the packets recognize the game.
 */
#ifndef QS_DEMO_PACKETS_H
#define QS_DEMO_PACKETS_H

#include "common/core/decode.h"
#include "common/core/writer.h"

enum {
    QS_DEMO_SEGMENT_MAX = 1460, /* what TCP sends at once over Ethernet */

    /* Flags of TCP. Source: RFC 9293, section 3.1. */
    QS_DEMO_FIN = 0x01,
    QS_DEMO_SYN = 0x02,
    QS_DEMO_ACK = 0x10
};

struct qs_demo_segment {
    uint32_t sequence, acknowledged;
    uint8_t flags;
    struct qs_view payload;
};

/* An implementation begins with this struct. It sends at the time of the block at hand. */
struct qs_demo_sender {
    /* QS_C2S: to the server. */
    void (*datagram)(struct qs_demo_sender *sender, enum qs_direction direction,
                     struct qs_view datagram);
    void (*segment)(struct qs_demo_sender *sender, enum qs_direction direction,
                    const struct qs_demo_segment *segment);
    GByteArray *packet; /* scratch: the datagram that the format makes */
};

/* A connectionless packet: four bytes 255 and the text, without its NUL. */
void qs_demo_send_text(struct qs_demo_sender *sender, enum qs_direction direction,
                       const char *text);

/*
 * --- Streams: the segments of a TCP connection in which a server streams a demo to a client.
 * Source: RFC 9293.
 */

/* The state of a stream format's packet maker begins with it; zeroed except for `out`. */
struct qs_demo_stream {
    struct qs_demo_sender *out;
    bool open;
    uint32_t client, server; /* numbers of the bytes that either sends next */
    uint32_t acknowledged;   /* by the client */
};

/* The handshake. */
void qs_demo_stream_open(struct qs_demo_stream *stream);

/* What either end sends, in one segment. */
void qs_demo_stream_send(struct qs_demo_stream *stream, enum qs_direction direction,
                         struct qs_view bytes);

/* A unit that the server sends, in as many segments as it needs. */
void qs_demo_stream_unit(struct qs_demo_stream *stream, struct qs_view unit);

/* Both ends close the connection of a struct qs_demo_stream, where it is open. */
void qs_demo_stream_close(void *data);

#endif
