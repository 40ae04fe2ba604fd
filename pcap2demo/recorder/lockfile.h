/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which run of the program the unfinished recordings of a folder belong to. Each run that records
 * has a name of its own, which is in the names of its files while they are written,
 *
 *     .pcap2demo-rec-RUN-NUMBER.CAPTURE@START.EXTENSION
 *
 * and holds a lock on the file .pcap2demo-rec-RUN.lock while it runs: files of a run whose lock is
 * free were left behind. The kernel releases the locks of programs that are killed.
 */
#ifndef PCAP2DEMO_LOCKFILE_H
#define PCAP2DEMO_LOCKFILE_H

#include <glib.h>
#include <stdbool.h>

#define RUN_PREFIX ".pcap2demo-rec-"
#define RUN_LOCK_SUFFIX ".lock"

struct lockfile;

/* A new run. NULL on failure; then `*error` is a new text. */
struct lockfile *lockfile_new(const char *folder, char **error);

/* Takes over a run that has ended; NULL if it has not, or another program takes it over. */
struct lockfile *lockfile_take_over(const char *folder, const char *run);

/* Locks a new file if somebody removed it, and returns whether it did. */
bool lockfile_renew(struct lockfile *lock);

/* Removes the lock: the run has no files any more. */
void lockfile_free(struct lockfile *lock);

/* The prefix of its files' names: ".pcap2demo-rec-RUN-". */
const char *lockfile_prefix(const struct lockfile *lock);

/* The run that a file belongs to, new; NULL: none. */
char *lockfile_run_of(const char *name);

#endif
