/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MVD, the demo file that servers of QuakeWorld record: blocks as QTV streams them (see
 * common/quakeworld/mvd.h), in sequence.
 */
#ifndef QS_DEMO_MVD_MVD_H
#define QS_DEMO_MVD_MVD_H

#include "common/demo/format.h"
#include "common/quakeworld/mvd.h"

extern const struct qs_demo_format qs_demo_mvd;

/* The next block of `in`, which stays where it was on any status but QS_DEMO_BLOCK. */
enum qs_demo_status mvd_read_block(struct qs_reader *in, struct mvd_block *block);

/* Appends the block that ends a demo, whatever the `last` one is. */
void mvd_append_end(GByteArray *out, struct qs_view last);

#endif
