/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/qwd/samples.h"

#include <glib.h>
#include <stddef.h>
#include <string.h>

enum {
    SAMPLE_EVERY = 16, /* updates, at first */
    ROOM_FIRST = 8     /* samples allocated first; doubled when full */
};

unsigned qwd_numbers_differ(const struct qwd_numbers *a, const struct qwd_numbers *m,
                            const struct qwd_numbers *mask)
{
    unsigned count = 0;

    for (unsigned i = 0; i < QWD_SAMPLE_WORDS; i++)
        count += (uint32_t)__builtin_popcountll((a->bits[i] ^ m->bits[i]) & mask->bits[i]);
    return count;
}

void qwd_samples_clear(struct qwd_samples *samples)
{
    g_free(samples->all);
    *samples = (struct qwd_samples){0};
}

/* --- Packed ---------------------------------------------------------------------------------- */

static size_t size_of(unsigned words)
{
    return offsetof(struct qwd_sample, numbers) + words * sizeof(uint32_t);
}

static uint8_t *at(const struct qwd_samples *samples, unsigned index)
{
    return samples->all + index * size_of(samples->words);
}

struct qwd_sample qwd_samples_at(const struct qwd_samples *samples, unsigned index)
{
    struct qwd_sample sample = {0};

    memcpy(&sample, at(samples, index), size_of(samples->words));
    return sample;
}

void qwd_samples_copy(struct qwd_samples *copy, const struct qwd_samples *samples)
{
    *copy = *samples;
    copy->room = samples->count;
    copy->all = g_memdup2(samples->all, samples->count * size_of(samples->words));
}

static unsigned words_of(const struct qwd_numbers *numbers)
{
    unsigned words = QWD_SAMPLE_WORDS;

    while (words && !numbers->bits[words - 1])
        words--;
    return words;
}

static void widen(struct qwd_samples *samples, unsigned words)
{
    const struct qwd_samples narrow = *samples;

    samples->words = words;
    samples->all = g_malloc(samples->room * size_of(words));
    for (unsigned i = 0; i < samples->count; i++) {
        const struct qwd_sample sample = qwd_samples_at(&narrow, i);

        memcpy(at(samples, i), &sample, size_of(words));
    }
    g_free(narrow.all);
}

static void make_room(struct qwd_samples *samples, unsigned words)
{
    if (samples->count == samples->room) {
        samples->room = CLAMP(2 * samples->room, ROOM_FIRST, QWD_SAMPLES);
        samples->all = g_realloc(samples->all, samples->room * size_of(samples->words));
    }
    if (words > samples->words)
        widen(samples, words);
}

/* --- Spread over the level ------------------------------------------------------------------- */

/* Drops every other sample to make room. */
static void thin_out(struct qwd_samples *samples)
{
    for (unsigned i = 0; i < QWD_SAMPLES / 2; i++)
        memmove(at(samples, i), at(samples, 2 * i), size_of(samples->words));
    samples->count = QWD_SAMPLES / 2;
    samples->every *= 2;
}

bool qwd_samples_update(struct qwd_samples *samples)
{
    const uint32_t update = samples->updates++;

    if (update < samples->next)
        return false;
    if (!samples->every)
        samples->every = SAMPLE_EVERY;
    if (samples->count == QWD_SAMPLES)
        thin_out(samples);
    samples->next += MIN(samples->every, UINT32_MAX - samples->next);
    return true;
}

void qwd_samples_add(struct qwd_samples *samples, struct qwd_sample *sample)
{
    sample->update = samples->updates - 1;
    make_room(samples, words_of(&sample->numbers));
    memcpy(at(samples, samples->count++), sample, size_of(samples->words));
}
