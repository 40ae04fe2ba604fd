/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the frames of a capture file of any format. */
#ifndef PCAP2DEMO_FRAME_READER_H
#define PCAP2DEMO_FRAME_READER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/core/packet.h"
#include "common/core/reader.h"
#include "pcap2demo/capture/read_buffer.h"

struct input_frame {
    /* The bytes from the link layer on. The number is that in this file or recording, from 1; a
     * filter skips numbers. */
    struct qs_packet packet;
    int link_type;          /* a DLT_ value of libpcap */
    struct qs_view comment; /* from a pcapng file; empty: none */
};

/* The result of reading. */
enum input_status {
    INPUT_FRAME,
    INPUT_END,
    INPUT_BROKEN /* the file is cut or damaged here */
};

/* The first member of each format's reader. Callers only read the data members. */
struct frame_reader {
    /* Reads the next frame, without its number; valid until the next call. */
    enum input_status (*next)(struct frame_reader *reader, struct input_frame *frame);
    struct read_buffer file;
    bool big_endian;    /* the file, or its current section */
    GArray *interfaces; /* of a pcapng file; or NULL */
    int link_type;      /* in pcapng, of the first interface */
    uint64_t position;  /* file offset of the end of the last frame */
    bool of_demos;      /* --pcap made the file of demos, by its last section */
    char *problem;      /* after INPUT_BROKEN */
};

/* For readers: sets the problem, a new text. */
static inline enum input_status frame_reader_broken(struct frame_reader *reader, char *problem)
{
    g_free(reader->problem);
    reader->problem = problem;
    return INPUT_BROKEN;
}

static inline uint16_t frame_reader_u16(const struct frame_reader *reader, const uint8_t *at)
{
    return reader->big_endian ? qs_be16(at) : qs_le16(at);
}

static inline uint32_t frame_reader_u32(const struct frame_reader *reader, const uint8_t *at)
{
    return reader->big_endian ? qs_be32(at) : qs_le32(at);
}

/* Closes the stream, too. */
void frame_reader_close(struct frame_reader *reader);

enum {
    PCAP_FRAME_MAX = 262144,      /* bytes: libpcap's limit for the known link types */
    PCAPNG_INTERFACES_MAX = 65536 /* in a section */
};

/*
 * Reads pcap files of version 2.4, of either byte order, precision and any link type. The reader
 * closes the stream, also on failure: then it is NULL and `*error` a new string. Source:
 * pcap-savefile(5).
 */
struct frame_reader *pcap_reader_open(FILE *stream, char **error);

/*
 * Reads pcapng files with all kinds of packet blocks and any number of sections of either byte
 * order. Reads up to the first interface at once. The same on failure. Simple packet blocks get the
 * time of the previous frame.
 */
struct frame_reader *pcapng_reader_open(FILE *stream, char **error);

/* The constants of pcapng files. Source: the pcapng specification (draft-ietf-opsawg-pcapng),
 * sections 3 and 4. */
enum {
    PCAPNG_SECTION = 0x0a0d0d0a,
    PCAPNG_INTERFACE = 1,
    PCAPNG_OLD_PACKET = 2,
    PCAPNG_SIMPLE_PACKET = 3,
    PCAPNG_PACKET = 6,
    PCAPNG_BYTE_ORDER = 0x1a2b3c4d,

    PCAPNG_FRAMING = 12,                 /* a block's type, length, and length again */
    PCAPNG_BLOCK_MAX = 16 * 1024 * 1024, /* bytes; libpcap's limit */

    PCAPNG_OPTION_END = 0,
    PCAPNG_OPTION_COMMENT = 1,
    PCAPNG_OPTION_NAME = 2, /* of an interface */
    PCAPNG_OPTION_APPLICATION = 4,
    PCAPNG_OPTION_TIME_RESOLUTION = 9,
    PCAPNG_OPTION_TIME_OFFSET = 14
};

/* The application names in captures that this program writes, of demos and others; its version
 * follows. */
#define PCAPNG_APPLICATION "pcap2demo "
#define PCAPNG_CUTTER "pcap2demo-cut "

#endif
