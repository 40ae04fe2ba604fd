/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The demos of a recording. A demo has its name only when it is whole; until then it is a file
 * ".pcap2demo-START-RANDOM.EXTENSION". Nothing is overwritten: a demo whose name is taken gets
 * another one, unless the file has the same bytes.
 *
 * After a restart the ring is read again from its oldest packet. One time stamp is kept, in
 * ".pcap2demo-until": all demos that ended up to then have their names, and are not written again,
 * since the ring may have lost how they began.
 */
#ifndef PCAP2DEMO_RECORDINGS_H
#define PCAP2DEMO_RECORDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/sessions/sessions.h"
#include "pcap2demo/options.h"

struct recordings; /* begins with its struct qs_demo_store */

/*
 * Only one process uses a folder, which it must be able to write. NULL on failure; then `*error` is
 * a new string. `*no_room`: set while no demo begins since the disk has less free space than
 * --min-free.
 */
struct recordings *recordings_new(const char *folder, const struct recorder_options *options,
                                  bool *no_room, char **error);

/* All sessions must have ended. */
void recordings_free(struct recordings *recordings);

/*
 * Demos that a process did not finish: removes those whose first packet the ring, which begins at
 * `oldest`, still holds, since they are written again. Others end behind their last whole block,
 * and get their names. `oldest` 0: the ring is empty.
 */
void recordings_complete(struct recordings *recordings, const struct qs_sessions_options *options,
                         int64_t oldest);

/*
 * All demos that ended up to this time have their names, but those that could not be written: the
 * time stamp stays before their ends as long as the ring, which begins at `oldest`, holds how they
 * began. Returns NULL, or a new string if the folder cannot be written or is another one now.
 */
char *recordings_set_until(struct recordings *recordings, int64_t until, int64_t oldest);

/* From now on demos that are dropped stay as they are, for the next start. */
void recordings_leave(struct recordings *recordings);

#endif
