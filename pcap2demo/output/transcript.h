/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines for standard output and standard error that are kept, to be printed later or by another
 * process, in the order in which they came. What they are is set by message.c.
 *
 * A transcript is a text: of each line `1` or `2`, which is the stream, the printable line itself,
 * and a newline. Where a line tells the number of the session that it is about, that stands between
 * two control characters, which printable text has not: the number is not final while other inputs
 * may have sessions before.
 */
#ifndef PCAP2DEMO_TRANSCRIPT_H
#define PCAP2DEMO_TRANSCRIPT_H

#include <glib.h>
#include <stdio.h>

/* `stream` is stdout or stderr. */
void transcript_add(GString *transcript, const FILE *stream, const char *line);

/* A session's number as a line has it. New. */
char *transcript_number(unsigned number);

/* The transcript with `more` added to each number. New. */
char *transcript_renumber(const char *transcript, unsigned more);

void transcript_print(const char *transcript);

#endif
