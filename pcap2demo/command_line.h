/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line: parsing, help, and the run of the chosen action. */
#ifndef PCAP2DEMO_COMMAND_LINE_H
#define PCAP2DEMO_COMMAND_LINE_H

#include "pcap2demo/actions/action.h"

enum command_line_verdict {
    COMMAND_LINE_GOOD,
    COMMAND_LINE_WRONG, /* an error was reported */
    COMMAND_LINE_DONE   /* help or version was printed */
};

/* Parses the command line. `argv` ends with NULL, and must outlive `options`. Release `options`
 * with command_line_clear(), also after an error. */
enum command_line_verdict command_line_parse(struct options *options, char *const *argv);

/* Releases all that the options contain. */
void command_line_clear(struct options *options);

/* Reads all inputs in order, or records from interfaces, and performs the action. */
void run_inputs(const struct options *options);

#endif
