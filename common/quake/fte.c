/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What FTE's extensions (common/fte) have of Quake's own. Source: fteqw cl_parse.c,
 * CLNQ_ParseServerMessage, and sv_user.c, SVNQ_ExecuteClientMessage.
 */
#include "common/quake/decode.h"

static void name_model(struct qs_decoder *d, uint32_t model, uint32_t offset, uint32_t length)
{
    qs_emit_name(d, NQ_DELTA_MODEL_NAME, &nq_session_of(d)->models, model, offset, length);
}

static void name_entity(struct qs_decoder *d, uint32_t entity)
{
    const struct nq_session *session = nq_session_of(d);

    if (entity >= 1 && entity <= session->maxclients)
        qs_emit_name(d, NQ_DELTA_PLAYER_NAME, &session->players, entity - 1, d->in.pos - 2, 2);
}

static uint8_t read_player(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint8_t player = qs_u8(d, id);

    qs_emit_name(d, NQ_VOICECHAT_NAME, &nq_session_of(d)->players, player, at, 1);
    return player;
}

static double degrees(uint16_t angle)
{
    return (int16_t)angle * (360.0 / 65536);
}

static void keep_inputs(struct qs_session *base, const struct fte_input *inputs, unsigned count)
{
    struct nq_session *session = (struct nq_session *)base;
    const uint16_t *angles;

    if (!count)
        return;
    angles = inputs[count - 1].angles;
    session->move = (struct nq_angles){degrees(angles[0]), degrees(angles[1]), degrees(angles[2])};
    session->moved = true;
}

/* Games for DarkPlaces send the types from 16 on in every protocol. */
/* clang-format off */
static const struct fte_temp_entity temp_entities[] = {
#define TE(id, number, name, shape) [number] = {name, FTE_SHAPE_##shape, false},
#define TE_EXT(id, number, name, shape) [number] = {name, FTE_SHAPE_##shape, true},
#include "common/quake/messages.def"
};
/* clang-format on */

const struct fte_game nq_fte_game = {
    .rows = {.entities_end = NQ_ENTITIES_END,
             .usercmd = NQ_USERCMD,
             .pitch = NQ_MOVE_ANGLES_PITCH,
             .forward = NQ_MOVE_FORWARD,
             .side = NQ_MOVE_SIDE,
             .up = NQ_MOVE_UP,
             .msec = NQ_USERCMD_MSEC,
             .loss = NQ_MOVE_LOSS,
             .temp_entity_type = NQ_TEMP_ENTITY_TYPE},
    .temp_entities = temp_entities,
    .temp_entity_count = G_N_ELEMENTS(temp_entities),
    .temp_entity_numbering = TE_SIZE_QUAKE,
    .name_model = name_model,
    .name_entity = name_entity,
    .read_player = read_player,
    .keep_inputs = keep_inputs,
    .acknowledge_frame = nq_acknowledge_frame,
};

/* Which moves the server has: the netchan does not carry that. */
void nq_read_updateentities(struct qs_decoder *d)
{
    if (nq_session_of(d)->ext.fte2 & FTE2_PREDINFO)
        qs_u16(d, NQ_UPDATEENTITIES_MOVE);
    nq_read_frame_number(d, (int32_t)d->found.sequence);
    fte_read_updateentities(d);
    if (!d->in.overrun)
        nq_level_time(d, fte_session(d)->update_time);
}

/* The same the other way: packets have no number that both sides know. */
void nq_read_fte_move(struct qs_decoder *d)
{
    qs_u16(d, NQ_MOVE_SEQUENCE);
    fte_read_move(d);
}
