/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a client saw in a level, for donors: samples of it, and the most frequent state of each
 * entity. */
#ifndef QS_DEMO_LATE_JOIN_SAMPLES_H
#define QS_DEMO_LATE_JOIN_SAMPLES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Samples spread over a level, in order. If there are too many, every other one is dropped, and
 * their distance doubles. Distances are in updates, frames or whatever the caller counts.
 */
struct qs_samples {
    GArray *all; /* of the caller's type */
    unsigned max;
    uint32_t every, next; /* distance; when the next one is due */
};

/* `clear` frees what a sample of `size` bytes refers to; or NULL. */
void qs_samples_init(struct qs_samples *samples, unsigned size, unsigned max, uint32_t every,
                     GDestroyNotify clear);
void qs_samples_clear(struct qs_samples *samples);

/* Whether a sample is due at that time. */
static inline bool qs_samples_is_due(const struct qs_samples *samples, uint32_t now)
{
    return now >= samples->next;
}

/* Adds a zeroed sample, which is due now. Valid until the next call. */
void *qs_samples_add(struct qs_samples *samples, uint32_t now);

/* --- Votes: a state that most samples have of an entity wins, if there is one ---------------- */

typedef bool qs_same_state(const void *format, const void *a, const void *b);

/* By number; free with g_hash_table_destroy(). All states have one size. */
GHashTable *qs_votes_new(void);
GHashTable *qs_votes_copy(GHashTable *votes, size_t size);

/* Adds a vote for the state of entity `number`; `same` compares two. */
void qs_votes_add(GHashTable *votes, uint32_t number, const void *state, size_t size,
                  qs_same_state *same, const void *format);

/* The state with most votes; NULL: there was no vote. */
const void *qs_votes_winner(GHashTable *votes, uint32_t number);

#endif
