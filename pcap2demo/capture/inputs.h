/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inputs that the command line names: which files, which of their packets and sessions, and how
 * protocols are recognized and read.
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
 * Capture files (pcap, pcapng) and standard input: their frames, one at a time, valid until the
 * next call.
 */

/* A filter that is compiled for frames of a link type. */
struct link_filter {
    int link_type;
    bool usable; /* false: none of them match */
    struct bpf_program program;
};

/* Callers only read the first members. */
struct input {
    char *name;      /* in messages: the file's, or "standard input" */
    char *stem;      /* the name without folder and extension, for naming demos */
    uint64_t frames; /* number of the last frame read; 0 before the first */
    char *error;     /* after INPUT_CUT and INPUT_BROKEN: what is wrong and where */

    const struct qs_capture_file *file; /* for the caller: what its packets are of */
    GArray *unknown; /* for the caller: frames by link types that cannot be read; or NULL */

    struct frame_reader *reader;
    bool mixed;                  /* the link types of frames may differ */
    char *filter;                /* counts frames that do not match, but skips them; or NULL */
    struct link_filter compiled; /* for the link type of the last frame */
};

/* Compiles a tcpdump expression. False: it is not valid there, and `*error` is a new string. */
bool link_filter_compile(struct link_filter *filter, int link_type, const char *expression,
                         char **error);
void link_filter_clear(struct link_filter *filter);

/*
 * Opens a capture that is not compressed: a stream, which it owns from now on, even on failure.
 * Messages call it `name`. `filter` is a tcpdump expression, or NULL. NULL on failure; then
 * `*error` is a new string.
 */
struct input *input_open_capture(FILE *stream, const char *name, const char *filter, char **error);

/* The link type, a DLT_ value of libpcap; in pcapng, that of the first interface. */
int input_link_type(const struct input *input);

/* Whether frames can be read: the link type is known, or the link types of frames may differ. */
bool input_has_known_links(const struct input *input);

enum input_status input_next(struct input *input, struct input_frame *frame);

void input_close(struct input *input);

extern const struct option_row input_rows[];

/* Sets the defaults; release them with inputs_clear(). */
void inputs_init(struct qs_sessions_options *sessions);
void inputs_clear(struct qs_sessions_options *sessions);

/*
 * The files of the options, with folders replaced by the captures in them and, except for a
 * conversion, the demos: new, ends with NULL. Sets `any_folder`. NULL: an error was reported.
 */
char **inputs_list_files(struct options *options);

/* Parses --option and --port. False: an error was reported. */
bool inputs_parse_protocols(struct options *options);

/* --- merge.c: several inputs in the order of time --------------------------------------------- */

/*
 * Reads the files of the command line. Capture files are one capture, in the order of time: they
 * are merged where they overlap. The captures of an archive follow each other in its order, as if
 * it were one file. What is no capture file (demos, pipes, standard input) is read behind them, in
 * the order of the command line.
 *
 * Files whose times do not overlap are opened one after the other.
 */

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
