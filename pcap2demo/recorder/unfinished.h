/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings that were not finished: those that a program which was killed has left, and those that
 * the disk had no room for. What is there is a demo without its end; it is cut behind its last
 * whole block and ended there.
 */
#ifndef PCAP2DEMO_UNFINISHED_H
#define PCAP2DEMO_UNFINISHED_H

#include "common/sessions/sessions.h"

/* What is known of a recording that was completed. */
struct unfinished {
    uint64_t size; /* bytes, now */
    uint64_t blocks;
    char *player, *map; /* the first one; or NULL */
};

/*
 * Completes the file at `path`. False: there is nothing that could be played in it, or it cannot be
 * read or written; `*error` is a new text. `options`: how sessions are decoded.
 */
bool unfinished_complete(const char *path, const struct qs_sessions_options *options,
                         struct unfinished *about, char **error);
void unfinished_clear(struct unfinished *about);

/*
 * Completes what runs that are over have left in the folder, names it, and says so. Returns how
 * many demos that gave.
 */
unsigned unfinished_find(const char *folder, const struct qs_sessions_options *options);

/* How a recording is called behind its number, for unfinished_find(). New. */
char *unfinished_suffix(const struct qs_demo_name_request *request);

#endif
