/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/qwd_samples.h"

#include <glib.h>
#include <string.h>

enum {
    SAMPLE_EVERY = 16, /* updates: to begin with */
    ROOM_FIRST = 8     /* samples that there is room for; then twice as many */
};

static unsigned count_bits(uint32_t word)
{
    unsigned count = 0;

    for (; word; word &= word - 1)
        count++;
    return count;
}

unsigned qwd_numbers_differ(const struct qwd_numbers *a, const struct qwd_numbers *b,
                            const struct qwd_numbers *mask)
{
    unsigned count = 0;

    for (unsigned i = 0; i < QWD_SAMPLE_WORDS; i++)
        count += count_bits((a->bits[i] ^ b->bits[i]) & mask->bits[i]);
    return count;
}

void qwd_samples_clear(struct qwd_samples *samples)
{
    g_free(samples->all);
    *samples = (struct qwd_samples){0};
}

void qwd_samples_copy(struct qwd_samples *copy, const struct qwd_samples *samples)
{
    *copy = *samples;
    copy->room = samples->count;
    copy->all = g_memdup2(samples->all, samples->count * sizeof *samples->all);
}

/* Every other one makes room. */
static void thin_out(struct qwd_samples *samples)
{
    for (unsigned i = 0; i < QWD_SAMPLES / 2; i++)
        samples->all[i] = samples->all[2 * i];
    samples->count = QWD_SAMPLES / 2;
    samples->every *= 2;
}

static struct qwd_sample *add(struct qwd_samples *samples)
{
    if (samples->count == QWD_SAMPLES)
        thin_out(samples);
    if (samples->count == samples->room) {
        samples->room = CLAMP(2 * samples->room, ROOM_FIRST, QWD_SAMPLES);
        samples->all = g_renew(struct qwd_sample, samples->all, samples->room);
    }
    return &samples->all[samples->count++];
}

struct qwd_sample *qwd_samples_update(struct qwd_samples *samples)
{
    const uint32_t update = samples->updates++;
    struct qwd_sample *sample;

    if (update < samples->next)
        return NULL;
    if (!samples->every)
        samples->every = SAMPLE_EVERY;
    sample = add(samples);
    memset(sample, 0, sizeof *sample);
    sample->update = update;
    samples->next += MIN(samples->every, UINT32_MAX - samples->next);
    return sample;
}
