/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the frames of a capture file one by one, whatever its format. */
#ifndef PCAP2DEMO_FRAME_READER_H
#define PCAP2DEMO_FRAME_READER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/span.h"

struct input_frame {
    struct span bytes;      /* from the link layer on */
    uint64_t number;        /* in this file or recording, from 1; a filter leaves numbers out */
    int64_t time;           /* nanoseconds since the epoch */
    int link_type;          /* a DLT_ value of libpcap */
    struct qs_view comment; /* not empty: the packet has one, in a pcapng file */
};

/* How reading on in a file comes out: READ_OVER where it ends well. */
enum read_status { READ_GOOD, READ_OVER, READ_BROKEN };

/* What a reader of a format begins with. Its user calls the functions, and only reads the rest. */
struct frame_reader {
    /* All of the next frame but its number; valid until the next call. */
    enum read_status (*next)(struct frame_reader *reader, struct input_frame *frame);
    /* The stream as well. */
    void (*close)(struct frame_reader *reader);
    int link_type;     /* of a pcapng file that of its first interface */
    uint64_t position; /* bytes of the file up to the end of the last frame */
    bool of_demos;     /* this program made the file of demos, as its last section says */
    char *problem;     /* after READ_BROKEN: what is wrong */
};

/* Keeps a new text in place of the `problem` before. */
static inline enum read_status read_broken(char **problem, char *text)
{
    g_free(*problem);
    *problem = text;
    return READ_BROKEN;
}

enum {
    PCAP_FRAME_MAX = 262144,      /* bytes: what libpcap takes for the link types that are known */
    PCAPNG_INTERFACES_MAX = 65536 /* in a section */
};

/*
 * Reads pcap files in large chunks, which libpcap does not (see read_buffer.h), but only what is
 * common: regular files of version 2.4, of either byte order and precision, whose link type
 * pcap2demo knows. All else is libpcap's matter: older variants, and streams of which a whole chunk
 * may be long in coming. Source: pcap-savefile(5).
 *
 * NULL where the stream is for libpcap; it then stands where it stood. Else the reader closes it.
 */
struct frame_reader *pcap_reader_open(FILE *stream);

/*
 * Reads pcapng files with all kinds of packet blocks, of any number of sections of either byte
 * order; up to the first interface already here. The reader closes the stream; so does failure,
 * which is NULL and a new text in `*error`. Simple packet blocks have the time of the frame before.
 */
struct frame_reader *pcapng_reader_open(FILE *stream, char **error);

#endif
