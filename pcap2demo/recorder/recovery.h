/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings that were not finished: a program that was killed left them, or their folder could not
 * be written. A demo gets an end behind its last whole block. If the file has more than whole
 * blocks, it is damaged there: what comes before becomes a demo or a capture of its own, and the
 * file is kept with ".damaged" behind its name. Of captures the complete levels become demos.
 */
#ifndef PCAP2DEMO_RECOVERY_H
#define PCAP2DEMO_RECOVERY_H

#include "pcap2demo/recorder/recordings.h"

/*
 * Completes, names and logs the unfinished files in the folders of `recordings`; what cannot be
 * written yet waits there. Only regular files of this user are read; others are logged, and stay.
 * `sessions`: how they are decoded.
 */
void recovery_run(struct recordings *recordings, const struct qs_sessions_options *sessions);

#endif
