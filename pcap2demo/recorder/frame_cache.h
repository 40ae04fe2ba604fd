/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames as they came, kept until their session is known: decoding reorders packets, and assigns
 * some to a session only after later ones.
 *
 * Memory is bounded: a conversation drops its oldest frames, and the cache its oldest
 * conversations.
 */
#ifndef PCAP2DEMO_FRAME_CACHE_H
#define PCAP2DEMO_FRAME_CACHE_H

#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/pcap_out.h"

struct frame_cache;

struct frame_cache *frame_cache_new(void);
void frame_cache_free(struct frame_cache *cache);

/* Adds a frame, from its link layer on, which belongs to no conversation yet. */
void frame_cache_add(struct frame_cache *cache, const struct input_frame *frame);

/* Assigns the frame of a packet, and those of its fragments, to the packet's conversation. */
void frame_cache_assign(struct frame_cache *cache, const struct qs_packet *packet,
                        const GArray *fragments);

typedef void frame_cache_visitor(void *user, const struct pcap_out_frame *frame);

/*
 * Removes the frames between two addresses up to number `number`, in their order, and passes each
 * to `visit` unless that is NULL.
 */
void frame_cache_pop(struct frame_cache *cache, const struct qs_address *a,
                     const struct qs_address *b, uint64_t number, frame_cache_visitor *visit,
                     void *user);

/* The same for frames between a client and other ports of its server: servers of Quake answer a
 * connection request on one port and continue on another. */
void frame_cache_pop_other_ports(struct frame_cache *cache, const struct qs_address *client,
                                 const struct qs_address *server, uint64_t number,
                                 frame_cache_visitor *visit, void *user);

#endif
