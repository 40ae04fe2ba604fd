/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client messages. Source: fteqw sv_user.c SVQW_ExecuteClientMessage, SVNQ_ExecuteClientMessage and
 * the functions that they call.
 */
#include "common/fte/fte.h"

/* Reads the number of a server frame that the client received; -1 requests everything anew. */
void fte_read_ackframe(struct qs_decoder *d)
{
    qs_i32(d, FTE_ACKFRAME);
}

/* Reads the position of the mouse cursor; an entity follows. */
static void read_cursor(struct qs_decoder *d)
{
    qs_scaled_i16(d, FTE_CURSOR_X, 1 / 32767.0);
    qs_scaled_i16(d, FTE_CURSOR_Y, 1 / 32767.0);
    qs_rows(d, FTE_CURSOR_START_X, FTE_CURSOR_IMPACT_Z);
}

void fte_read_prydoncursor(struct qs_decoder *d)
{
    read_cursor(d);
    fte_entity(d, FTE_CURSOR_ENTITY);
}

void fte_read_client_voicechat(struct qs_decoder *d)
{
    qs_u8(d, FTE_VOICE_GENERATION);
    qs_u8(d, FTE_VOICE_SEQUENCE);
    qs_bytes(d, FTE_VOICE_DATA, qs_u16(d, FTE_VOICE_SIZE));
}

/* --- clcfte_qcrequest: calls a function of the server's mod. Source: SV_ReadQCRequest --- */

/* Reads one argument. `*before`: the argument before if it was an integer, or -1. */
static void read_argument(struct qs_decoder *d, uint8_t type, int32_t *before)
{
    int32_t integer = -1;

    switch (type) {
    case EV_STRING:
        qs_text(d, FTE_QCREQUEST_STRING);
        break;
    case EV_FLOAT:
        qs_f32(d, FTE_QCREQUEST_FLOAT);
        break;
    case EV_VECTOR:
        qs_rows(d, FTE_QCREQUEST_X, FTE_QCREQUEST_Z);
        break;
    case EV_ENTITY:
        fte_entity(d, FTE_QCREQUEST_ENTITY);
        break;
    case EV_POINTER: /* the integer before it is the length of the range of memory */
        if (*before >= 0 && *before <= QC_POINTER_MAX)
            qs_bytes(d, FTE_QCREQUEST_DATA, (uint32_t)*before);
        break;
    case EV_INT64:
        fte_varint64_signed(d, FTE_QCREQUEST_INT64);
        break;
    case EV_UINT64:
        fte_varint64(d, FTE_QCREQUEST_UINT64);
        break;
    case EV_DOUBLE:
        qs_f64(d, FTE_QCREQUEST_DOUBLE);
        break;
    case EV_UINT:
        qs_u32(d, FTE_QCREQUEST_UINT);
        break;
    case EV_INTEGER:
        integer = qs_i32(d, FTE_QCREQUEST_INTEGER);
        break;
    default:
        qs_i32(d, FTE_QCREQUEST_INTEGER);
        break;
    }
    *before = integer;
}

void fte_read_qcrequest(struct qs_decoder *d)
{
    int32_t integer = -1;
    unsigned count = 0;
    uint8_t type;

    while ((type = qs_u8(d, FTE_QCREQUEST_TYPE)) != EV_VOID) {
        if (type >= QC_SEATS_FIRST && type < QC_SEATS_FIRST + QC_SEATS)
            continue;
        if (count++ == QC_ARGUMENTS_MAX) {
            qs_note(d, QS_NOTE_MALFORMED, d->in.pos - 1, 1, "More than %d arguments",
                    QC_ARGUMENTS_MAX);
            d->stop = true;
            return;
        }
        read_argument(d, type, &integer);
    }
    qs_label_text(d, ": ", qs_text(d, FTE_QCREQUEST_NAME), "");
}

/* --- clcfte_move --- */

