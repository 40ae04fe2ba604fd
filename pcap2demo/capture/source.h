/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a file or standard input as streams of the inputs in it: the file itself, its decompressed
 * contents, or the members of an archive (see unpack.h).
 */
#ifndef PCAP2DEMO_SOURCE_H
#define PCAP2DEMO_SOURCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Callers only read the first members. */
struct source {
    FILE *stream; /* of the current input */
    /* The input's name in messages: the file's, ARCHIVE/MEMBER, or SOURCE_STANDARD_INPUT for "-". A
     * member's name is printable and has no "..", but is no path. */
    char *title;
    struct unpack *unpack; /* NULL: the file is not compressed */

    char *name;           /* of the file, for messages */
    FILE *file;           /* NULL: `stream` is the file */
    struct unpack *inner; /* a compressed member of an archive; or NULL */
    FILE *member;         /* the compressed stream that `inner` reads */
};

/*
 * Opens a file; "-" is standard input. NULL on failure; then `*error` is a new string.
 */
struct source *source_open(const char *name, char **error);

/*
 * Opens the next input, whose stream the caller closes with source_close_plain() or through
 * libpcap. Skips archive members whose names are not those of captures or, with `demos`, demos.
 * False: there is none, see source_problem().
 */
bool source_next(struct source *source, bool demos);

/* What is wrong with the compressed data read so far, a new string, once; NULL: nothing. */
char *source_problem(struct source *source);

/* Call it after the stream is closed. */
void source_close(struct source *source);

/*
 * Whether the extension is that of a capture or, with `demos`, of a demo; also before that of a
 * compressed file.
 */
bool source_is_input_name(const char *name, bool demos);

/* Whether a newly opened stream begins as a readable capture; as a pcapng file. */
bool source_is_capture(FILE *stream);
bool source_is_pcapng(FILE *stream);

/*
 * Reads `stream` to a new array of at most `max` bytes. `*problem` becomes a new string if that is
 * not all of the stream, else NULL.
 */
GByteArray *source_load(FILE *stream, guint max, char **problem);

bool source_is_standard_input(const char *name);

/* Whether it is no pipe or device: a file, or missing, which is reported when it is opened. */
bool source_is_file(const char *name);

#define SOURCE_STANDARD_INPUT "standard input"

/* The name in messages of the file with this name: SOURCE_STANDARD_INPUT for "-". */
const char *source_title_of(const char *name);

/* Opens the file without decompressing it. NULL on failure; then `*error` is a new string. */
FILE *source_open_plain(const char *name, char **error);
void source_close_plain(FILE *stream);

#endif
