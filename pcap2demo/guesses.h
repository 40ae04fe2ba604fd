/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a user may have meant by an option that does not exist, or by a file that does not. */
#ifndef PCAP2DEMO_GUESSES_H
#define PCAP2DEMO_GUESSES_H

#include <glib.h>
#include <stdbool.h>

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
