/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folders, and where in one a file goes whose name came from the network.
 *
 * A path stays below its folder, whatever the name is: names of folders and of the file have only
 * letters, digits, "_", "+", "-" and ".", and begin with none of "." and "-"; other characters
 * become "_". Both "/" and "\" separate. What is too deep or too long is cut.
 */
#ifndef PCAP2DEMO_SAFE_PATH_H
#define PCAP2DEMO_SAFE_PATH_H

#include <stdbool.h>

enum { SAFE_PATH_DEPTH = 8, SAFE_PATH_PART = 64 };

/* The name made safe, relative to the folder; NULL is a file without a name. New. */
char *safe_path(const char *name);

/*
 * Makes the folders of `path`, which is safe, below `folder`. What is there already must be a
 * folder itself, not a link to one. The file's own folder, new; or NULL, and `*error` is a new
 * text.
 */
char *safe_path_make_folders(const char *folder, const char *path, char **error);

/*
 * Makes a folder that the user named, with those above it, where they are not there. NULL, or what
 * is wrong as a new text.
 */
char *make_folders(const char *folder);

#endif
