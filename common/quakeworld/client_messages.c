/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages from client to server: qw28-protocol, "Client-to-Server Packet Types". */
#include "common/quakeworld/parts.h"

#include "common/quakeworld/checksum.h"
#include "common/core/text.h"

static void read_nothing(struct qs_decoder *d)
{
    (void)d;
}

static void check_move(struct qs_decoder *d, uint8_t checksum, uint32_t at)
{
    const uint32_t covered = at + 1;
    uint8_t expected;

    if (d->in.overrun)
        return;
    expected = qw_move_checksum(d->in.data + covered, d->in.pos - covered, d->sequence);
    qs_emit_generated_uint(d, QW_MOVE_CHECKSUM_GOOD, at, 1, checksum == expected);
    if (checksum != expected)
        qs_note(d, QS_NOTE_CHECKSUM_BAD, at, 1, "Move checksum 0x%02x, expected 0x%02x", checksum,
                expected);
}

/* With seats, each further one has a move of its own, without a checksum. */
static void read_seat_move(struct qs_decoder *d)
{
    struct qw_usercmd cmd = {0};

    for (unsigned i = 0; i < G_N_ELEMENTS(qw_session(d)->cmds); i++)
        qw_read_usercmd(d, &cmd);
}

static bool has_seats(const struct qw_session *session)
{
    return (session->ext.fte & FTE_SPLITSCREEN) || (session->ext.fte2 & FTE2_MAXPLAYERS);
}

static void read_first_move(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t checksum = qs_u8(d, QW_MOVE_CHECKSUM);
    struct qw_session *session = qw_session(d);
    struct qw_usercmd cmd = {0};

    qs_u8(d, QW_MOVE_LOSS);
    for (unsigned i = 0; i < G_N_ELEMENTS(session->cmds); i++) {
        qw_read_usercmd(d, &cmd);
        session->cmds[i] = cmd;
    }
    check_move(d, checksum, at);
    session->moved = !d->in.overrun;
}

static void read_move(struct qs_decoder *d)
{
    const struct qw_session *session = qw_session(d);

    if (session->moved && has_seats(session))
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
}

/* FTE's, for another seat than the first. */
static void read_stringcmd_seat(struct qs_decoder *d)
{
    qs_label(d, ": seat %u", qs_u8(d, QW_STRINGCMD_SEAT));
    read_stringcmd(d);
}

static void read_delta(struct qs_decoder *d)
{
    qs_u8(d, QW_DELTA_SEQUENCE);
}

static void read_tmove(struct qs_decoder *d)
{
    qs_coord3(d, QW_TMOVE_ORIGIN);
}

static void read_upload(struct qs_decoder *d)
{
    const int16_t size = qs_i16(d, QW_UPLOAD_SIZE);

    qs_u8(d, QW_UPLOAD_PERCENT);
    if (size > 0)
        qs_bytes(d, QW_UPLOAD_DATA, (uint16_t)size);
}

static const struct qs_message_type messages[] = {
    [CLC_BAD] = {"clc_bad", "bad", QW_CLC_BAD, NULL},
    [CLC_NOP] = {"clc_nop", "nop", QW_CLC_NOP, read_nothing},
    [CLC_DOUBLEMOVE] = {"clc_doublemove", "doublemove", QW_CLC_DOUBLEMOVE, NULL},
    [CLC_MOVE] = {"clc_move", "move", QW_CLC_MOVE, read_move},
    [CLC_STRINGCMD] = {"clc_stringcmd", "stringcmd", QW_CLC_STRINGCMD, read_stringcmd},
    [CLC_DELTA] = {"clc_delta", "delta", QW_CLC_DELTA, read_delta},
    [CLC_TMOVE] = {"clc_tmove", "tmove", QW_CLC_TMOVE, read_tmove},
    [CLC_UPLOAD] = {"clc_upload", "upload", QW_CLC_UPLOAD, read_upload},
};

/* Messages that extensions add. ANY_EXTENSION: no bit of its own allows it. */
static const struct fte_message extensions[] = {
    [CLC_DP_ACKFRAME] = {{"clcdp_ackframe", "ackframe", QW_CLCDP_ACKFRAME, fte_read_ackframe},
                         .fte = FTE_CSQC,
                         .fte2 = FTE2_REPLACEMENTDELTAS,
                         .mvd1 = MVD1_SIMPLEPROJECTILE},
    [CLC_FTE_QCREQUEST] = {{"clcfte_qcrequest", "qcrequest", QW_CLCFTE_QCREQUEST,
                            fte_read_qcrequest},
                           .fte = FTE_CSQC},
    [CLC_FTE_PRYDONCURSOR] = {{"clcfte_prydoncursor", "prydoncursor", QW_CLCFTE_PRYDONCURSOR,
                               fte_read_prydoncursor},
                              .fte2 = FTE2_PRYDONCURSOR},
    [CLC_FTE_VOICECHAT] = {{"clcfte_voicechat", "voicechat", QW_CLCFTE_VOICECHAT,
                            fte_read_client_voicechat},
                           .fte2 = FTE2_VOICECHAT},
    [CLC_FTE_BRUSHEDIT] = {{"clcfte_brushedit", "brushedit", QW_CLCFTE_BRUSHEDIT,
                            qw_read_brushedit},
                           .fte = ANY_EXTENSION},
    [CLC_FTE_MOVE] = {{"clcfte_move", "move", QW_CLCFTE_MOVE, fte_read_move},
                      .fte2 = FTE2_VRINPUTS},
    [CLC_FTE_STRINGCMD_SEAT] = {{"clcfte_stringcmd_seat", "stringcmd_seat",
                                 QW_CLCFTE_STRINGCMD_SEAT, read_stringcmd_seat},
                                .fte = FTE_SPLITSCREEN,
                                .fte2 = FTE2_MAXPLAYERS},
    [CLC_MVD_WEAPON] = {{"clc_mvd_weapon", "weapon", QW_CLC_MVD_WEAPON, qw_read_mvd_weapon},
                        .mvd1 = MVD1_SERVERSIDEWEAPON | MVD1_SERVERSIDEWEAPON2},
    [CLC_MVD_DEBUG] = {{"clc_mvd_debug", "debug", QW_CLC_MVD_DEBUG, qw_read_mvd_debug},
                       .mvd1 = MVD1_DEBUG_WEAPON | MVD1_DEBUG_ANTILAG},
};

const struct qs_message_type *qw_client_message(const struct qs_decoder *d, uint32_t id)
{
    const struct qs_message_type *type =
        fte_allowed_message(d, extensions, G_N_ELEMENTS(extensions), id);

    if (type)
        return type;
    return id < G_N_ELEMENTS(messages) ? &messages[id] : NULL;
}
