/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sources of frames: capture files (pcap, pcapng), standard input, or a network interface.
 *
 * Frames are returned one at a time and valid until the next call. libpcap reads interfaces, and
 * all files but ordinary pcap files (pcap_reader.c) and pcapng files (pcapng_reader.c).
 */
#ifndef PCAP2DEMO_INPUT_H
#define PCAP2DEMO_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pcap2demo/capture/frame_reader.h"

enum input_status {
    INPUT_FRAME,
    INPUT_IDLE, /* live: no frame is available now */
    INPUT_END,
    INPUT_BROKEN /* the file is cut or damaged here; see input_error() */
};

struct input;

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

/* The name in messages: the file's, "standard input" or the interface's. */
const char *input_name(const struct input *input);

/* Its name without folder and extension, for naming demos. */
const char *input_stem(const struct input *input);

/* The link type, a DLT_ value of libpcap; in pcapng, that of the first interface. */
int input_link_type(const struct input *input);

/* Whether the link types of frames may differ. */
bool input_is_mixed(const struct input *input);

/* Whether --pcap made it of demos: then packet comments describe what the packets carry. */
bool input_is_of_demos(const struct input *input);

enum input_status input_next(struct input *input, struct input_frame *frame);

/* After INPUT_BROKEN: what is wrong and where. Valid until the input is closed. */
const char *input_error(const struct input *input);

/* The number of the last frame read; 0 before the first. */
uint64_t input_frames(const struct input *input);

/* Makes input_next() return INPUT_END soon, even if it blocks. For signal handlers. */
void input_break(struct input *input);

/* Bytes of the file read so far. */
uint64_t input_position(const struct input *input);

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
