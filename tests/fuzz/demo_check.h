/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks at demos that fuzz targets rebuild. Under --sanitize no engine may find a command in them
 * that is not on the list, nor a message that it cannot read (tests/engine_reader). Others must be
 * demos that are read to their end, and what they print was sent.
 */
#ifndef TESTS_FUZZ_DEMO_CHECK_H
#define TESTS_FUZZ_DEMO_CHECK_H

#include <glib.h>

#include "common/core/sink.h"

struct demo_check {
    struct qs_sink sink; /* of the sessions that demos are rebuilt from: hears what is printed */
    GHashTable *sent;    /* char *: what was */
    bool demo;           /* it hears a demo, which prints nothing else */
    bool sanitize;
};

/* From now on it gets each file that is written; one at a time. */
void demo_check_start(struct demo_check *check, bool sanitize);
void demo_check_end(struct demo_check *check);

#endif
