/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a QuakeWorld session, and the names that it has for numbers in messages. */
#include "common/quakeworld/parts.h"

#include "common/core/text.h"

static void clear_level(struct qw_session *session)
{
    qs_table_clear(&session->models);
    qs_table_clear(&session->sounds);
    qs_table_clear(&session->userinfo);
}

void qw_session_connect(struct qw_session *session)
{
    const struct qs_table texts = session->texts;
    const char *userinfo = qs_table_get(&texts, QW_TEXT_CONNECT_USERINFO);
    struct qw_session fresh = {.ext = {.base = session->base, .game = session->ext.game}};

    clear_level(session);
    qs_session_connect(&fresh.base);
    qs_table_set(&fresh.texts, QW_TEXT_CONNECT_USERINFO, qs_view_of(userinfo));
    qs_table_clear(&session->texts);
    fresh.format = session->asked;
    /* Until svc_serverdata comes, the client's first moves have the form that it asked for. */
    fresh.ext.fte2 = session->asked_fte2 & FTE2_VRINPUTS;
    g_clear_pointer(&session->effect_styles, g_bytes_unref);
    fresh.qport = session->qport;
    fresh.header_size = session->header_size;
    qw_fragments_clear(session);
    *session = fresh;
}

/* svc_serverdata wipes the client's state; see ezquake cl_parse.c CL_ParseServerData,
 * CL_ClearState. */
void qw_session_new_level(struct qw_session *session)
{
    clear_level(session);
    session->base.level++;
    fte_forget_agreement(&session->ext);
}

void qw_set_userinfo_value(struct qw_session *session, uint32_t player, struct qs_view key,
                           struct qs_view value)
{
    char *info;

    if (player >= QW_PLAYERS_MAX)
        return;
    info = qs_info_set(qs_view_of(qs_table_get(&session->userinfo, player)), key, value);
    qs_table_set(&session->userinfo, player, qs_view_of(info));
    g_free(info);
}

struct qs_view qw_player_name(const struct qw_session *session, uint32_t player)
{
    return qs_info_value(qs_view_of(qs_table_get(&session->userinfo, player)), "name");
}

/* A name for the last bytes read: as a derived field, and in the title of the message. */
static void emit_name(struct qs_decoder *d, unsigned id, uint32_t length, struct qs_view name)
{
    if (!name.size || d->in.overrun)
        return;
    qs_emit_generated_bytes(d, id, d->in.pos - length, length, name);
    qs_label_text(d, " ", name, "");
}

void qw_emit_player_name(struct qs_decoder *d, uint32_t player, uint32_t length)
{
    if (d->fields_wanted)
        emit_name(d, QW_PLAYER_NAME, length, qw_player_name(qw_session(d), player));
}

uint8_t qw_read_player(struct qs_decoder *d, unsigned id)
{
    const uint8_t player = qs_u8(d, id);

    qs_label(d, ": player %u", player);
    qw_emit_player_name(d, player, 1);
    return player;
}

uint8_t qw_read_model(struct qs_decoder *d, unsigned id)
{
    const uint8_t model = qs_u8(d, id);

    if (d->fields_wanted)
        emit_name(d, QW_MODEL_NAME, 1, qs_view_of(qs_table_get(&qw_session(d)->models, model)));
    return model;
}

uint8_t qw_read_sound(struct qs_decoder *d, unsigned id)
{
    const uint8_t sound = qs_u8(d, id);

    if (d->fields_wanted)
        emit_name(d, QW_SOUND_NAME, 1, qs_view_of(qs_table_get(&qw_session(d)->sounds, sound)));
    return sound;
}

void qw_emit_entity_name(struct qs_decoder *d, uint32_t entity)
{
    if (entity >= 1 && entity <= QW_PLAYERS_MAX)
        qw_emit_player_name(d, entity - 1, 2);
}

void qw_emit_model_name(struct qs_decoder *d, uint32_t offset, uint32_t length, uint32_t model)
{
    const char *name = qs_table_get(&qw_session(d)->models, model);

    qs_emit_generated_text(d, QW_MODEL_NAME, offset, length, name);
    qs_label_text(d, " ", qs_view_of(name), "");
}

void qw_emit_sound_name(struct qs_decoder *d, uint32_t sound, uint32_t length)
{
    if (d->fields_wanted)
        emit_name(d, QW_SOUND_NAME, length,
                  qs_view_of(qs_table_get(&qw_session(d)->sounds, sound)));
}

void qw_apply_extensions(struct qs_decoder *d)
{
    const bool floats = qw_session(d)->ext.fte & FTE_FLOATCOORDS;

    d->coord_format = floats ? QS_COORD_FLOAT32 : QS_COORD_SHORT;
    d->angle_format = floats ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
}

/* --- FTE's extensions --- */

static void name_model(struct qs_decoder *d, uint32_t model, uint32_t offset, uint32_t length)
{
    qw_emit_model_name(d, offset, length, model);
}

/* The newest three, as clc_move has them: newer ones push older ones out. */
static void keep_inputs(struct qs_session *base, const struct fte_input *inputs, unsigned count)
{
    struct qw_session *session = (struct qw_session *)base;

    for (unsigned i = 0; i < count; i++) {
        const struct fte_input *input = &inputs[i];

        session->cmds[0] = session->cmds[1];
        session->cmds[1] = session->cmds[2];
        session->cmds[2] = (struct qw_usercmd){
            .msec = input->msec,
            .angles = {input->angles[0], input->angles[1], input->angles[2]},
            .forward = input->forward,
            .side = input->side,
            .up = input->up,
            .buttons = input->buttons,
            .impulse = input->impulse,
        };
    }
    /* Demo players count a packet without commands, too: it repeats no time and no impulse. */
    if (!count)
        session->cmds[2].msec = session->cmds[2].impulse = 0;
    session->moved = true;
}

const struct fte_game qw_fte_game = {
    .rows = {.entities_end = QW_ENTITIES_END,
             .usercmd = QW_USERCMD,
             .pitch = QW_USERCMD_PITCH,
             .yaw = QW_USERCMD_YAW,
             .roll = QW_USERCMD_ROLL,
             .forward = QW_USERCMD_FORWARD,
             .side = QW_USERCMD_SIDE,
             .up = QW_USERCMD_UP,
             .msec = QW_USERCMD_MSEC,
             .loss = QW_MOVE_LOSS},
    .name_model = name_model,
    .name_entity = qw_emit_entity_name,
    .read_player = qw_read_player,
    .keep_inputs = keep_inputs,
};
