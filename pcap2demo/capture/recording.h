/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo files as input.
 *
 * What a file is, its content decides; its name only decides where that leaves a doubt. A file is
 * held in memory as a whole, and is no larger than RECORDING_MAX.
 */
#ifndef PCAP2DEMO_RECORDING_H
#define PCAP2DEMO_RECORDING_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/demo/format.h"

enum { RECORDING_MAX = 256 * 1024 * 1024 };

struct recording;

/*
 * Takes over a file and what load_stream() said of it. `name` is what the user calls it, "-" for
 * standard input. NULL where it is no demo; then `*error` is a new text.
 */
struct recording *recording_open(GByteArray *bytes, char *problem, const char *name, char **error);
void recording_close(struct recording *recording);

/* What messages call it. */
const char *recording_name(const struct recording *recording);

/* The number of its protocol in qs_protocols[], and its format. */
int recording_protocol(const struct recording *recording);
const struct qs_demo_format *recording_demo_format(const struct recording *recording);

/* The next block. False: there is none, or what follows is damaged; see recording_error(). */
bool recording_next(struct recording *recording, struct qs_demo_block *block);

/* What is wrong and where, for a message; NULL: nothing, up to here. */
const char *recording_error(const struct recording *recording);

/* Of the last block that was read. */
uint64_t recording_number(const struct recording *recording);

/* See qs_demo_time(). */
int64_t recording_time(struct recording *recording, const struct qs_decoder *decoder);

#endif
