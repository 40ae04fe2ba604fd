/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes bare IP packets, with their checksums. Sources: RFC 791, 768, 8200, 9293, 1071. */
#ifndef PCAP2DEMO_FRAMES_H
#define PCAP2DEMO_FRAMES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/core/reader.h"

/* What an IP packet is to carry. */
struct frame_content {
    const struct qs_address *source, *destination; /* of the same family */
    struct qs_view payload;
    uint32_t wire_size; /* of the payload: more than it has where a capture cut it */
    bool is_tcp;
    uint32_t sequence, acknowledged; /* TCP's */
};

/* What fits behind the headers of either family. */
enum { FRAME_PAYLOAD_MAX = 65535 - 40 - 20 };

/* Fills `frame` from its start. A packet that was cut has no checksum of UDP, where it may lack. */
void frame_make(GByteArray *frame, const struct frame_content *content);

#endif
