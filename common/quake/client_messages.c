/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the client tells the server. Sources: QuakeSpasm sv_user.c, SV_ReadClientMessage; DarkPlaces
 * sv_user.c, SV_ReadClientMessage and SV_ReadClientMove.
 */
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
    nq_read_reason(d);
    d->session->disconnected = true;
}

/* --- clc_move --- */

/*
 * Whether a move of protocol 15 has angles of 16 bits: where client and server have agreed on
 * ProQuake's precise aim. A move fills its packet, so its size tells; but DarkPlaces acknowledges
 * pieces of a download behind it.
 */
static bool is_precise(const struct qs_decoder *d)
{
    enum { SIZE = 3 + MOVE_TAIL, PRECISE_SIZE = 3 * 2 + MOVE_TAIL };
    const uint8_t *move = d->in.data + d->in.pos;

    return qs_reader_left(&d->in) >= PRECISE_SIZE && move[SIZE] != CLC_DP_ACKDOWNLOADDATA;
}

static enum qs_angle_format angle_format(const struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);
    const unsigned darkplaces = nq_darkplaces_version(session);

    if (session->flags & PRFL_FLOATANGLE || darkplaces == 2 || darkplaces == 3)
        return QS_ANGLE_FLOAT32;
    return darkplaces || nq_is_extended(session) || is_precise(d) ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
}

static void read_angles(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);

    d->angle_format = angle_format(d);
    qs_open(d, NQ_MOVE_ANGLES);
    session->move.pitch = qs_angle(d, NQ_MOVE_ANGLES_PITCH);
    session->move.yaw = qs_angle(d, NQ_MOVE_ANGLES_YAW);
    session->move.roll = qs_angle(d, NQ_MOVE_ANGLES_ROLL);
    qs_close(d);
}

static void read_vector(struct qs_decoder *d, unsigned row)
{
    d->coord_format = QS_COORD_FLOAT32;
    qs_coord3(d, row);
}

/* Sent whether there is one or not. */
static void read_cursor(struct qs_decoder *d)
{
    qs_open(d, NQ_MOVE_CURSOR);
    qs_scaled_i16(d, NQ_CURSOR_X, 1.0 / INT16_MAX);
    qs_scaled_i16(d, NQ_CURSOR_Y, 1.0 / INT16_MAX);
    read_vector(d, NQ_CURSOR_START);
    read_vector(d, NQ_CURSOR_IMPACT);
    qs_u16(d, NQ_CURSOR_ENTITY);
    qs_close(d);
}

static void read_move(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);
    const unsigned darkplaces = nq_darkplaces_version(session);

    if (darkplaces >= 7)
        qs_u32(d, NQ_MOVE_SEQUENCE);
    qs_f32(d, NQ_MOVE_TIME);
    read_angles(d);
    qs_i16(d, NQ_MOVE_FORWARD);
    qs_i16(d, NQ_MOVE_SIDE);
    qs_i16(d, NQ_MOVE_UP);
    if (darkplaces >= 6)
        qs_u32(d, NQ_MOVE_BUTTONS);
    else
        qs_u8(d, NQ_MOVE_BUTTONS);
    qs_u8(d, NQ_MOVE_IMPULSE);
    if (darkplaces >= 6)
        read_cursor(d);
    session->moved = !d->in.overrun;
}

/* --- The others --- */

static void read_ackframe(struct qs_decoder *d)
{
    qs_label(d, ": %d", qs_i32(d, NQ_ACKFRAME_FRAME));
}

static void read_ackdownloaddata(struct qs_decoder *d)
{
    qs_u32(d, NQ_ACKDOWNLOADDATA_START);
    qs_u16(d, NQ_ACKDOWNLOADDATA_SIZE);
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
    [CLC_DP_ACKFRAME] = {"clc_ackframe", "ackframe", NQ_ACKFRAME, read_ackframe},
    [CLC_DP_ACKDOWNLOADDATA] = {"clc_ackdownloaddata", "ackdownloaddata", NQ_ACKDOWNLOADDATA,
                                read_ackdownloaddata},
};

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    (void)d;
    return id < G_N_ELEMENTS(types) && types[id].name ? &types[id] : NULL;
}

static void read_messages(struct qs_decoder *d)
{
    qs_read_messages(d, NQ_CLC, lookup);
}

void nq_read_client_messages(struct qs_decoder *d)
{
    if (nq_pass_over(d))
        return;
    nq_assume_protocol(d, read_messages);
    read_messages(d);
}
