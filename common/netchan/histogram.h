/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histogram of times, precise to a few percent, in constant memory. */
#ifndef QS_NETCHAN_HISTOGRAM_H
#define QS_NETCHAN_HISTOGRAM_H

#include <stdint.h>

/* 16 bins up to 256 µs, then 16 for each doubling of time + 256 µs, up to 16 s. */
enum { QS_BIN_BITS = 4, QS_OCTAVE_BINS = 1 << QS_BIN_BITS, QS_FIRST_OCTAVE = 8, QS_OCTAVES = 17 };

/* A histogram. Empty if zeroed. */
struct qs_histogram {
    uint32_t *octaves[QS_OCTAVES]; /* bins of each octave; NULL if all are 0 */
    uint32_t count;
};

/* Frees the bins. */
void qs_histogram_clear(struct qs_histogram *histogram);

/* Adds a time in microseconds, limited to 0 … 16 s. */
void qs_histogram_add(struct qs_histogram *histogram, int64_t time);

/* Adds all times of `other`, and clears that. */
void qs_histogram_join(struct qs_histogram *histogram, struct qs_histogram *other);

/* Returns the time below which the share `part` of all times is; 0 if there are none. */
double qs_histogram_quantile(const struct qs_histogram *histogram, double part);

#endif
