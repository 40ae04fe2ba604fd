/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output for the user: report lines on standard output, messages on standard error, and the exit
 * status.
 *
 * Texts may come from packets, demos and file names: everything is made printable.
 */
#ifndef PCAP2DEMO_MESSAGE_H
#define PCAP2DEMO_MESSAGE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/core/text.h"
#include "common/sessions/demo.h"

/* Returns the characters per line: the variable COLUMNS, or else the terminal's, or else 80. */
unsigned terminal_columns(FILE *stream);

enum terminal_style { STYLE_PLAIN, STYLE_TITLE, STYLE_GOOD, STYLE_BAD };

/*
 * When styles are shown: "auto" on terminals, unless the environment has NO_COLOR (no-color.org) or
 * TERM=dumb; "always"; "never".
 */
void terminal_set_color(const char *when);

enum exit_status {
    EXIT_OK = 0,       /* everything was done */
    EXIT_PROBLEMS = 1, /* something in the input is wrong, or a demo could not be written */
    EXIT_UNUSABLE = 2  /* wrong usage, or an input that cannot be read at all */
};

/* Prints a report line with a terminal style, and a newline. */
void print_styled(enum terminal_style style, const char *format, ...) G_GNUC_PRINTF(2, 3);

#define print_line(...) print_styled(STYLE_PLAIN, __VA_ARGS__)

/* Prints `pcap2demo: FILE: packet N: session N: TEXT` (or block N), and a newline. Does not change
 * the exit status. */
void message(struct qs_location location, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* "FILE: packet 12: session 3: " */
void location_append(GString *line, struct qs_location location);

/* Prints a message, and the program's exit status becomes at least `status`. */
void failure(enum exit_status status, struct qs_location location, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/*
 * Of messages with one format about one file, 1,000 are printed and the rest is counted. Call it at
 * the end of a file: it prints how many more there were.
 */
void messages_end_file(void);

/* Prints a line below a failure in the file of this location, such as a line of a difference. */
void failure_detail(struct qs_location location, enum terminal_style style, const char *line);

/* Prints what is wrong with the command line. Returns false, for the caller to return. */
bool usage_error(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* The same for a string, which it frees. */
bool usage_problem(char *problem);

/* Raises the exit status without a message. */
void exit_status_raise(enum exit_status status);

/* The worst status so far. */
enum exit_status exit_status_get(void);

/* From now on passes message lines to `by`, without "pcap2demo: " and a newline, instead of
 * printing them to standard error; NULL: prints them again. */
void print_messages_with(void (*by)(const char *line));

/* While muted, nothing is printed, and failures do not change the exit status. */
void messages_mute(bool mute);

/* Sets the exit status back to 0. */
void exit_status_reset(void);

/* From now on also passes each failure to this handler, the only one; NULL: none. */
typedef void failure_handler(enum exit_status status, struct qs_location location, const char *text,
                             void *user);
void handle_failures(failure_handler *by, void *user);

/* --- Progress --------------------------------------------------------------------------------- */

/*
 * A line on standard error about long work: the share of the input that was read, the rate and the
 * time that is left. It comes after a second, makes way for other output, and is gone at the end.
 */

/* "always"; "never"; "auto" or NULL: on a terminal. */
void progress_begin(const char *when);

/* So many bytes of all were read; 0 of all: it is not known how many there are. */
void progress_update(uint64_t read, uint64_t all);

/* Erases the line; the next update prints it again. */
void progress_clear(void);

void progress_end(void);

#endif
