/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output for the user: report lines on standard output, messages on standard error, and the exit
 * status.
 *
 * Texts may come from packets, demos and file names, so all output is made printable.
 */
#ifndef PCAP2DEMO_MESSAGE_H
#define PCAP2DEMO_MESSAGE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/sessions/demo.h"

/* Returns the width of a line: the variable COLUMNS, or else the terminal's width, or else 80. */
unsigned terminal_columns(FILE *stream);

enum terminal_style { STYLE_PLAIN, STYLE_TITLE, STYLE_GOOD, STYLE_BAD };

/* Sets when styles are shown: "always", "never", or "auto": on terminals, unless the environment
 * has NO_COLOR (no-color.org) or TERM=dumb. */
void terminal_set_color(const char *when);

enum exit_status {
    EXIT_OK = 0,       /* no problem occurred */
    EXIT_PROBLEMS = 1, /* an input has a problem, or a demo could not be written */
    EXIT_UNUSABLE = 2  /* wrong usage, or an unreadable input */
};

/* Prints a line of a report, with a style and a newline. */
void print_styled(enum terminal_style style, const char *format, ...) G_GNUC_PRINTF(2, 3);

#define print_line(...) print_styled(STYLE_PLAIN, __VA_ARGS__)

/* Prints the message `pcap2demo: FILE: packet N: session N: TEXT` (or block N) and a newline. The
 * exit status does not change. */
void message(struct qs_location location, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Appends the location, such as "FILE: packet 12: session 3: ". */
void location_append(GString *line, struct qs_location location);

/* Prints a message, and raises the exit status to at least `status`. */
void failure(enum exit_status status, struct qs_location location, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Prints how many messages about each file were suppressed: only 1,000 with one format are printed.
 * Call it at the end of the program. */
void messages_end(void);

/* Prints a line below a failure with this location, such as a line of a difference. */
void failure_detail(struct qs_location location, enum terminal_style style, const char *line);

/* Prints an error of the command line. Returns false. */
bool usage_error(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Like usage_error(), for a string, which it frees. */
bool usage_problem(char *problem);

/* Raises the exit status without a message. */
void exit_status_raise(enum exit_status status);

/* Returns the highest exit status so far. */
enum exit_status exit_status_get(void);

/* Passes all later messages to `by`, without "pcap2demo: " and newline, instead of printing them.
 * NULL: prints them to standard error again. */
void print_messages_with(void (*by)(const char *line));

/* While muted, nothing is printed, and failures do not change the exit status. */
void messages_mute(bool mute);

/* Sets the exit status back to 0. */
void exit_status_reset(void);

/* Also passes all later failures to `by`, the only such handler; NULL: to none. */
typedef void failure_handler(enum exit_status status, struct qs_location location, const char *text,
                             void *user);
void handle_failures(failure_handler *by, void *user);

/* --- Progress --------------------------------------------------------------------------------- */

/* Progress line on standard error: share of the input read, rate, and time left. It appears after a
 * second, is erased before other output, and disappears at the end. */

/* Starts the progress line. `when` is "always", "never", or "auto" or NULL: on a terminal. */
void progress_begin(const char *when);

/* Updates the line: `read` of `all` bytes were read. `all` is 0 if unknown. */
void progress_update(uint64_t read, uint64_t all);

void progress_end(void);

#endif
