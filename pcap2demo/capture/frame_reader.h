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
    /* Bytes from the link layer on. The number counts the frames of this file or recording, from 1,
     * including those that a filter skips. */
    struct qs_packet packet;
    int link_type;          /* DLT_ value of libpcap */
    uint32_t interface;     /* number of a pcapng interface in its section; else 0 */
    struct qs_view comment; /* comment in a pcapng file; may be empty */
};

/* Results of reading. */
enum input_status {
    INPUT_FRAME,
    INPUT_END,
    INPUT_CUT,   /* the file ends within a record: it is cut, or still being written */
    INPUT_BROKEN /* the file is damaged here */
};

/* First member of each format's reader. Callers only read the data members. */
struct frame_reader {
    /* Reads the next frame, without its number. The frame is valid until the next call. */
    enum input_status (*next)(struct frame_reader *reader, struct input_frame *frame);
    void (*free)(struct frame_reader *reader); /* closes the stream, unless it is stdin */
    FILE *stream;
    int link_type;     /* DLT_ value; in pcapng, that of the first interface */
    uint64_t position; /* file offset of the end of the last whole record */
    char *problem;     /* error text after INPUT_CUT and INPUT_BROKEN */
};

/*
 * Goes back to the end of the last whole record after any status but INPUT_FRAME, so that the next
 * call reads what was appended to the file since. No effect on pipes and members of archives.
 */
void frame_reader_resume(struct frame_reader *reader);

/* Frees the reader, and closes its stream, unless it is stdin. */
void frame_reader_close(struct frame_reader *reader);

enum {
    PCAP_FRAME_MAX = 262144,      /* limit (bytes) of libpcap for the known link types */
    PCAPNG_INTERFACES_MAX = 65536 /* maximum number in a section */
};

/*
 * Returns a reader of pcap files, which uses libpcap: either byte order, any precision, version and
 * link type, and "modified" files. The reader owns the stream; on failure, closes it, sets `*error`
 * to a new string, and returns NULL.
 */
struct frame_reader *pcap_reader_open(FILE *stream, char **error);

/*
 * Returns a reader of pcapng files with all kinds of packet blocks and any number of sections of
 * either byte order. Reads up to the first interface at once. Ownership and failure are as above.
 * Simple packet blocks get the time of the previous frame.
 */
struct frame_reader *pcapng_reader_open(FILE *stream, char **error);

/* Constants of pcapng files. Source: the pcapng specification (draft-ietf-opsawg-pcapng), sections
 * 3 and 4. */
enum {
    PCAPNG_SECTION = 0x0a0d0d0a,
    PCAPNG_INTERFACE = 1,
    PCAPNG_OLD_PACKET = 2,
    PCAPNG_SIMPLE_PACKET = 3,
    PCAPNG_PACKET = 6,
    PCAPNG_BYTE_ORDER = 0x1a2b3c4d,

    PCAPNG_FRAMING = 12,                 /* type, length, and length again */
    PCAPNG_BLOCK_MAX = 16 * 1024 * 1024, /* libpcap's limit (bytes) */

    PCAPNG_OPTION_END = 0,
    PCAPNG_OPTION_COMMENT = 1,
    PCAPNG_OPTION_NAME = 2, /* name of an interface */
    PCAPNG_OPTION_APPLICATION = 4,
    PCAPNG_OPTION_TIME_RESOLUTION = 9,
    PCAPNG_OPTION_TIME_OFFSET = 14
};

#endif
