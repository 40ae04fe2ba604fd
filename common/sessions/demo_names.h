/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What demo files are called: CAPTURE-START-PLAYER-MAP.EXTENSION,
 * "server-20261120-155401-labplayer-dm4.qwd". The start is that of the demo by the capture's clock,
 * in UTC: a name does not depend on where and when the capture is converted, nor on which of its
 * sessions are.
 *
 * The names of players and maps come from the network. Of each only letters, digits, `_`, `+` and
 * `-` are taken, and no more than QS_DEMO_NAME_PART_MAX of them: it can never be a path, and never
 * hide a file. What is not known is left out.
 */
#ifndef QS_SESSIONS_DEMO_NAMES_H
#define QS_SESSIONS_DEMO_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum { QS_DEMO_NAME_PART_MAX = 32 };

/* What of a map's name may stand in a file name, without its folder and ".bsp": new, may be empty.
 * NULL is allowed. */
char *qs_demo_name_map(const char *map);

struct qs_demo_names;

/* `file` is the name that the user wants for the one file to be; NULL: none. */
struct qs_demo_names *qs_demo_names_new(const char *file);
void qs_demo_names_free(struct qs_demo_names *names);

struct qs_demo_name_request {
    const char *capture;      /* without folder and ending; made printable; may be "" */
    unsigned session;         /* number */
    int64_t start, end;       /* nanoseconds since the epoch; the packet at hand is its end */
    const char *player, *map; /* as received, or NULL */
    const char *extension;    /* without the dot */
};

/*
 * The name of a file, without a folder: new. A name is given once; the next demo that would get it
 * has "-2" before its extension, and so on. NULL when the user named one file and it went to
 * another session.
 */
char *qs_demo_names_next(struct qs_demo_names *names, const struct qs_demo_name_request *request);

/*
 * Forgets the given names if there are more than `max`: for callers that look for taken names on
 * disk.
 */
void qs_demo_names_forget(struct qs_demo_names *names, unsigned max);

/* Whether the user left the names to the program: then one that is taken gives way to the next. */
bool qs_demo_names_is_free(const struct qs_demo_names *names);

#endif
