/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds raw IP packets with their checksums. Sources: RFC 791, 768, 8200, 9293, 1071. */
#ifndef PCAP2DEMO_FRAME_BUILDER_H
#define PCAP2DEMO_FRAME_BUILDER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/core/reader.h"

struct frame_tcp {
    uint32_t sequence, acknowledged;
    uint8_t flags;
};

/* What an IP packet carries. */
struct frame_content {
    const struct qs_address *source, *destination; /* of the same family */
    uint16_t id;                                   /* IPv4's */
    const struct frame_tcp *tcp;                   /* NULL: a UDP datagram */
    bool no_udp_checksum;
    struct qs_view payload;
    uint32_t wire_size; /* of the payload; larger than its size if the capture cut it */
};

/* The largest payload that fits with the headers of either family. */
enum { FRAME_PAYLOAD_MAX = 65535 - 40 - 20 };

/* Overwrites `frame`. A cut packet has no UDP or TCP checksum. */
void frame_build(GByteArray *frame, const struct frame_content *content);

#endif
