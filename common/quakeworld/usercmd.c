/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Delta usercmds. What is sent is absolute; what is not sent stays as in the command before.
 * Source: qw28-protocol, "[Control] Structure"; qwd-format 5.43; for protocol 26 and before also
 * ezquake com_msg.c MSG_ReadDeltaUsercmd (moves in steps of 8 units per second).
 */
#include "common/quakeworld/usercmd.h"
#include "common/quakeworld/decode.h"

/* A value that is sent, or that of the command before as a generated field. */
static inline uint16_t read_angle(struct qs_decoder *d, unsigned id, bool sent, uint16_t before)
{
    if (sent)
        return (uint16_t)qs_angle16(d, id);
    if (qs_value_wanted(d, id))
        qs_emit_generated_double(d, id, d->in.pos, 0, (int16_t)before * (360.0 / 65536));
    return before;
}

/* Steps of 8 units per second. */
static int16_t read_narrow_move(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const int16_t move = (int16_t)((int8_t)qs_reader_u8(&d->in) * 8);

    qs_emit_int(d, id, at, 1, move);
    return move;
}

static inline int16_t read_move(struct qs_decoder *d, unsigned id, bool sent, bool narrow,
                                int16_t before)
{
    if (sent)
        return narrow ? read_narrow_move(d, id) : qs_i16(d, id);
    qs_emit_generated_int(d, id, d->in.pos, 0, before);
    return before;
}

static inline uint8_t read_byte(struct qs_decoder *d, unsigned id, bool sent, uint8_t before)
{
    if (sent)
        return qs_u8(d, id);
    qs_emit_generated_uint(d, id, d->in.pos, 0, before);
    return before;
}

void qw_read_whole_usercmd(struct qs_decoder *d)
{
    qs_f32(d, QW_USERCMD_PITCH);
    qs_f32(d, QW_USERCMD_YAW);
    qs_f32(d, QW_USERCMD_ROLL);
    qs_i16(d, QW_USERCMD_FORWARD);
    qs_i16(d, QW_USERCMD_SIDE);
    qs_i16(d, QW_USERCMD_UP);
    qs_u8(d, QW_USERCMD_BUTTONS);
    qs_u8(d, QW_USERCMD_IMPULSE);
}

void qw_read_usercmd(struct qs_decoder *d, struct qw_usercmd *cmd)
{
    const bool narrow = qw_version(d) < QW_PROTOCOL_WIDE_MOVES;
    uint8_t bits;

    qs_open(d, QW_USERCMD);
    bits = qs_u8(d, QW_USERCMD_BITS);
    cmd->angles[0] = read_angle(d, QW_USERCMD_PITCH, bits & CM_ANGLE1, cmd->angles[0]);
    cmd->angles[1] = read_angle(d, QW_USERCMD_YAW, narrow || (bits & CM_ANGLE2), cmd->angles[1]);
    cmd->angles[2] = read_angle(d, QW_USERCMD_ROLL, bits & CM_ANGLE3, cmd->angles[2]);
    cmd->forward = read_move(d, QW_USERCMD_FORWARD, bits & CM_FORWARD, narrow, cmd->forward);
    cmd->side = read_move(d, QW_USERCMD_SIDE, bits & CM_SIDE, narrow, cmd->side);
    cmd->up = read_move(d, QW_USERCMD_UP, bits & CM_UP, narrow, cmd->up);
    cmd->buttons = read_byte(d, QW_USERCMD_BUTTONS, bits & CM_BUTTONS, cmd->buttons);
    cmd->impulse = read_byte(d, QW_USERCMD_IMPULSE, bits & CM_IMPULSE, cmd->impulse);
    cmd->msec = read_byte(d, QW_USERCMD_MSEC, !narrow || (bits & CM_MSEC), cmd->msec);
    if (qs_label_wanted(d))
        qs_label(d, ": %u ms", cmd->msec);
    qs_close(d);
}
