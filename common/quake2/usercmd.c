/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User commands. Source: engine, common.c MSG_ReadDeltaUsercmd; R1Q2's short forms and Q2PRO's bit
 * stream: Q2PRO, msg.c MSG_ReadDeltaUsercmd_Hacked and MSG_ReadDeltaUsercmd_Enhanced.
 */
#include <glib.h>

#include "common/core/hash.h"
#include "common/quake2/decode.h"

enum {
    /* Buttons of R1Q2, from R1Q2_UCMD on: all but BUTTON_REAL mark a field as one byte. */
    BUTTON_FORWARD = 4, /* the next two bits: side and up */
    BUTTON_ANGLE1 = 32,
    BUTTON_ANGLE2 = 64,
    BUTTON_REAL = 131 /* attack, use, any */
};

/* Reads an angle of two bytes, or of one in steps of `step`. */
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
        qs_label(d, ": %u ms, %d %d %d", command->msec, command->moves[0], command->moves[1],
                 command->moves[2]);
}

/* Emits the fields in `bits`, at the bytes of `value`. */
static void emit_fields(struct qs_decoder *d, unsigned bits, struct qs_value value,
                        const struct q2_usercmd *command)
{
    for (unsigned i = 0; i < 3; i++)
        if (bits >> i & CM_ANGLE1) {
            value.f = command->angles[i] * (360.0 / 65536);
            qs_emit_value(d, Q2_USERCMD_ANGLES_PITCH + i, &value);
        }
    for (unsigned i = 0; i < 3; i++)
        if (bits >> i & CM_FORWARD) {
            value.i = command->moves[i];
            qs_emit_value(d, Q2_USERCMD_FORWARD + i, &value);
        }
    value.u = command->buttons;
    if (bits & CM_BUTTONS)
        qs_emit_value(d, Q2_USERCMD_BUTTONS, &value);
    value.u = command->impulse;
    if (bits & CM_IMPULSE)
        qs_emit_value(d, Q2_USERCMD_IMPULSE, &value);
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
    for (unsigned i = 0; i < 3; i++)
        if (bits >> i & CM_FORWARD)
            command->moves[i] =
                read_speed(d, Q2_USERCMD_FORWARD + i, short_forms >> i & BUTTON_FORWARD);
}

/* Reads the fields. R1Q2 has the buttons first, because the form of the rest depends on them. */
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
        /* Shows fields that were not sent, too: they have the values of the previous command. */
        emit_fields(d, ~bits, (struct qs_value){.offset = d->in.pos, .generated = true}, command);
        label_command(d, command);
    }
    qs_close(d);
}

/* --- Bit stream of Q2PRO --- */

/* Reader of bits, from the lowest of each byte on. */
struct bit_reader {
    struct qs_decoder *d;
    uint32_t held;  /* bits that were read in bytes, but not used yet */
    unsigned count; /* number of bits in `held` */
};

static inline uint32_t read_bits(struct bit_reader *bits, unsigned count)
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

static inline int32_t read_signed(struct bit_reader *bits, unsigned count)
{
    const uint32_t sign = UINT32_C(1) << (count - 1);

    return (int32_t)((read_bits(bits, count) ^ sign) - sign);
}

/* Reads a new angle, or a small step from the old one. */
static inline int16_t read_batched_angle(struct bit_reader *bits, int16_t old)
{
    if (read_bits(bits, 1))
        return (int16_t)(old + read_signed(bits, 8));
    return (int16_t)read_signed(bits, 16);
}

/* Reads the buttons: Q2PRO sends only the three that are used, q2repro all. */
static uint8_t read_batched_buttons(struct bit_reader *bits)
{
    unsigned buttons;

    if (q2_session_of_const(bits->d->session)->variant.q2repro)
        return (uint8_t)read_bits(bits, 8);
    buttons = read_bits(bits, 3);
    return (uint8_t)((buttons & 3) | (buttons & 4) << 5);
}

