/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What demo files are called: CAPTURE-SESSION-MAP.EXTENSION, "duel-1-dm4.qwd".
 *
 * The map's name comes from the network. Of it only letters, digits, `_`, `+` and `-` are taken,
 * and no more than NAMING_MAP_MAX of them: it can never be a path, and never hide a file.
 */
#ifndef PCAP2DEMO_NAMING_H
#define PCAP2DEMO_NAMING_H

#include <stdbool.h>

enum { NAMING_MAP_MAX = 32 };

/* The part of a map's name that may stand in a file name: new, may be empty. NULL is allowed. */
char *naming_map(const char *map);

struct naming;

/*
 * `output` is what the user asked for: NULL (the current folder), a folder, or the name of the one
 * file to be. NULL on failure (it is neither and its folder does not exist); then `*error` is a new
 * text.
 */
struct naming *naming_new(const char *output, char **error);
void naming_free(struct naming *naming);

/* The folder that all files go to. */
const char *naming_folder(const struct naming *naming);

struct naming_request {
    const char *capture;   /* without folder and ending */
    unsigned session;      /* number */
    const char *map;       /* as the network said it, or NULL */
    const char *extension; /* without the dot */
};

/*
 * The name of a file, without a folder: new. A name is given once; the next demo that would get it
 * has "-2" before its extension, and so on. NULL when the user named one file and it went to
 * another session.
 */
char *naming_next(struct naming *naming, const struct naming_request *request);

#endif
