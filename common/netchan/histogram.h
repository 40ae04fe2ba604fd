/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many times, in microseconds, were how long: constant memory, to a few percent. */
#ifndef QS_NETCHAN_HISTOGRAM_H
#define QS_NETCHAN_HISTOGRAM_H

#include <glib.h>
#include <stdint.h>

/* 16 bins up to 256 µs, then as many for each doubling of the time and 256 µs, up to 16 s. */
enum { QS_BIN_BITS = 4, QS_FIRST_OCTAVE = 8, QS_BINS = 17 << QS_BIN_BITS };

struct qs_histogram {
    uint32_t count, bins[QS_BINS];
};

/* How many intervals cover a time: what begins in each bin, less what ends there. */
struct qs_intervals {
    int32_t bins[QS_BINS];
};

/* Negative times count as 0. */
static inline unsigned qs_bin_of(int64_t time)
{
    const uint32_t value = (uint32_t)CLAMP(time, 0, 1 << 24) + (1 << QS_FIRST_OCTAVE);
    const unsigned octave = 31 - (unsigned)__builtin_clz(value);

    return ((octave - QS_FIRST_OCTAVE) << QS_BIN_BITS) +
           (value >> (octave - QS_BIN_BITS)) % (1 << QS_BIN_BITS);
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

#endif
