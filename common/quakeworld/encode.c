/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/encode.h"

#include "common/quakeworld/checksum.h"
#include "common/quakeworld/constants.h"

static void put_u8(GByteArray *to, uint8_t value)
{
    g_byte_array_append(to, &value, 1);
}

static void put_u16(GByteArray *to, uint16_t value)
{
    put_u8(to, (uint8_t)value);
    put_u8(to, (uint8_t)(value >> 8));
}

static void put_move(GByteArray *to, bool narrow, int16_t move)
{
    if (narrow)
        put_u8(to, (uint8_t)CLAMP(move / 8, INT8_MIN, INT8_MAX));
    else
        put_u16(to, (uint16_t)move);
}

/* What differs. Up to protocol 26 the yaw is always sent, and its bit is the duration's. */
static uint8_t bits_of(bool narrow, const struct qw_usercmd *from, const struct qw_usercmd *cmd)
{
    unsigned bits = 0;

    bits |= cmd->angles[0] != from->angles[0] ? CM_ANGLE1 : 0;
    bits |= cmd->angles[2] != from->angles[2] ? CM_ANGLE3 : 0;
    bits |= cmd->forward != from->forward ? CM_FORWARD : 0;
    bits |= cmd->side != from->side ? CM_SIDE : 0;
    bits |= cmd->up != from->up ? CM_UP : 0;
    bits |= cmd->buttons != from->buttons ? CM_BUTTONS : 0;
    bits |= cmd->impulse != from->impulse ? CM_IMPULSE : 0;
    if (narrow)
        bits |= cmd->msec != from->msec ? CM_MSEC : 0;
    else
        bits |= cmd->angles[1] != from->angles[1] ? CM_ANGLE2 : 0;
    return (uint8_t)bits;
}

/* In the order in which qw_read_usercmd() reads. */
static void append_usercmd(GByteArray *to, bool narrow, const struct qw_usercmd *from,
                           const struct qw_usercmd *cmd)
{
    const uint8_t bits = bits_of(narrow, from, cmd);

    put_u8(to, bits);
    if (bits & CM_ANGLE1)
        put_u16(to, cmd->angles[0]);
    if (narrow || bits & CM_ANGLE2)
        put_u16(to, cmd->angles[1]);
    if (bits & CM_ANGLE3)
        put_u16(to, cmd->angles[2]);
    if (bits & CM_FORWARD)
        put_move(to, narrow, cmd->forward);
    if (bits & CM_SIDE)
        put_move(to, narrow, cmd->side);
    if (bits & CM_UP)
        put_move(to, narrow, cmd->up);
    if (bits & CM_BUTTONS)
        put_u8(to, cmd->buttons);
    if (bits & CM_IMPULSE)
        put_u8(to, cmd->impulse);
    if (!narrow || bits & CM_MSEC)
        put_u8(to, cmd->msec);
}

void qw_append_move(GByteArray *to, int32_t version, const struct qw_usercmd cmds[3],
                    uint32_t sequence)
{
    static const struct qw_usercmd nothing;
    const bool narrow = version < QW_PROTOCOL_WIDE_MOVES;
    const guint checksum = to->len + 1;
    guint covered;

    put_u8(to, CLC_MOVE);
    put_u8(to, 0); /* the checksum, when its bytes are there */
    covered = to->len;
    put_u8(to, 0); /* no loss */
    append_usercmd(to, narrow, &nothing, &cmds[0]);
    append_usercmd(to, narrow, &cmds[0], &cmds[1]);
    append_usercmd(to, narrow, &cmds[1], &cmds[2]);
    to->data[checksum] = qw_move_checksum(to->data + covered, to->len - covered, sequence);
}
