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

struct input_frame {
    /* The bytes from the link layer on. The number is that in this file or recording, from 1; a
     * filter skips numbers. */
    struct qs_packet packet;
    int link_type;          /* a DLT_ value of libpcap */
    uint32_t interface;     /* of a pcapng file: its number in the section; else 0 */
    struct qs_view comment; /* from a pcapng file; empty: none */
};

/* The result of reading. */
enum input_status {
    INPUT_FRAME,
    INPUT_END,
    INPUT_CUT,   /* the file ends within a record: it is cut, or still being written */
    INPUT_BROKEN /* the file is damaged here */
};

/* The first member of each format's reader. Callers only read the data members. */
struct frame_reader {
    /* Reads the next frame, without its number; valid until the next call. */
    enum input_status (*next)(struct frame_reader *reader, struct input_frame *frame);
    void (*free)(struct frame_reader *reader); /* closes the stream, unless it is stdin */
    FILE *stream;
    int link_type;     /* in pcapng, of the first interface */
    uint64_t position; /* file offset of the end of the last whole record */
    char *problem;     /* after INPUT_CUT and INPUT_BROKEN */
};

/*
 * After any status but INPUT_FRAME: goes back to the end of the last whole record, so that the next
 * call reads what the file has got since. Without effect on pipes and members of archives.
 */
void frame_reader_resume(struct frame_reader *reader);

/* Closes the stream, too. */
void frame_reader_close(struct frame_reader *reader);

enum {
    PCAP_FRAME_MAX = 262144,      /* bytes: libpcap's limit for the known link types */
    PCAPNG_INTERFACES_MAX = 65536 /* in a section */
};

/*
 * Reads pcap files by libpcap: of either byte order, any precision, version and link type, and
 * "modified" ones. The reader closes the stream, also on failure: then it is NULL and `*error` a
 * new string.
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

#endif
