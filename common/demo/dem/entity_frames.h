/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What DarkPlaces' clients are told of entities from DP5 on, as far as it can be lent: the last
 * full update of each. A donor keeps it as a svc_entities with nothing but that. Source:
 * DarkPlaces, cl_ents5.c EntityFrame5_CL_ReadFrame; common/quake/PROTOCOL.md, section 9.
 */
#ifndef QS_DEMO_DEM_ENTITY_FRAMES_H
#define QS_DEMO_DEM_ENTITY_FRAMES_H

#include "common/core/decoder.h"
#include "common/core/findings.h"
#include "common/demo/late_join/sign_on.h"
#include "common/quake/session.h"

/* Whether the session's svc_entities have the form of DP5 and later. */
bool dem_has_frames(const struct nq_session *session);

/* Adds the full updates of a svc_entities to the sign-on, each in place of the entity's old one.
 * `message`: its bytes, with the id; it is message `index` of the decoder. */
void dem_frames_keep(struct qs_sign_on *sign_on, const struct qs_decoder *decoder, guint index,
                     struct qs_view message);

/* What a late session is told of entities, beside what its donor was told. */
struct dem_frames {
    uint32_t agreements, contradictions; /* of entities in their first full update */
    struct dem_frames_entity *entities;  /* by number */
};

void dem_frames_init(struct dem_frames *frames);
void dem_frames_clear(struct dem_frames *frames);

/* An update in a svc_entities of the sign-on, or of the late session. */
void dem_frames_see_lent(struct dem_frames *frames, const struct qs_entity_update *update);
void dem_frames_see_late(struct dem_frames *frames, const struct qs_entity_update *update);

/* Whether the message is what a donor keeps of an entity; `wanted`: that the late session had in
 * view before it was told anything. */
bool dem_frames_is_kept(const struct dem_frames *frames, struct qs_view message, unsigned version,
                        bool *wanted);

#endif
