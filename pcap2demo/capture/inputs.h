/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inputs that the command line names: which files, which of their packets and sessions, and how
 * protocols are recognized and read.
 */
#ifndef PCAP2DEMO_INPUTS_H
#define PCAP2DEMO_INPUTS_H

#include <glib.h>
#include <stdbool.h>

#include "common/sessions/sessions.h"

struct input_options {
    char **files; /* of -r and without an option; ends with NULL; or NULL */
    char *filter; /* a tcpdump expression; or NULL */
    char **ports; /* texts of --port, ends with NULL; or NULL */
};

extern struct input_options input_options;
extern const GOptionEntry input_entries[];

/* Sets the defaults; release them with inputs_clear(). */
void inputs_init(struct qs_sessions_options *sessions);
void inputs_clear(struct qs_sessions_options *sessions);

/*
 * The files of input_options, with folders replaced by the captures and, with `demos`, the demos in
 * them: new, ends with NULL. `*any_folder`: there was one. NULL: an error was reported.
 */
char **inputs_list_files(bool demos, bool *any_folder);

/* Parses --session, --max-sessions, --option and --port. False: an error was reported. */
bool inputs_parse_sessions(struct qs_sessions_options *sessions);

/*
 * Parses a list of numbers ("2", "1,3-5", "100-") to an array of struct qs_range. False: it is not
 * a list of numbers from 1.
 */
bool ranges_parse(GArray *ranges, const char *text);

#endif
