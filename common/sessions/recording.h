/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo files as input.
 *
 * What a file is, its content decides; its name only decides where that leaves a doubt. A file is
 * held in memory as a whole, and is no larger than QS_RECORDING_MAX.
 */
#ifndef QS_SESSIONS_RECORDING_H
#define QS_SESSIONS_RECORDING_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/demo/format.h"

enum { QS_RECORDING_MAX = 256 * 1024 * 1024 };

struct qs_recording;

/*
 * Takes over a file and what source_load() said of it. `name` is what the user calls it, "-" for
 * standard input. NULL where it is no demo; then `*error` is a new text.
 */
struct qs_recording *qs_recording_open(GByteArray *bytes, char *problem, const char *name,
                                       char **error);
void qs_recording_close(struct qs_recording *recording);

/* What messages call it. */
const char *qs_recording_name(const struct qs_recording *recording);

/* The number of its protocol in qs_protocols[], and its format. */
int qs_recording_protocol(const struct qs_recording *recording);
const struct qs_demo_format *qs_recording_demo_format(const struct qs_recording *recording);

/* The next block. False: there is none, or what follows is damaged; see qs_recording_error(). */
bool qs_recording_next(struct qs_recording *recording, struct qs_demo_block *block);

/* What is wrong and where, for a message; NULL: nothing, up to here. */
const char *qs_recording_error(const struct qs_recording *recording);

/* Of the last block that was read. */
uint64_t qs_recording_number(const struct qs_recording *recording);

/* See qs_demo_time(). */
int64_t qs_recording_time(struct qs_recording *recording, const struct qs_decoder *decoder);

#endif
