/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the frames of pcapng files, interface by interface.
 *
 * libpcap reads such files, too, but its interface has room for one link type and one snapshot
 * length a file: it gives a file up at the first interface description that has others
 * (libpcap 1.10, sf-pcapng.c, pcap_ng_next_packet()), and captures of several interfaces are the
 * rule for Wireshark and dumpcap.
 *
 * All kinds of packet blocks are read, of any number of sections of either byte order.
 */
#ifndef PCAP2DEMO_PCAPNG_IN_H
#define PCAP2DEMO_PCAPNG_IN_H

#include "pcap2demo/capture/pcapng.h"
#include "pcap2demo/capture/span.h"

enum { PCAPNG_INTERFACES_MAX = 65536 /* in a section */ };

struct pcapng_frame {
    struct span bytes;
    int64_t time;  /* nanoseconds since the epoch; of a simple packet block: of the frame before */
    int link_type; /* a DLT_ value of libpcap */
    struct qs_view comment; /* not empty: the packet has one */
};

struct pcapng_in;

/*
 * Reads up to the first interface. The stream is closed by pcapng_in_close(), and on failure, which
 * is NULL and a new text in `*error`.
 */
struct pcapng_in *pcapng_in_open(FILE *stream, char **error);

/* The link type of the first interface. */
int pcapng_in_link_type(const struct pcapng_in *in);

/* The frame is valid until the next call. */
enum pcapng_status pcapng_in_next(struct pcapng_in *in, struct pcapng_frame *frame);

/* After PCAPNG_BROKEN: what is wrong. */
const char *pcapng_in_problem(const struct pcapng_in *in);

/* Bytes of the file behind the last block that was read. */
uint64_t pcapng_in_position(const struct pcapng_in *in);

void pcapng_in_close(struct pcapng_in *in);

#endif
