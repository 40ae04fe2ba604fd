/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes captures: pcapng with one section, an interface for each link type and name, and times in
 * nanoseconds. Source: the pcapng specification (draft-ietf-opsawg-pcapng), sections 4.1 to 4.3.
 */
#ifndef PCAP2DEMO_PCAP_OUT_H
#define PCAP2DEMO_PCAP_OUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/core/reader.h"

enum {
    PCAP_OUT_PAYLOAD_MAX = 65535 - 20 - 8 /* what fits into a UDP datagram over IPv4 */
};

struct pcap_out;

/* Writes the file to `folder`. */
struct pcap_out *pcap_out_new(const char *folder);

/* Passes the bytes to `write`; no pcap_out_commit(). pcap_out_begin() writes all that packets need
 * before them, so they may go to any of several files that begin alike. */
struct pcap_out *pcap_out_new_to(void (*write)(void *user, const void *data, size_t size),
                                 void *user);

/*
 * Begins the file, before the first packet. `comment` is the section's, UTF-8 and at most 65535
 * bytes, or NULL.
 */
void pcap_out_begin(struct pcap_out *out, const char *comment);

struct frame_tcp {
    uint32_t sequence, acknowledged;
    uint8_t flags;
};

/* What an IP packet carries. */
struct frame_content {
    const struct qs_address *source, *destination; /* of the same family */
    uint16_t id;                                   /* IPv4's */
    const struct frame_tcp *tcp;                   /* NULL: a UDP datagram, */
    bool is_segment; /* or a TCP segment: the payload begins with its header */
    bool no_udp_checksum;
    struct qs_view payload;
    uint32_t wire_size; /* of the payload; larger than its size if the capture cut it */
};

/* The largest payload that fits with the headers of either family. */
enum { FRAME_PAYLOAD_MAX = 65535 - 40 - 20 };

/* Writes a UDP datagram or a TCP segment; time >= 0. */
void pcap_out_packet(struct pcap_out *out, int64_t time, const struct frame_content *content);

/* A frame of another capture. */
struct pcap_out_frame {
    uint16_t link_type; /* a LINKTYPE_ value */
    int64_t time;       /* >= 0 */
    struct qs_view bytes;
    uint32_t wire_size;     /* bytes that were sent; at least the captured ones */
    struct qs_view comment; /* may be empty */
    const char *interface;  /* its name, which must outlive `out`; NULL: not known */
};

void pcap_out_frame(struct pcap_out *out, const struct pcap_out_frame *frame);

/* Packets written so far. */
uint64_t pcap_out_packets(const struct pcap_out *out);

/* See writer_commit(). */
char *pcap_out_commit(struct pcap_out *out, const char *name, bool overwrite);

void pcap_out_free(struct pcap_out *out);

#endif
