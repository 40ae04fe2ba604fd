/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of the client. Sources: QuakeSpasm sv_user.c, SV_ReadClientMessage; DarkPlaces
 * sv_user.c, SV_ReadClientMessage and SV_ReadClientMove; fteqw sv_user.c, SVNQ_ReadClientMove.
 */
#include "common/core/text.h"
#include "common/quake/decode.h"
#include "common/netchan/links.h"

static void read_disconnect(struct qs_decoder *d)
{
    nq_read_reason(d);
    d->session->disconnected = true;
}

/* --- clc_move --- */

bool nq_has_wide_buttons(const struct nq_session *session)
{
    return nq_darkplaces_version(session) >= 6 || session->ext.fte2 & FTE2_PRYDONCURSOR;
}

/*
 * True if the angles of a move of protocol 15 have 16 bits, as client and server agree with
 * ProQuake's precise aim. The size decides: nothing follows a move in its packet, except for
 * acknowledgements of frames and download chunks.
 */
static bool is_precise(const struct qs_decoder *d)
{
    enum { ANGLES = 3, SPEEDS = 3 * 2 };
    const uint8_t *move = d->in.data + d->in.pos;
    const uint32_t buttons = nq_has_wide_buttons(nq_session_of(d)) ? 4 : 1;
    const uint32_t size = ANGLES + SPEEDS + buttons + 1;

    return qs_reader_left(&d->in) >= size + ANGLES && move[size] != CLC_DP_ACKDOWNLOADDATA &&
           move[size] != CLC_DP_ACKFRAME;
}

enum qs_angle_format nq_move_angle_format(const struct nq_session *session)
{
    const unsigned darkplaces = nq_darkplaces_version(session);

    if (session->flags & PRFL_FLOATANGLE || darkplaces == 2 || darkplaces == 3)
        return QS_ANGLE_FLOAT32;
    if (darkplaces || nq_is_extended(session) || session->ext.fte & FTE_FLOATCOORDS)
        return QS_ANGLE_SHORT;
    return QS_ANGLE_BYTE;
}

static void read_angles(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);

    d->angle_format = nq_move_angle_format(session);
    if (d->angle_format == QS_ANGLE_BYTE && is_precise(d))
        d->angle_format = QS_ANGLE_SHORT;
    qs_open(d, NQ_MOVE_ANGLES);
    session->move.pitch = qs_angle(d, NQ_MOVE_ANGLES_PITCH);
    session->move.yaw = qs_angle(d, NQ_MOVE_ANGLES_YAW);
    session->move.roll = qs_angle(d, NQ_MOVE_ANGLES_ROLL);
    qs_close(d);
}

static void read_move_sequence(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);

    if (nq_darkplaces_version(session) >= 7)
        qs_u32(d, NQ_MOVE_SEQUENCE);
    else if (session->ext.fte2 & FTE2_PREDINFO)
        qs_u16(d, NQ_MOVE_SEQUENCE);
}

/*
 * Reads buttons, impulse, and what the buttons announce. DarkPlaces always sends a cursor. FTE's
 * source: SVNQ_ReadClientMove.
 */
static void read_buttons(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);
    const bool darkplaces = nq_darkplaces_version(session) >= 6;
    const bool fte = session->ext.fte2 & FTE2_PRYDONCURSOR;
    const uint32_t buttons =
        nq_has_wide_buttons(session) ? qs_u32(d, NQ_MOVE_BUTTONS) : qs_u8(d, NQ_MOVE_BUTTONS);

    qs_u8(d, NQ_MOVE_IMPULSE);
    if (fte && buttons & BUTTONS_WEAPON)
        qs_u32(d, NQ_MOVE_WEAPON);
    if (darkplaces || (fte && buttons & BUTTONS_CURSOR)) {
        d->coord_format = QS_COORD_FLOAT32;
        qs_open(d, NQ_MOVE_CURSOR);
        qs_scaled_i16(d, NQ_CURSOR_X, 1.0 / INT16_MAX);
        qs_scaled_i16(d, NQ_CURSOR_Y, 1.0 / INT16_MAX);
        qs_rows(d, NQ_CURSOR_START, NQ_CURSOR_IMPACT);
        fte_entity(d, NQ_CURSOR_ENTITY);
        qs_close(d);
    }
}

static void read_move(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);
    float time;

    read_move_sequence(d);
    time = qs_f32(d, NQ_MOVE_TIME);
    if (nq_moves_begin_with_time(session)) {
        session->move_time = time;
        nq_acknowledge_time(d, time);
    }
    read_angles(d);
    for (unsigned row = NQ_MOVE_FORWARD; row <= NQ_MOVE_UP; row++)
        qs_i16(d, row);
    read_buttons(d);
    session->moved = !d->in.overrun;
}

/* --- Other messages --- */

static void read_ackframe(struct qs_decoder *d)
{
    const int32_t frame = qs_i32(d, FTE_ACKFRAME);

    qs_label(d, ": %d", frame);
    nq_acknowledge_frame(d, frame);
}

QS_ROWS_READER(read_ackdownloaddata, NQ_ACKDOWNLOADDATA_START, NQ_ACKDOWNLOADDATA_SIZE)

static void read_stringcmd(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const struct qs_view command = qs_text(d, NQ_STRINGCMD_TEXT);

    qs_label_text(d, ": ", command, "");
    qs_add_transfer_command(d, command);
    nq_level_command(d, command);
    if (d->fields_wanted && !d->in.overrun)
        fte_emit_pext(d, command, at);
}

/* clang-format off */
static const struct qs_message_type types[] = {
#define CLC(id, number, name, read, blurb)                                                        \
    [number] = {name, &name[sizeof "clc_" - 1], NQ_CLC_##id, read},
#include "common/quake/messages.def"
};

static const struct fte_message fte_types[] = {
#define CLC_FTE(id, number, fte_bits, fte2_bits, name, read, blurb)                               \
    [number] = {{name, &name[sizeof "clcfte_" - 1], NQ_CLCFTE_##id, read}, .fte = fte_bits, .fte2 = fte2_bits},
#include "common/quake/messages.def"
};
/* clang-format on */

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    const struct qs_message_type *type =
        fte_allowed_message(d, fte_types, G_N_ELEMENTS(fte_types), id);

    if (type)
        return type;
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
