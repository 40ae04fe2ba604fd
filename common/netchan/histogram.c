/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/histogram.h"

#include <glib.h>

#include "common/core/reader.h"

void qs_histogram_clear(struct qs_histogram *histogram)
{
    for (int i = 0; i < QS_OCTAVES; i++)
        g_free(histogram->octaves[i]);
}

/* A float's exponent is the octave, and the upper bits of its mantissa are the bin. */
void qs_histogram_add(struct qs_histogram *histogram, int64_t time)
{
    const int32_t value = (int32_t)CLAMP(time, 0, 1 << 24) + (1 << QS_FIRST_OCTAVE);
    const unsigned bin = (qs_bits_of_float((float)value) >> (23 - QS_BIN_BITS)) -
                         ((127u + QS_FIRST_OCTAVE) << QS_BIN_BITS);
    uint32_t **octave = &histogram->octaves[bin / QS_OCTAVE_BINS];

    if (!*octave)
        *octave = g_new0(uint32_t, QS_OCTAVE_BINS);
    (*octave)[bin % QS_OCTAVE_BINS]++;
    histogram->count++;
}

void qs_histogram_join(struct qs_histogram *histogram, struct qs_histogram *other)
{
    for (int i = 0; i < QS_OCTAVES; i++) {
        if (!histogram->octaves[i])
            histogram->octaves[i] = g_steal_pointer(&other->octaves[i]);
        for (int j = 0; other->octaves[i] && j < QS_OCTAVE_BINS; j++)
            histogram->octaves[i][j] += other->octaves[i][j];
    }
    histogram->count += other->count;
    qs_histogram_clear(other);
    *other = (struct qs_histogram){0};
}

static double bin_start(unsigned bin)
{
    return (double)((uint64_t)(QS_OCTAVE_BINS + bin % QS_OCTAVE_BINS)
                    << (bin / QS_OCTAVE_BINS + QS_FIRST_OCTAVE - QS_BIN_BITS)) -
           (1 << QS_FIRST_OCTAVE);
}

double qs_histogram_quantile(const struct qs_histogram *histogram, double part)
{
    double rank = part * histogram->count;

    for (unsigned i = 0; i < QS_OCTAVES * QS_OCTAVE_BINS; i++) {
        const uint32_t *octave = histogram->octaves[i / QS_OCTAVE_BINS];
        const uint32_t count = octave ? octave[i % QS_OCTAVE_BINS] : 0;

        if (count && rank <= count)
            return bin_start(i) + (bin_start(i + 1) - bin_start(i)) * rank / count;
        rank -= count;
    }
    return 0;
}
