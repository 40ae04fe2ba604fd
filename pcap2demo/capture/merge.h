/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the files of the command line. Capture files are one capture, in the order of time: they
 * are merged where they overlap. The captures of an archive follow each other in its order, as if
 * it were one file. What is no capture file (demos, pipes, standard input) is read behind them, in
 * the order of the command line.
 *
 * Files whose times do not overlap are opened one after the other.
 */
#ifndef PCAP2DEMO_MERGE_H
#define PCAP2DEMO_MERGE_H

#include <stdbool.h>

#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/capture/source.h"

/* What hears of the files. Functions may be NULL. An implementation begins with this struct. */
struct input_visitor {
    const char *filter; /* a tcpdump expression, or NULL */
    bool demos;         /* members of archives may be demos */
    bool separate;      /* each file is an input of its own: they are not merged */
    bool is_over;       /* set by any function: nothing more is wanted */
    /* The file or member cannot be read; the visitor owns the text. */
    void (*unusable)(struct input_visitor *visitor, const char *name, char *error);
    /* A capture begins; false: it is not wanted. */
    bool (*capture_start)(struct input_visitor *visitor, struct input *input);
    /* Its next frame. */
    void (*frame)(struct input_visitor *visitor, struct input *input, struct input_frame *frame);
    /* It ends: INPUT_END, or damaged; also where reading was interrupted. */
    void (*capture_end)(struct input_visitor *visitor, struct input *input,
                        enum input_status status);
    /* Files that are merged, or a file of its own, are over. */
    void (*group_end)(struct input_visitor *visitor);
    /* A stream that is no capture, which the visitor closes; NULL: it is skipped. */
    void (*other)(struct input_visitor *visitor, struct source *source);
    /* The stream of a capture is closed, or the file is over: compressed data may be damaged. */
    void (*source_end)(struct input_visitor *visitor, struct source *source);

    uint64_t frames;     /* so far: the last one's qs_packet.frame */
    unsigned inputs;     /* of the file, so far */
    uint64_t read, size; /* bytes of the files: about so many so far; all, or 0: not known */
};

/* Reads until the end, or until reading is interrupted or `is_over`. */
void merge_read(char *const *files, struct input_visitor *visitor);

#endif
