/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entities: what they are to begin with, and how they change.
 * Sources: QuakeSpasm cl_parse.c, CL_ParseBaseline and
 * CL_ParseUpdate; DarkPlaces cl_parse.c, CL_ParseBaseline, and cl_ents_nq.c,
 * EntityFrameQuake_ReadEntity.
 */
#include "common/quake/decode.h"
#include "common/core/findings.h"

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

/* `row` is that of X. */
static void read_origin(struct qs_decoder *d, unsigned axis, unsigned row,
                        struct qs_entity_update *update)
{
    update->origin[axis] = read_coordinate(d, row + axis);
    update->has |= (uint8_t)(QS_ENTITY_ORIGIN1 << axis);
}

static void read_yaw(struct qs_decoder *d, unsigned row, struct qs_entity_update *update)
{
    update->yaw = qs_angle(d, row);
    update->has |= QS_ENTITY_YAW;
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
    for (unsigned axis = 0; axis < 3; axis++) {
        read_origin(d, axis, NQ_BASELINE_ORIGIN_X, baseline);
        if (axis == 1)
            read_yaw(d, NQ_BASELINE_ANGLES_YAW, baseline);
        else
            qs_angle(d, NQ_BASELINE_ANGLES_PITCH + axis);
    }
    if (flags & B_ALPHA)
        qs_u8(d, NQ_BASELINE_ALPHA);
    if (flags & B_SCALE)
        qs_scaled_u8(d, NQ_BASELINE_SCALE, 1.0 / 16);
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

/* Nehahra's engines send protocol 15, 250 or BJP's, and this. */
static void read_transparency(struct qs_decoder *d)
{
    const float type = qs_f32(d, NQ_UPDATE_TRANS_TYPE);

    qs_f32(d, NQ_UPDATE_TRANS_ALPHA);
    if (type == 2.0f)
        qs_f32(d, NQ_UPDATE_TRANS_BRIGHT);
}

/* clang-format off */
#define READ_U8(row) qs_u8(d, row)
#define READ_SHARE(row) qs_scaled_u8(d, row, 1.0 / 255)
#define READ_SIXTEENTHS(row) qs_scaled_u8(d, row, 1.0 / 16)
#define READ_FOURS(row) qs_scaled_u8(d, row, 4)
#define READ_MODEL(row) model = bjp ? qs_u16(d, row) : qs_u8(d, row)
#define READ_MODEL2(row) model |= (uint32_t)qs_u8(d, row) << 8
#define READ_ORIGIN(row) read_origin(d, row - NQ_UPDATE_ORIGIN_X, NQ_UPDATE_ORIGIN_X, &update)
#define READ_ANGLE(row) qs_angle(d, row)
#define READ_YAW(row) read_yaw(d, row, &update)
#define READ_TRANSPARENCY(row) read_transparency(d)
/* clang-format on */

void nq_read_update(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);
    const bool fitzquake = nq_is_extended(session);
    const bool darkplaces =
        !fitzquake && nq_version(session) != PROTOCOL_NEHAHRA_MOVIE && nq_has_darkplaces(session);
    const uint32_t flags = read_update_flags(d, fitzquake, darkplaces);
    const bool bjp = nq_is_bjp(session);
    struct qs_entity_update update = {.kind = QS_ENTITY_UPDATE, .bits = flags};
    uint32_t model = 0, model_at;

    update.number = read_update_entity(d, flags);
    model_at = d->in.pos;
#define UPDATE(encoding, bits, row)                                                                \
    if (flags & (bits))                                                                            \
        READ_##encoding(row);
#include "common/quake/update_fields.def"
    if (flags & U_MODEL) {
        qs_emit_name(d, NQ_UPDATE_MODEL_NAME, &session->models, model, model_at, bjp ? 2 : 1);
        update.model = (uint16_t)model;
        update.has |= QS_ENTITY_MODEL;
    }
    qs_add_entity(d, &update);
}
