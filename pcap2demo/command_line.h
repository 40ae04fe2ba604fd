/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line as a whole: reads it, prints help, and runs what it asks for. */
#ifndef PCAP2DEMO_COMMAND_LINE_H
#define PCAP2DEMO_COMMAND_LINE_H

#include "pcap2demo/actions/action.h"

enum command_line_verdict {
    COMMAND_LINE_GOOD,
    COMMAND_LINE_WRONG, /* an error was reported */
    COMMAND_LINE_DONE   /* the help or the version was printed */
};

/* Reads the command line; `argv` ends with NULL, and must outlive the options. The result, even of
 * an error, lives until command_line_clear(). */
enum command_line_verdict command_line_parse(struct options *options, char *const *argv);

void command_line_clear(struct options *options);

/* Reads all inputs, one after the other, or records from interfaces, and performs the action. */
void run_inputs(const struct options *options);

/* --- --help */

void print_help(const GPtrArray *rows); /* struct option_row, with headings */
void print_short_help(void);
void print_version(void);

#endif
