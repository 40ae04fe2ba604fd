/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What demo files are called: CAPTURE-START-PLAYER-MAP.EXTENSION,
 * "server-20261120-155401-labplayer-dm4.qwd". The start is that of the demo by the capture's clock,
 * in UTC: a name does not depend on where and when the capture is converted, nor on which of its
 * sessions are.
 *
 * The names of players and maps come from the network. Of each only letters, digits, `_`, `+` and
 * `-` are taken, and no more than NAMING_PART_MAX of them: it can never be a path, and never hide a
 * file. What is not known is left out.
 */
#ifndef PCAP2DEMO_NAMING_H
#define PCAP2DEMO_NAMING_H

#include <stdbool.h>
#include <stdint.h>

enum { NAMING_PART_MAX = 32 };

/* What of a name may stand in a file name: new, may be empty. NULL is allowed. Maps lose their
 * folder and their ".bsp". */
char *naming_player(const char *player);
char *naming_map(const char *map);

struct naming;

/*
 * `output` is what the user asked for: NULL (the current folder), a folder, or the name of the one
 * file to be, which has a dot in it. Folders that are not there are made. NULL on failure; then
 * `*error` is a new text.
 */
struct naming *naming_new(const char *output, char **error);
void naming_free(struct naming *naming);

/* The folder that all files go to. */
const char *naming_folder(const struct naming *naming);

struct naming_request {
    const char *capture;      /* without folder and ending; made printable */
    unsigned session;         /* number */
    int64_t start;            /* nanoseconds since the epoch */
    const char *player, *map; /* as the network said it, or NULL */
    const char *extension;    /* without the dot */
};

/*
 * The name of a file, without a folder: new. A name is given once; the next demo that would get it
 * has "-2" before its extension, and so on. NULL when the user named one file and it went to
 * another session.
 */
char *naming_next(struct naming *naming, const struct naming_request *request);

/* Whether the user left the names to the program: then one that is taken gives way to the next. */
bool naming_is_free(const struct naming *naming);

#endif
