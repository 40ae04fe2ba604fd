/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's VRINPUTS: clcfte_move in clc_move's place, with as many user commands as the client likes
 * and its own encoding of each. No checksum. Source: quakeworld-fte facts, section 9; fteqw
 * sv_user.c SVFTE_ExecuteClientMove, common.c MSGFTE_ReadDeltaUsercmd.
 */
#include "common/quakeworld/parts.h"

/* A command, and what the next one is a change of. */
struct input {
    struct qw_usercmd cmd;
    uint32_t time; /* milliseconds of the server's clock */
};

/* --- Parts of a command, in wire order */

/* The angles themselves, or their change in a byte each. */
static void read_angles(struct qs_decoder *d, uint32_t bits, uint16_t angles[3])
{
    static const unsigned turns[3] = {QW_INPUT_TURN_PITCH, QW_INPUT_TURN_YAW, QW_INPUT_TURN_ROLL};
    static const unsigned rows[3] = {QW_USERCMD_PITCH, QW_USERCMD_YAW, QW_USERCMD_ROLL};

    for (unsigned i = 0; i < 3; i++) {
        if (!(bits >> i & UC_ANGLE1))
            continue;
        if (bits & UC_ABSANG)
            angles[i] = (uint16_t)qs_angle16(d, rows[i]);
        else
            angles[i] = (uint16_t)(angles[i] + qs_scaled_i8(d, turns[i], 360.0 / 65536));
    }
}

/* In steps of 5 units per second, or as they are. */
static int16_t read_speed(struct qs_decoder *d, unsigned id, uint32_t bits)
{
    const uint32_t at = d->in.pos;
    int16_t speed;

    if (bits & UC_BIGMOVES)
        return qw_varint_signed(d, id);
    speed = (int16_t)((int8_t)qs_reader_u8(&d->in) * 5);
    qs_emit_int(d, id, at, 1, speed);
    return speed;
}

static void read_speeds(struct qs_decoder *d, uint32_t bits, struct qw_usercmd *cmd)
{
    if (bits & UC_FORWARD)
        cmd->forward = read_speed(d, QW_USERCMD_FORWARD, bits);
    if (bits & UC_RIGHT)
        cmd->side = read_speed(d, QW_USERCMD_SIDE, bits);
    if (bits & UC_UP)
        cmd->up = read_speed(d, QW_USERCMD_UP, bits);
}

void qw_read_cursor(struct qs_decoder *d)
{
    qs_scaled_i16(d, QW_CURSOR_X, 1 / 32767.0);
    qs_scaled_i16(d, QW_CURSOR_Y, 1 / 32767.0);
    qs_f32(d, QW_CURSOR_START_X);
    qs_f32(d, QW_CURSOR_START_Y);
    qs_f32(d, QW_CURSOR_START_Z);
    qs_f32(d, QW_CURSOR_IMPACT_X);
    qs_f32(d, QW_CURSOR_IMPACT_Y);
    qs_f32(d, QW_CURSOR_IMPACT_Z);
}

/* A headset or a hand's controller. */
static void read_device(struct qs_decoder *d, unsigned device)
{
    static const unsigned angles[] = {QW_VR_PITCH, QW_VR_YAW, QW_VR_ROLL};
    static const unsigned turns[] = {QW_VR_TURN_PITCH, QW_VR_TURN_YAW, QW_VR_TURN_ROLL};
    static const unsigned origin[] = {QW_VR_X, QW_VR_Y, QW_VR_Z};
    static const unsigned velocity[] = {QW_VR_VELOCITY_X, QW_VR_VELOCITY_Y, QW_VR_VELOCITY_Z};
    uint32_t bits;

    qs_open(d, device);
    bits = qw_varint(d, QW_VR_BITS);
    if (bits & UC_VR_STATUS)
        qw_varint(d, QW_VR_STATUS);
    for (unsigned i = 0; (bits & UC_VR_ANGLES) && i < 3; i++)
        qs_angle16(d, angles[i]);
    for (unsigned i = 0; (bits & UC_VR_TURNING) && i < 3; i++)
        qs_angle16(d, turns[i]);
    for (unsigned i = 0; (bits & UC_VR_ORIGIN) && i < 3; i++)
        qs_f32(d, origin[i]);
    for (unsigned i = 0; (bits & UC_VR_VELOCITY) && i < 3; i++)
        qs_f32(d, velocity[i]);
    if (bits & UC_VR_WEAPON)
        qw_varint(d, QW_VR_WEAPON);
    qs_close(d);
}

