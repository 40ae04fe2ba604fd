/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo files as input.
 *
 * What a file is, its content decides; its name only decides where that leaves a doubt. A file is
 * held in memory as a whole, and is no larger than QS_DEMO_INPUT_MAX.
 */
#ifndef QS_SESSIONS_DEMO_INPUT_H
#define QS_SESSIONS_DEMO_INPUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/demo/format.h"

enum { QS_DEMO_INPUT_MAX = 256 * 1024 * 1024 };

struct qs_demo_input;

/*
 * Takes over a file and what source_load() said of it. `name` is what the user calls it, "-" for
 * standard input. NULL where it is no demo; then `*error` is a new text.
 */
struct qs_demo_input *qs_demo_input_open(GByteArray *bytes, char *problem, const char *name,
                                         char **error);
void qs_demo_input_close(struct qs_demo_input *recording);

/* What messages call it. */
const char *qs_demo_input_name(const struct qs_demo_input *recording);

/* The number of its protocol in qs_protocols[], and its format. */
int qs_demo_input_protocol(const struct qs_demo_input *recording);
const struct qs_demo_format *qs_demo_input_demo_format(const struct qs_demo_input *recording);

/* The next block. False: there is none, or what follows is damaged; see qs_demo_input_error(). */
bool qs_demo_input_next(struct qs_demo_input *recording, struct qs_demo_block *block);

/* What is wrong and where, for a message; NULL: nothing, up to here. */
const char *qs_demo_input_error(const struct qs_demo_input *recording);

/* Of the last block that was read. */
uint64_t qs_demo_input_number(const struct qs_demo_input *recording);

/* See qs_demo_time(). */
int64_t qs_demo_input_time(struct qs_demo_input *recording, const struct qs_decoder *decoder);

#endif
