/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expands a folder given as an input to the captures and demos in it. */
#ifndef PCAP2DEMO_FOLDER_H
#define PCAP2DEMO_FOLDER_H

#include <glib.h>
#include <stdbool.h>

/*
 * Adds to `files` (new strings) the captures and, with `demos`, the demos in `folder`, sorted by
 * name. The file name extension decides, also before that of a compressed file. Skips hidden files.
 * `recursive`: also searches subfolders, but follows no links to folders. False on failure; then
 * `*error` is a new string.
 */
bool folder_list(const char *folder, bool recursive, bool demos, GPtrArray *files, char **error);

/* Whether folder_list() would list a file of this name. */
bool folder_is_input(const char *name, bool demos);

#endif
