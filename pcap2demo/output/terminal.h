/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Terminals: width, colors, and a line of progress. */
#ifndef PCAP2DEMO_TERMINAL_H
#define PCAP2DEMO_TERMINAL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

bool terminal_is(FILE *stream);

/* Characters in a line; 0: unknown, or the stream is no terminal. */
unsigned terminal_columns(FILE *stream);

enum terminal_style { STYLE_PLAIN, STYLE_TITLE, STYLE_GOOD, STYLE_BAD };

/*
 * When styles are shown: "auto" on terminals, unless the environment has NO_COLOR (no-color.org) or
 * TERM=dumb; "always"; "never". False: it is none of these.
 */
bool terminal_set_color(const char *when);

/* `text`, which is printable, as it goes to the stream. New. */
char *terminal_styled(FILE *stream, enum terminal_style style, const char *text);

/*
 * A line of progress on standard error: only on a terminal, and only where reading takes longer
 * than half a second.
 */

/* `total`: the size of all input in bytes; 0: unknown. `wanted` false: nothing is ever shown. */
void progress_start(uint64_t total, bool wanted);

/* `done` of the bytes are read. May be called often; draws a few times a second. */
void progress_update(uint64_t done);

/* Erases the line, so that something else can be printed. */
void progress_erase(void);

/*
 * What is shown, in fewer than `columns` characters: a bar where there is room, the share, the
 * rate and the time that is left; of a total of 0, what was read, the rate and the time so far.
 * New.
 */
char *progress_text(unsigned columns, uint64_t done, uint64_t total, double seconds);

#endif
