/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entities: baselines and updates. Sources: QuakeSpasm cl_parse.c, CL_ParseBaseline and
 * CL_ParseUpdate; DarkPlaces cl_parse.c, CL_ParseBaseline, and cl_ents_nq.c,
 * EntityFrameQuake_ReadEntity.
 */
#include "common/quake/decode.h"
#include "common/core/findings.h"

enum { FARTHEST = 1 << 17 }; /* no map extends further (units) */

/* While protocols are tried, an origin beyond all maps rules a protocol out. */
void nq_read_entity_origin(struct qs_decoder *d, unsigned row_x, unsigned axis,
                           struct qs_entity_update *update)
{
    const uint32_t at = d->in.pos;
    const double origin = qs_coord(d, row_x + axis);

    if (d->probing && !(origin >= -FARTHEST && origin <= FARTHEST))
        qs_note(d, QS_NOTE_MALFORMED, at, d->in.pos - at, "No place on a map");
    update->origin[axis] = origin;
    update->has |= (uint8_t)(QS_ENTITY_ORIGIN1 << axis);
}

void nq_read_entity_yaw(struct qs_decoder *d, unsigned row, struct qs_entity_update *update)
{
    update->yaw = qs_angle(d, row);
    update->has |= QS_ENTITY_YAW;
}

/* --- Baselines --- */

/* Returns the flags of message `id`; DarkPlaces' implies a large model and frame. */
static uint8_t read_flags(struct qs_decoder *d, uint8_t id)
{
    if (id == SVC_SPAWNSTATIC2 || id == SVC_SPAWNBASELINE2)
        return qs_u8(d, NQ_BASELINE_FLAGS);
    if (id == SVC_DP_SPAWNSTATIC2 || id == SVC_DP_SPAWNBASELINE2)
        return B_LARGEMODEL | B_LARGEFRAME;
    return nq_is_bjp(nq_session_of(d)) ? B_LARGEMODEL : 0;
}

/* clang-format off */
static void read_state(struct qs_decoder *d, uint8_t flags, struct qs_entity_update *baseline)
{
    const uint32_t at = d->in.pos;
    const uint16_t model = flags & B_LARGEMODEL ? qs_u16(d, NQ_BASELINE_MODEL) : qs_u8(d, NQ_BASELINE_MODEL);

    nq_set_entity_model(d, NQ_BASELINE_MODEL_NAME, model, at, d->in.pos - at, baseline);
    flags & B_LARGEFRAME ? qs_u16(d, NQ_BASELINE_FRAME) : qs_u8(d, NQ_BASELINE_FRAME);
    qs_u8(d, NQ_BASELINE_COLORMAP);
    qs_u8(d, NQ_BASELINE_SKIN);
    nq_read_entity_origin(d, NQ_BASELINE_ORIGIN_X, 0, baseline);
    qs_angle(d, NQ_BASELINE_ANGLES_PITCH);
    nq_read_entity_origin(d, NQ_BASELINE_ORIGIN_X, 1, baseline);
    nq_read_entity_yaw(d, NQ_BASELINE_ANGLES_YAW, baseline);
    nq_read_entity_origin(d, NQ_BASELINE_ORIGIN_X, 2, baseline);
    qs_angle(d, NQ_BASELINE_ANGLES_ROLL);
    if (flags & B_ALPHA) qs_u8(d, NQ_BASELINE_ALPHA);
    if (flags & B_SCALE) qs_scaled_u8(d, NQ_BASELINE_SCALE, 1.0 / 16);
}
/* clang-format on */

void nq_read_spawnstatic(struct qs_decoder *d)
{
    struct qs_entity_update state = {0};

    read_state(d, read_flags(d, qs_message_byte(d)), &state);
}

void nq_read_spawnbaseline(struct qs_decoder *d)
{
    const uint8_t id = qs_message_byte(d);
    struct qs_entity_update baseline = {.kind = QS_ENTITY_BASELINE,
                                        .number = fte_entity(d, NQ_BASELINE_ENTITY)};

    qs_label(d, ": %u", baseline.number);
    read_state(d, read_flags(d, id), &baseline);
    qs_add_entity(d, &baseline);
}

/* --- Updates --- */

static uint32_t read_update_flags(struct qs_decoder *d, bool fitzquake, bool darkplaces)
{
    const uint32_t id_at = d->in.pos - 1;
    uint32_t flags = d->in.data[id_at];

    qs_emit_uint(d, NQ_UPDATE_FLAGS, id_at, 1, flags);
    if (flags & U_MOREBITS)
        flags |= (uint32_t)qs_u8(d, NQ_UPDATE_FLAGS2) << 8;
    if (!fitzquake && !darkplaces)
        return flags;
    if (flags & U_EXTEND1)
        flags |= (uint32_t)qs_u8(d, fitzquake ? NQ_UPDATE_FLAGS3 : NQ_UPDATE_DPFLAGS3) << 16;
    if (flags & U_EXTEND2)
        flags |= (uint32_t)qs_u8(d, fitzquake ? NQ_UPDATE_FLAGS4 : NQ_UPDATE_DPFLAGS4) << 24;
    return flags;
}

