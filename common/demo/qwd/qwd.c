/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/qwd/qwd.h"

#include <math.h>

#include "common/demo/zip_archive.h"
#include "common/demo/qwd/late_join.h"
#include "common/quakeworld/decode.h"

/* --- Reading --- */

static uint16_t angle16(float degrees)
{
    const double turns = (double)degrees / 360.0;

    /* Whole turns do not matter, and only small finite values fit an integer. */
    if (!(turns > -1e6 && turns < 1e6))
        return 0;
    return (uint16_t)(int64_t)(turns * 65536.0 + (turns < 0 ? -0.5 : 0.5));
}

static void read_cmd(struct qs_reader *in, struct qwd_block *block, enum qwd_cmd_form form)
{
    struct qw_usercmd *cmd = &block->cmd;

    block->form = form;
    cmd->msec = qs_reader_u8(in);
    qs_reader_bytes(in, 3); /* padding of the engines' struct */
    for (unsigned i = 0; i < 3; i++) {
        block->angles[i] = qs_reader_float(in);
        cmd->angles[i] = angle16(block->angles[i]);
    }
    cmd->forward = (int16_t)qs_reader_u16(in);
    cmd->side = (int16_t)qs_reader_u16(in);
    cmd->up = (int16_t)qs_reader_u16(in);
    cmd->buttons = qs_reader_u8(in);
    cmd->impulse = qs_reader_u8(in);
    qs_reader_bytes(in, form - QWD_CMD_CLASSIC); /* impulse_pred, and padding */
    for (unsigned i = 0; i < 3; i++)
        block->viewangles[i] = qs_reader_float(in);
}

/* Reads a packet. Returns false if no packet can have its length. */
static bool read_packet(struct qs_reader *in, struct qwd_block *block)
{
    const uint32_t length = qs_reader_u32(in);

    if (length > QWD_PACKET_MAX)
        return false;
    block->packet = (struct qs_view){qs_reader_bytes(in, length), length};
    return true;
}

