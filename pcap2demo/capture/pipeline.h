/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes frames to sessions: link layer, reordering, IP, UDP and TCP. */
#ifndef PCAP2DEMO_PIPELINE_H
#define PCAP2DEMO_PIPELINE_H

#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/ip.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/tcp.h"
#include "common/sessions/reorder.h"
#include "common/sessions/sessions.h"

struct pipeline {
    struct qs_sessions *sessions; /* of the current input */
    struct qs_reorder *reorder;   /* of the current input; NULL: frames keep their order */
    struct ip *ip;
    struct tcp *tcp;
    uint64_t frames, datagrams; /* read so far */
    uint64_t number;            /* of the last frame */
    int link_type;              /* of the last frame */
    link_reader *link;          /* its reader; NULL: unknown link type */
    /* Called with each UDP datagram and TCP segment before its decode; or NULL. */
    void (*on_packet)(void *user, const struct qs_packet *packet, bool is_segment);
    void *user;
    GArray *unknown; /* uint64_t: frames of the current input, by unknown link type */
};

void pipeline_init(struct pipeline *pipeline);
void pipeline_clear(struct pipeline *pipeline);

/* Decodes `input` up to its end, an interruption or the end of standard output. Reports damage and
 * unknown link types. */
void pipeline_read(struct pipeline *pipeline, struct input *input, struct qs_sessions *sessions);

/* The same frame by frame; pipeline_flush() if no frame came for a while or none will come. */
void pipeline_start(struct pipeline *pipeline, struct qs_sessions *sessions);
void pipeline_add_frame(struct pipeline *pipeline, struct input_frame *frame);
void pipeline_flush(struct pipeline *pipeline);

/* Ends the input: decodes what waited for missing IP fragments or TCP segments. */
void pipeline_end(struct pipeline *pipeline);

/* Prints the number of packets of each kind, for --verbose. */
void pipeline_print_counts(const struct pipeline *pipeline);

#endif
