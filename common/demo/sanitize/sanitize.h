/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --sanitize: a stage between a rebuilder and the file of its demo.
 *
 * It decodes each block of the demo, as a player of demos will, and writes the messages that are on
 * the game's list (rules.h) and that decode to their end, with their texts written anew. All others
 * are left out and counted. A level whose beginning is left out is left out.
 */
#ifndef QS_DEMO_SANITIZE_H
#define QS_DEMO_SANITIZE_H

#include "common/demo/format.h"

struct qs_sanitizer;

struct qs_sanitizer *qs_sanitizer_new(const struct qs_demo_format *format);
void qs_sanitizer_free(struct qs_sanitizer *sanitizer); /* or NULL */

/* A demo begins. */
void qs_sanitizer_begin(struct qs_sanitizer *sanitizer);

/* Takes the next bytes of the demo, and writes to `out` the blocks that they complete. */
void qs_sanitizer_write(struct qs_sanitizer *sanitizer, struct qs_demo_writer *out,
                        struct qs_view bytes);

#endif
