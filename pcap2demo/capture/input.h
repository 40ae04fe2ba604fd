/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where frames come from: capture files (pcap, pcapng), standard input, or a network interface.
 *
 * Frames are handed out one at a time and are valid until the next call. Interfaces, and all that
 * is neither an ordinary pcap file (pcap_reader.c) nor a pcapng file (pcapng_reader.c), are
 * libpcap's matter.
 */
#ifndef PCAP2DEMO_INPUT_H
#define PCAP2DEMO_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pcap2demo/capture/frame_reader.h"

enum input_status {
    INPUT_FRAME,
    INPUT_IDLE, /* live: nothing is there now */
    INPUT_END,
    INPUT_BROKEN /* the file is cut or damaged here; see input_error() */
};

struct input;

/*
 * Opens a capture file, which is not packed. `filter` is an expression as tcpdump takes it, or
 * NULL. NULL on failure; then `*error` is a new text.
 */
struct input *input_open_file(const char *name, const char *filter, char **error);

/*
 * The same for a stream that is open already, which it takes over in any case. `name` is what
 * messages call it.
 */
struct input *input_open_capture(FILE *stream, const char *name, const char *filter, char **error);

/*
 * Records from the interface `name`; the kernel has room for so many MiB of packets that wait.
 * input_next() does not wait then: see input_descriptor(). The same on failure.
 */
struct input *input_open_live(const char *name, const char *filter, unsigned buffer, char **error);

/* What messages call it: the file's name, "standard input" or the interface's name. */
const char *input_name(const struct input *input);

/* Its name without folder and ending, for naming demos. */
const char *input_stem(const struct input *input);

/* The kind of link layer, a DLT_ value of libpcap; of a pcapng file that of its first interface. */
int input_link_type(const struct input *input);

/* Whether the link types of frames may differ. */
bool input_is_mixed(const struct input *input);

/* Whether this program made it of demos (--pcap), so that comments tell what packets carry. */
bool input_is_of_demos(const struct input *input);

enum input_status input_next(struct input *input, struct input_frame *frame);

/* After INPUT_BROKEN: what is wrong and where, for a message. Valid until the input is closed. */
const char *input_error(const struct input *input);

/* The number of the last frame read; 0 before the first. */
uint64_t input_frames(const struct input *input);

/* Makes input_next() return INPUT_END soon, even if it waits. For signal handlers. */
void input_break(struct input *input);

/* Bytes of the file read so far. */
uint64_t input_position(const struct input *input);

/* Live: becomes readable when frames are there, as poll(2) has it; or -1. */
int input_descriptor(const struct input *input);

/* Live: frames that were lost so far; the counts begin anew behind 2^32 - 1. */
struct input_drops {
    uint32_t kernel;    /* nobody fetched them in time */
    uint32_t interface; /* it, or its driver, had no room */
};
struct input_drops input_drops(const struct input *input);

void input_close(struct input *input);

#endif
