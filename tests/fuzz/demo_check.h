/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks at demos that fuzz targets rebuild: they are read to their end. Under --sanitize no text or
 * command in them may be one that is on no list (tests/sanitized).
 */
#ifndef TESTS_FUZZ_DEMO_CHECK_H
#define TESTS_FUZZ_DEMO_CHECK_H

#include <glib.h>

#include "common/sessions/sessions.h"
#include "pcap2demo/output/files.h"

/* What is asked for. The arrays are those of qs_donor_demos_new(), or NULL. */
struct demo_rebuild_setup {
    bool sanitize;
    GPtrArray *donors;     /* get what the rebuilt demos can lend */
    GPtrArray *donated_by; /* lend to late sessions */
};

/* Sessions whose demos are looked at when they are written. */
struct demo_rebuild {
    struct demo_rebuild_setup setup;
    struct qs_sessions_options options;
    struct qs_sessions_handler handler;
    struct demo_files *files;
    struct qs_sessions *sessions; /* to be fed */
};

/* Fails if the sanitized demo has what it must not have. */
void demo_check_sanitized(const char *name, struct qs_view file);

/* One at a time. */
void demo_rebuild_start(struct demo_rebuild *rebuild, const struct demo_rebuild_setup *setup);
void demo_rebuild_end(struct demo_rebuild *rebuild);

#endif
