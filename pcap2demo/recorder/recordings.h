/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The demos of a recording, and captures of its sessions, as files that survive a crash: data is on
 * disk within a few seconds, under a name that tells the next run what it is (recovery.h). Only one
 * recorder uses a folder.
 *
 * What cannot be written, because the disk is full, --max-disk is reached or the folder is not
 * writable, waits in memory. If more waits than WAITING_EACH_MAX of a recording or WAITING_MAX of
 * all, the recording ends there, and the session gets another demo from its next level on.
 */
#ifndef PCAP2DEMO_RECORDINGS_H
#define PCAP2DEMO_RECORDINGS_H

#include "common/sessions/sessions.h"
#include "pcap2demo/output/demo_files.h"
#include "pcap2demo/recorder/options.h"

struct recordings;

struct recordings_setup {
    struct demo_files *demos;
    const char *captures; /* folder; NULL: captures are kept only of late sessions, with demos */
    const struct recorder_options *limits;
    const struct qs_sessions_options *sessions; /* how they are decoded */
    /* A demo has its name. */
    void (*named)(void *user, const char *path, uint64_t bytes);
    void *user;
};

struct recordings_counts {
    uint64_t demos, demo_bytes; /* that have their names */
    uint64_t lost_demos;        /* that could not be written, or end early */
    uint64_t lost_bytes;
    uint64_t waiting; /* bytes in memory */
};

/*
 * Completes what earlier runs left unfinished. All of `setup` must live as long. NULL on failure;
 * then `*error` is a new text.
 */
struct recordings *recordings_new(const struct recordings_setup *setup, char **error);

/* Also ends recordings that still wait; the next run completes what is on disk. */
void recordings_close(struct recordings *recordings);
void recordings_free(struct recordings *recordings);

struct qs_demo_store *recordings_store(struct recordings *recordings);

/* Writes what waits in memory; to be called every second. */
void recordings_tick(struct recordings *recordings);

const struct recordings_counts *recordings_counts(const struct recordings *recordings);

#endif
