/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to the user, on standard error, and what they make of the exit status. */
#ifndef PCAP2DEMO_MESSAGE_H
#define PCAP2DEMO_MESSAGE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum exit_status {
    EXIT_WELL = 0,     /* everything was done */
    EXIT_PROBLEMS = 1, /* something in the input is wrong, or a demo could not be written */
    EXIT_UNUSABLE = 2  /* wrong usage, or an input that cannot be read at all */
};

/* A location in the input. `file` NULL: none; `packet` 0: the file as a whole. */
struct location {
    const char *file;
    uint64_t packet;
    bool block; /* the file is a demo: the number is a block's */
};

/* Prints `pcap2demo: FILE: packet N: TEXT` (or block N), and a newline. Does not touch the exit
 * status. */
void message(struct location location, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The same, and the program's exit status becomes at least `status`. */
void failure(enum exit_status status, struct location location, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Prints what is wrong with the command line. Returns false, for its callers to return. */
bool usage_error(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Raises the exit status without a message. */
void raise_status(enum exit_status status);

/* The worst status so far. */
enum exit_status status_so_far(void);

/* From now on `by` gets each failure, too. One at a time; NULL: none. */
typedef void failure_handler(enum exit_status status, struct location location, const char *text,
                             void *user);
void handle_failures(failure_handler *by, void *user);

/* Of what comes from the network: control characters and what is not UTF-8 are replaced. New. */
char *printable(const char *text);

#endif
