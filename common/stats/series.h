/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quality of a session's path over time, in bins of equal length. If the session outgrows the
 * bins, pairs of them become one, so there are never more than QS_SERIES_BINS.
 */
#ifndef QS_STATS_SERIES_H
#define QS_STATS_SERIES_H

#include "common/netchan/histogram.h"
#include "common/netchan/quality.h"

enum { QS_SERIES_BINS = 120 };

/* Of one direction. */
struct qs_series_side {
    uint32_t packets;         /* that their receiver accepted */
    uint32_t gaps;            /* numbers missing before these */
    int32_t not_captured;     /* of the missing ones, those that arrived; this can be taken back */
    uint32_t unread;          /* datagrams that were lost behind the capture, */
    struct qs_path_acks acks; /* of so many of which that is known */
};

struct qs_series_bin {
    struct qs_series_side sides[2]; /* by direction less QS_C2S */
    struct qs_path_drops drops;
    uint32_t choked;
    struct qs_histogram pings;
};

struct qs_series {
    int64_t start, width;     /* nanoseconds */
    uint32_t count;           /* bins, up to the last that has a packet */
    uint32_t not_captured[2]; /* so far, by the session's netchans */
    struct qs_series_bin bins[QS_SERIES_BINS];
};

/* Of a session that starts then. */
struct qs_series *qs_series_new(int64_t start);
void qs_series_free(struct qs_series *series);

/* Adds a packet that was decoded, and what it shows of the path. */
void qs_series_add(struct qs_series *series, const struct qs_path_event *event,
                   const struct qs_decoder *decoder);

/* Percents and milliseconds of a bin; QS_QUALITY_UNKNOWN where the capture cannot tell. */
struct qs_bin_figures {
    double ping, ping_p95;    /* as the game counts it, with the ends' waiting */
    double choke;             /* of the server's updates */
    double loss[2];           /* of what was sent, */
    double loss_at_most[2];   /* or its limit: never both */
    uint32_t not_captured[2]; /* packets */
};

/*
 * The figures of a bin, of a session whose path has this quality. A bin's loss is known in a
 * direction if the session's is, and limited if the session's is limited.
 */
struct qs_bin_figures qs_series_figures(const struct qs_series_bin *bin,
                                        const struct qs_path_quality *quality);

#endif
