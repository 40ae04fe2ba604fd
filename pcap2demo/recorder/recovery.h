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

struct recovery {
    const char *folder;
    const char *demos; /* folder for demos of captures; the captures are kept if it is another */
    const struct qs_sessions_options *sessions; /* how they are decoded */
    bool again;                                 /* failures were logged before */
};

/*
 * Completes, names and logs what runs that are over left in the folder. False: something could not
 * be, and should be tried again. Only regular files of this user are read.
 */
bool recovery_run(const struct recovery *recovery);

/* What the name of an unfinished file has behind its number. New. */
char *recovery_suffix(const struct qs_demo_name_request *request);

#endif
