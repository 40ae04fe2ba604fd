/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the frames of pcap files in large pieces.
 *
 * libpcap copies each frame out of a stream by two calls of fread(3), one for its header and one
 * for its bytes: that is a tenth of what it costs to make a demo of a frame. Here frames stay where
 * a piece of the file was read to.
 *
 * Only what is common is read: regular files of version 2.4, of either byte order and precision,
 * whose link type pcap2demo knows. All else is libpcap's matter: older variants, and streams of
 * which a whole piece may be long in coming. Source: pcap-savefile(5).
 */
#ifndef PCAP2DEMO_PCAP_IN_H
#define PCAP2DEMO_PCAP_IN_H

#include <stdint.h>
#include <stdio.h>

#include "pcap2demo/capture/span.h"

enum { PCAP_IN_FRAME_MAX = 262144 /* bytes: what libpcap takes for these link types */ };

struct pcap_in_frame {
    struct span bytes;
    int64_t time; /* nanoseconds since the epoch */
};

enum pcap_in_status { PCAP_IN_GOOD, PCAP_IN_OVER, PCAP_IN_BROKEN };

struct pcap_in;

/*
 * NULL where the stream is for libpcap; it then stands where it stood. Else it is closed by
 * pcap_in_close().
 */
struct pcap_in *pcap_in_open(FILE *stream);

/* A DLT_ value of libpcap. */
int pcap_in_link_type(const struct pcap_in *in);

/* The frame is valid until the next call. */
enum pcap_in_status pcap_in_next(struct pcap_in *in, struct pcap_in_frame *frame);

/* After PCAP_IN_BROKEN: what is wrong. */
const char *pcap_in_problem(const struct pcap_in *in);

/* Bytes of the file behind the last frame that was read. */
uint64_t pcap_in_position(const struct pcap_in *in);

void pcap_in_close(struct pcap_in *in);

#endif
