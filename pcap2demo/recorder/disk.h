/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings on disk: how much of it they may take, and for how long; and bringing files to it, so
 * that a power cut costs no more than a few seconds.
 */
#ifndef PCAP2DEMO_DISK_H
#define PCAP2DEMO_DISK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A file that is being written: ".pcap2demo-rec-RANDOM.CAPTURE@START.EXTENSION" */
#define UNFINISHED_PREFIX ".pcap2demo-rec-"
#define DAMAGED_EXTENSION ".damaged"

/* The folders of recordings; the second may be missing: NULL. */
enum { DEMOS, CAPTURES, FOLDERS };

/* A recording. Only regular files whose names look like one are: a start, "20261120-155401", in the
 * name, and the extension of a demo or ".pcapng", also before ".damaged". */
struct disk_file {
    unsigned folder;
    bool unfinished; /* it is being written, or a program that was killed left it: of any type */
    int64_t changed; /* seconds since the epoch */
    uint64_t size;   /* on disk */
    char path[];
};

/* Those of all folders, as struct disk_file, the oldest first. */
GPtrArray *disk_files(const char *const folders[FOLDERS]);

/*
 * Removes recordings that are older than --keep says, then the oldest ones until all take no more
 * than --max-disk, and logs each. Unfinished ones count, and stay. `now`: seconds since the epoch;
 * if the newest recording is older, ages count from that: a clock that is set ahead removes
 * nothing. False: there is still no room for more.
 */
bool quota_enforce(const char *const folders[FOLDERS], int64_t now);

/* Brings files in the folders to disk, in a thread: disks are slow, packets do not wait. */
struct syncer;

/* The folders must live as long. */
struct syncer *syncer_new(const char *const folders[FOLDERS]);

/* Does what is left to do. */
void syncer_free(struct syncer *syncer);

/* The next run brings the file and its name to disk, */
void syncer_add(struct syncer *syncer, const char *path);

/* and removes this file afterwards. */
void syncer_remove(struct syncer *syncer, const char *path);

/* Begins a run, unless one goes on or there is nothing to do. */
void syncer_run(struct syncer *syncer);

/* Opens a file to read it: a regular one of this user, else -1 with errno set. */
int open_own_file(const char *path);

#endif
