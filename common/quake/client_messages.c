/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the client tells the server. Source: QuakeSpasm sv_user.c, SV_ReadClientMessage. */
#include "common/core/text.h"
#include "common/quake/internal.h"

/* Behind the angles of a move: three speeds, buttons, impulse. */
enum { MOVE_TAIL = 3 * 2 + 2 };

static void read_nothing(struct qs_decoder *d)
{
    (void)d;
}

static void read_disconnect(struct qs_decoder *d)
{
    d->session->disconnected = true;
}

/*
 * 16 bits in 666 and 999, unless 999 has float angles. In 15 they have 8 bits, but 16 where client
 * and server have agreed on ProQuake's precise aim: a move fills its packet, so its size tells.
 */
static void set_angle_format(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);
    const bool wide = qs_reader_left(&d->in) >= 3 * 2 + MOVE_TAIL;

    if (session->flags & PRFL_FLOATANGLE)
        d->angle_format = QS_ANGLE_FLOAT32;
    else
        d->angle_format = nq_is_extended(session) || wide ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
}

static void read_move(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);

    qs_f32(d, NQ_MOVE_TIME);
    set_angle_format(d);
    qs_open(d, NQ_MOVE_ANGLES);
    session->move.pitch = qs_angle(d, NQ_MOVE_ANGLES_PITCH);
    session->move.yaw = qs_angle(d, NQ_MOVE_ANGLES_YAW);
    session->move.roll = qs_angle(d, NQ_MOVE_ANGLES_ROLL);
    qs_close(d);
    qs_i16(d, NQ_MOVE_FORWARD);
    qs_i16(d, NQ_MOVE_SIDE);
    qs_i16(d, NQ_MOVE_UP);
    qs_u8(d, NQ_MOVE_BUTTONS);
    qs_u8(d, NQ_MOVE_IMPULSE);
    session->moved = !d->in.overrun;
}

static void read_stringcmd(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, NQ_STRINGCMD_TEXT), "");
}

static const struct qs_message_type types[] = {
    [CLC_NOP] = {"clc_nop", "nop", NQ_NOP, read_nothing},
    [CLC_DISCONNECT] = {"clc_disconnect", "disconnect", NQ_DISCONNECT, read_disconnect},
    [CLC_MOVE] = {"clc_move", "move", NQ_MOVE, read_move},
    [CLC_STRINGCMD] = {"clc_stringcmd", "stringcmd", NQ_STRINGCMD, read_stringcmd},
};

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    (void)d;
    return id < G_N_ELEMENTS(types) && types[id].name ? &types[id] : NULL;
}

void nq_read_client_messages(struct qs_decoder *d)
{
    if (!nq_pass_over(d))
        qs_read_messages(d, NQ_CLC, lookup);
}
