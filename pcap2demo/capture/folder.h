/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder as an input stands for the captures and demos in it. */
#ifndef PCAP2DEMO_FOLDER_H
#define PCAP2DEMO_FOLDER_H

#include <glib.h>
#include <stdbool.h>

/*
 * Adds to `files` (new texts) the captures and, with `demos`, demos in `folder`, in the order of
 * their names. They
 * are known by the endings of their names, also in front of those of compressed files; hidden ones
 * are left out.
 * `recursive`: those in the folders below, too; links to folders are not followed. False on
 * failure; then `*error` is a new text.
 */
bool folder_list(const char *folder, bool recursive, bool demos, GPtrArray *files, char **error);

/* Whether a file of this name is among those. */
bool folder_is_input(const char *name, bool demos);

#endif
