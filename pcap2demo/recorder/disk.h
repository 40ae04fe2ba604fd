/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings on disk: how much of it they may take, and for how long; and bringing files to it, so
 * that a power cut costs no more than a few seconds.
 */
#ifndef PCAP2DEMO_DISK_H
#define PCAP2DEMO_DISK_H

#include <stdbool.h>
#include <stdint.h>

/* A file that is being written: ".pcap2demo-rec-NUMBER.CAPTURE@START.EXTENSION" */
#define UNFINISHED_PREFIX ".pcap2demo-rec-"
#define DAMAGED_EXTENSION ".damaged"

enum { QUOTA_FOLDERS = 2 };

/*
 * Only regular files whose names look like recordings count and may be removed: a start,
 * "20261120-155401", in the name, and the extension of a demo or ".pcapng", also before ".damaged".
 */
struct quota {
    const char *folders[QUOTA_FOLDERS]; /* NULL: fewer */
    uint64_t max_disk;                  /* bytes on disk, of all folders; 0: no limit */
    int64_t keep;                       /* seconds; 0: for ever */
};

/*
 * Removes recordings that are too old, then the oldest ones until all are within the limit, and
 * logs each; those that are being written count, too. `now`: seconds since the epoch; if the newest
 * recording is older, ages count from that: a clock that is set ahead removes nothing. False: there
 * is still no room for more.
 */
bool quota_enforce(const struct quota *quota, int64_t now);

/* Brings files in these folders, of which the last may be NULL, to disk, in a thread: disks are
 * slow, packets do not wait. */
struct syncer;

struct syncer *syncer_new(const char *const folders[QUOTA_FOLDERS]);

/* Does what is left to do. */
void syncer_free(struct syncer *syncer);

/* The next run brings the file and its name to disk, */
void syncer_add(struct syncer *syncer, const char *path);

/* and removes this file afterwards. */
void syncer_remove(struct syncer *syncer, const char *path);

bool syncer_is_idle(struct syncer *syncer);

/* Begins a run; to be called while none goes on. */
void syncer_run(struct syncer *syncer);

/* Opens a file to read it: a regular one of this user, else -1 with errno set. */
int open_own_file(const char *path);

#endif