static uint16_t read_update_entity(struct qs_decoder *d, uint32_t flags)
{
    const struct nq_session *session = nq_session_of(d);
    const uint32_t at = d->in.pos;
    const uint16_t entity =
        flags & U_LONGENTITY ? qs_u16(d, NQ_UPDATE_ENTITY) : qs_u8(d, NQ_UPDATE_ENTITY);

    if (qs_label_wanted(d))
        qs_label(d, ": %u", entity);
    if (entity >= 1 && entity <= session->maxclients)
        qs_emit_name(d, NQ_UPDATE_PLAYER_NAME, &session->players, entity - 1u, at, d->in.pos - at);
    return entity;
}

void nq_read_update(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);
    const bool fitzquake = nq_is_extended(session), bjp = nq_is_bjp(session);
    const bool darkplaces =
        !fitzquake && nq_version(session) != PROTOCOL_NEHAHRA_MOVIE && nq_has_darkplaces(session);
    const uint32_t flags = read_update_flags(d, fitzquake, darkplaces);
    struct qs_entity_update update = {.kind = QS_ENTITY_UPDATE, .bits = flags};
    uint32_t model = 0, model_at;

    update.number = read_update_entity(d, flags);
    model_at = d->in.pos;
    /* clang-format off */
    if (flags & U_MODEL) model = bjp ? qs_u16(d, NQ_UPDATE_MODEL) : qs_u8(d, NQ_UPDATE_MODEL);
    if (flags & U_FRAME) qs_u8(d, NQ_UPDATE_FRAME);
    if (flags & U_COLORMAP) qs_u8(d, NQ_UPDATE_COLORMAP);
    if (flags & U_SKIN) qs_u8(d, NQ_UPDATE_SKIN);
    if (flags & U_EFFECTS) qs_u8(d, NQ_UPDATE_EFFECTS);
    if (flags & U_ORIGIN1) nq_read_entity_origin(d, NQ_UPDATE_ORIGIN_X, 0, &update);
    if (flags & U_ANGLE1) qs_angle(d, NQ_UPDATE_ANGLES_PITCH);
    if (flags & U_ORIGIN2) nq_read_entity_origin(d, NQ_UPDATE_ORIGIN_X, 1, &update);
    if (flags & U_ANGLE2) nq_read_entity_yaw(d, NQ_UPDATE_ANGLES_YAW, &update);
    if (flags & U_ORIGIN3) nq_read_entity_origin(d, NQ_UPDATE_ORIGIN_X, 2, &update);
    if (flags & U_ANGLE3) qs_angle(d, NQ_UPDATE_ANGLES_ROLL);
    if (fitzquake) {
        if (flags & U_ALPHA) qs_u8(d, NQ_UPDATE_ALPHA);
        if (flags & U_SCALE) qs_scaled_u8(d, NQ_UPDATE_SCALE, 1.0 / 16);
        if (flags & U_FRAME2) qs_u8(d, NQ_UPDATE_FRAME2);
        if (flags & U_MODEL2) model |= (uint32_t)qs_u8(d, NQ_UPDATE_MODEL2) << 8;
        if (flags & U_LERPFINISH) qs_scaled_u8(d, NQ_UPDATE_LERPFINISH, 1.0 / 255);
    } else if (darkplaces) {
        if (flags & U_DP_ALPHA) qs_u8(d, NQ_UPDATE_ALPHA);
        if (flags & U_DP_SCALE) qs_scaled_u8(d, NQ_UPDATE_SCALE, 1.0 / 16);
        if (flags & U_DP_EFFECTS2) qs_u8(d, NQ_UPDATE_EFFECTS2);
        if (flags & U_DP_GLOWSIZE) qs_scaled_u8(d, NQ_UPDATE_GLOWSIZE, 4);
        if (flags & U_DP_GLOWCOLOR) qs_u8(d, NQ_UPDATE_GLOWCOLOR);
        if (flags & U_DP_COLORMOD) qs_u8(d, NQ_UPDATE_COLORMOD);
        if (flags & U_DP_FRAME2) qs_u8(d, NQ_UPDATE_FRAME2);
        if (flags & U_DP_MODEL2) model |= (uint32_t)qs_u8(d, NQ_UPDATE_MODEL2) << 8;
    } else if (flags & U_TRANS) { /* Nehahra's engines, in protocols 15, 250 and BJP's */
        const float type = qs_f32(d, NQ_UPDATE_TRANS_TYPE);

        qs_f32(d, NQ_UPDATE_TRANS_ALPHA);
        if (type == 2.0f) qs_f32(d, NQ_UPDATE_TRANS_BRIGHT);
    }
    /* clang-format on */
    if (flags & U_MODEL)
        nq_set_entity_model(d, NQ_UPDATE_MODEL_NAME, model, model_at, bjp ? 2 : 1, &update);
    qs_add_entity(d, &update);
}