static void read_extras(struct qs_decoder *d, uint32_t bits)
{
    if (bits & UC_WEAPON)
        qw_varint(d, QW_INPUT_WEAPON);
    if (bits & UC_CURSOR) {
        qw_read_cursor(d);
        qw_big_entity(d, QW_CURSOR_ENTITY);
    }
    if (bits & UC_LIGHTLEVEL)
        qw_varint(d, QW_INPUT_LIGHTLEVEL);
    if (bits & UC_VR_HEAD)
        read_device(d, QW_VR_HEAD);
    if (bits & UC_VR_RIGHT)
        read_device(d, QW_VR_RIGHT);
    if (bits & UC_VR_LEFT)
        read_device(d, QW_VR_LEFT);
}

/* --- The command */

/* The server's clock grows by what is sent; the time between two commands is how long one lasts. */
static void read_time(struct qs_decoder *d, struct input *input, bool first)
{
    const uint32_t step = qw_varint(d, QW_INPUT_TIME);
    const struct qw_session *session = qw_session(d);
    const uint32_t before = first ? session->input_time : input->time;
    const uint32_t now = input->time + step;

    input->cmd.msec = (uint8_t)MIN(now - before, UINT8_MAX);
    input->time = now;
}

static void read_command(struct qs_decoder *d, struct input *input, bool first)
{
    const uint32_t at = d->in.pos;
    uint32_t bits;

    qs_open(d, QW_USERCMD);
    bits = qw_varint(d, QW_INPUT_BITS);
    if (bits & UC_UNSUPPORTED) {
        qw_stop_malformed(d, at, "Unknown bits of clcfte_move:", bits);
    } else {
        read_time(d, input, first);
        if (bits & UC_MSEC)
            qw_varint(d, QW_INPUT_MSEC);
        read_angles(d, bits, input->cmd.angles);
        read_speeds(d, bits, &input->cmd);
        if (bits & UC_BUTTONS)
            input->cmd.buttons = (uint8_t)qw_varint(d, QW_INPUT_BUTTONS);
        if (bits & UC_IMPULSE)
            input->cmd.impulse = (uint8_t)qw_varint(d, QW_INPUT_IMPULSE);
        read_extras(d, bits);
        qs_derive_uint(d, QW_USERCMD_MSEC, at, d->in.pos - at, input->cmd.msec);
        qs_label(d, ": %u ms", input->cmd.msec);
    }
    qs_close(d);
}

/* The newest three are kept, as clc_move has them. */
static void keep_command(struct qw_session *session, const struct input *input)
{
    session->cmds[0] = session->cmds[1];
    session->cmds[1] = session->cmds[2];
    session->cmds[2] = input->cmd;
}

/* A seat's commands; those of the first are the client's own. */
static void read_seat(struct qs_decoder *d, uint32_t frames, bool own)
{
    struct qw_session *session = qw_session(d);
    struct input input = {.time = 0};

    for (uint32_t i = 0; i < frames && !d->in.overrun && !d->stop; i++) {
        read_command(d, &input, i == 0);
        if (own)
            keep_command(session, &input);
    }
    if (own && frames) {
        session->input_time = input.time;
        session->moved = !d->in.overrun && !d->stop;
    }
}

static void read_acks(struct qs_decoder *d)
{
    const uint32_t count = qw_varint(d, QW_INPUT_ACKS);

    for (uint32_t i = 0; i < count && !d->in.overrun; i++)
        qs_i32(d, QW_ACKFRAME);
}

void qw_read_fte_move(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint32_t flags = qw_varint(d, QW_INPUT_FLAGS);
    uint32_t seats = 1, frames = 3;

    if (flags & VRM_UNSUPPORTED) {
        qw_stop_malformed(d, at, "Unknown flags of clcfte_move:", flags);
        return;
    }
    if (flags & VRM_SEATS)
        seats = qw_varint(d, QW_INPUT_SEATS);
    if (flags & VRM_FRAMES)
        frames = qw_varint(d, QW_INPUT_FRAMES);
    if (flags & VRM_LOSS)
        qs_u8(d, QW_MOVE_LOSS);
    if (flags & VRM_DELAY)
        qs_scaled_u8(d, QW_INPUT_DELAY, 0.1);
    if (flags & VRM_ACKS)
        read_acks(d);
    for (uint32_t i = 0; frames && i < seats && !d->in.overrun && !d->stop; i++)
        read_seat(d, frames, i == 0);
}
