/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of demo files: CAPTURE-START-PLAYER-MAP.EXTENSION, for example
 * "server-20261120-155401-labplayer-dm4.qwd". The start is the demo's, by the capture's clock, in
 * UTC: a name depends neither on where and when the capture is converted, nor on which of its
 * sessions are.
 *
 * The names of players and maps come from the network. Only letters, digits, `_`, `+` and `-` of
 * them are used, at most QS_DEMO_NAME_PART_MAX: no name is a path or a hidden file. Unknown parts
 * are left out.
 */
#ifndef QS_SESSIONS_DEMO_NAMES_H
#define QS_SESSIONS_DEMO_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum { QS_DEMO_NAME_PART_MAX = 32 };

/* Returns the part of a map's name that is safe in a file name, without folder and ".bsp", to be
 * freed; it may be empty. `map` may be NULL. */
char *qs_demo_name_map(const char *map);

struct qs_demo_names;

/* Creates an empty list of names in use. `file` is the user's name for a single file, or NULL. */
struct qs_demo_names *qs_demo_names_new(const char *file);
void qs_demo_names_free(struct qs_demo_names *names);

struct qs_demo_name_request {
    const char *capture;      /* without folder and extension; need not be printable; may be "" */
    unsigned session;         /* number of the session */
    int64_t start, end;       /* ns since the epoch; the end is the current packet's time */
    const char *player, *map; /* as received, or NULL */
    const char *extension;    /* without the dot */
};

/*
 * Returns a file name without folder, to be freed. No name is returned twice: "-2" is added before
 * the extension if it is in use, and so on. Returns NULL if the user named a single file and
 * another session has it.
 */
char *qs_demo_names_next(struct qs_demo_names *names, const struct qs_demo_name_request *request);

/*
 * Forgets the names in use if there are more than `max`. For callers that look for existing files.
 */
void qs_demo_names_forget(struct qs_demo_names *names, unsigned max);

/* True unless the user named a file: if a generated name is taken on disk, the caller may ask for
 * the next one. */
bool qs_demo_names_are_generated(const struct qs_demo_names *names);

#endif
