/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes captures: pcapng with one section, an interface for each one that frames are from (file,
 * number, link type and name), and times in nanoseconds. Source: the pcapng specification
 * (draft-ietf-opsawg-pcapng), sections 4.1 to 4.3.
 */
#ifndef PCAP2DEMO_PCAPNG_WRITER_H
#define PCAP2DEMO_PCAPNG_WRITER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/core/reader.h"

struct pcapng_writer;

/* Returns a writer of a file in `folder`. Free it with pcapng_writer_free(). */
struct pcapng_writer *pcapng_writer_new(const char *folder);

/*
 * Begins the file, before the first packet. `comment` is the section's: UTF-8, at most 65535 bytes,
 * or NULL.
 */
void pcapng_writer_begin(struct pcapng_writer *out, const char *comment);

struct frame_tcp {
    uint32_t sequence, acknowledged;
    uint8_t flags;
};

/* Contents of an IP packet. */
struct frame_content {
    const struct qs_address *source, *destination; /* of the same family */
    uint16_t id;                                   /* IPv4 identification */
    uint8_t hops;                                  /* TTL, or hop limit; 0: 64 */
    const struct frame_tcp *tcp;                   /* NULL: UDP */
    bool no_udp_checksum;
    struct qs_view payload;
    uint32_t wire_size; /* size of the payload before the capture cut it */
};

enum {
    FRAME_PAYLOAD_MAX = 65535 - 40 - 20,  /* maximum payload with the headers of either family */
    DATAGRAM_PAYLOAD_MAX = 65535 - 20 - 8 /* maximum payload of a UDP datagram over IPv4 */
};

/* Writes a UDP datagram or a TCP segment. `time` must not be negative. */
void pcapng_writer_packet(struct pcapng_writer *out, int64_t time,
                          const struct frame_content *content);

/* Frame of another capture. */
struct pcapng_writer_frame {
    uint16_t link_type; /* LINKTYPE_ value */
    int64_t time;       /* not negative */
    struct qs_view bytes;
    uint32_t wire_size;     /* number of bytes sent, captured or not */
    struct qs_view comment; /* may be empty */
    const char *interface;  /* name, which must outlive `out`; NULL: unknown */
    const char *file;       /* interned name of the file that the frame is from, or NULL */
    uint32_t number;        /* number of its interface there */
};

void pcapng_writer_frame(struct pcapng_writer *out, const struct pcapng_writer_frame *frame);

/* Returns the number of packets written so far. */
uint64_t pcapng_writer_packets(const struct pcapng_writer *out);

/* Completes the file: see writer_commit(). */
char *pcapng_writer_commit(struct pcapng_writer *out, const char *name, bool overwrite);

void pcapng_writer_free(struct pcapng_writer *out);

#endif
