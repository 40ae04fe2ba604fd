/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/qwd.h"

/* --- Reading */

static float read_float(struct qs_reader *in)
{
    return qs_float_of_bits(qs_reader_u32(in));
}

static uint16_t angle16(float degrees)
{
    const double turns = (double)degrees / 360.0;

    /* Whole turns mean nothing, and only what is finite and small fits an integer. */
    if (!(turns > -1e6 && turns < 1e6))
        return 0;
    return (uint16_t)(int64_t)(turns * 65536.0 + (turns < 0 ? -0.5 : 0.5));
}

static void read_cmd(struct qs_reader *in, struct qwd_block *block)
{
    struct qw_usercmd *cmd = &block->cmd;

    cmd->msec = qs_reader_u8(in);
    qs_reader_take(in, 3); /* padding of the engines' struct */
    for (unsigned i = 0; i < 3; i++) {
        block->angles[i] = read_float(in);
        cmd->angles[i] = angle16(block->angles[i]);
    }
    cmd->forward = (int16_t)qs_reader_u16(in);
    cmd->side = (int16_t)qs_reader_u16(in);
    cmd->up = (int16_t)qs_reader_u16(in);
    cmd->buttons = qs_reader_u8(in);
    cmd->impulse = qs_reader_u8(in);
    for (unsigned i = 0; i < 3; i++)
        block->viewangles[i] = read_float(in);
}

/* False when the length is none that a packet can have. */
static bool read_packet(struct qs_reader *in, struct qwd_block *block)
{
    const uint32_t length = qs_reader_u32(in);

    if (length > QWD_PACKET_MAX)
        return false;
    block->packet = (struct qs_view){qs_reader_take(in, length), length};
    return true;
}

static bool read_body(struct qs_reader *in, struct qwd_block *block)
{
    switch (block->type) {
    case QWD_CMD:
        read_cmd(in, block);
        return true;
    case QWD_READ:
        return read_packet(in, block);
    case QWD_SET:
        block->outgoing = qs_reader_u32(in);
        block->incoming = qs_reader_u32(in);
        return true;
    }
    return false;
}

enum qwd_status qwd_read_block(struct qs_reader *in, struct qwd_block *block)
{
    struct qs_reader from = *in;

    if (!qs_reader_left(in))
        return QWD_END;
    block->time = read_float(&from);
    block->type = qs_reader_u8(&from) & QWD_TYPE_MASK;
    if (!from.overrun && !read_body(&from, block))
        return QWD_BAD;
    if (from.overrun)
        return QWD_CUT;
    *in = from;
    return QWD_OK;
}

/* --- Writing */

enum { HEAD_SIZE = 5, CMD_SIZE = 36 };

/* Each of these writes a value and returns where the next one goes. */

static uint8_t *put_u8(uint8_t *at, uint8_t value)
{
    *at = value;
    return at + 1;
}

static uint8_t *put_u16(uint8_t *at, uint16_t value)
{
    return put_u8(put_u8(at, (uint8_t)value), (uint8_t)(value >> 8));
}

static uint8_t *put_u32(uint8_t *at, uint32_t value)
{
    return put_u16(put_u16(at, (uint16_t)value), (uint16_t)(value >> 16));
}

static uint8_t *put_float(uint8_t *at, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return put_u32(at, bits);
}

static uint8_t *put_head(uint8_t *at, float time, enum qwd_type type)
{
    return put_u8(put_float(at, time), (uint8_t)type);
}

/* Degrees from 0 to 360, as engines keep what they sent. */
static float degrees(uint16_t angle)
{
    return (float)angle * (360.0f / 65536);
}

static float signed_degrees(uint16_t angle)
{
    return (float)(int16_t)angle * (360.0f / 65536);
}

void qwd_append_cmd(GByteArray *out, float time, const struct qw_usercmd *cmd)
{
    uint8_t bytes[HEAD_SIZE + CMD_SIZE];
    uint8_t *at = put_head(bytes, time, QWD_CMD);

    at = put_u32(at, cmd->msec); /* with three bytes of padding */
    for (unsigned i = 0; i < 3; i++)
        at = put_float(at, degrees(cmd->angles[i]));
    at = put_u16(at, (uint16_t)cmd->forward);
    at = put_u16(at, (uint16_t)cmd->side);
    at = put_u16(at, (uint16_t)cmd->up);
    at = put_u8(at, cmd->buttons);
    at = put_u8(at, cmd->impulse);
    at = put_float(at, signed_degrees(cmd->angles[0]));
    at = put_float(at, degrees(cmd->angles[1]));
    put_float(at, signed_degrees(cmd->angles[2]));
    g_byte_array_append(out, bytes, sizeof bytes);
}

void qwd_append_packet(GByteArray *out, float time, struct qs_view packet)
{
    uint8_t head[HEAD_SIZE + 4];

    put_u32(put_head(head, time, QWD_READ), packet.size);
    g_byte_array_append(out, head, sizeof head);
    g_byte_array_append(out, packet.data, packet.size);
}

void qwd_append_set(GByteArray *out, float time, uint32_t outgoing, uint32_t incoming)
{
    uint8_t bytes[HEAD_SIZE + 8];

    put_u32(put_u32(put_head(bytes, time, QWD_SET), outgoing), incoming);
    g_byte_array_append(out, bytes, sizeof bytes);
}

void qwd_append_end(GByteArray *out, float time)
{
    static const uint8_t end[] = "\xff\xff\xff\xff\x02"
                                 "EndOfDemo"; /* with its NUL */

    qwd_append_packet(out, time, (struct qs_view){end, sizeof end});
}
