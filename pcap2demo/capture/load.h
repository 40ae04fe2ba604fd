/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole file in memory. */
#ifndef PCAP2DEMO_LOAD_H
#define PCAP2DEMO_LOAD_H

#include <glib.h>
#include <stdio.h>

/*
 * All that `stream` holds, as a new array of at most `max` bytes. Where that is not all of it,
 * `*problem` gets a new text and what could be read is returned; else NULL.
 */
GByteArray *load_stream(FILE *stream, guint max, char **problem);

#endif
