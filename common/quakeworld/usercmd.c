/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Delta usercmds. What is sent is absolute; what is not sent stays as in the command before.
 * Source: qw28-protocol, "[Control] Structure"; qwd-format 5.43; for protocol 26 and before also
 * ezquake com_msg.c MSG_ReadDeltaUsercmd (moves in steps of 8 units per second).
 */
#include "common/quakeworld/usercmd.h"

#include "common/core/checksum.h"
#include "common/core/writer.h"
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
    for (unsigned axis = 0; axis < 3; axis++)
        qs_f32(d, QW_USERCMD_PITCH + axis);
    qs_rows(d, QW_USERCMD_FORWARD, QW_USERCMD_IMPULSE);
}

uint32_t qw_usercmd_size(uint8_t bits)
{
    static const uint8_t words = CM_ANGLE1 | CM_ANGLE2 | CM_ANGLE3 | CM_FORWARD | CM_SIDE | CM_UP;

    return 1 + 2 * qs_bits_in(bits & words) + qs_bits_in(bits & (CM_BUTTONS | CM_IMPULSE)) + 1;
}

enum { USERCMD_MAX = 1 + 6 * 2 + 3 }; /* bytes */

static uint16_t take_word(const uint8_t **from)
{
    const uint16_t word = qs_le16(*from);

    *from += 2;
    return word;
}

/* The same without a listener: wide moves, of bytes that are there. Returns where they end. */
static const uint8_t *take_usercmd(const uint8_t *from, struct qw_usercmd *cmd)
{
    const uint8_t bits = *from++;

    if (bits & CM_ANGLE1)
        cmd->angles[0] = take_word(&from);
    if (bits & CM_ANGLE2)
        cmd->angles[1] = take_word(&from);
    if (bits & CM_ANGLE3)
        cmd->angles[2] = take_word(&from);
    if (bits & CM_FORWARD)
        cmd->forward = (int16_t)take_word(&from);
    if (bits & CM_SIDE)
        cmd->side = (int16_t)take_word(&from);
    if (bits & CM_UP)
        cmd->up = (int16_t)take_word(&from);
    if (bits & CM_BUTTONS)
        cmd->buttons = *from++;
    if (bits & CM_IMPULSE)
        cmd->impulse = *from++;
    cmd->msec = *from++;
    return from;
}

