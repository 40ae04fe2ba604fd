/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Terminals: width, colors, and a progress line. */
#ifndef PCAP2DEMO_TERMINAL_H
#define PCAP2DEMO_TERMINAL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

bool terminal_is(FILE *stream);

/* Characters per line: those of the variable COLUMNS, or else of the terminal; 0: unknown. */
unsigned terminal_columns(FILE *stream);

enum terminal_style { STYLE_PLAIN, STYLE_TITLE, STYLE_GOOD, STYLE_BAD };

/*
 * When styles are shown: "auto" on terminals, unless the environment has NO_COLOR (no-color.org) or
 * TERM=dumb; "always"; "never". False: it is none of these.
 */
bool terminal_set_color(const char *when);

/* `text`, which is printable, with the style if the stream shows styles. New. */
char *terminal_styled(FILE *stream, enum terminal_style style, const char *text);

/*
 * A progress line on standard error: only on a terminal, and only if reading takes longer than half
 * a second.
 */

/* `total`: the size of all input in bytes; 0: unknown. `wanted` false: never shows progress. */
void progress_start(uint64_t total, bool wanted);

/* `done` bytes are read. May be called often; draws a few times a second. */
void progress_update(uint64_t done);

/* Erases the line, so that something else can be printed. */
void progress_erase(void);

/*
 * The progress line, in fewer than `columns` characters: the percentage, the rate and the time
 * left; for a total of 0, the bytes read, the rate and the time so far. New.
 */
char *progress_text(unsigned columns, uint64_t done, uint64_t total, double seconds);

#endif
