/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes frames to sessions, through link layer, reordering, IP, UDP and TCP. */
#ifndef PCAP2DEMO_PIPELINE_H
#define PCAP2DEMO_PIPELINE_H

#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/capture/ip.h"
#include "pcap2demo/capture/link.h"
#include "common/sessions/order.h"
#include "common/sessions/sessions.h"

struct pipeline {
    struct qs_sessions *sessions;
    struct qs_reorder *reorder; /* NULL: frames are not reordered */
    struct ip *ip;
    struct tcp *tcp;
    uint64_t frames, datagrams; /* numbers of those read so far */
    uint64_t cut;               /* number of frames that the capture cut */
    uint64_t number;            /* number of the last frame */
    int link_type;              /* link type of the last frame */
    link_reader *link;          /* reader of that link type; NULL: unknown */
};

/* TCP connections end after `idle` ns without segments; 0: QS_FLOW_IDLE. */
void pipeline_init(struct pipeline *pipeline, int64_t idle);
void pipeline_clear(struct pipeline *pipeline);

/* Begins to pass frames to `sessions`. */
void pipeline_start(struct pipeline *pipeline, struct qs_sessions *sessions);
/* Decodes a frame, or holds it until earlier ones have come. False if its link type is unknown. */
bool pipeline_add_frame(struct pipeline *pipeline, struct input_frame *frame);
/* Decodes the frames that are still held. */
void pipeline_flush(struct pipeline *pipeline);

/* Ends the input: decodes what waited for missing IP fragments or TCP segments. */
void pipeline_end(struct pipeline *pipeline);

/* Prints the numbers of packets by kind, for --verbose. */
void pipeline_print_counts(const struct pipeline *pipeline);

#endif