static void read_batched_fields(struct bit_reader *bits, unsigned mask, struct q2_usercmd *command)
{
    if (mask & CM_ANGLE1)
        command->angles[0] = read_batched_angle(bits, command->angles[0]);
    if (mask & CM_ANGLE2)
        command->angles[1] = read_batched_angle(bits, command->angles[1]);
    if (mask & CM_ANGLE3)
        command->angles[2] = (int16_t)read_signed(bits, 16);
    for (unsigned i = 0; i < 3; i++)
        if (mask >> i & CM_FORWARD)
            command->moves[i] = (int16_t)read_signed(bits, 10);
    if (mask & CM_BUTTONS)
        command->buttons = read_batched_buttons(bits);
    if (mask & CM_IMPULSE) /* here this bit announces the duration */
        command->msec = (uint8_t)read_bits(bits, 8);
}

static void emit_command(struct qs_decoder *d, uint32_t at, bool same,
                         const struct q2_usercmd *command)
{
    const uint32_t length = d->in.pos - at;

    qs_open_at(d, Q2_USERCMD, at);
    qs_emit_uint(d, Q2_USERCMD_SAME, at, length, same);
    emit_fields(d, ~(unsigned)CM_IMPULSE, (struct qs_value){.offset = at, .length = length},
                command);
    qs_emit_uint(d, Q2_USERCMD_MSEC, at, length, command->msec);
    label_command(d, command);
    qs_close(d);
}