/*
 * FTE's VRINPUTS: clcfte_move replaces clc_move. It has any number of user commands, in its own
 * encoding, and no checksum. Source: PROTOCOL.md, section 8; fteqw sv_user.c
 * SVFTE_ExecuteClientMove, common.c MSGFTE_ReadDeltaUsercmd.
 */

static const struct fte_rows *rows_of(const struct qs_decoder *d)
{
    return &fte_session(d)->game->rows;
}

/* --- Parts of a command, in wire order --- */

/* Reads angles relative to those of the last svcfte_setanglebase, or changes of a byte each. */
static void read_angles(struct qs_decoder *d, uint32_t bits, uint16_t angles[3])
{
    const uint16_t *base = fte_session(d)->angle_base;

    for (unsigned i = 0; i < 3; i++) {
        if (!(bits >> i & UC_ANGLE1))
            continue;
        if (bits & UC_ABSANG)
            angles[i] = (uint16_t)(base[i] + qs_angle16(d, rows_of(d)->pitch + i));
        else
            angles[i] =
                (uint16_t)(angles[i] + qs_scaled_i8(d, FTE_INPUT_TURN_PITCH + i, 360.0 / 65536));
    }
}

/* Reads a speed in steps of 5 units per second, or in units with UC_BIGMOVES. */
static int16_t read_speed(struct qs_decoder *d, unsigned id, uint32_t bits)
{
    const uint32_t at = d->in.pos;
    int16_t speed;

    if (bits & UC_BIGMOVES)
        return fte_varint_signed(d, id);
    speed = (int16_t)((int8_t)qs_reader_u8(&d->in) * 5);
    qs_emit_int(d, id, at, 1, speed);
    return speed;
}

/* Reads the state of a headset or a hand's controller. */
static void read_device(struct qs_decoder *d, unsigned device)
{
    uint32_t bits;

    qs_open(d, device);
    bits = fte_varint(d, FTE_VR_BITS);
    if (bits & UC_VR_STATUS)
        fte_varint(d, FTE_VR_STATUS);
    for (unsigned i = 0; (bits & UC_VR_ANGLES) && i < 3; i++)
        qs_angle16(d, FTE_VR_PITCH + i);
    for (unsigned i = 0; (bits & UC_VR_TURNING) && i < 3; i++)
        qs_angle16(d, FTE_VR_TURN_PITCH + i);
    if (bits & UC_VR_ORIGIN)
        qs_rows(d, FTE_VR_X, FTE_VR_Z);
    if (bits & UC_VR_VELOCITY)
        qs_rows(d, FTE_VR_VELOCITY_X, FTE_VR_VELOCITY_Z);
    if (bits & UC_VR_WEAPON)
        fte_varint(d, FTE_VR_WEAPON);
    qs_close(d);
}

static void read_extras(struct qs_decoder *d, uint32_t bits)
{
    if (bits & UC_WEAPON)
        fte_varint(d, FTE_INPUT_WEAPON);
    if (bits & UC_CURSOR) {
        read_cursor(d);
        fte_big_entity(d, FTE_CURSOR_ENTITY);
    }
    if (bits & UC_LIGHTLEVEL)
        fte_varint(d, FTE_INPUT_LIGHTLEVEL);
    for (unsigned i = 0; i < 3; i++)
        if (bits >> i & UC_VR_HEAD)
            read_device(d, FTE_VR_HEAD + i);
}

/* --- The command --- */

/* Reads the server's time in steps; a command lasts from the time of the one before to its own. */
static void read_time(struct qs_decoder *d, struct fte_input *input, bool first)
{
    const uint32_t step = fte_varint(d, FTE_INPUT_TIME);
    const uint32_t now = input->time + step;
    /* A level's clock begins again. */
    const uint32_t before = first ? MIN(fte_session(d)->input_time, now) : input->time;

    input->msec = (uint8_t)MIN(now - before, UINT8_MAX);
    input->time = now;
}

