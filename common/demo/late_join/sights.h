/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which entities a client had in view from where. A server sends what can be seen from the player's
 * place. So an entity that a late session never mentions was in view if another client had it in
 * view wherever it was nearest to a place of the session.
 */
#ifndef QS_DEMO_LATE_JOIN_SIGHTS_H
#define QS_DEMO_LATE_JOIN_SIGHTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { QS_NUMBERS_MAX = 2048 };

/* A set of entities, by number. */
struct qs_numbers {
    uint32_t bits[QS_NUMBERS_MAX / 32];
};

/* Numbers from QS_NUMBERS_MAX on are in no set. */
bool qs_numbers_has(const struct qs_numbers *numbers, uint32_t number);
void qs_numbers_set(struct qs_numbers *numbers, uint32_t number, bool there);

struct qs_sight {
    float origin[3];
    uint8_t player; /* whose origin it is */
    struct qs_numbers in_view;
};

/* At most 128, spread over a level: if there are more, every other one is dropped. */
struct qs_sights {
    GArray *all; /* struct qs_sight */
    uint32_t next, every;
};

void qs_sights_init(struct qs_sights *sights);
void qs_sights_clear(struct qs_sights *sights);

/* Whether a sight is due. `now` counts updates or frames; it does not decrease. */
static inline bool qs_sights_is_due(const struct qs_sights *sights, uint32_t now)
{
    return now >= sights->next;
}

/* Adds a sight, which is due. Valid until the next call. */
struct qs_sight *qs_sights_add(struct qs_sights *sights, uint32_t now, const float origin[3]);

/* The entities that `others` have in view at each place nearest to one of `player` in `own`; if
 * there is none, at all places. */
struct qs_numbers qs_sights_common(const struct qs_sights *others, const struct qs_sights *own,
                                   uint8_t player);

#endif
