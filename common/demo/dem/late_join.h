/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Late join of Quake's sessions (common/quake/PROTOCOL.md, section 9). */
#ifndef QS_DEMO_DEM_LATE_JOIN_H
#define QS_DEMO_DEM_LATE_JOIN_H

#include "common/demo/late_join/late_join.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"

extern const struct qs_late_join dem_late_join;

/* qs_late_join.add_packet of Quake. */
void dem_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/*
 * Whether the packet just decoded belongs to a game, not to what precedes a level's svc_serverinfo:
 * players stop at it without a level.
 */
bool dem_needs_level(const struct qs_decoder *decoder);

/* Calls `add` for each message that the donor provides, in order, with its block number. */
typedef void dem_add_message(void *user, uint32_t block, struct qs_view message);
void dem_match_messages(const struct qs_donor_match *match, dem_add_message *add, void *user);

/* --- Entities of DarkPlaces from DP5 on (entity_frames.c) --- */

enum { DEM_FRAME_ENTITIES = ENTITY_NUMBER + 1 };

/* The donor's data of an entity, and its first mention in the late session. */
struct dem_frame_entity {
    uint8_t first;  /* as the late session mentions it */
    bool judged;    /* its first full update was compared */
    uint16_t model; /* the donor's; 0: it has none */
    double place[2];
};

/* Whether the session's svc_entities have the form of DP5 and later. */
bool dem_has_frames(const struct nq_session *session);

/* Adds the full updates of a svc_entities to the sign-on; each replaces the entity's old one.
 * `message`: its bytes, with the id; it is message `index` of the decoder. */
void dem_frames_keep(struct qs_sign_on *sign_on, const struct qs_decoder *decoder, guint index,
                     struct qs_view message);

/* An update in a svc_entities of the donor's sign-on, or of the late session; `entities` has
 * DEM_FRAME_ENTITIES, zeroed at first. */
void dem_frames_learn(struct dem_frame_entity *entities, const struct qs_entity_update *update);
void dem_frames_observe(struct dem_frame_entity *entities, struct qs_donor_match *match,
                        const struct qs_entity_update *update);

/* Whether the message is a sign-on's update of an entity; `wanted`: the late session had the entity
 * in view before its first mention. */
bool dem_frames_is_kept(const struct dem_frame_entity *entities, struct qs_view message,
                        unsigned version, bool *wanted);

#endif
