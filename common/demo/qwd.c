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

static void append_u8(GByteArray *out, uint8_t value)
{
    g_byte_array_append(out, &value, 1);
}

static void append_u16(GByteArray *out, uint16_t value)
{
    const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8)};

    g_byte_array_append(out, bytes, sizeof bytes);
}

static void append_u32(GByteArray *out, uint32_t value)
{
    append_u16(out, (uint16_t)value);
    append_u16(out, (uint16_t)(value >> 16));
}

static void append_float(GByteArray *out, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    append_u32(out, bits);
}

static void append_head(GByteArray *out, float time, enum qwd_type type)
{
    append_float(out, time);
    append_u8(out, (uint8_t)type);
}

void qwd_append_cmd(GByteArray *out, float time, const struct qw_usercmd *cmd)
{
    static const uint8_t padding[3];

    append_head(out, time, QWD_CMD);
    append_u8(out, cmd->msec);
    g_byte_array_append(out, padding, sizeof padding);
    for (unsigned i = 0; i < 3; i++)
        append_float(out, (float)cmd->angles[i] * (360.0f / 65536));
    append_u16(out, (uint16_t)cmd->forward);
    append_u16(out, (uint16_t)cmd->side);
    append_u16(out, (uint16_t)cmd->up);
    append_u8(out, cmd->buttons);
    append_u8(out, cmd->impulse);
    append_float(out, (float)(int16_t)cmd->angles[0] * (360.0f / 65536));
    append_float(out, (float)cmd->angles[1] * (360.0f / 65536));
    append_float(out, (float)(int16_t)cmd->angles[2] * (360.0f / 65536));
}

void qwd_append_packet(GByteArray *out, float time, struct qs_view packet)
{
    append_head(out, time, QWD_READ);
    append_u32(out, packet.size);
    g_byte_array_append(out, packet.data, packet.size);
}

void qwd_append_set(GByteArray *out, float time, uint32_t outgoing, uint32_t incoming)
{
    append_head(out, time, QWD_SET);
    append_u32(out, outgoing);
    append_u32(out, incoming);
}

void qwd_append_end(GByteArray *out, float time)
{
    static const uint8_t end[] = "\xff\xff\xff\xff\x02"
                                 "EndOfDemo"; /* with its NUL */

    qwd_append_packet(out, time, (struct qs_view){end, sizeof end});
}
