/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages from client to server. Source: qw28-protocol, "Client-to-Server Packet Types". */
#include "common/netchan/links.h"
#include "common/quakeworld/decode.h"

static void check_move(struct qs_decoder *d, uint8_t checksum, uint32_t at)
{
    const uint32_t covered = at + 1;
    uint8_t expected;

    if (d->in.overrun || d->unchecked)
        return;
    expected = qw_move_checksum(d->in.data + covered, d->in.pos - covered, d->found.sequence);
    qs_emit_generated_uint(d, QW_MOVE_CHECKSUM_GOOD, at, 1, checksum == expected);
    if (checksum != expected)
        qs_note(d, QS_NOTE_CHECKSUM_BAD, at, 1, "Move checksum 0x%02x, expected 0x%02x", checksum,
                expected);
}

/* Reads the move of a further seat, which has no checksum. */
static void read_seat_move(struct qs_decoder *d)
{
    struct qw_usercmd cmd = {0};

    for (unsigned i = 0; i < G_N_ELEMENTS(qw_session_of(d)->cmds); i++)
        qw_read_usercmd(d, &cmd);
}

static void read_first_move(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t checksum = qs_u8(d, QW_MOVE_CHECKSUM);
    struct qw_session *session = qw_session_of(d);
    struct qw_usercmd cmd = {0};

    d->found.path.loss = qs_u8(d, QW_MOVE_LOSS);
    d->found.path.has_loss = !d->in.overrun;
    for (unsigned i = 0; i < G_N_ELEMENTS(session->cmds); i++) {
        qw_read_usercmd(d, &cmd);
        session->cmds[i] = cmd;
    }
    check_move(d, checksum, at);
    session->moved = !d->in.overrun;
}

static void read_move(struct qs_decoder *d)
{
    const struct qw_session *session = qw_session_of(d);

    if (session->moved &&
        ((session->ext.fte & FTE_SPLITSCREEN) || (session->ext.fte2 & FTE2_MAXPLAYERS)))
        read_seat_move(d);
    else
        read_first_move(d);
}

static void read_stringcmd(struct qs_decoder *d)
{
    const struct qs_view text = qw_read_commands(d, QW_STRINGCMD_TEXT);

    qs_add_transfer_command(d, text);
    if (qs_view_equal(text, "drop"))
        d->session->disconnected = true;
    qw_level_command(d, text);
}

/* Reads a command of FTE for a seat other than the first. */
static void read_stringcmd_seat(struct qs_decoder *d)
{
    qs_label(d, ": seat %u", qs_u8(d, QW_STRINGCMD_SEAT));
    read_stringcmd(d);
}

QS_ROWS_READER(read_delta, QW_DELTA_SEQUENCE, QW_DELTA_SEQUENCE)
QS_ROWS_READER(read_tmove, QW_TMOVE_ORIGIN, QW_TMOVE_ORIGIN)

static void read_upload(struct qs_decoder *d)
{
    const int16_t size = qs_i16(d, QW_UPLOAD_SIZE);

    qs_u8(d, QW_UPLOAD_PERCENT);
    if (size > 0)
        qs_bytes(d, QW_UPLOAD_DATA, (uint16_t)size);
}

/* clang-format off */
static const struct qs_message_type messages[] = {
#define CLC(id, number, name, read, blurb) [CLC_##id] = {name, &name[sizeof "clc_" - 1], QW_CLC_##id, read},
#define CLC_FTE(id, number, name, read, ...)
#define CLC_EXT(id, number, prefix, name, read, ...)
#include "common/quakeworld/messages.def"
};

/* Messages that extensions add. */
static const struct fte_message extensions[] = {
#define CLC_FTE(id, number, name, read, ...) [CLC_FTE_##id] = {{name, &name[sizeof "clcfte_" - 1], QW_CLC_FTE_##id, read}, __VA_ARGS__},
#define CLC_EXT(id, number, prefix, name, read, ...) [CLC_##id] = {{prefix name, name, QW_CLC_##id, read}, __VA_ARGS__},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

const struct qs_message_type *qw_client_message(const struct qs_decoder *d, uint32_t id)
{
    const struct qs_message_type *type =
        fte_allowed_message(d, extensions, G_N_ELEMENTS(extensions), id);

    if (type)
        return type;
    return id < G_N_ELEMENTS(messages) && messages[id].name ? &messages[id] : NULL;
}
