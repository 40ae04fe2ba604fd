/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings that were not finished: a program that was killed left them, or their folder could not
 * be written. A demo gets an end behind its last whole block. If the file has more than whole
 * blocks, it is damaged there: what comes before becomes a demo or a capture of its own, and the
 * file is kept with ".damaged" behind its name.
 */
#ifndef PCAP2DEMO_RECOVERY_H
#define PCAP2DEMO_RECOVERY_H

#include "common/sessions/sessions.h"

/* Extensions of captures: those the user asked for, and those of sessions joined late. */
#define CAPTURE_EXTENSION "pcapng"
#define LATE_CAPTURE_EXTENSION "late.pcapng"
#define DAMAGED_EXTENSION ".damaged"

/* A file that is being written: ".pcap2demo-rec-NUMBER.CAPTURE@START.EXTENSION" */
#define UNFINISHED_PREFIX ".pcap2demo-rec-"

struct recovery {
    const char *folder;
    const char *demos; /* folder for demos of captures; the captures are kept if it is another */
    const struct qs_sessions_options *sessions; /* how they are decoded */
    bool again;                                 /* failures were logged before */
};

/* The names of unfinished files in the folder. New, of new texts. */
GPtrArray *recovery_find(const char *folder);

/*
 * Completes, names and logs these files, of a run that is over, and removes their names from the
 * array. Those that stay should be tried again. Only regular files of this user are read.
 */
void recovery_run(const struct recovery *recovery, GPtrArray *names);

/* What the name of an unfinished file has behind its number. New. */
char *recovery_suffix(const struct qs_demo_name_request *request);

#endif
