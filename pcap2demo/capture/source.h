/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of any kind or standard input, as streams of the inputs in it: the file itself, what it
 * was compressed from, or the members of an archive (see unpack.h).
 */
#ifndef PCAP2DEMO_SOURCE_H
#define PCAP2DEMO_SOURCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct source;

/*
 * Opens a file; "-" is standard input. NULL on failure; then `*error` is a new text. One source at
 * a time: the one before must be closed.
 */
struct source *source_open(const char *name, char **error);

/*
 * Goes to the next input in it, whose stream the caller closes with source_close_plain(), or has
 * libpcap do that. Of an archive, members are left out whose names are not those of captures or,
 * with `demos`, demos. False: there is none, see source_problem().
 */
bool source_next(struct source *source, bool demos);
FILE *source_stream(struct source *source);

/*
 * What messages call the input: the file's name, or ARCHIVE/MEMBER; SOURCE_STANDARD_INPUT for "-".
 * A member's name is printable and has no "..", but is no path. Valid until the next one.
 */
const char *source_title(const struct source *source);

/* What is wrong with the packed data that were read so far, as a new text, once; NULL: nothing. */
char *source_problem(struct source *source);

/* Whether positions in the stream are not positions in the file, and where that is read to. */
bool source_is_packed(const struct source *source);
uint64_t source_position(const struct source *source);

/* After its stream was closed. */
void source_close(struct source *source);

/* Whether a stream that was just opened begins as a capture that can be read, as a pcapng file. */
bool source_is_capture(FILE *stream);
bool source_is_pcapng(FILE *stream);

/*
 * All that `stream` holds, as a new array of at most `max` bytes. Where that is not all of it,
 * `*problem` gets a new text and what could be read is returned; else NULL.
 */
GByteArray *source_load(FILE *stream, guint max, char **problem);

bool source_is_standard_input(const char *name);

#define SOURCE_STANDARD_INPUT "standard input"

/* What messages call the file of this name: SOURCE_STANDARD_INPUT or the name. */
const char *source_title_of(const char *name);

/*
 * Puts what comes by standard input into a temporary file without a name, so that opening it again
 * begins anew. False where not all of it could be kept; then `*error` is a new text.
 */
bool source_keep_standard_input(char **error);

/* The file as it is, compressed or not. NULL on failure; then `*error` is a new text. */
FILE *source_open_plain(const char *name, char **error);
void source_close_plain(FILE *stream);

#endif
