/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entities that a QuakeWorld client had in view, and its position, at moments spread over a
 * level: for donors and late joins (late_join.h).
 */
#ifndef QS_DEMO_QWD_SAMPLES_H
#define QS_DEMO_QWD_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/quakeworld/entity_states.h"

enum { QWD_SAMPLES = 128, QWD_SAMPLE_WORDS = QW_STATES_MAX / 32 };

/* Entities, by number. */
struct qwd_numbers {
    uint32_t bits[QWD_SAMPLE_WORDS];
};

static inline bool qwd_numbers_has(const struct qwd_numbers *numbers, uint32_t number)
{
    return number < QW_STATES_MAX && (numbers->bits[number / 32] >> number % 32 & 1);
}

/* Ignores numbers that no entity can have. */
static inline void qwd_numbers_set(struct qwd_numbers *numbers, uint32_t number, bool there)
{
    const uint32_t bit = UINT32_C(1) << number % 32;

    if (number >= QW_STATES_MAX)
        return;
    if (there)
        numbers->bits[number / 32] |= bit;
    else
        numbers->bits[number / 32] &= ~bit;
}

/* How many of the entities in `mask` are in only one of the two. */
unsigned qwd_numbers_differ(const struct qwd_numbers *a, const struct qwd_numbers *m,
                            const struct qwd_numbers *mask);

struct qwd_sample {
    uint32_t update; /* after which it was taken, from 0 */
    uint8_t player;  /* from whose origin */
    float origin[3];
    struct qwd_numbers numbers; /* in view */
};

/*
 * Samples of the whole level, in order. Each is packed: it has only as many words of entity bits as
 * the highest number needs.
 */
struct qwd_samples {
    uint8_t *all; /* `count` of them; QWD_SAMPLES at most */
    unsigned count, room, words;
    uint32_t updates, every, next; /* updates so far, between samples, until the next sample */
};

/* Frees the contents; makes `copy` a deep copy. */
void qwd_samples_clear(struct qwd_samples *samples);
void qwd_samples_copy(struct qwd_samples *copy, const struct qwd_samples *samples);

/* Whether the next update has a sample. */
static inline bool qwd_samples_is_due(const struct qwd_samples *samples)
{
    return samples->updates >= samples->next;
}

/* Counts an update. True: qwd_samples_add() may follow, with its sample. */
bool qwd_samples_update(struct qwd_samples *samples);

/* Sets sample->update. */
void qwd_samples_add(struct qwd_samples *samples, struct qwd_sample *sample);

struct qwd_sample qwd_samples_at(const struct qwd_samples *samples, unsigned index);

#endif
