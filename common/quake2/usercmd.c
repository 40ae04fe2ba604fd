/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User commands. Source: engine, common.c MSG_ReadDeltaUsercmd; R1Q2's short forms and Q2PRO's bit
 * stream: Q2PRO, msg.c MSG_ReadDeltaUsercmd_Hacked and MSG_ReadDeltaUsercmd_Enhanced.
 */
#include "common/quake2/fields.h"
#include "common/quake2/session.h"
#include "common/quake2/usercmd.h"

enum {
    CM_ANGLE1 = 1,
    CM_ANGLE2 = 2,
    CM_ANGLE3 = 4,
    CM_FORWARD = 8,
    CM_SIDE = 16,
    CM_UP = 32,
    CM_BUTTONS = 64,
    CM_IMPULSE = 128,

    /* R1Q2: buttons that mark a field as one byte. */
    BUTTON_FORWARD = 4,
    BUTTON_SIDE = 8,
    BUTTON_UP = 16,
    BUTTON_ANGLE1 = 32,
    BUTTON_ANGLE2 = 64,
    BUTTON_REAL = 131, /* attack, use, any */

    R1Q2_UCMD = 1904 /* the first minor version with them */
};

/* An angle of two bytes, or of one in steps of `step`. */
static int16_t read_angle(struct qs_decoder *d, unsigned id, bool one_byte, int step)
{
    if (!one_byte)
        return qs_angle16(d, id);
    return (int16_t)(qs_scaled_i8(d, id, step * 360.0 / 65536) * step);
}

static int16_t read_speed(struct qs_decoder *d, unsigned id, bool one_byte)
{
    const uint32_t at = d->in.pos;
    int16_t value;

    if (!one_byte)
        return qs_i16(d, id);
    value = (int16_t)((int8_t)qs_reader_u8(&d->in) * 5);
    qs_emit_int(d, id, at, 1, value);
    return value;
}

static void label_command(struct qs_decoder *d, const struct q2_usercmd *command)
{
    if (qs_label_wanted(d))
        qs_label(d, ": %u ms, %d %d %d", command->msec, command->forward, command->side,
                 command->up);
}

/* What was not sent is as in the command before: shown, so that every command is whole. */
static void emit_rest(struct qs_decoder *d, unsigned bits, const struct q2_usercmd *command)
{
    const uint32_t at = d->in.pos;

    for (unsigned i = 0; i < 3; i++)
        if (!(bits >> i & CM_ANGLE1))
            qs_emit_generated_double(d, Q2_USERCMD_ANGLES_PITCH + i, at, 0,
                                     command->angles[i] * (360.0 / 65536));
    if (!(bits & CM_FORWARD))
        qs_emit_generated_int(d, Q2_USERCMD_FORWARD, at, 0, command->forward);
    if (!(bits & CM_SIDE))
        qs_emit_generated_int(d, Q2_USERCMD_SIDE, at, 0, command->side);
    if (!(bits & CM_UP))
        qs_emit_generated_int(d, Q2_USERCMD_UP, at, 0, command->up);
    if (!(bits & CM_BUTTONS))
        qs_emit_generated_uint(d, Q2_USERCMD_BUTTONS, at, 0, command->buttons);
    if (!(bits & CM_IMPULSE))
        qs_emit_generated_uint(d, Q2_USERCMD_IMPULSE, at, 0, command->impulse);
}

static void read_moves(struct qs_decoder *d, unsigned bits, unsigned short_forms,
                       struct q2_usercmd *command)
{
    if (bits & CM_ANGLE1)
        command->angles[0] =
            read_angle(d, Q2_USERCMD_ANGLES_PITCH, short_forms & BUTTON_ANGLE1, 64);
    if (bits & CM_ANGLE2)
        command->angles[1] = read_angle(d, Q2_USERCMD_ANGLES_YAW, short_forms & BUTTON_ANGLE2, 256);
    if (bits & CM_ANGLE3)
        command->angles[2] = qs_angle16(d, Q2_USERCMD_ANGLES_ROLL);
    if (bits & CM_FORWARD)
        command->forward = read_speed(d, Q2_USERCMD_FORWARD, short_forms & BUTTON_FORWARD);
    if (bits & CM_SIDE)
        command->side = read_speed(d, Q2_USERCMD_SIDE, short_forms & BUTTON_SIDE);
    if (bits & CM_UP)
        command->up = read_speed(d, Q2_USERCMD_UP, short_forms & BUTTON_UP);
}

/* R1Q2 moved the buttons to the front, because the form of the rest depends on them. */
static void read_fields(struct qs_decoder *d, unsigned bits, bool short_forms_allowed,
                        struct q2_usercmd *command)
{
    unsigned short_forms = 0;

    if (short_forms_allowed && bits & CM_BUTTONS) {
        short_forms = qs_u8(d, Q2_USERCMD_BUTTONS);
        command->buttons = short_forms & BUTTON_REAL;
    }
    read_moves(d, bits, short_forms, command);
    if (!short_forms_allowed && bits & CM_BUTTONS)
        command->buttons = qs_u8(d, Q2_USERCMD_BUTTONS);
    if (bits & CM_IMPULSE)
        command->impulse = qs_u8(d, Q2_USERCMD_IMPULSE);
}

