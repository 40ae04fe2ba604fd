/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What DarkPlaces' clients know of entities from DP5 on: the last full update of each, which a
 * donor's sign-on keeps as a svc_entities of its own. Source: DarkPlaces, cl_ents5.c
 * EntityFrame5_CL_ReadFrame; common/quake/PROTOCOL.md, section 9.
 */
#include "common/demo/dem/late_join.h"

#include <string.h>

#include "common/core/writer.h"
#include "common/core/findings.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"

enum {
    FIRST_VERSION = 5,
    MOVE_VERSION = 7, /* from here on with the number of the client's last move */
    FRAME_SIZE = 4,
    MOVE_SIZE = 4
};

bool dem_has_frames(const struct nq_session *session)
{
    return nq_darkplaces_version(session) >= FIRST_VERSION;
}

/* The bytes before the first entity. */
static uint32_t head_size(unsigned version)
{
    return 1u + FRAME_SIZE + (version >= MOVE_VERSION ? MOVE_SIZE : 0u);
}

/* `update`: from the entity's number on, which is `number`. */
static void keep(struct qs_sign_on *sign_on, uint16_t number, struct qs_view head,
                 struct qs_view update)
{
    GByteArray *bytes = g_byte_array_new();

    qs_write_view(bytes, head);
    qs_write_view(bytes, update);
    qs_write_u16(bytes, ENTITIES_END);
    qs_sign_on_replace(sign_on, qs_sign_on_about(SVC_DP_ENTITIES, number), qs_view_of_bytes(bytes));
    g_byte_array_free(bytes, TRUE);
}

void dem_frames_keep(struct qs_sign_on *sign_on, const struct qs_decoder *decoder, guint index,
                     struct qs_view message)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;
    const struct qs_view head = {message.data, head_size(nq_darkplaces_version(session))};

    for (guint i = 0; i < decoder->entities->len; i++) {
        const struct qs_entity_update *update =
            &g_array_index(decoder->entities, struct qs_entity_update, i);

        if (update->message == index && update->bits & E5_FULLUPDATE)
            keep(sign_on, (uint16_t)update->number, head, update->bytes);
    }
}

/* --- The late session --- */

/* The first that the late session mentions of an entity. */
enum first { NOTHING, FULL_UPDATE, CHANGE, REMOVAL };

void dem_frames_learn(struct dem_frame_entity *entities, const struct qs_entity_update *update)
{
    struct dem_frame_entity *entity = &entities[update->number];

    if (!(update->has & QS_ENTITY_MODEL))
        return;
    entity->model = update->model;
    memcpy(entity->place, update->origin, sizeof entity->place);
}

/* Numbers of missiles and the like are used again: another place alone proves nothing. */
static void judge(struct dem_frame_entity *entity, struct qs_donor_match *match,
                  const struct qs_entity_update *update)
{
    if (!(update->bits & E5_FULLUPDATE) || entity->judged || !entity->model)
        return;
    entity->judged = true;
    if (entity->model != update->model)
        qs_donor_match_note(match, QS_EVIDENCE_STATES, false);
    else if (entity->place[0] == update->origin[0] && entity->place[1] == update->origin[1])
        qs_donor_match_note(match, QS_EVIDENCE_STATES, true);
}

void dem_frames_observe(struct dem_frame_entity *entities, struct qs_donor_match *match,
                        const struct qs_entity_update *update)
{
    struct dem_frame_entity *entity = &entities[update->number];

    if (entity->first == NOTHING && update->removes)
        entity->first = REMOVAL;
    else if (entity->first == NOTHING)
        entity->first = update->bits & E5_FULLUPDATE ? FULL_UPDATE : CHANGE;
    if (update->has & QS_ENTITY_MODEL)
        judge(entity, match, update);
}

bool dem_frames_is_kept(const struct dem_frame_entity *entities, struct qs_view message,
                        unsigned version, bool *wanted)
{
    const uint32_t head = head_size(version);
    enum first first;

    if (message.data[0] != SVC_DP_ENTITIES || message.size < head + 2)
        return false;
    first = (enum first)entities[qs_le16(message.data + head) & ENTITY_NUMBER].first;
    *wanted = first == CHANGE || first == REMOVAL;
    return true;
}
