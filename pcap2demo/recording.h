/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo files as input: QWD, MVD, DM2 and DEM, plain or compressed by gzip, handed out block by
 * block.
 *
 * What a file is its content says; its name only decides where that leaves a doubt. A file is held
 * in memory as a whole, and is no larger than RECORDING_MAX. One that is cut or damaged gives the
 * blocks before that place.
 */
#ifndef PCAP2DEMO_RECORDING_H
#define PCAP2DEMO_RECORDING_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/core/decoder.h"

enum { RECORDING_MAX = 256 * 1024 * 1024 };

struct recording_block {
    uint64_t number;      /* from 1; 0: the line that a DEM begins with */
    uint32_t offset;      /* in the file, after inflating */
    struct qs_view bytes; /* with its framing */
};

enum recording_status {
    RECORDING_BLOCK,
    RECORDING_END,
    RECORDING_BROKEN /* see recording_error() */
};

struct recording;

/* Whether a stream that was just opened is anything but a capture. Nothing of it is used up. */
bool recording_is_likely(FILE *stream);

/* Whether a file that was loaded is a capture after all: gzip had compressed it. */
bool recording_is_capture(struct qs_view file);

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

enum recording_status recording_next(struct recording *recording, struct recording_block *block);

/* After RECORDING_BROKEN: what is wrong and where, for a message. */
const char *recording_error(const struct recording *recording);

/* Of the last block that was handed out. */
uint64_t recording_number(const struct recording *recording);

/*
 * The time of the block that was just handed out and decoded, in nanoseconds on the demo's clock,
 * which begins anywhere. QWD says it for each block, MVD what passed since the block before, from
 * 0. DM2 has frames of 100 ms; what comes between them has the time of the frame before. DEM has
 * svc_time, of which what passes within levels is counted, from 0.
 */
int64_t recording_time(struct recording *recording, const struct qs_decoder *decoder);

#endif
