/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How Quake's sessions lend and borrow sign-ons (common/quake/PROTOCOL.md, section 9). */
#ifndef QS_DEMO_DEM_LATE_JOIN_H
#define QS_DEMO_DEM_LATE_JOIN_H

#include "common/demo/late_join/sign_on.h"

extern const struct qs_late_join dem_late_join;

/* qs_late_join.tell of Quake. */
void dem_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/*
 * Whether the packet just decoded is of a game, not of what comes before a level's svc_serverinfo:
 * players stop at it without a level.
 */
bool dem_needs_level(const struct qs_decoder *decoder);

/* Calls `add` for each message of what is lent, in order, with the number of its block. */
typedef void dem_add_message(void *user, uint32_t block, struct qs_view message);
void dem_match_messages(const struct qs_donor_match *match, dem_add_message *add, void *user);

/* The packet before which part of the session's own sign-on is missing; 0: it has none. */
uint64_t dem_match_lost(const struct qs_donor_match *match);

#endif
