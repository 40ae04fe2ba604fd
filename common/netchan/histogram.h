/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many times were how long, to a few percent, in constant memory. */
#ifndef QS_NETCHAN_HISTOGRAM_H
#define QS_NETCHAN_HISTOGRAM_H

#include <stdint.h>

/* 16 bins up to 256 µs, then as many for each doubling of the time and 256 µs, up to 16 s. */
enum { QS_BIN_BITS = 4, QS_OCTAVE_BINS = 1 << QS_BIN_BITS, QS_FIRST_OCTAVE = 8, QS_OCTAVES = 17 };

/* Empty if all bytes are 0. */
struct qs_histogram {
    uint32_t *octaves[QS_OCTAVES]; /* the bins of each; NULL: all are 0 */
    uint32_t count;
};

/* Frees the bins. */
void qs_histogram_clear(struct qs_histogram *histogram);

/* Adds a time in microseconds; a negative one counts as 0, one above 16 s as that. */
void qs_histogram_add(struct qs_histogram *histogram, int64_t time);

/* Adds all times of the other one, and clears it. */
void qs_histogram_join(struct qs_histogram *histogram, struct qs_histogram *other);

/* Returns the time that the share `part` of all is below; 0 if there are none. */
double qs_histogram_quantile(const struct qs_histogram *histogram, double part);

#endif
