/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that the command line names. */
#ifndef PCAP2DEMO_INPUTS_H
#define PCAP2DEMO_INPUTS_H

#include <stdbool.h>

#include "pcap2demo/actions/action.h"

/* The files of -r, then `others`, which it takes over; either may be NULL. New, ends with NULL. */
char **inputs_join(char *const *read, char **others);

/*
 * A word that is no file, but was probably meant as something else: what is wrong, as a new text;
 * or NULL. `forced`: -f stands on the command line, which other programs take for a filter.
 */
char *inputs_problem(char *const *files, const struct action_kind *action, bool forced);

bool inputs_have_folder(char *const *files);

/*
 * Replaces each folder in `*files`, which may be freed for a new list, by the captures in it, and
 * the demos, unless `action` converts; with `recursive`, also by those in the folders below. What
 * is wrong as a new text, or NULL.
 */
char *inputs_open_folders(char ***files, const struct action_kind *action, bool recursive);

#endif
