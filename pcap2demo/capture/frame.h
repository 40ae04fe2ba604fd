/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a frame to the datagram or segment in it, with both addresses. */
#ifndef PCAP2DEMO_FRAME_H
#define PCAP2DEMO_FRAME_H

#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/ip.h"

/*
 * As ip_read(), from the link layer on. `packet` has the frame's number and time, and the ports of
 * TCP, too.
 */
enum ip_found frame_read(struct ip *ip, const struct input_frame *frame, struct qs_packet *packet);

#endif