/* Reads a command. Commands share bytes: one may begin in the last byte of the previous one. */
static void read_batched_command(struct bit_reader *bits, struct q2_usercmd *command)
{
    struct qs_decoder *d = bits->d;
    const uint32_t at = bits->count ? d->in.pos - 1 : d->in.pos;
    const bool changed = read_bits(bits, 1);

    if (changed)
        read_batched_fields(bits, read_bits(bits, 8), command);
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
    count = read_bits(bits, 5);
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

/* --- Checksum of a move --- */

/* clang-format off */
/* Constants of the protocol; the rest is zero. */
static const char salts[QS_SALT_TABLE_SIZE + 1] =
    "\x84\x47\x51\xc1\x93\x22\x21\x24\x2f\x66\x60\x4d\xb0\x7c\xda\x88\x54\x15\x2b\xc6\x6c\x89\xc5"
    "\x9d\x48\xee\xe6\x8a\xb5\xf4\xcb\xfb\xf1\x0c\x2e\xa0\xd7\xc9\x1f\xd6\x06\x9a\x09\x41\x54\x67"
    "\x46\xc7\x74\xe3\xc8\xb6\x5d\xa6\x36\xc4\xab\x2c\x7e\x85\xa8\xa4\xa6\x4d\x96\x19\x19\x9a\xcc"
    "\xd8\xac\x39\x5e\x3c\xf2\xf5\x5a\x72\xe5\xa9\xd1\xb3\x23\x82\x6f\x29\xcb\xd1\xcc\x71\xfb\xea"
    "\x92\xeb\x1c\xca\x4c\x70\xfe\x4d\xc9\x67\x43\x47\x94\xb9\x47\xbc\x3f\x01\xab\x7b\xa6\xe2\x76"
    "\xef\x5a\x7a\x29\x0b\x51\x54\x67\xd8\x1c\x14\x3e\x29\xec\xe9\x2d\x48\x67\xff\xed\x54\x4f\x48"
    "\xc0\xaa\x61\xf7\x78\x12\x03\x7a\x9e\x8b\xcf\x83\x7b\xae\xca\x7b\xd9\xe9\x53\x2a\xeb\xd2\xd8"
    "\xcd\xa3\x10\x25\x78\x5a\xb5\x23\x06\x93\xb7\x84\xd2\xbd\x96\x75\xa5\x5e\xcf\x4e\xe9\x50\xa1"
    "\xe6\x9d\xb1\xe3\x85\x66\x28\x4e\x43\xdc\x6e\xbb\x33\x9e\xf3\x0d\x00\xc1\xcf\x67\x34\x06\x7c"
    "\x71\xe3\x63\xb7\xb7\xdf\x92\xc4\xc2\x25\x5c\xff\xc3\x6e\xfc\xaa\x1e\x2a\x48\x11\x1c\x36\x68"
    "\x78\x86\x79\x30\xc3\xd6\xde\xbc\x3a\x2a\x6d\x1e\x46\xdd\xe0\x80\x1e\x44\x3b\x6f\xaf\x31\xda"
    "\xa2\xbd\x77\x06\x56\xc0\xb7\x92\x4b\x37\xc0\xfc\xc2\xd5\xfb\xa8\xda\xf5\x57\xa8\x18\xc0\xdf"
    "\xe7\xaa\x2a\xe0\x7c\x6f\x77\xb1\x26\xba\xf9\x2e\x1d\x16\xcb\xb8\xa2\x44\xd5\x2f\x1a\x79\x74"
    "\x87\x4b\x00\xc9\x4a\x3a\x65\x8f\xe6\x5d\xe5\x0a\x77\xd8\x1a\x14\x41\x75\xb1\xe2\x50\x2c\x93"
    "\x38\x2b\x6d\xf3\xf6\xdb\x1f\xcd\xff\x14\x70\xe7\x16\xe8\x3d\xf0\xe3\xbc\x5e\xb6\x3f\xcc\x81"
    "\x24\x67\xf3\x97\x3b\xfe\x3a\x96\x85\xdf\xe4\x6e\x3c\x85\x05\x0e\xa3\x2b\x07\xc8\xbf\xe5\x13"
    "\x82\x62\x08\x61\x69\x4b\x47\x62\x73\x44\x64\x8e\xe2\x91\xa6\x9a\xb7\xe9\x04\xb6\x54\x0c\xc5"
    "\xa9\x47\xa6\xc9\x08\xfe\x4e\xa6\xcc\x8a\x5b\x90\x6f\x2b\x3f\xb6\x0a\x96\xc0\x78\x58\x3c\x76"
    "\x6d\x94\x1a\xe4\x4e\xb8\x38\xbb\xf5\xeb\x29\xd8\xb0\xf3\x15\x1e\x99\x96\x3c\x5d\x63\xd5\xb1"
    "\xad\x52\xb8\x55\x70\x75\x3e\x1a\xd5\xda\xf6\x7a\x48\x7d\x44\x41\xf9\x11\xce\xd7\xca\xa5\x3d"
    "\x7a\x79\x7e\x7d\x25\x1b\x77\xbc\xf7\xc7\x0f\x84\x95\x10\x92\x67\x15\x11\x5a\x5e\x41\x66\x0f"
    "\x38\x03\xb2\xf1\x5d\xf8\xab\xc0\x02\x76\x84\x28\xf4\x9d\x56\x46\x60\x20\xdb\x68\xa7\xbb\xee"
    "\xac\x15\x01\x2f\x20\x09\xdb\xc0\x16\xa1\x89\xf9\x94\x59\x00\xc1\x76\xbf\xc1\x4d\x5d\x2d\xa9"
    "\x85\x2c\xd6\xd3\x14\xcc\x02\xc3\xc2\xfa\x6b\xb7\xa6\xef\xdd\x12\x26\xa4\x63\xe3\x62\xbd\x56"
    "\x8a\x52\x2b\xb9\xdf\x09\xbc\x0e\x97\xa9\xb0\x82\x46\x08\xd5\x1a\x8e\x1b\xa7\x90\x98\xb9\xbb"
    "\x3c\x17\x9a\xf2\x82\xba\x64\x0a\x7f\xca\x5a\x8c\x7c\xd3\x79\x09\x5b\x26\xbb\xbd\x25\xdf\x3d"
    "\x6f\x9a\x8f\xee\x21\x66\xb0\x8d\x84\x4c\x91\x45\xd4\x77\x4f\xb3\x8c\xbc\xa8\x99\xaa\x19\x53"
    "\x7c\x02\x87\xbb\x0b\x7c\x1a\x2d\xdf\x48\x44\x06\xd6\x7d\x0c\x2d\x35\x76\xae\xc4\x5f\x71\x85"
    "\x97\xc4\x3d\xef\x52\xbe\x00\xe4\xcd\x49\xd1\xd1\x1c\x3c\xd0\x1c\x42\xaf\xd4\xbd\x58\x34\x07"
    "\x32\xee\xb9\xb5\xea\xff\xd7\x8c\x0d\x2e\x2f\xaf\x87\xbb\xe6\x52\x71\x22\xf5\x25\x17\xa1\x82"
    "\x04\xc2\x4a\xbd\x57\xc6\xab\xc8\x35\x0c\x3c\xd9\xc2\x43\xdb\x27\x92\xcf\xb8\x25\x60\xfa\x21"
    "\x3b\x04\x52\xc8\x96\xba\x74\xe3\x67\x3e\x8e\x8d\x61\x90\x92\x59\xb6\x1a\x1c\x5e\x21\xc1\x65"
    "\xe5\xa6\x34\x05\x6f\xc5\x60\xb1\x83\xc1\xd5\xd5\xed\xd9\xc7\x11\x7b\x49\x7a\xf9\xf9\x84\x47"
    "\x9b\xe2\xa5\x82\xe0\xc2\x88\xd0\xb2\x58\x88\x7f\x45\x09\x67\x74\x61\xbf\xe6\x40\xe2\x9d\xc2"
    "\x47\x05\x89\xed\xcb\xbb\xb7\x27\xe7\xdc\x7a\xfd\xbf\xa8\xd0\xaa\x10\x39\x3c\x20\xf0\xd3\x6e"
    "\xb1\x72\xf8\xe6\x0f\xef\x37\xe5\x09\x33\x5a\x83\x43\x80\x4f\x65\x2f\x7c\x8c\x6a\xa0\x82\x0c"
    "\xd4\xd4\xfa\x81\x60\x3d\xdf\x06\xf1\x5f\x08\x0d\x6d\x43\xf2\xe3\x11\x7d\x80\x32\xc5\xfb\xc5"
    "\xd9\x27\xec\xc6\x4e\x65\x27\x76\x87\xa6\xee\xee\xd7\x8b\xd1\xa0\x5c\xb0\x42\x13\x0e\x95\x4a"
    "\xf2\x06\xc6\x43\x33\xf4\xc7\xf8\xe7\x1f\xdd\xe4\x46\x4a\x70\x39\x6c\xd0\xed\xca\xbe\x60\x3b"
    "\xd1\x7b\x57\x48\xe5\x3a\x79\xc1\x69\x33\x53\x1b\x80\xb8\x91\x7d\xb4\xf6\x17\x1a\x1d\x5a\x32"
    "\xd6\xcc\x71\x29\x3f\x28\xbb\xf3\x5e\x71\xb8\x43\xaf\xf8\xb9\x64\xef\xc4\xa5\x6c\x08\x53\xc7"
    "\x00\x10\x39\x4f\xdd\xe4\xb6\x19\x27\xfb\xb8\xf5\x32\x73\xe5\xcb\x32";
/* clang-format on */

uint8_t q2_move_checksum(const uint8_t *data, uint32_t size, uint32_t sequence)
{
    const uint8_t *salt = qs_salt_at((const uint8_t *)salts, sequence);
    const uint16_t crc = qs_salted_crc16(data, size, salt);
    unsigned sum = 0;

    for (uint32_t i = 0; i < MIN(size, QS_CHECKED_MAX); i++)
        sum += data[i];
    for (unsigned i = 0; i < QS_SALT_SIZE; i++)
        sum += salt[i];
    return (uint8_t)((crc ^ sum) & 0xff);
}
