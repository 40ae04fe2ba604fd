/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames as they came, kept until it is known which session they are of: decoding puts packets in
 * order, and takes some for a session's only when later ones have shown what they are.
 *
 * Memory is bounded: of each conversation, and of all of them, the oldest frames give way.
 */
#ifndef PCAP2DEMO_PENDING_FRAMES_H
#define PCAP2DEMO_PENDING_FRAMES_H

#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/pcap_out.h"

struct pending_frames;

struct pending_frames *pending_frames_new(void);
void pending_frames_free(struct pending_frames *pending);

/* A frame, from its link layer on. */
void pending_frames_add(struct pending_frames *pending, const struct input_frame *frame);

typedef void pending_frames_taker(void *user, const struct pcap_out_frame *frame);

/*
 * Takes those between two addresses, up to the one of this number, in their order. `take` NULL:
 * nobody wants them.
 */
void pending_frames_take(struct pending_frames *pending, const struct qs_address *a,
                         const struct qs_address *b, uint64_t number, pending_frames_taker *take,
                         void *user);

/* The same of all between a client and other ports of its server: servers of Quake answer a request
 * for a connection on one port, and go on from another. */
void pending_frames_take_asides(struct pending_frames *pending, const struct qs_address *client,
                                const struct qs_address *server, uint64_t number,
                                pending_frames_taker *take, void *user);

#endif
