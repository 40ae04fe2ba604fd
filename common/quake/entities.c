/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entities: what they are to begin with, and how they change.
 * Sources: QuakeSpasm cl_parse.c, CL_ParseBaseline and
 * CL_ParseUpdate; DarkPlaces cl_parse.c, CL_ParseBaseline, and cl_ents_nq.c,
 * EntityFrameQuake_ReadEntity.
 */
#include "common/quake/decode.h"
#include "common/core/findings.h"

static const double scale_unit = 1.0 / 16; /* scales: 16 is the entity's own size */

/* No map reaches further, in units. */
static const double farthest = 1 << 17;

/* While the protocol is being found out, a position beyond all maps shows that it is another one.
 */
static double read_coordinate(struct qs_decoder *d, unsigned row)
{
    const uint32_t at = d->in.pos;
    const double position = qs_coord(d, row);

    if (d->probing && !(position >= -farthest && position <= farthest))
        qs_note(d, QS_NOTE_MALFORMED, at, d->in.pos - at, "No place on a map");
    return position;
}

enum { PITCH, YAW, ROLL };

static void read_axis(struct qs_decoder *d, unsigned axis, unsigned origin_row, unsigned angle_row,
                      struct qs_entity_update *update)
{
    double angle;

    if (origin_row) {
        update->origin[axis] = read_coordinate(d, origin_row + axis);
        update->has |= (uint8_t)(QS_ENTITY_ORIGIN1 << axis);
    }
    if (!angle_row)
        return;
    angle = qs_angle(d, angle_row + axis);
    if (axis == YAW) {
        update->yaw = angle;
        update->has |= QS_ENTITY_YAW;
    }
}

/* --- Baselines --- */

/* What the message `id` has. DarkPlaces' always has a large model and frame. */
static uint8_t read_flags(struct qs_decoder *d, uint8_t id)
{
    switch (id) {
    case SVC_SPAWNSTATIC2:
    case SVC_SPAWNBASELINE2:
        return qs_u8(d, NQ_BASELINE_FLAGS);
    case SVC_DP_SPAWNSTATIC2:
    case SVC_DP_SPAWNBASELINE2:
        return B_LARGEMODEL | B_LARGEFRAME;
    default:
        return nq_is_bjp(nq_session_of(d)) ? B_LARGEMODEL : 0;
    }
}

static void read_state(struct qs_decoder *d, uint8_t flags, struct qs_entity_update *baseline)
{
    const uint32_t at = d->in.pos;
    const uint16_t model =
        flags & B_LARGEMODEL ? qs_u16(d, NQ_BASELINE_MODEL) : qs_u8(d, NQ_BASELINE_MODEL);

    baseline->model = model;
    baseline->has = QS_ENTITY_MODEL;
    qs_emit_name(d, NQ_BASELINE_MODEL_NAME, &nq_session_of(d)->models, model, at, d->in.pos - at);
    if (flags & B_LARGEFRAME)
        qs_u16(d, NQ_BASELINE_FRAME);
    else
        qs_u8(d, NQ_BASELINE_FRAME);
    qs_u8(d, NQ_BASELINE_COLORMAP);
    qs_u8(d, NQ_BASELINE_SKIN);
    for (unsigned axis = 0; axis < 3; axis++)
        read_axis(d, axis, NQ_BASELINE_ORIGIN_X, NQ_BASELINE_ANGLES_PITCH, baseline);
    if (flags & B_ALPHA)
        qs_u8(d, NQ_BASELINE_ALPHA);
    if (flags & B_SCALE)
        qs_scaled_u8(d, NQ_BASELINE_SCALE, scale_unit);
}

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

/* Who has extended Quake's updates, each with flags of its own. */
enum extension { NEHAHRA, FITZQUAKE, DARKPLACES };

static enum extension extension_of(const struct nq_session *session)
{
    if (nq_is_extended(session))
        return FITZQUAKE;
    if (nq_version(session) == PROTOCOL_NEHAHRA_MOVIE)
        return NEHAHRA;
    return nq_has_darkplaces(session) ? DARKPLACES : NEHAHRA;
}

