/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading demos block by block, whatever their format. A demo is in memory as a whole. One that is
 * cut or damaged gives the blocks before.
 */
#ifndef QS_DEMO_READER_H
#define QS_DEMO_READER_H

#include "common/core/parse.h"

/* What came of looking for the next block. */
enum qs_demo_status {
    QS_DEMO_BLOCK,
    QS_DEMO_LINE,     /* what stands before the blocks */
    QS_DEMO_END,      /* there is no further block */
    QS_DEMO_UNMARKED, /* the demo ends where the format wants a mark */
    QS_DEMO_CUT,      /* the demo ends within a block */
    QS_DEMO_BAD       /* no block is there */
};

struct qs_demo_format;

/* Where reading a demo stands. */
struct qs_demo_reader {
    const struct qs_demo_format *format;
    struct qs_reader in;
    struct qs_view block; /* the last */
    uint64_t number;      /* of it */
    double time;          /* of it, in seconds */
    bool begun;           /* something was read */
    bool ended;           /* the end mark was */
    unsigned dialect;     /* of the format, where it has several: what the blocks so far were */
    bool unmarked;        /* demos of this kind have no end mark */
    uint64_t frames;      /* of the game, so far */
    bool timed;           /* the level's clock was seen */
    double level_time;    /* and what it said last, in seconds */
};

struct qs_demo_block {
    uint64_t number;      /* from 1; 0: the line that a DEM begins with */
    uint32_t offset;      /* in the demo */
    struct qs_view bytes; /* with its framing */
};

void qs_demo_reader_init(struct qs_demo_reader *reader, const struct qs_demo_format *format,
                         struct qs_view demo);

/* The next block; QS_DEMO_BLOCK also for the line. On any other status the reader stays. */
enum qs_demo_status qs_demo_next(struct qs_demo_reader *reader, struct qs_demo_block *block);

/* What is wrong, for a message; NULL for a status that is none of the bad ones. */
const char *qs_demo_status_text(const struct qs_demo_reader *reader, enum qs_demo_status status);

/*
 * The time of the block that was just read and decoded, in nanoseconds on the demo's clock, which
 * begins anywhere. QWD has it in each block, MVD what passed since the block before, from 0. DM2
 * has frames of 100 ms; what comes between them has the time of the frame before. DEM has svc_time,
 * of which what passes within levels is counted, from 0.
 */
int64_t qs_demo_time(struct qs_demo_reader *reader, const struct qs_decoder *decoder);

#endif