static bool read_body(struct qs_reader *in, struct qwd_block *block, enum qwd_cmd_form form)
{
    switch (block->type) {
    case QWD_CMD:
        read_cmd(in, block, form);
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

static struct qs_view rest_of(const struct qs_reader *in)
{
    return (struct qs_view){in->data + in->pos, qs_reader_left(in)};
}

enum qs_demo_status qwd_read_block_as(struct qs_reader *in, struct qwd_block *block,
                                      enum qwd_cmd_form form)
{
    struct qs_reader from = *in;

    if (!qs_reader_left(in))
        return QS_DEMO_END;
    if (qs_zip_begins(rest_of(in)))
        return QS_DEMO_BAD;
    block->time = qs_reader_float(&from);
    block->type = qs_reader_u8(&from) & QWD_TYPE_MASK;
    if (!from.overrun && !read_body(&from, block, form))
        return QS_DEMO_BAD;
    if (from.overrun)
        return QS_DEMO_CUT;
    *in = from;
    return QS_DEMO_BLOCK;
}

/* --- Form of a dem_cmd --- */

enum {
    FOLLOW_MAX = 4,    /* number of blocks checked after a dem_cmd */
    NETCHAN_HEADER = 8 /* size of a server's header */
};

static bool is_connectionless(struct qs_view packet)
{
    return packet.size > 4 && qs_le32(packet.data) == UINT32_MAX;
}

/* True for a running clock. Other bytes, read as a float, are close to 0. */
static bool is_plausible_time(float time, float before)
{
    return time >= before && time < 1e9f && (time == 0 || time > 1e-6f);
}

static bool is_plausible_cmd(const struct qwd_block *block)
{
    for (unsigned i = 0; i < 3; i++)
        if (!isfinite(block->angles[i]) || !isfinite(block->viewangles[i]))
            return false;
    return fabsf(block->viewangles[0]) <= 360;
}

/* True for a valid block. Strict, because the format has no magic number: only for recognition. */
static bool is_plausible(const struct qwd_block *block, float before)
{
    if (!is_plausible_time(block->time, before))
        return false;
    switch (block->type) {
    case QWD_CMD:
        return is_plausible_cmd(block);
    case QWD_READ:
        return block->packet.size >= NETCHAN_HEADER || is_connectionless(block->packet);
    case QWD_SET:
        return block->outgoing <= INT32_MAX && block->incoming <= INT32_MAX;
    }
    return false;
}

static unsigned count_following(struct qs_reader in, unsigned max, float before);

/* Counts the valid blocks from here on. If the first is a dem_cmd, it has this form. */
static unsigned count_as(struct qs_reader in, unsigned max, float before, enum qwd_cmd_form form)
{
    struct qwd_block block;

    switch (qwd_read_block_as(&in, &block, form)) {
    case QS_DEMO_BLOCK:
        return is_plausible(&block, before) ? 1 + count_following(in, max - 1, block.time) : 0;
    case QS_DEMO_CUT: /* ranks below a clean end */
        return qs_reader_left(&in) >= 4 && is_plausible_time(block.time, before) ? max - 1 : 0;
    default:
        return 0;
    }
}

static bool at_cmd(const struct qs_reader *in)
{
    const struct qs_view rest = rest_of(in);

    return rest.size >= QWD_HEADER && (rest.data[4] & QWD_TYPE_MASK) == QWD_CMD;
}

/* Counts the valid blocks that follow, at most `max`; a clean end counts as `max`. */
static unsigned count_following(struct qs_reader in, unsigned max, float before)
{
    unsigned classic;

    if (!max || !qs_reader_left(&in) || qs_zip_begins(rest_of(&in)))
        return max;
    classic = count_as(in, max, before, QWD_CMD_CLASSIC);
    if (classic == max || !at_cmd(&in))
        return classic;
    return MAX(classic, count_as(in, max, before, QWD_CMD_EZQUAKE_37));
}

/* Counts the valid blocks after a dem_cmd of this form; 0 at the end, which no dem_cmd can be. */
static unsigned count_behind_cmd(const struct qs_reader *in, enum qwd_cmd_form form)
{
    const float time = qs_float_of_bits(qs_le32(in->data + in->pos));
    struct qs_reader behind = *in;

    if (!qs_reader_bytes(&behind, QWD_HEADER + (uint32_t)form) || !qs_reader_left(&behind))
        return 0;
    return count_following(behind, FOLLOW_MAX, time);
}

static enum qwd_cmd_form form_of(const struct qs_reader *in, enum qwd_cmd_form preferred)
{
    const enum qwd_cmd_form other =
        preferred == QWD_CMD_CLASSIC ? QWD_CMD_EZQUAKE_37 : QWD_CMD_CLASSIC;
    unsigned count;

    if (!at_cmd(in))
        return preferred;
    count = count_behind_cmd(in, preferred);
    return count == FOLLOW_MAX || count >= count_behind_cmd(in, other) ? preferred : other;
}

enum qs_demo_status qwd_read_block(struct qs_reader *in, struct qwd_block *block,
                                   enum qwd_cmd_form preferred)
{
    return qwd_read_block_as(in, block, form_of(in, preferred));
}

enum qwd_cmd_form qwd_form_of_block(struct qs_view block)
{
    return block.size == QWD_HEADER + QWD_CMD_EZQUAKE_37 ? QWD_CMD_EZQUAKE_37 : QWD_CMD_CLASSIC;
}

/* --- Writing --- */

/* Each function writes a value and returns the address after it. */

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
    return put_u32(at, qs_bits_of_float(value));
}

static uint8_t *put_head(uint8_t *at, float time, enum qwd_type type)
{
    return put_u8(put_float(at, time), (uint8_t)type);
}

/* Returns degrees from 0 to 360, as engines store sent angles. */
static float degrees(uint16_t angle)
{
    return (float)angle * (360.0f / 65536);
}

static float signed_degrees(uint16_t angle)
{
    return (float)(int16_t)angle * (360.0f / 65536);
}

void qwd_put_cmd(uint8_t *at, float time, const struct qw_usercmd *cmd, enum qwd_cmd_form form)
{
    at = put_head(at, time, QWD_CMD);
    at = put_u32(at, cmd->msec); /* with three bytes of padding */
    for (unsigned i = 0; i < 3; i++)
        at = put_float(at, degrees(cmd->angles[i]));
    at = put_u16(at, (uint16_t)cmd->forward);
    at = put_u16(at, (uint16_t)cmd->side);
    at = put_u16(at, (uint16_t)cmd->up);
    at = put_u8(at, cmd->buttons);
    at = put_u8(at, cmd->impulse);
    if (form == QWD_CMD_EZQUAKE_37)
        at = put_u32(at, cmd->impulse); /* impulse_pred, with three bytes of padding */
    at = put_float(at, signed_degrees(cmd->angles[0]));
    at = put_float(at, degrees(cmd->angles[1]));
    put_float(at, signed_degrees(cmd->angles[2]));
}

void qwd_put_packet_header(uint8_t *at, float time, uint32_t size)
{
    put_u32(put_head(at, time, QWD_READ), size);
}

void qwd_append_set(GByteArray *out, float time, uint32_t outgoing, uint32_t incoming)
{
    uint8_t bytes[QWD_SET_BLOCK];

    put_u32(put_u32(put_head(bytes, time, QWD_SET), outgoing), incoming);
    g_byte_array_append(out, bytes, sizeof bytes);
}

static const uint8_t end_packet[] = "\xff\xff\xff\xff\x02"
                                    "EndOfDemo"; /* with its NUL */

void qwd_append_end(GByteArray *out, float time)
{
    uint8_t header[QWD_PACKET_HEADER];

    qwd_put_packet_header(header, time, sizeof end_packet);
    g_byte_array_append(out, header, sizeof header);
    g_byte_array_append(out, end_packet, sizeof end_packet);
}

bool qwd_is_end(struct qs_view packet)
{
    return packet.size == sizeof end_packet &&
           memcmp(packet.data, end_packet, sizeof end_packet) == 0;
}

/* --- Decoding --- */

enum { PADDING_SIZE = 3 };

/* Decodes the command that the client sends, with rounded angles. */
static void decode_command(struct qs_decoder *d)
{
    const uint8_t msec = qs_u8(d, QW_USERCMD_MSEC);

    qs_bytes(d, QW_BLOCK_PADDING, PADDING_SIZE);
    qw_read_whole_usercmd(d);
    if (qwd_form_of_block((struct qs_view){d->in.data, d->in.size}) == QWD_CMD_EZQUAKE_37) {
        qs_u8(d, QW_BLOCK_IMPULSE_PRED);
        qs_bytes(d, QW_BLOCK_PADDING, PADDING_SIZE);
    }
    qs_label(d, ": %u ms", msec);
}

static void decode_cmd(struct qs_decoder *d)
{
    qs_open(d, QW_USERCMD);
    decode_command(d);
    qs_close(d);
    qs_open(d, QW_BLOCK_VIEWANGLES);
    qs_f32(d, QW_BLOCK_VIEWANGLES_PITCH);
    qs_f32(d, QW_BLOCK_VIEWANGLES_YAW);
    qs_f32(d, QW_BLOCK_VIEWANGLES_ROLL);
    qs_close(d);
    d->found.direction = QS_C2S;
    d->found.accepted = true;
    qs_summary(d, "command");
}

/* Decodes a dem_set: engines count from its numbers, because earlier packets were not recorded. */
static void decode_set(struct qs_decoder *d)
{
    struct qs_session *session = d->session;
    const uint32_t outgoing = qs_u32(d, QW_BLOCK_OUTGOING);
    const uint32_t incoming = qs_u32(d, QW_BLOCK_INCOMING);

    qs_label(d, ": outgoing %u, incoming %u", outgoing, incoming);
    qs_summary(d, "Sequence numbers: outgoing %u, incoming %u", outgoing, incoming);
    if (d->in.overrun)
        return;
    session->to_client = (struct qs_netchan){.started = true, .sequence = incoming};
}

static void decode_body(struct qs_decoder *d, unsigned type)
{
    switch (type) {
    case QWD_CMD:
        decode_cmd(d);
        break;
    case QWD_READ:
        qs_u32(d, QW_BLOCK_LENGTH);
        break;
    case QWD_SET:
        decode_set(d);
        break;
    }
}

void qwd_decode_block(struct qs_decoder *d)
{
    unsigned type;
    float time;

    qs_open(d, QW_BLOCK);
    time = qs_f32(d, QW_BLOCK_TIME);
    type = qs_u8(d, QW_BLOCK_TYPE_BYTE) & QWD_TYPE_MASK;
    qs_label(d, ": %s at %g s", type <= QWD_SET ? qs_name_of(qw_block_names, type) : "?",
             (double)time);
    decode_body(d, type);
    qs_close(d);
    if (type == QWD_READ && !d->in.overrun) {
        qs_enter_payload(d);
        d->protocol->decode_server_messages(d);
        return;
    }
    if (type > QWD_SET || d->in.overrun)
        qs_no_block(d);
    else
        qs_undecoded(d);
}

static void decode_block(struct qs_decoder *d)
{
    if (qs_zip_is_whole((struct qs_view){d->in.data, d->in.size}))
        qs_zip_decode(d);
    else
        qwd_decode_block(d);
}

/* --- Callbacks --- */

/* Checks the first blocks. The file may end, or be cut, after the first one. */
static bool recognize(struct qs_view file)
{
    enum { LOOK_AT = 8 };
    struct qs_reader in = qs_reader_over(file.data, file.size);
    enum qs_demo_status status = QS_DEMO_BLOCK;
    struct qwd_block block;
    enum qwd_cmd_form form = QWD_CMD_CLASSIC;
    float before = 0;
    unsigned count = 0;

    while (count < LOOK_AT && (status = qwd_read_block(&in, &block, form)) == QS_DEMO_BLOCK) {
        if (!is_plausible(&block, before))
            return false;
        if (block.type == QWD_CMD)
            form = block.form;
        before = block.time;
        count++;
    }
    return count && (status != QS_DEMO_BAD || qs_zip_begins(rest_of(&in)));
}

/* True for a connectionless svc_disconnect. */
static bool is_end(const struct qwd_block *block)
{
    return block->type == QWD_READ && is_connectionless(block->packet) &&
           block->packet.data[4] == SVC_DISCONNECT;
}

static enum qs_demo_status next(struct qs_demo_reader *reader)
{
    struct qwd_block block;
    enum qs_demo_status status;

    if (qs_zip_begins(rest_of(&reader->in)))
        return qs_zip_skip(&reader->in);
    status = qwd_read_block(&reader->in, &block,
                            reader->variant == QWD_CMD_EZQUAKE_37 ? QWD_CMD_EZQUAKE_37
                                                                  : QWD_CMD_CLASSIC);
    if (status == QS_DEMO_BLOCK)
        reader->ended = is_end(&block);
    if (status == QS_DEMO_BLOCK && block.type == QWD_CMD)
        reader->variant = block.form;
    return status == QS_DEMO_END && !reader->ended ? QS_DEMO_UNMARKED : status;
}

static double seconds(struct qs_demo_reader *reader, const struct qs_decoder *decoder)
{
    (void)decoder;
    if (qs_zip_begins(reader->block))
        return reader->time;
    return (double)qs_float_of_bits(qs_le32(reader->block.data));
}

/* Appends the end, with the time of the last block. */
static void append_end(GByteArray *out, struct qs_view last)
{
    const uint32_t time = last.size >= QWD_HEADER ? qs_le32(last.data) : 0;

    qwd_append_end(out, qs_float_of_bits(time));
}

const struct qs_demo_file qwd_file = {
    .recognize = recognize,
    .next = next,
    .seconds = seconds,
    .decode_block = decode_block,
    .append_end = append_end,
};
