/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a line, private to quality.c and quality_line.c. Times are in microseconds. */
#ifndef QS_NETCHAN_QUALITY_STATE_H
#define QS_NETCHAN_QUALITY_STATE_H

#include <glib.h>
#include <stdint.h>

#include "common/netchan/quality.h"

/* --- How many times, in microseconds, were how long: to a few percent --- */

/* 16 bins up to 256 µs, then as many for each doubling of the time and 256 µs, up to 16 s. */
enum { QS_BIN_BITS = 4, QS_OCTAVE_BINS = 1 << QS_BIN_BITS, QS_FIRST_OCTAVE = 8, QS_OCTAVES = 17 };

/* Of most octaves nothing comes: the bins of those that have any, from 1 on. */
struct qs_bins {
    uint32_t (*octaves)[QS_OCTAVE_BINS];
    uint8_t count;
};

struct qs_histogram {
    const struct qs_bins *bins; /* of its line */
    uint32_t count;
    uint8_t octaves[QS_OCTAVES]; /* in the bins; 0: all of the octave are 0 */
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
    return (double)((uint64_t)(QS_OCTAVE_BINS + bin % QS_OCTAVE_BINS)
                    << (bin / QS_OCTAVE_BINS + QS_FIRST_OCTAVE - QS_BIN_BITS)) -
           (1 << QS_FIRST_OCTAVE);
}

static inline uint32_t qs_bin_at(const struct qs_histogram *histogram, unsigned bin)
{
    const uint8_t octave = histogram->octaves[bin / QS_OCTAVE_BINS];

    return octave ? histogram->bins->octaves[octave - 1][bin % QS_OCTAVE_BINS] : 0;
}

/* The time that the share `part` of all is below; 0 of none. */
static inline double qs_histogram_quantile(const struct qs_histogram *histogram, double part)
{
    double rank = part * histogram->count;

    for (unsigned i = 0; i < QS_OCTAVES * QS_OCTAVE_BINS; i++) {
        const uint32_t count = qs_bin_at(histogram, i);

        if (!histogram->octaves[i / QS_OCTAVE_BINS])
            i += QS_OCTAVE_BINS - 1;
        else if (count && rank <= count)
            return qs_bin_start(i) + (qs_bin_start(i + 1) - qs_bin_start(i)) * rank / count;
        rank -= count;
    }
    return 0;
}

/* How many intervals cover a time: a bin has what begins there, less what ends. */
static inline int32_t qs_intervals_covering(const struct qs_histogram *intervals, double time)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i <= qs_bin_of((int64_t)time); i++)
        sum += qs_bin_at(intervals, i);
    return (int32_t)sum;
}

/* --- What is kept --- */

enum {
    QS_LINE_SENT_MAX = 128, /* datagrams that an acknowledgement may still be for */
    QS_LINE_SPACINGS = 64,
    QS_LINE_EARLY_MAX = 64
};

struct qs_line_sent {
    uint32_t time; /* modulo 2^32; where it came by last */
    uint32_t mark;
    uint32_t number;
    bool copied;       /* it came by a second place, too */
    bool acknowledged; /* by name */
};

/* A copy that came before its datagram was added, which waits for one before it. */
struct qs_line_copy {
    uint32_t number, time;
};

/* What one end sends. */
struct qs_line_way {
    uint32_t accepted, late, duplicates;
    uint32_t last;                                /* number that was accepted */
    uint64_t missing;                             /* numbers before, less those that came late */
    uint32_t not_captured, acknowledged;          /* by the other end */
    uint64_t holes;                               /* numbers missing where the capture stopped */
    uint32_t burst;                               /* missing in a row, at most */
    uint32_t repeated;                            /* datagrams that came by again */
    uint32_t copied, acknowledged_copied;         /* of `sent` those that did; by the other end */
    uint32_t before_copies;                       /* accepted before the first of these */
    struct qs_line_copy early[QS_LINE_EARLY_MAX]; /* a ring */
    uint32_t early_count;                         /* so far */
    double lag;                                   /* from the first place to the second, the sum */
    bool hole;                                    /* the capture stopped since the last one */
    int64_t times[3]; /* of the last accepted datagrams, the newest first */
    struct qs_histogram interval;
    struct qs_histogram spacings; /* from one number to the next; where skips are regular */
    uint32_t since_skip;          /* datagrams since the last gap */
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
    struct qs_bins bins; /* of all histograms */
    /* See pass_over(): the server's datagrams that the client did not acknowledge, those that seem
     * lost, those whose loss would be seen, and those that would seem lost and were not: intervals.
     */
    uint32_t passed_over, burst;
    struct qs_histogram lost, seen, wrong;
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
