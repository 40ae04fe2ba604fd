/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the frames of captures to sessions: order, link layer, IP, TCP. */
#ifndef PCAP2DEMO_PACKETS_H
#define PCAP2DEMO_PACKETS_H

#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/ip.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/capture/tcp.h"
#include "common/sessions/reorder.h"
#include "common/sessions/sessions.h"

struct packets {
    const struct source *source; /* of the input that is read; NULL: it is an interface */
    struct qs_reorder *order;    /* of the input that is read; or NULL */
    struct ip *ip;
    struct tcp *tcp;
    uint64_t frames, datagrams;
    uint64_t number;              /* of the last frame */
    int link_type;                /* of the frame at hand */
    link_reader *link;            /* its reader; NULL: it is not known */
    struct qs_comments *comments; /* of the input that is read; NULL: are not wanted */
    GArray *unknown;              /* struct unknown_link; of the input that is read */
};

void packets_init(struct packets *packets);
void packets_clear(struct packets *packets);

/*
 * Gives sessions what `input` holds, up to its end, an interruption or the end of standard output.
 * `as_captured`: frames that are out of order are not sorted. `bytes_before` is how much of all
 * inputs was read before it. Frames of link types that are not known are reported.
 */
void packets_read(struct packets *packets, struct input *input, struct qs_sessions *sessions,
                  bool as_captured, uint64_t bytes_before);

/*
 * The same by single frames, as they come: packets_start(), then each frame from its IP packet on,
 * and packets_settle() where no frame came for a while, or none comes any more.
 */
void packets_start(struct packets *packets, bool as_captured);
void packets_take(struct packets *packets, struct qs_sessions *sessions, struct input_frame *frame);
void packets_settle(struct packets *packets, struct qs_sessions *sessions);

/* Nothing follows: what waits for more is taken as it is. */
void packets_end(struct packets *packets, struct qs_sessions *sessions);

#endif
