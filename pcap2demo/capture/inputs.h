/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inputs of the command line: files, filters of packets and sessions, and options that select and
 * configure protocols.
 */
#ifndef PCAP2DEMO_INPUTS_H
#define PCAP2DEMO_INPUTS_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/options.h"

/* --- One input -------------------------------------------------------------------------------- */

/*
 * Capture files (pcap, pcapng) and standard input, read frame by frame. A frame is valid until the
 * next call.
 */

/* Filter compiled for frames of one link type. */
struct link_filter {
    int link_type;
    bool usable; /* false: no frame matches */
    struct bpf_program program;
};

/* Callers only use the members up to `reader`. */
struct input {
    char *name;      /* name in messages: the file's, or "standard input" */
    char *stem;      /* name without folder and extension, for naming demos */
    uint64_t frames; /* number of the last frame read; 0 before the first */
    char *error;     /* file offset and error text, after INPUT_CUT and INPUT_BROKEN */

    const struct qs_capture_file *file; /* set by the caller: file of the packets */
    GArray *unknown; /* set by the caller: frames by unknown link type; or NULL */

    struct frame_reader *reader;
    bool mixed;                  /* frames may have different link types */
    char *filter;                /* expression: frames that do not match are skipped; or NULL */
    struct link_filter compiled; /* for the last frame's link type */
};

/*
 * Opens a capture that is not compressed. Takes ownership of the stream, even on failure. Messages
 * call it `name`. `filter` is a tcpdump expression, or NULL. On failure, returns NULL and sets
 * `*error` to a new string.
 */
struct input *input_open_capture(FILE *stream, const char *name, const char *filter, char **error);

/* True if Ethernet frames or those of the device "any" can match the tcpdump expression. Otherwise
 * sets `*error` to a new string. */
bool input_filter_is_valid(const char *expression, char **error);

/* Returns the link type, a DLT_ value of libpcap; in pcapng, that of the first interface. */
int input_link_type(const struct input *input);

/* True if the link type is known, or frames may have different link types. */
bool input_has_known_links(const struct input *input);

enum input_status input_next(struct input *input, struct input_frame *frame);

void input_close(struct input *input);

extern const struct option_row input_rows[];

/* Initializes the options with their defaults. Free the contents with inputs_clear(). */
void inputs_init(struct qs_sessions_options *sessions);
void inputs_clear(struct qs_sessions_options *sessions);

/* Parses --option and --port. Returns false after reporting an error. */
bool inputs_parse_protocols(struct options *options);

/* --- merge.c: several inputs in the order of time -------------------------------------------- */

/*
 * Reads the files of the command line. Capture files are read as one capture, in the order of time:
 * files that overlap are merged, files that do not are opened one after the other. The captures of
 * an archive are read one after the other, as if they were one file. Files that are no captures
 * (demos, pipes, standard input) are read afterwards, in the order of the command line.
 */

/* Callbacks of merge_read(): all but `frame` may be NULL. An implementation begins with this. */
struct input_visitor {
    const char *filter; /* tcpdump expression, or NULL */
    bool demos;         /* archives may contain demos */
    bool separate;      /* files are not merged: each is read alone */
    bool is_over;       /* set by any callback to end the reading */
    /* The file or member cannot be read. The visitor frees `error`. */
    void (*unusable)(struct input_visitor *visitor, const char *name, char *error);
    /* A capture begins. Returns false to skip it. */
    bool (*capture_start)(struct input_visitor *visitor, struct input *input);
    /* Handles the next frame of the capture. */
    void (*frame)(struct input_visitor *visitor, struct input *input, struct input_frame *frame);
    /* The capture ends: INPUT_END, or damaged. Called after an interruption, too. */
    void (*capture_end)(struct input_visitor *visitor, struct input *input,
                        enum input_status status);
    /* A group of merged files, or a single file, has ended. */
    void (*group_end)(struct input_visitor *visitor);
    /* Handles a stream that is no capture, and closes it. NULL: such streams are skipped. */
    void (*other)(struct input_visitor *visitor, struct source *source);
    /* The stream of a capture is closed, or the file ends: see source_problem(). */
    void (*source_end)(struct input_visitor *visitor, struct source *source);

    uint64_t frames;     /* number of frames so far: qs_packet.frame of the last one */
    unsigned inputs;     /* number of inputs in the file so far */
    bool overlap;        /* two captures were open at once */
    uint64_t identity;   /* hash of the files' names and first times */
    uint64_t read, size; /* bytes of the files: read so far (about), and in total; 0: unknown */
};

/* Reads the files until the end, an interruption, or `is_over`. */
void merge_read(char *const *files, struct input_visitor *visitor);

#endif
