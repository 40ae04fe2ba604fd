/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a line, private to quality.c and quality_line.c. Times are in microseconds. */
#ifndef QS_NETCHAN_QUALITY_STATE_H
#define QS_NETCHAN_QUALITY_STATE_H

#include <glib.h>
#include <stdint.h>

#include "common/netchan/quality.h"

/* --- How many times, in microseconds, were how long: constant memory, to a few percent --- */

/* 16 bins up to 256 µs, then as many for each doubling of the time and 256 µs, up to 16 s. */
enum { QS_BIN_BITS = 4, QS_FIRST_OCTAVE = 8, QS_BINS = 17 << QS_BIN_BITS };

struct qs_histogram {
    uint32_t count, bins[QS_BINS];
};

/* How many intervals cover a time: what begins in each bin, less what ends there. */
struct qs_intervals {
    int32_t bins[QS_BINS];
};

/* Negative times count as 0. A float has the octave and the bits behind it. */
static inline unsigned qs_bin_of(int64_t time)
{
    const int32_t value = (int32_t)CLAMP(time, 0, 1 << 24) + (1 << QS_FIRST_OCTAVE);

    return (qs_bits_of_float((float)value) >> (23 - QS_BIN_BITS)) -
           ((127u + QS_FIRST_OCTAVE) << QS_BIN_BITS);
}

static inline double qs_bin_start(unsigned bin)
{
    const unsigned first = 1 << QS_BIN_BITS;

    return (double)((uint64_t)(first + bin % first)
                    << (bin / first + QS_FIRST_OCTAVE - QS_BIN_BITS)) -
           (1 << QS_FIRST_OCTAVE);
}

static inline void qs_histogram_add(struct qs_histogram *histogram, int64_t time)
{
    histogram->bins[qs_bin_of(time)]++;
    histogram->count++;
}

/* The time that the share `part` of all is below; 0 of none. */
static inline double qs_histogram_quantile(const struct qs_histogram *histogram, double part)
{
    double rank = part * histogram->count;

    for (unsigned i = 0; i < QS_BINS; rank -= histogram->bins[i++])
        if (histogram->bins[i] && rank <= histogram->bins[i])
            return qs_bin_start(i) +
                   (qs_bin_start(i + 1) - qs_bin_start(i)) * rank / histogram->bins[i];
    return 0;
}

static inline void qs_intervals_add(struct qs_intervals *intervals, int64_t from, int64_t to)
{
    if (to > from) {
        intervals->bins[qs_bin_of(from)]++;
        intervals->bins[qs_bin_of(to)]--;
    }
}

static inline int32_t qs_intervals_covering(const struct qs_intervals *intervals, double time)
{
    int32_t sum = 0;

    for (unsigned i = 0; i <= qs_bin_of((int64_t)time); i++)
        sum += intervals->bins[i];
    return sum;
}

/* --- What is kept --- */

enum {
    QS_LINE_SENT_MAX = 128, /* datagrams that an acknowledgement may still be for */
    QS_LINE_SPACINGS = 64
};

struct qs_line_sent {
    int64_t time;
    uint32_t mark;
};

/* What one end sends. */
struct qs_line_way {
    uint32_t accepted, late, duplicates;
    uint32_t last;                       /* number that was accepted */
    uint64_t missing;                    /* numbers before, less those that came late */
    uint32_t not_captured, acknowledged; /* by the other end */
    uint64_t holes;                      /* numbers missing where the capture stopped */
    uint32_t burst;                      /* missing in a row, at most */
    bool hole;                           /* the capture stopped since the last one */
    int64_t times[3];                    /* of the last accepted datagrams, the newest first */
    struct qs_histogram interval;
    uint32_t spacings[QS_LINE_SPACINGS]; /* from one number to the next */
    uint32_t since_skip;                 /* datagrams since the last gap */
    double skips, distance, distance_squares;
    struct qs_line_sent sent[QS_LINE_SENT_MAX]; /* a ring */
    uint32_t count;                             /* of all that were sent */
};

/* From the place of the capture to one end and back: by the end that acknowledges. */
struct qs_line_leg {
    bool started;
    uint32_t index, newest; /* of the last datagram that was acknowledged; of the last packet's */
    uint32_t echo;          /* the last mark */
    uint32_t tried;         /* datagrams that were acknowledged */
    /* Bounds of the round trip, and the middle of those that are close together */
    struct qs_histogram high, low, middle;
};

/* Numbers of QuakeWorld's client, of which it counts its loss. */
struct qs_line_numbers {
    uint64_t all, unanswered;
};

/* Directions as indices: less QS_C2S. */
enum { QS_TO_SERVER, QS_TO_CLIENT };

struct qs_line_history {
    struct qs_line_way ways[2]; /* QS_TO_*, like the legs */
    struct qs_line_leg legs[2];
    /* See pass_over(): the server's datagrams that the client did not acknowledge, those that seem
     * lost, those whose loss would be seen, and those that would seem lost and were not. */
    uint32_t passed_over, burst;
    struct qs_intervals lost, seen, wrong;
    double usual; /* clients acknowledge no later, as a rule */
    bool named;   /* they acknowledge by name */

    uint32_t first_loss;          /* number of the first datagram with a loss, or 0 */
    struct qs_line_numbers start; /* when the loss began to count */
    double losses;                /* percents that clients report, their sum */
    uint32_t loss_count;
    uint32_t frame, frame_number, frame_echo; /* of the last update; of its datagram */
    uint32_t choked, drops, drop_frames, drop_numbers;
};

struct qs_quality {
    const struct qs_line_rules *rules; /* NULL: unknown */
    uint64_t packets[QS_S2C + 1];
    bool accepted[QS_S2C + 1];
    bool same_host;
    struct qs_line_history *history; /* NULL until both ends have sent something */
};

/* The client's numbers so far. */
static inline struct qs_line_numbers qs_line_numbers(const struct qs_line_history *history)
{
    const struct qs_line_way *client = &history->ways[QS_TO_SERVER],
                             *server = &history->ways[QS_TO_CLIENT];
    const uint64_t known = (uint64_t)server->not_captured + history->choked;

    return (struct qs_line_numbers){client->accepted + client->missing,
                                    server->missing - MIN(known, server->missing)};
}

#endif
