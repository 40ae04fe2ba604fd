/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds frames of missing packets from the data that another client of the server received at
 * the same time: common/quake2/PROTOCOL.md, section 14.
 */
#ifndef QS_DEMO_DM2_HEAL_H
#define QS_DEMO_DM2_HEAL_H

#include "common/demo/dm2/late_join.h"
#include "common/demo/writer.h"

/*
 * The budget of a session's healing, in entities compared. The search for simultaneous frames is
 * expensive, so the budget grows with the packets. Starts zeroed.
 */
struct dm2_healing {
    uint64_t earned, spent;
};

/* Adds a packet of the session, `size` bytes, to the budget. */
void dm2_healing_earn(struct dm2_healing *healing, uint32_t size);

/*
 * Inserts frame `number` into the tracker of `session`, which lacks it, as a guess. False: the peer
 * has another level or variant, has no frame of that time, the offset of its frames to the
 * session's is unknown, or the budget is too small.
 */
bool dm2_heal(struct dm2_healing *healing, const struct q2_session *session,
              const struct q2_session *peer, int32_t number);

/* The same with the first suitable peer of `out`. `session`: or NULL. */
bool dm2_heal_of_peers(struct dm2_healing *healing, struct qs_demo_writer *out,
                       const struct q2_session *session, int32_t number);

#endif