static void read_command(struct qs_decoder *d, struct fte_input *input, bool first)
{
    const uint32_t at = d->in.pos;
    uint32_t bits;

    qs_open(d, rows_of(d)->usercmd);
    bits = fte_varint(d, FTE_INPUT_BITS);
    if (bits & UC_UNSUPPORTED) {
        fte_stop_malformed(d, at, "Unknown bits of clcfte_move:", bits);
    } else {
        read_time(d, input, first);
        if (bits & UC_MSEC)
            fte_varint(d, FTE_INPUT_MSEC);
        read_angles(d, bits, input->angles);
        if (bits & UC_FORWARD)
            input->forward = read_speed(d, rows_of(d)->forward, bits);
        if (bits & UC_RIGHT)
            input->side = read_speed(d, rows_of(d)->side, bits);
        if (bits & UC_UP)
            input->up = read_speed(d, rows_of(d)->up, bits);
        if (bits & UC_BUTTONS)
            input->buttons = (uint8_t)fte_varint(d, FTE_INPUT_BUTTONS);
        if (bits & UC_IMPULSE)
            input->impulse = (uint8_t)fte_varint(d, FTE_INPUT_IMPULSE);
        read_extras(d, bits);
        qs_emit_generated_uint(d, rows_of(d)->msec, at, d->in.pos - at, input->msec);
        qs_label(d, ": %u ms", input->msec);
    }
    qs_close(d);
}

/* Reads a seat's commands. `own`: the seat is the client's own, so the game keeps the newest. */
static void read_seat(struct qs_decoder *d, uint32_t frames, bool own)
{
    enum { NEWEST = 3 };
    struct fte_session *session = fte_session(d);
    const unsigned kept = MIN(frames, NEWEST);
    struct fte_input newest[NEWEST] = {0}; /* in wire order: the newest is the last */
    struct fte_input input = {.time = 0};

    for (uint32_t i = 0; i < frames && !d->in.overrun && !d->stop; i++) {
        read_command(d, &input, i == 0);
        memmove(newest, newest + 1, sizeof newest - sizeof *newest);
        newest[NEWEST - 1] = input;
    }
    if (!own || d->in.overrun || d->stop)
        return;
    if (frames)
        session->input_time = input.time;
    session->game->keep_inputs(&session->base, newest + NEWEST - kept, kept);
}

static void read_acks(struct qs_decoder *d)
{
    const struct fte_game *game = fte_session(d)->game;
    const uint32_t count = fte_varint(d, FTE_INPUT_ACKS);

    for (uint32_t i = 0; i < count && !d->in.overrun; i++) {
        const int32_t frame = qs_i32(d, FTE_ACKFRAME);

        if (game->acknowledge_frame)
            game->acknowledge_frame(d, frame);
    }
}

void fte_read_move(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint32_t flags = fte_varint(d, FTE_INPUT_FLAGS);
    uint32_t seats = 1, frames = 3;

    if (flags & VRM_UNSUPPORTED) {
        fte_stop_malformed(d, at, "Unknown flags of clcfte_move:", flags);
        return;
    }
    if (flags & VRM_SEATS)
        seats = fte_varint(d, FTE_INPUT_SEATS);
    if (flags & VRM_FRAMES)
        frames = fte_varint(d, FTE_INPUT_FRAMES);
    if (flags & VRM_LOSS)
        qs_u8(d, rows_of(d)->loss);
    if (flags & VRM_DELAY)
        qs_scaled_u8(d, FTE_INPUT_DELAY, 0.1);
    if (flags & VRM_ACKS)
        read_acks(d);
    if (!frames) /* no seat has any data then */
        seats = MIN(seats, 1);
    for (uint32_t i = 0; i < seats && !d->in.overrun && !d->stop; i++)
        read_seat(d, frames, i == 0);
}
