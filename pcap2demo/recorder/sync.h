/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brings files to disk, so that a power cut costs no more than a few seconds. A thread does it:
 * disks are slow, packets do not wait.
 */
#ifndef PCAP2DEMO_SYNC_H
#define PCAP2DEMO_SYNC_H

#include <stdbool.h>

struct syncer;

struct syncer *syncer_new(void);

/* Does what is left to do. */
void syncer_free(struct syncer *syncer);

/* Syncs the file and its folder, without waiting for that. */
void syncer_add(struct syncer *syncer, const char *path);

/* Removes the file when all that was added before is on disk. */
void syncer_remove(struct syncer *syncer, const char *path);

/* Whether nothing waits to be done. */
bool syncer_is_idle(struct syncer *syncer);

/* Syncs the file and its folder at once. */
void sync_file(const char *path);

/* Opens a file to read it: a regular one of this user, else -1 with errno set. */
int open_own_file(const char *path);

#endif
