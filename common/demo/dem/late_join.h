/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Late join of Quake's sessions (common/quake/PROTOCOL.md, section 9). */
#ifndef QS_DEMO_DEM_LATE_JOIN_H
#define QS_DEMO_DEM_LATE_JOIN_H

#include "common/demo/late_join/late_join.h"
#include "common/quake/session.h"

extern const struct qs_late_join dem_late_join;

/* qs_late_join.add_packet of Quake. */
bool dem_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* What a donor's sign-on keeps beside its messages: baselines, struct qs_entity_update by number.
 */
static inline GHashTable *dem_baselines(const struct qs_sign_on *sign_on)
{
    return sign_on->extra;
}

/* Whether the message is the name, the frags or the colors of a player. */
bool dem_is_of_player(uint8_t id);

/*
 * Whether the packet just decoded belongs to a game, not to what precedes a level's svc_serverinfo:
 * players stop at it without a level.
 */
bool dem_needs_level(const struct qs_decoder *decoder);

/* Calls `add` for each message that the donor provides, in order, with its block number. */
typedef void dem_add_message(void *user, uint32_t block, struct qs_view message);
void dem_match_messages(const struct qs_donor_match *match, dem_add_message *add, void *user);

#endif
