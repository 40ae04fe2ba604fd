/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks demos that fuzz targets rebuild: they can be read to their end and, with --sanitize, have
 * only texts and commands that tests/sanitized allows.
 */
#ifndef TESTS_FUZZ_DEMO_CHECK_H
#define TESTS_FUZZ_DEMO_CHECK_H

#include <glib.h>

#include "common/sessions/sessions.h"
#include "pcap2demo/output/files.h"

/* Options of a rebuild. The arrays are of qs_donor_demos_new(), or NULL. */
struct demo_rebuild_setup {
    bool sanitize;
    GPtrArray *donors;     /* the rebuilt demos are added */
    GPtrArray *donated_by; /* donors of late sessions */
};

/* Sessions whose demos are checked when they are written. */
struct demo_rebuild {
    struct demo_rebuild_setup setup;
    struct qs_sessions_options options;
    struct qs_sessions_handler handler;
    struct demo_files *files;
    struct qs_sessions *sessions; /* the caller adds the packets */
};

/* Aborts if a sanitized demo has a text or command that is not allowed. */
void demo_check_sanitized(const char *name, struct qs_view file);

/* Only one rebuild may be started at a time. */
void demo_rebuild_start(struct demo_rebuild *rebuild, const struct demo_rebuild_setup *setup);
void demo_rebuild_end(struct demo_rebuild *rebuild);

#endif
