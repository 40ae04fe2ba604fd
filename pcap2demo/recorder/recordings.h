/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The demos of a recording, and captures of its sessions, as files that survive a crash: data is on
 * disk within a few seconds, under a name that tells the next run what it is. Only one
 * recorder uses a folder.
 *
 * What cannot be written, because the disk is full, --max-disk is reached or the folder is not
 * writable, waits in memory. If more waits than WAITING_EACH_MAX of a recording or WAITING_MAX of
 * all, the recording ends there, and the session gets another demo from its next level on.
 */
#ifndef PCAP2DEMO_RECORDINGS_H
#define PCAP2DEMO_RECORDINGS_H

#include "common/sessions/sessions.h"
#include "pcap2demo/recorder/options.h"
#include "pcap2demo/recorder/status.h"

/* Extensions of captures: those the user asked for, and those of sessions joined late. */
#define CAPTURE_EXTENSION "pcapng"
#define LATE_CAPTURE_EXTENSION "late.pcapng"

struct recordings; /* begins with its struct qs_demo_store */

/*
 * `captures` NULL: captures are kept only of late sessions, with demos. All arguments must live as
 * long. NULL on failure; then `*error` is a new text.
 */
struct recordings *recordings_new(const char *demos, const char *captures, struct status *status,
                                  char **error);

/* Brings all to disk, and frees it. Recordings that still wait end; the next run completes what is
 * on disk of them. */
void recordings_close(struct recordings *recordings);

/* Whether a folder was removed that this run has no right to make again; a restart could. */
bool recordings_lack_folder(const struct recordings *recordings);

/* FOLDERS of them. */
const char *const *recordings_folders(const struct recordings *recordings);

/*
 * Recordings that were not finished: a program that was killed left them, or their folder could not
 * be written. They are completed, named and logged; what cannot be written yet waits. A demo gets
 * an end behind its last whole block. If a file has more than whole blocks, it is damaged there:
 * what comes before becomes a recording of its own, and the file is kept with ".damaged" behind its
 * name. Of captures of late sessions the complete levels become demos. Only regular files of this
 * user are read; others are logged, and stay. `sessions`: how they are decoded.
 */
void recordings_recover(struct recordings *recordings, const struct qs_sessions_options *sessions);

/* For that: a file that the store continues and names. If it only ends it, the file is removed when
 * all demos so far are on disk. */
void *recordings_adopt(struct recordings *recordings, unsigned folder, const char *path,
                       uint64_t size, const struct qs_demo_name_request *request);

/* Writes what waits in memory, and brings it to disk; to be called every second, after the
 * recovery. */
void recordings_tick(struct recordings *recordings);

#endif
