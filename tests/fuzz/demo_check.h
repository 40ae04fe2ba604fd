/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks at demos that fuzz targets rebuild. Under --sanitize no text or command in them may be
 * one that is on no list, and all of it must decode (tests/sanitized). Others must be
 * demos that are read to their end, and what they print was sent.
 */
#ifndef TESTS_FUZZ_DEMO_CHECK_H
#define TESTS_FUZZ_DEMO_CHECK_H

#include <glib.h>

#include "common/sessions/sessions.h"
#include "pcap2demo/output/demo_files.h"

struct demo_check {
    struct qs_sink sink; /* of the sessions that demos are rebuilt from: hears what is printed */
    GHashTable *sent;    /* char *: what was */
    bool demo;           /* it hears a demo, which prints nothing else */
    bool unread;         /* not all could be read of what was sent */
    bool sanitize;
    GPtrArray *donors; /* see demo_rebuild_setup */
    bool silent;       /* it only sums up the demos, which were rebuilt without a listener */
    GChecksum *sum;    /* of all demos */
};

/* What is asked for. The arrays are those of qs_donor_demos_new(), or NULL. */
struct demo_rebuild_setup {
    bool sanitize;
    bool silent;           /* nobody listens: demos are only summed up */
    GPtrArray *donors;     /* get what the rebuilt demos can lend */
    GPtrArray *donated_by; /* lend to late sessions */
    GHashTable *sent;      /* what those who lend were sent, which is added to; NULL: nothing */
};

/* Sessions whose demos are looked at when they are written. */
struct demo_rebuild {
    struct demo_check check;
    struct qs_sessions_options options;
    struct qs_sessions_handler handler;
    struct demo_files *files;
    struct qs_sessions *sessions; /* to be fed */
    char sum[64];                 /* of all demos, at the end */
};

/* For demo_rebuild_setup.sent. */
GHashTable *demo_check_sent_new(void);

/* One at a time. */
void demo_rebuild_start(struct demo_rebuild *rebuild, const struct demo_rebuild_setup *setup);
void demo_rebuild_end(struct demo_rebuild *rebuild);

#endif
