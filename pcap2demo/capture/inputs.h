/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inputs that the command line names: which files, which of their packets and sessions, and how
 * protocols are recognized and read.
 */
#ifndef PCAP2DEMO_INPUTS_H
#define PCAP2DEMO_INPUTS_H

#include "pcap2demo/options.h"

extern const struct option_row input_rows[];

/* Sets the defaults; release them with inputs_clear(). */
void inputs_init(struct qs_sessions_options *sessions);
void inputs_clear(struct qs_sessions_options *sessions);

/*
 * The files of the options, with folders replaced by the captures in them and, except for a
 * conversion, the demos: new, ends with NULL. Sets `any_folder`. NULL: an error was reported.
 */
char **inputs_list_files(struct options *options);

/* Parses --option and --port. False: an error was reported. */
bool inputs_parse_protocols(struct options *options);

#endif
