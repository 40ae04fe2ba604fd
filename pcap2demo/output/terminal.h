/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stream can show: whether it is a terminal, how wide, and in colours. */
#ifndef PCAP2DEMO_TERMINAL_H
#define PCAP2DEMO_TERMINAL_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

bool terminal_is(FILE *stream);

/* Characters in a line; 0: the stream is no terminal, or one of a width that nobody knows. */
unsigned terminal_columns(FILE *stream);

enum terminal_style { STYLE_PLAIN, STYLE_TITLE, STYLE_GOOD, STYLE_BAD };

/*
 * When styles are shown: "auto" on terminals, unless the environment has NO_COLOR (no-color.org) or
 * TERM=dumb; "always"; "never". False: it is none of these.
 */
bool terminal_set_color(const char *when);

/* `text`, which is printable, as it goes to the stream. New. */
char *terminal_styled(FILE *stream, enum terminal_style style, const char *text);

#endif
