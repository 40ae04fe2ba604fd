/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Terminals: width and colors. */
#ifndef PCAP2DEMO_TERMINAL_H
#define PCAP2DEMO_TERMINAL_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

bool terminal_is(FILE *stream);

/* Characters per line: those of the variable COLUMNS, or else of the terminal; 0: unknown. */
unsigned terminal_columns(FILE *stream);

enum terminal_style { STYLE_PLAIN, STYLE_TITLE, STYLE_GOOD, STYLE_BAD };

/*
 * When styles are shown: "auto" on terminals, unless the environment has NO_COLOR (no-color.org) or
 * TERM=dumb; "always"; "never".
 */
void terminal_set_color(const char *when);

/* `text`, which is printable, with the style if the stream shows styles. New. */
char *terminal_styled(FILE *stream, enum terminal_style style, const char *text);

#endif
