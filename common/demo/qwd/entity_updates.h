/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's replacement deltas as they can be lent: what comes into view is told from its baseline
 * (UF_RESET), all else as changes to the message before. So the last such update of each entity,
 * which a donor keeps, is a state that the changes to come can count from. Source:
 * common/fte/PROTOCOL.md, section 3.
 */
#ifndef QS_DEMO_QWD_ENTITY_UPDATES_H
#define QS_DEMO_QWD_ENTITY_UPDATES_H

#include "common/demo/late_join/sign_on.h"
#include "common/core/decoder.h"
#include "common/quakeworld/entity_states.h"

enum { QWD_UPDATES_PLAYERS = 32 }; /* entities from 1 on, at most */

/* How long a donor had entities in view, in updates, which count from 1. */
struct qwd_presence {
    uint32_t updates;
    uint32_t since[QW_STATES_MAX]; /* by number; 0: it is out of view */
    uint32_t sum[QW_STATES_MAX];   /* before that */
};

/* Adds the updates from baselines to the sign-on, each in place of the entity's old one. `message`:
 * the svcfte_updateentities with its id, which is message `index` of the decoder; `*presence` is
 * made if it is NULL. */
void qwd_updates_keep(struct qs_sign_on *sign_on, struct qwd_presence **presence,
                      const struct qs_decoder *decoder, guint index, struct qs_view message);

/* Whether the message of a sign-on is such an update, and no message that a server sent. */
bool qwd_updates_is_kept(const struct fte_session *agreed, uint8_t id);

/* What a late session is told of entities. */
struct qwd_updates {
    bool any;
    uint8_t firsts[QW_STATES_MAX];        /* by number: how the first update was */
    uint8_t baselines[QW_STATES_MAX / 8]; /* that the donor has */
    uint32_t infos[QWD_UPDATES_PLAYERS];  /* updates with what predicts movement, by player */
    bool others[QWD_UPDATES_PLAYERS];     /* one told what its client knows of its own player */
    uint32_t wrong;                       /* that count from baselines which there are not */
};

/* Nothing but zeroes before. */
void qwd_updates_init(struct qwd_updates *updates, const struct qs_sign_on *donor);

/* The packet that was just decoded. */
void qwd_updates_observe(struct qwd_updates *updates, const struct qs_decoder *decoder);

/*
 * What was in view before the first one: appends what stands behind the time of a
 * svcfte_updateentities, which begins with the reset. `presence`: the donor's, or NULL.
 */
void qwd_updates_append(GByteArray *out, const struct qwd_updates *updates,
                        const struct qs_sign_on *donor, const struct qwd_presence *presence);

#endif