static uint32_t read_update_flags(struct qs_decoder *d, enum extension extension)
{
    static const unsigned rows3[] = {
        [FITZQUAKE] = NQ_UPDATE_FLAGS3, [DARKPLACES] = NQ_UPDATE_DPFLAGS3};
    static const unsigned rows4[] = {
        [FITZQUAKE] = NQ_UPDATE_FLAGS4, [DARKPLACES] = NQ_UPDATE_DPFLAGS4};
    const uint32_t id_at = d->in.pos - 1;
    uint32_t flags = d->in.data[id_at];

    qs_emit_uint(d, NQ_UPDATE_FLAGS, id_at, 1, flags);
    if (flags & U_MOREBITS)
        flags |= (uint32_t)qs_u8(d, NQ_UPDATE_FLAGS2) << 8;
    if (extension != NEHAHRA && flags & U_EXTEND1)
        flags |= (uint32_t)qs_u8(d, rows3[extension]) << 16;
    if (extension != NEHAHRA && flags & U_EXTEND2)
        flags |= (uint32_t)qs_u8(d, rows4[extension]) << 24;
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

/* The axes take turns: origin, then angle. */
static void read_position(struct qs_decoder *d, uint32_t flags, struct qs_entity_update *update)
{
    static const uint32_t origin[] = {U_ORIGIN1, U_ORIGIN2, U_ORIGIN3};
    static const uint32_t angle[] = {U_ANGLE1, U_ANGLE2, U_ANGLE3};

    for (unsigned axis = 0; axis < 3; axis++)
        read_axis(d, axis, flags & origin[axis] ? NQ_UPDATE_ORIGIN_X : 0,
                  flags & angle[axis] ? NQ_UPDATE_ANGLES_PITCH : 0, update);
}

static const struct nq_optional_byte fitzquake_bytes[] = {
    {U_ALPHA, NQ_UPDATE_ALPHA, 0},
    {U_SCALE, NQ_UPDATE_SCALE, 1.0 / 16},
    {U_FRAME2, NQ_UPDATE_FRAME2, 0},
    {U_MODEL2, NQ_UPDATE_MODEL2, 0},
    {U_LERPFINISH, NQ_UPDATE_LERPFINISH, 1.0 / 255},
};

static const struct nq_optional_byte darkplaces_bytes[] = {
    {U_DP_ALPHA, NQ_UPDATE_ALPHA, 0},         {U_DP_SCALE, NQ_UPDATE_SCALE, 1.0 / 16},
    {U_DP_EFFECTS2, NQ_UPDATE_EFFECTS2, 0},   {U_DP_GLOWSIZE, NQ_UPDATE_GLOWSIZE, 4},
    {U_DP_GLOWCOLOR, NQ_UPDATE_GLOWCOLOR, 0}, {U_DP_COLORMOD, NQ_UPDATE_COLORMOD, 0},
    {U_DP_FRAME2, NQ_UPDATE_FRAME2, 0},       {U_DP_MODEL2, NQ_UPDATE_MODEL2, 0},
};

/* Nehahra's engines send protocol 15, 250 or BJP's, and this. */
static void read_transparency(struct qs_decoder *d)
{
    const float type = qs_f32(d, NQ_UPDATE_TRANS_TYPE);

    qs_f32(d, NQ_UPDATE_TRANS_ALPHA);
    if (type == 2.0f)
        qs_f32(d, NQ_UPDATE_TRANS_BRIGHT);
}

void nq_read_update(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);
    const enum extension extension = extension_of(session);
    const uint32_t flags = read_update_flags(d, extension);
    const bool bjp = nq_is_bjp(session);
    struct qs_entity_update update = {.kind = QS_ENTITY_UPDATE, .bits = flags};
    uint32_t model = 0, model_at;

    update.number = read_update_entity(d, flags);
    model_at = d->in.pos;
    if (flags & U_MODEL)
        model = bjp ? qs_u16(d, NQ_UPDATE_MODEL) : qs_u8(d, NQ_UPDATE_MODEL);
    if (flags & U_FRAME)
        qs_u8(d, NQ_UPDATE_FRAME);
    if (flags & U_COLORMAP)
        qs_u8(d, NQ_UPDATE_COLORMAP);
    if (flags & U_SKIN)
        qs_u8(d, NQ_UPDATE_SKIN);
    if (flags & U_EFFECTS)
        qs_u8(d, NQ_UPDATE_EFFECTS);
    read_position(d, flags, &update);
    if (extension == FITZQUAKE)
        model |= (uint32_t)nq_read_optional_bytes(d, flags, fitzquake_bytes,
                                                  G_N_ELEMENTS(fitzquake_bytes), NQ_UPDATE_MODEL2)
                 << 8;
    else if (extension == DARKPLACES)
        model |= (uint32_t)nq_read_optional_bytes(d, flags, darkplaces_bytes,
                                                  G_N_ELEMENTS(darkplaces_bytes), NQ_UPDATE_MODEL2)
                 << 8;
    else if (flags & U_TRANS)
        read_transparency(d);
    if (flags & U_MODEL) {
        qs_emit_name(d, NQ_UPDATE_MODEL_NAME, &session->models, model, model_at, bjp ? 2 : 1);
        update.model = (uint16_t)model;
        update.has |= QS_ENTITY_MODEL;
    }
    qs_add_entity(d, &update);
}