void q2_read_usercmd(struct qs_decoder *d, struct q2_usercmd *command, uint32_t minor)
{
    unsigned bits;

    qs_open(d, Q2_USERCMD);
    bits = qs_u8(d, Q2_USERCMD_BITS);
    read_fields(d, bits, minor >= R1Q2_UCMD, command);
    command->msec = qs_u8(d, Q2_USERCMD_MSEC);
    command->lightlevel = qs_u8(d, Q2_USERCMD_LIGHTLEVEL);
    if (d->fields_wanted) {
        emit_rest(d, bits, command);
        label_command(d, command);
    }
    qs_close(d);
}

/* --- Q2PRO's bit stream */

/* Bits are taken from the lowest of each byte on. */
struct bit_reader {
    struct qs_decoder *d;
    uint32_t held;  /* bits read from the bytes but not taken */
    unsigned count; /* of them */
};

static uint32_t take_bits(struct bit_reader *bits, unsigned count)
{
    uint32_t value;

    while (bits->count < count) {
        bits->held |= (uint32_t)qs_reader_u8(&bits->d->in) << bits->count;
        bits->count += 8;
    }
    value = bits->held & ((UINT32_C(1) << count) - 1);
    bits->held >>= count;
    bits->count -= count;
    return value;
}

static int32_t take_signed(struct bit_reader *bits, unsigned count)
{
    const uint32_t sign = UINT32_C(1) << (count - 1);

    return (int32_t)((take_bits(bits, count) ^ sign) - sign);
}

/* A new angle, or a small step from the old one. */
static int16_t take_angle(struct bit_reader *bits, int16_t old)
{
    if (take_bits(bits, 1))
        return (int16_t)(old + take_signed(bits, 8));
    return (int16_t)take_signed(bits, 16);
}

/* Q2PRO sends the three that are used; q2repro all. */
static uint8_t take_buttons(struct bit_reader *bits)
{
    unsigned buttons;

    if (q2_session_of_const(bits->d->session)->variant.q2repro)
        return (uint8_t)take_bits(bits, 8);
    buttons = take_bits(bits, 3);
    return (uint8_t)((buttons & 3) | (buttons & 4) << 5);
}

static void take_command(struct bit_reader *bits, unsigned mask, struct q2_usercmd *command)
{
    if (mask & CM_ANGLE1)
        command->angles[0] = take_angle(bits, command->angles[0]);
    if (mask & CM_ANGLE2)
        command->angles[1] = take_angle(bits, command->angles[1]);
    if (mask & CM_ANGLE3)
        command->angles[2] = (int16_t)take_signed(bits, 16);
    if (mask & CM_FORWARD)
        command->forward = (int16_t)take_signed(bits, 10);
    if (mask & CM_SIDE)
        command->side = (int16_t)take_signed(bits, 10);
    if (mask & CM_UP)
        command->up = (int16_t)take_signed(bits, 10);
    if (mask & CM_BUTTONS)
        command->buttons = take_buttons(bits);
    if (mask & CM_IMPULSE) /* here it stands for the duration */
        command->msec = (uint8_t)take_bits(bits, 8);
}

static void emit_command(struct qs_decoder *d, uint32_t at, bool same,
                         const struct q2_usercmd *command)
{
    const uint32_t length = d->in.pos - at;

    qs_open_at(d, Q2_USERCMD, at);
    qs_emit_uint(d, Q2_USERCMD_SAME, at, length, same);
    for (unsigned i = 0; i < 3; i++)
        qs_emit_double(d, Q2_USERCMD_ANGLES_PITCH + i, at, length,
                       command->angles[i] * (360.0 / 65536));
    qs_emit_int(d, Q2_USERCMD_FORWARD, at, length, command->forward);
    qs_emit_int(d, Q2_USERCMD_SIDE, at, length, command->side);
    qs_emit_int(d, Q2_USERCMD_UP, at, length, command->up);
    qs_emit_uint(d, Q2_USERCMD_BUTTONS, at, length, command->buttons);
    qs_emit_uint(d, Q2_USERCMD_MSEC, at, length, command->msec);
    label_command(d, command);
    qs_close(d);
}

/* Commands share bytes: one begins in the byte in which the one before ended. */
static void read_batched_command(struct bit_reader *bits, struct q2_usercmd *command)
{
    struct qs_decoder *d = bits->d;
    const uint32_t at = bits->count ? d->in.pos - 1 : d->in.pos;
    const bool changed = take_bits(bits, 1);

    if (changed)
        take_command(bits, take_bits(bits, 8), command);
    if (d->fields_wanted)
        emit_command(d, at, !changed, command);
}

static void read_batch(struct bit_reader *bits, struct q2_usercmd *command)
{
    struct qs_decoder *d = bits->d;
    const uint32_t at = bits->count ? d->in.pos - 1 : d->in.pos;
    uint32_t count;

    if (d->fields_wanted)
        qs_open_at(d, Q2_MOVE_BATCH, at);
    count = take_bits(bits, 5);
    qs_emit_uint(d, Q2_MOVE_BATCH_COUNT, at, d->in.pos - at, count);
    for (uint32_t i = 0; i < count && !d->in.overrun; i++)
        read_batched_command(bits, command);
    if (qs_label_wanted(d))
        qs_label(d, ": %u commands", count);
    qs_close(d);
}

void q2_read_batches(struct qs_decoder *d, struct q2_usercmd *command, unsigned packets)
{
    struct bit_reader bits = {.d = d};

    for (unsigned i = 0; i < packets && !d->in.overrun; i++)
        read_batch(&bits, command);
}
