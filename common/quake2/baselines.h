/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The baselines of a session's level: what entities are changes to when they come into view. The
 * session has them for who begins to follow its frames only later (see tracker.h).
 */
#ifndef Q2_BASELINES_H
#define Q2_BASELINES_H

#include "common/quake2/session.h"
#include "common/quake2/state.h"

/* One with a number that no entity has is ignored. */
void q2_baseline_set(struct q2_session *session, const struct q2_entity *baseline);

/* False: there is none of that number. */
bool q2_baseline_get(const struct q2_session *session, uint32_t number, struct q2_entity *baseline);

#endif
