/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sources of frames: capture files (pcap, pcapng), standard input, or a network interface.
 *
 * Frames are returned one at a time and valid until the next call. libpcap reads interfaces, and
 * all files but ordinary pcap files (pcap_reader.c) and pcapng files (pcapng_reader.c).
 */
#ifndef PCAP2DEMO_INPUT_H
#define PCAP2DEMO_INPUT_H

#include <pcap/pcap.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pcap2demo/capture/frame_reader.h"

/* A filter that is compiled for frames of a link type. */
struct link_filter {
    int link_type;
    bool usable; /* false: none of them match */
    struct bpf_program program;
};

/* Callers only read the first members. */
struct input {
    char *name;        /* in messages: the file's, "standard input" or the interface's */
    char *stem;        /* the name without folder and extension, for naming demos */
    uint64_t frames;   /* number of the last frame read; 0 before the first */
    uint64_t position; /* in the file, after the last frame */
    char *error;       /* after INPUT_BROKEN: what is wrong and where */

    /* One of these; the other is NULL. */
    pcap_t *pcap; /* an interface, or a file that libpcap reads */
    struct frame_reader *reader;
    bool live;
    bool mixed;                  /* the link types of frames may differ */
    char *filter;                /* files only: counts frames that do not match, but skips them */
    struct link_filter compiled; /* for the link type of the last frame */
    bool nano;
    volatile sig_atomic_t interrupted;
};

/*
 * Opens a capture file that is not compressed. `filter` is a tcpdump expression, or NULL. NULL on
 * failure; then `*error` is a new string.
 */
struct input *input_open_file(const char *name, const char *filter, char **error);

/*
 * The same for an open stream, which it owns from now on, even on failure. Messages call it `name`.
 */
struct input *input_open_capture(FILE *stream, const char *name, const char *filter, char **error);

/*
 * Captures from the interface `name`; the kernel buffers up to `buffer` MiB of packets.
 * input_next() does not block: see input_descriptor(). The same on failure.
 */
struct input *input_open_live(const char *name, const char *filter, unsigned buffer, char **error);

/* Whether --pcap made it of demos: then packet comments describe what the packets carry. */
static inline bool input_is_of_demos(const struct input *input)
{
    return input->reader && input->reader->of_demos;
}

/* The link type, a DLT_ value of libpcap; in pcapng, that of the first interface. */
int input_link_type(const struct input *input);

/* Whether frames can be read: the link type is known, or the link types of frames may differ. */
bool input_has_known_links(const struct input *input);

enum input_status input_next(struct input *input, struct input_frame *frame);

/* Makes input_next() return INPUT_END soon, even if it blocks. For signal handlers. */
void input_break(struct input *input);

/* Live: a descriptor for poll(2), readable when frames are available; or -1. */
int input_descriptor(const struct input *input);

/* Live: frames lost so far; the counters wrap after 2^32 - 1. */
struct input_drops {
    uint32_t kernel;    /* the program did not read them in time */
    uint32_t interface; /* the interface or its driver had no room */
};
struct input_drops input_drops(const struct input *input);

void input_close(struct input *input);

#endif
