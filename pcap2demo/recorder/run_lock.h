/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which unfinished recordings of a folder are whose. Each run of the program that records has a
 * name of its own, which its files bear while they are written,
 *
 *     .pcap2demo-rec-RUN-NUMBER.CAPTURE@START.EXTENSION
 *
 * and holds a lock on the file .pcap2demo-rec-RUN.lock as long as it runs: what is not locked was
 * left behind. The kernel takes locks back from programs that are killed.
 */
#ifndef PCAP2DEMO_RUN_LOCK_H
#define PCAP2DEMO_RUN_LOCK_H

#include <glib.h>
#include <stdbool.h>

#define RUN_PREFIX ".pcap2demo-rec-"
#define RUN_LOCK_SUFFIX ".lock"

struct run_lock;

/* A new run. NULL on failure; then `*error` is a new text. */
struct run_lock *run_lock_new(const char *folder, char **error);

/* Takes over a run that is over; NULL where it goes on, or another program takes it over. */
struct run_lock *run_lock_take_over(const char *folder, const char *run);

/* Its files are no more. */
void run_lock_free(struct run_lock *lock);

/* What the names of its files begin with: ".pcap2demo-rec-RUN-". */
const char *run_lock_prefix(const struct run_lock *lock);

/* The run that a file is of, new; NULL: none. */
char *run_of_file(const char *name);

#endif
