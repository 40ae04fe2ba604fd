/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings that were not finished: a program that was killed left them, or the disk had no room
 * for their ends. A demo is cut behind its last whole block and gets an end there; the capture of a
 * session (session_captures.h) is cut behind its last whole block of pcapng.
 */
#ifndef PCAP2DEMO_RECOVERY_H
#define PCAP2DEMO_RECOVERY_H

#include "common/sessions/sessions.h"

/* Extensions of captures: those the user asked for, and those of sessions joined late. */
#define CAPTURE_EXTENSION "pcapng"
#define LATE_CAPTURE_EXTENSION "late.pcapng"

/* What is known of a file that was completed. */
struct recovered {
    uint64_t size;      /* bytes, now */
    uint64_t blocks;    /* of a demo; packets of a capture */
    char *player, *map; /* the first one; or NULL */
};

void recovered_clear(struct recovered *recovered);

/*
 * Completes the demo, or the capture, at `path`. False: it holds nothing that could be played, and
 * is removed, or it cannot be read or written; `*error` is a new text. `options`: how sessions are
 * decoded.
 */
bool recovery_complete_demo(const char *path, const struct qs_sessions_options *options,
                            struct recovered *recovered, char **error);
bool recovery_complete_capture(const char *path, struct recovered *recovered, char **error);

/* Completes, names and reports what runs that are over left in the folder. */
void recovery_run(const char *folder, const struct qs_sessions_options *options);

/* What the name of an unfinished file has behind its number, for recovery_run(). New. */
char *recovery_suffix(const struct qs_demo_name_request *request);

#endif
