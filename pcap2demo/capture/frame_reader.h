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
    /* Closes the stream, too. */
    void (*close)(struct frame_reader *reader);
    int link_type;     /* in pcapng, of the first interface */
    uint64_t position; /* file offset of the end of the last frame */
    bool of_demos;     /* --pcap made the file of demos, by its last section */
    char *problem;     /* after INPUT_BROKEN */
};

/* Replaces `problem` with a new string. */
static inline enum input_status read_broken(char **problem, char *text)
{
    g_free(*problem);
    *problem = text;
    return INPUT_BROKEN;
}

enum {
    PCAP_FRAME_MAX = 262144,      /* bytes: libpcap's limit for the known link types */
    PCAPNG_INTERFACES_MAX = 65536 /* in a section */
};

/*
 * Reads pcap files up to version 2.4, of either byte order and precision, also those of Linux 2.2
 * whose frames have longer headers. Of any link type. The reader closes the stream, also on
 * failure: then it is NULL and `*error` a new string. Source: pcap-savefile(5).
 */
struct frame_reader *pcap_reader_open(FILE *stream, char **error);

/*
 * Reads pcapng files with all kinds of packet blocks and any number of sections of either byte
 * order. Reads up to the first interface at once. The same on failure. Simple packet blocks get the
 * time of the previous frame.
 */
struct frame_reader *pcapng_reader_open(FILE *stream, char **error);

#endif
