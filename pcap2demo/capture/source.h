/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of any kind, compressed or not, or standard input, as a stream of what is in it. */
#ifndef PCAP2DEMO_SOURCE_H
#define PCAP2DEMO_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct source;

/*
 * Opens a file; "-" is standard input. NULL on failure; then `*error` is a new text. One source at
 * a time: the one before must be closed.
 */
struct source *source_open(const char *name, char **error);

/* What is in it. The caller closes it with source_close_plain(), or has libpcap do that. */
FILE *source_stream(struct source *source);

/* What is wrong with the compressed data that were read so far, for a message; NULL: nothing. */
const char *source_problem(const struct source *source);

/* Whether positions in the stream are not positions in the file, and where that is read to. */
bool source_is_packed(const struct source *source);
uint64_t source_position(const struct source *source);

/* After its stream was closed. */
void source_close(struct source *source);

bool source_is_standard_input(const char *name);

#define SOURCE_STANDARD_INPUT "standard input"

/* What messages call the file of this name: SOURCE_STANDARD_INPUT or the name. */
const char *source_title(const char *name);

/*
 * Puts what comes by standard input into a temporary file without a name, so that opening it again
 * begins anew. False where not all of it could be kept; then `*error` is a new text.
 */
bool source_keep_standard_input(char **error);

/* The file as it is, compressed or not. NULL on failure; then `*error` is a new text. */
FILE *source_open_plain(const char *name, char **error);
void source_close_plain(FILE *stream);

#endif
