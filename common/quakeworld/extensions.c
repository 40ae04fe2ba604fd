/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/extensions.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/messages.h"

void qw_apply_extensions(struct qs_decoder *d)
{
    const bool floats = qw_session(d)->ext.fte & FTE_FLOATCOORDS;

    d->coord_format = floats ? QS_COORD_FLOAT32 : QS_COORD_SHORT;
    d->angle_format = floats ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
}

bool qw_only_fte_reads(const struct fte_session *session)
{
    static const uint32_t fte =
        FTE_SCALE | FTE_FATNESS | FTE_HULLSIZE | FTE_SPLITSCREEN | FTE_HEXEN2 | FTE_DPFLAGS;
    static const uint32_t fte2 =
        FTE2_REPLACEMENTDELTAS | FTE2_MAXPLAYERS | FTE2_VRINPUTS | FTE2_LERPTIME;

    return (session->fte & fte) || (session->fte2 & fte2);
}

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

/* PROTOCOL.md, section 5: from 0.35 on. */
static bool server_is_mvdsv(const struct qs_session *base)
{
    static const char name[] = "mvdsv ";
    const struct qw_session *session = (const struct qw_session *)base;
    const struct qs_view info = qs_view_of(qs_table_get(&session->texts, QW_TEXT_SERVERINFO));
    const struct qs_view version = qs_info_value(info, "*version");
    char *text;
    bool is_mvdsv;

    if (!version.data)
        return false;
    text = g_strndup((const char *)version.data, version.size);
    is_mvdsv = g_ascii_strncasecmp(text, name, strlen(name)) == 0 &&
               g_ascii_strtod(text + strlen(name), NULL) >= 0.35;
    g_free(text);
    return is_mvdsv;
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
             .loss = QW_MOVE_LOSS,
             .temp_entity_type = QW_TE_TYPE},
    .temp_entities = qw_temp_entities,
    .temp_entity_count = QW_TEMP_ENTITIES,
    .name_model = name_model,
    .name_entity = qw_emit_entity_name,
    .read_player = qw_read_player,
    .keep_inputs = keep_inputs,
    .server_is_mvdsv = server_is_mvdsv,
};