void qw_read_usercmd(struct qs_decoder *d, struct qw_usercmd *cmd)
{
    const bool narrow = qw_version(d) < QW_PROTOCOL_WIDE_MOVES;
    const struct qs_view rest = qs_rest(d);
    uint8_t bits;

    if (!d->values_wanted && !narrow &&
        (rest.size >= USERCMD_MAX || (rest.size && rest.size >= qw_usercmd_size(rest.data[0])))) {
        d->in.pos += (uint32_t)(take_usercmd(rest.data, cmd) - rest.data);
        return;
    }
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

/* --- Writing --- */

/* In the order in which qw_read_usercmd() reads; the byte of bits first, once they are known. Up to
 * protocol 26 the yaw is always sent, and its bit is the duration's. */
static void append_usercmd(GByteArray *to, bool narrow, const struct qw_usercmd *from,
                           const struct qw_usercmd *cmd)
{
    static const uint8_t angle_bits[] = {CM_ANGLE1, CM_ANGLE2, CM_ANGLE3};
    const int16_t moves[][2] = {
        {from->forward, cmd->forward}, {from->side, cmd->side}, {from->up, cmd->up}};
    const guint at = to->len;
    unsigned bits = 0;

    qs_write_u8(to, 0);
    for (unsigned i = 0; i < 3; i++) {
        const bool always = narrow && angle_bits[i] == CM_ANGLE2;

        if (!always && cmd->angles[i] == from->angles[i])
            continue;
        bits |= always ? 0 : angle_bits[i];
        qs_write_u16(to, cmd->angles[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        if (moves[i][0] == moves[i][1])
            continue;
        bits |= (uint32_t)CM_FORWARD << i;
        if (narrow)
            qs_write_u8(to, (uint8_t)CLAMP(moves[i][1] / 8, INT8_MIN, INT8_MAX));
        else
            qs_write_u16(to, (uint16_t)moves[i][1]);
    }
    if (cmd->buttons != from->buttons) {
        bits |= CM_BUTTONS;
        qs_write_u8(to, cmd->buttons);
    }
    if (cmd->impulse != from->impulse) {
        bits |= CM_IMPULSE;
        qs_write_u8(to, cmd->impulse);
    }
    if (!narrow || cmd->msec != from->msec) {
        bits |= narrow ? CM_MSEC : 0;
        qs_write_u8(to, cmd->msec);
    }
    to->data[at] = (uint8_t)bits;
}

void qw_append_move(GByteArray *to, int32_t version, const struct qw_usercmd cmds[3],
                    uint32_t sequence)
{
    static const struct qw_usercmd nothing;
    const bool narrow = version < QW_PROTOCOL_WIDE_MOVES;
    const guint checksum = to->len + 1;
    guint covered;

    qs_write_u8(to, CLC_MOVE);
    qs_write_u8(to, 0); /* the checksum, when its bytes are there */
    covered = to->len;
    qs_write_u8(to, 0); /* no loss */
    append_usercmd(to, narrow, &nothing, &cmds[0]);
    append_usercmd(to, narrow, &cmds[0], &cmds[1]);
    append_usercmd(to, narrow, &cmds[1], &cmds[2]);
    to->data[checksum] = qw_move_checksum(to->data + covered, to->len - covered, sequence);
}

/* --- The checksum of clc_move --- */

/* clang-format off */
/* Constants of the protocol; what is not listed is zero. */
static const uint8_t salts[QS_SALT_TABLE_SIZE] = {
    0x78, 0xd2, 0x94, 0xe3, 0x41, 0xec, 0xd6, 0xd5, 0xcb, 0xfc, 0xdb, 0x8a, 0x4b, 0xcc, 0x85, 0x01,
    0x23, 0xd2, 0xe5, 0xf2, 0x29, 0xa7, 0x45, 0x94, 0x4a, 0x62, 0xe3, 0xa5, 0x6f, 0x3f, 0xe1, 0x7a,
    0x64, 0xed, 0x5c, 0x99, 0x29, 0x87, 0xa8, 0x78, 0x59, 0x0d, 0xaa, 0x0f, 0x25, 0x0a, 0x5c, 0x58,
    0xfb, 0x00, 0xa7, 0xa8, 0x8a, 0x1d, 0x86, 0x80, 0xc5, 0x1f, 0xd2, 0x28, 0x69, 0x71, 0x58, 0xc3,
    0x51, 0x90, 0xe1, 0xf8, 0x6a, 0xf3, 0x8f, 0xb0, 0x68, 0xdf, 0x95, 0x40, 0x5c, 0xe4, 0x24, 0x6b,
    0x29, 0x19, 0x71, 0x3f, 0x42, 0x63, 0x6c, 0x48, 0xe7, 0xad, 0xa8, 0x4b, 0x91, 0x8f, 0x42, 0x36,
    0x34, 0xe7, 0x32, 0x55, 0x59, 0x2d, 0x36, 0x38, 0x38, 0x59, 0x9b, 0x08, 0x16, 0x4d, 0x8d, 0xf8,
    0x0a, 0xa4, 0x52, 0x01, 0xbb, 0x52, 0xa9, 0xfd, 0x40, 0x18, 0x97, 0x37, 0xff, 0xc9, 0x82, 0x27,
    0xb2, 0x64, 0x60, 0xce, 0x00, 0xd9, 0x04, 0xf0, 0x9e, 0x99, 0xbd, 0xce, 0x8f, 0x90, 0x4a, 0xdd,
    0xe1, 0xec, 0x19, 0x14, 0xb1, 0xfb, 0xca, 0x1e, 0x98, 0x0f, 0xd4, 0xcb, 0x80, 0xd6, 0x05, 0x63,
    0xfd, 0xa0, 0x74, 0xa6, 0x86, 0xf6, 0x19, 0x98, 0x76, 0x27, 0x68, 0xf7, 0xe9, 0x09, 0x9a, 0xf2,
    0x2e, 0x42, 0xe1, 0xbe, 0x64, 0x48, 0x2a, 0x74, 0x30, 0xbb, 0x07, 0xcc, 0x1f, 0xd4, 0x91, 0x9d,
    0xac, 0x55, 0x53, 0x25, 0xb9, 0x64, 0xf7, 0x58, 0x4c, 0x34, 0x16, 0xbc, 0xf6, 0x12, 0x2b, 0x65,
    0x68, 0x25, 0x2e, 0x29, 0x1f, 0xbb, 0xb9, 0xee, 0x6d, 0x0c, 0x8e, 0xbb, 0xd2, 0x5f, 0x1d, 0x8f,
    0xc1, 0x39, 0xf9, 0x8d, 0xc0, 0x39, 0x75, 0xcf, 0x25, 0x17, 0xbe, 0x96, 0xaf, 0x98, 0x9f, 0x5f,
    0x65, 0x15, 0xc4, 0x62, 0xf8, 0x55, 0xfc, 0xab, 0x54, 0xcf, 0xdc, 0x14, 0x06, 0xc8, 0xfc, 0x42,
    0xd3, 0xf0, 0xad, 0x10, 0x08, 0xcd, 0xd4, 0x11, 0xbb, 0xca, 0x67, 0xc6, 0x48, 0x5f, 0x9d, 0x59,
    0xe3, 0xe8, 0x53, 0x67, 0x27, 0x2d, 0x34, 0x9e, 0x9e, 0x24, 0x29, 0xdb, 0x69, 0x99, 0x86, 0xf9,
    0x20, 0xb5, 0xbb, 0x5b, 0xb0, 0xf9, 0xc3, 0x67, 0xad, 0x1c, 0x9c, 0xf7, 0xcc, 0xef, 0xce, 0x69,
    0xe0, 0x26, 0x8f, 0x79, 0xbd, 0xca, 0x10, 0x17, 0xda, 0xa9, 0x88, 0x57, 0x9b, 0x15, 0x24, 0xba,
    0x84, 0xd0, 0xeb, 0x4d, 0x14, 0xf5, 0xfc, 0xe6, 0x51, 0x6c, 0x6f, 0x64, 0x6b, 0x73, 0xec, 0x85,
    0xf1, 0x6f, 0xe1, 0x67, 0x25, 0x10, 0x77, 0x32, 0x9e, 0x85, 0x6e, 0x69, 0xb1, 0x83, 0x00, 0xe4,
    0x13, 0xa4, 0x45, 0x34, 0x3b, 0x40, 0xff, 0x41, 0x82, 0x89, 0x79, 0x57, 0xfd, 0xd2, 0x8e, 0xe8,
    0xfc, 0x1d, 0x19, 0x21, 0x12, 0x00, 0xd7, 0x66, 0xe5, 0xc7, 0x10, 0x1d, 0xcb, 0x75, 0xe8, 0xfa,
    0xb6, 0xee, 0x7b, 0x2f, 0x1a, 0x25, 0x24, 0xb9, 0x9f, 0x1d, 0x78, 0xfb, 0x84, 0xd0, 0x17, 0x05,
    0x71, 0xb3, 0xc8, 0x18, 0xff, 0x62, 0xee, 0xed, 0x53, 0xab, 0x78, 0xd3, 0x65, 0x2d, 0xbb, 0xc7,
    0xc1, 0xe7, 0x70, 0xa2, 0x43, 0x2c, 0x7c, 0xc7, 0x16, 0x04, 0xd2, 0x45, 0xd5, 0x6b, 0x6c, 0x7a,
    0x5e, 0xa1, 0x50, 0x2e, 0x31, 0x5b, 0xcc, 0xe8, 0x65, 0x8b, 0x16, 0x85, 0xbf, 0x82, 0x83, 0xfb,
    0xde, 0x9f, 0x36, 0x48, 0x32, 0x79, 0xd6, 0x9b, 0xfb, 0x52, 0x45, 0xbf, 0x43, 0xf7, 0x0b, 0x0b,
    0x19, 0x19, 0x31, 0xc3, 0x85, 0xec, 0x1d, 0x8c, 0x20, 0xf0, 0x3a, 0xfa, 0x80, 0x4d, 0x2c, 0x7d,
    0xac, 0x60, 0x09, 0xc0, 0x40, 0xee, 0xb9, 0xeb, 0x13, 0x5b, 0xe8, 0x2b, 0xb1, 0x20, 0xf0, 0xce,
    0x4c, 0xbd, 0xc6, 0x04, 0x86, 0x70, 0xc6, 0x33, 0xc3, 0x15, 0x0f, 0x65, 0x19, 0xfd, 0xc2, 0xd3,
};
/* clang-format on */

uint8_t qw_move_checksum(const uint8_t *data, uint32_t size, uint32_t sequence)
{
    const uint8_t *from = qs_salt_at(salts, sequence);
    const uint8_t salt[QS_SALT_SIZE] = {(uint8_t)(from[0] ^ (sequence & 0xff)), from[1],
                                        (uint8_t)(from[2] ^ (sequence >> 8 & 0xff)), from[3]};

    return (uint8_t)(qs_salted_crc16(data, size, salt) & 0xff);
}
