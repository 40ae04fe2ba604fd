/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of which the capture lacks the packet, made of what another client of the server was told
 * at the same time: common/quake2/PROTOCOL.md, section 14.
 */
#ifndef QS_DEMO_DM2_HEAL_H
#define QS_DEMO_DM2_HEAL_H

#include "common/demo/dm2_lend.h"

/*
 * Frame `number` of `session`, whose tracker does not have it, is inserted there, as a guess.
 * False: the peer is of another level or dialect, has no frame of that time, or nothing tells which
 * of its frames are of one time with the session's.
 */
bool dm2_heal(const struct q2_session *session, const struct q2_session *peer, int32_t number);

#endif
