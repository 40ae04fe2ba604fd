/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The demos of a recording, or captures of its sessions, as files that survive a crash: data is on
 * disk within a second or two, under a name that tells the next run what it is (lockfile.h). A full
 * disk does not end the recording: data waits in memory up to a limit; then the demo ends where the
 * disk was full, and the session gets another one from its next level on.
 */
#ifndef PCAP2DEMO_RECORDINGS_H
#define PCAP2DEMO_RECORDINGS_H

#include "common/sessions/sessions.h"
#include "pcap2demo/output/demo_files.h"
#include "pcap2demo/recorder/options.h"

struct recordings;

struct recordings_setup {
    struct demo_files *files; /* where they go, and their names */
    bool of_demos;            /* else captures of sessions: --max-demo-size is not theirs */
    const struct recorder_options *limits;
    const struct qs_sessions_options *sessions; /* how they are decoded */
};

/*
 * Completes what earlier runs left unfinished. All of `setup` must live as long. NULL on failure;
 * then `*error` is a new text.
 */
struct recordings *recordings_new(const struct recordings_setup *setup, char **error);
void recordings_free(struct recordings *recordings);

struct qs_demo_store *recordings_store(struct recordings *recordings);

/* Writes what waits in memory; to be called every second. */
void recordings_tick(struct recordings *recordings);

/* Bytes lost so far because there was no room. */
uint64_t recordings_lost(const struct recordings *recordings);

#endif
