/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a demo format provides so that its files can be input. Each is in a recording_<format>.c. */
#ifndef PCAP2DEMO_RECORDING_FORMAT_H
#define PCAP2DEMO_RECORDING_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/decoder.h"

/* What came of looking for the next block. */
enum recording_outcome {
    OUTCOME_LINE, /* what stands before the blocks */
    OUTCOME_BLOCK,
    OUTCOME_END,
    OUTCOME_UNMARKED_END, /* the file ends where the format wants a mark */
    OUTCOME_CUT,          /* the file ends within a block */
    OUTCOME_BAD           /* no block is there */
};

/* Where reading a file stands. */
struct recording_progress {
    struct qs_reader in;
    struct qs_view block; /* the last */
    bool begun;           /* something was read */
    bool ended;           /* the end mark was */
    bool unmarked;        /* files of this kind have no end mark */
    uint64_t frames;      /* of the game, so far */
    bool timed;           /* the level's clock was seen */
    double level_time;    /* and what it said last, in seconds */
};

struct recording_format {
    const struct qs_demo_format *format;
    const char *protocol; /* its name */
    /* Whether a file with these bytes can be nothing else. */
    bool (*recognise)(struct qs_view file);
    /* Moves `progress->in` behind the next block. */
    enum recording_outcome (*next)(struct recording_progress *progress);
    /*
     * The time of the block that was just decoded; as QWD says it, it can be any number. `before`
     * is that of the block before.
     */
    double (*seconds)(struct recording_progress *progress, const struct qs_decoder *decoder,
                      double before);
};

extern const struct recording_format recording_qwd, recording_mvd, recording_dm2, recording_dem;

#endif
