/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the command line, and the inputs that it names. */
#ifndef PCAP2DEMO_COMMAND_LINE_H
#define PCAP2DEMO_COMMAND_LINE_H

#include "pcap2demo/actions/action.h"

enum command_line_verdict {
    COMMAND_LINE_GOOD,
    COMMAND_LINE_WRONG, /* an error was reported */
    COMMAND_LINE_DONE   /* the help or the version was printed */
};

/* Reads the command line; `argv` ends with NULL. The result, even of an error, lives until
 * command_line_clear(). */
enum command_line_verdict command_line_parse(struct options *options, char *const *argv);

void command_line_clear(struct options *options);

/* Reads all inputs, one after the other, or records from interfaces, and performs the action. */
void run_inputs(const struct options *options);

/* --- guesses.c: what a user may have meant by an option or a file that does not exist */

/* The option of this long name in `entries` (GOptionEntry), or NULL. */
const GOptionEntry *guess_find(const GArray *entries, const char *name);

/*
 * Reports that `word` ("--lsit") is no option, with what may be meant by its `name` ("lsit").
 * Returns false.
 */
bool guess_unknown(const GArray *entries, const char *word, const char *name);

/*
 * True, unless the file does not exist and its name looks like something else: an option, a filter,
 * or, with `demos`, the demo to write. That is reported.
 */
bool guess_missing_file(const GArray *entries, const char *file, bool demos);

#endif
