/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Safe paths for files whose names come from the network.
 *
 * A path stays below its folder for any name: names of folders and files have only letters, digits,
 * "_", "+", "-" and ".", and do not begin with "." or "-"; other characters become "_". Both "/"
 * and "\" separate. Paths that are too deep or too long are cut.
 */
#ifndef PCAP2DEMO_SAFE_PATH_H
#define PCAP2DEMO_SAFE_PATH_H

#include <stdbool.h>

enum { SAFE_PATH_DEPTH = 8, SAFE_PATH_PART = 64 };

/* The name made safe, relative to the folder; NULL is a file without a name. New. */
char *safe_path(const char *name);

/*
 * Creates the folders of `path`, which is safe, below `folder`. Existing ones must be folders, not
 * links to one. Returns the file's folder, new; or NULL, and `*error` is a new string.
 */
char *safe_path_make_folders(const char *folder, const char *path, char **error);

/*
 * Creates a folder named by the user and its missing parents. Returns NULL, or what is wrong as a
 * new string.
 */
char *make_folders(const char *folder);

#endif
