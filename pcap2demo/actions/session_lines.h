/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is printed about sessions as they end. Of one input it is printed at once; of several, which
 * may be read by several processes, at the end and in the order of the sessions' numbers.
 */
#ifndef PCAP2DEMO_SESSION_LINES_H
#define PCAP2DEMO_SESSION_LINES_H

#include <glib.h>

#include "pcap2demo/actions/options.h"

struct session_lines;

struct session_lines *session_lines_new(const struct options *options);
void session_lines_free(struct session_lines *lines);

/* What is printed between the two is about this session. */
void session_lines_begin(struct session_lines *lines);
void session_lines_end(struct session_lines *lines, unsigned number);

/* Prints what was not printed yet. */
void session_lines_print(struct session_lines *lines);

/* For another process, floating; and there: `before` sessions are of inputs before. */
GVariant *session_lines_give(struct session_lines *lines);
void session_lines_take(struct session_lines *lines, GVariant *given, unsigned before);

#endif
