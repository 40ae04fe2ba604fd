/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's replacement deltas in a donor's sign-on. The update of an entity that comes into view is a
 * delta from its baseline (UF_RESET), every other update a delta from the previous message. So the
 * donor keeps the last UF_RESET update of each entity as a base for later deltas. Source:
 * common/fte/PROTOCOL.md, section 3.
 */
#ifndef QS_DEMO_QWD_ENTITY_UPDATES_H
#define QS_DEMO_QWD_ENTITY_UPDATES_H

#include "common/demo/late_join/late_join.h"
#include "common/core/decoder.h"
#include "common/quakeworld/entity_states.h"

enum { QWD_PLAYERS_MAX = 32 }; /* also entities, from 1 on */

/* Entities, by number. */
struct qwd_numbers {
    uint32_t bits[QW_STATES_MAX / 32];
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

/* The players that a late session receives. */
struct qwd_players {
    uint32_t infos[QWD_PLAYERS_MAX]; /* with their movement */
    bool other[QWD_PLAYERS_MAX];     /* with what servers do not send a client of its own player */
};

static inline void qwd_players_see(struct qwd_players *players, uint32_t player, bool is_other)
{
    players->infos[player]++;
    players->other[player] |= is_other;
}

/* How long a donor had entities in view, in updates, numbered from 1. */
struct qwd_presence {
    uint32_t updates;
    uint32_t since[QW_STATES_MAX]; /* by number; 0: out of view */
    uint32_t sum[QW_STATES_MAX];   /* before that */
};

/* Adds the updates from baselines to the sign-on, each replacing the entity's old one. `message`:
 * the svcfte_updateentities with its id, which is message `index` of the decoder; `*presence` is
 * created if NULL. */
void qwd_updates_keep(struct qs_sign_on *sign_on, struct qwd_presence **presence,
                      const struct qs_decoder *decoder, guint index, struct qs_view message);

/* Whether the message of a sign-on is such an update, not a message that a server sent. */
bool qwd_updates_is_kept(const struct fte_session *agreed, uint8_t id);

/* The entity updates that a late session receives. */
struct qwd_updates {
    bool any;
    uint8_t firsts[QW_STATES_MAX]; /* by number: kind of the first update */
    struct qwd_numbers baselines;  /* that the donor has */
};

/* `updates` must be zeroed. */
void qwd_updates_init(struct qwd_updates *updates, const struct qs_sign_on *donor);

/* The packet that was just decoded: its evidence for the donor of `match`, and players. */
void qwd_updates_observe(struct qwd_updates *updates, struct qs_donor_match *match,
                         struct qwd_players *players, const struct qs_decoder *decoder);

/*
 * Appends the entities in view before the first update: the part of a svcfte_updateentities after
 * its time, beginning with the reset. `presence`: the donor's, or NULL.
 */
void qwd_updates_append(GByteArray *out, const struct qwd_updates *updates,
                        const struct qs_sign_on *donor, const struct qwd_presence *presence);

#endif
