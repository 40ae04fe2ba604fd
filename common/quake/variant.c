/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake/decode.h"

bool nq_is_decoded(uint32_t version)
{
    switch (version) {
    case PROTOCOL_NETQUAKE:
    case PROTOCOL_FITZQUAKE:
    case PROTOCOL_RMQ:
    case PROTOCOL_DP1:
    case PROTOCOL_DP2:
    case PROTOCOL_NEHAHRA_MOVIE:
    case PROTOCOL_BJP:
    case PROTOCOL_BJP2:
    case PROTOCOL_BJP3:
        return true;
    }
    return version >= PROTOCOL_DP3 && version <= PROTOCOL_DP8;
}

/* --- Formats of numbers --- */

/* Tests the flags in QuakeSpasm's order (common.c, MSG_ReadCoord and MSG_ReadAngle). */
static void set_flagged_formats(struct qs_decoder *d, uint32_t flags)
{
    if (flags & PRFL_FLOATCOORD)
        d->coord_format = QS_COORD_FLOAT32;
    else if (flags & PRFL_INT32COORD)
        d->coord_format = QS_COORD_INT32;
    else
        d->coord_format = flags & PRFL_24BITCOORD ? QS_COORD_24BIT : QS_COORD_SHORT;
    if (flags & PRFL_FLOATANGLE)
        d->angle_format = QS_ANGLE_FLOAT32;
    else
        d->angle_format = flags & PRFL_SHORTANGLE ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
}

void nq_set_formats(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);
    const unsigned darkplaces = nq_darkplaces_version(session);

    if (darkplaces) {
        /* Source: DarkPlaces com_msg.c, MSG_ReadCoord and MSG_ReadAngle. */
        d->coord_format = darkplaces >= 2 && darkplaces <= 4 ? QS_COORD_WHOLE : QS_COORD_FLOAT32;
        d->angle_format = darkplaces >= 5 ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
    } else {
        set_flagged_formats(d, session->flags);
    }
    if (session->ext.fte & FTE_FLOATCOORDS) {
        /* Source: fteqw cl_parse.c, CLNQ_ParseProtoVersion. */
        d->coord_format = QS_COORD_FLOAT32;
        if (d->angle_format == QS_ANGLE_BYTE)
            d->angle_format = QS_ANGLE_SHORT;
    }
}

/* --- Sessions without a serverinfo --- */

/* Protocols that servers choose, the most frequent first. */
static const struct {
    int32_t version;
    uint32_t flags, fte, fte2;
} variants[] = {
    {PROTOCOL_NETQUAKE, 0, 0, 0},
    {PROTOCOL_FITZQUAKE, 0, 0, 0},
    {PROTOCOL_RMQ, PRFL_INT32COORD | PRFL_SHORTANGLE, 0, 0}, /* QuakeSpasm */
    {PROTOCOL_RMQ, PRFL_FLOATCOORD | PRFL_SHORTANGLE, 0, 0}, /* FTE */
    {PROTOCOL_RMQ, PRFL_FLOATCOORD | PRFL_FLOATANGLE, 0, 0},
    {PROTOCOL_RMQ, PRFL_24BITCOORD | PRFL_SHORTANGLE, 0, 0},
    {PROTOCOL_RMQ, PRFL_FLOATCOORD, 0, 0},
    {PROTOCOL_RMQ, PRFL_INT32COORD, 0, 0},
    {PROTOCOL_RMQ, PRFL_24BITCOORD, 0, 0},
    {PROTOCOL_RMQ, PRFL_SHORTANGLE, 0, 0},
    {PROTOCOL_DP7, 0, 0, 0},
    {PROTOCOL_DP6, 0, 0, 0},
    {PROTOCOL_DP5, 0, 0, 0},
    /* Extensions of FTE that its own client agrees to. */
    {PROTOCOL_RMQ, PRFL_FLOATCOORD | PRFL_SHORTANGLE, UINT32_C(0x40060600), UINT32_C(0x7f)},
};

/* Assumes the first variant with which `read` finds no problem, if any. */
static void assume_variant(struct qs_decoder *d, void (*read)(struct qs_decoder *d))
{
    struct nq_session *session = nq_session_of(d);
    struct nq_session guess = *session; /* shallow copy, only read from */

    for (size_t i = 0; i < G_N_ELEMENTS(variants); i++) {
        guess.assumed_version = variants[i].version;
        guess.flags = variants[i].flags;
        guess.ext.fte = variants[i].fte;
        guess.ext.fte2 = variants[i].fte2;
        if (qs_is_readable(d, &guess.base, read)) {
            session->assumed_version = guess.assumed_version;
            session->flags = guess.flags;
            session->ext.fte = guess.ext.fte;
            session->ext.fte2 = guess.ext.fte2;
            return;
        }
    }
}

void nq_assume_protocol(struct qs_decoder *d, void (*read)(struct qs_decoder *d))
{
    const struct nq_session *session = nq_session_of(d);

    if (session->base.version)
        return;
    if (!session->assumed_version || !qs_is_readable(d, d->session, read))
        assume_variant(d, read);
}

/* True for a lone nop or disconnect, which is the same in all protocols and directions. */
static bool is_common(struct qs_decoder *d)
{
    return qs_reader_left(&d->in) == 1 && d->in.data[d->in.pos] <= SVC_DISCONNECT;
}

/* True for a lone console command of the client, which is the same in all protocols. */
static bool is_command(struct qs_decoder *d)
{
    const uint8_t *message = d->in.data + d->in.pos;
    const uint32_t size = qs_reader_left(&d->in);

    return d->found.direction == QS_C2S && size > 1 && message[0] == CLC_STRINGCMD &&
           memchr(message, 0, size) == message + size - 1;
}

bool nq_pass_over(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);

    if (!session->undecodable || is_common(d) || is_command(d))
        return false;
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, qs_reader_left(&d->in),
            "Protocol %d is not decoded", session->base.version);
    qs_undecoded(d);
    return true;
}

/* --- FTE's extensions ------------------------------------------------------------------------- */

/*
 * Quake's part of FTE's extensions (common/fte). Source: fteqw cl_parse.c, CLNQ_ParseServerMessage,
 * and sv_user.c, SVNQ_ExecuteClientMessage.
 */

static void name_model(struct qs_decoder *d, uint32_t model, uint32_t offset, uint32_t length)
{
    qs_emit_name(d, NQ_DELTA_MODEL_NAME, &nq_session_of(d)->models, model, offset, length);
}

static void name_entity(struct qs_decoder *d, uint32_t entity)
{
    const struct nq_session *session = nq_session_of(d);

    if (entity >= 1 && entity <= session->maxclients)
        qs_emit_name(d, NQ_DELTA_PLAYER_NAME, &session->players, entity - 1, d->in.pos - 2, 2);
}

static uint8_t read_player(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint8_t player = qs_u8(d, id);

    qs_emit_name(d, NQ_VOICECHAT_NAME, &nq_session_of(d)->players, player, at, 1);
    return player;
}

static double degrees(uint16_t angle)
{
    return (int16_t)angle * (360.0 / 65536);
}

static void keep_inputs(struct qs_session *base, const struct fte_input *inputs, unsigned count)
{
    struct nq_session *session = (struct nq_session *)base;
    const uint16_t *angles;

    if (!count)
        return;
    angles = inputs[count - 1].angles;
    session->move = (struct nq_angles){degrees(angles[0]), degrees(angles[1]), degrees(angles[2])};
    session->moved = true;
}

/* Games for DarkPlaces send types from 16 on in every protocol. */
/* clang-format off */
static const struct fte_temp_entity temp_entities[] = {
#define TE(id, number, name, shape) [number] = {name, FTE_SHAPE_##shape, false},
#define TE_EXT(id, number, name, shape) [number] = {name, FTE_SHAPE_##shape, true},
#include "common/quake/messages.def"
};
/* clang-format on */

const struct fte_game nq_fte_game = {
    .rows = {.entities_end = NQ_ENTITIES_END,
             .usercmd = NQ_USERCMD,
             .pitch = NQ_MOVE_ANGLES_PITCH,
             .forward = NQ_MOVE_FORWARD,
             .side = NQ_MOVE_SIDE,
             .up = NQ_MOVE_UP,
             .msec = NQ_USERCMD_MSEC,
             .loss = NQ_MOVE_LOSS,
             .temp_entity_type = NQ_TEMP_ENTITY_TYPE},
    .temp_entities = temp_entities,
    .temp_entity_count = G_N_ELEMENTS(temp_entities),
    .temp_entity_numbering = TE_SIZE_QUAKE,
    .name_model = name_model,
    .name_entity = name_entity,
    .read_player = read_player,
    .keep_inputs = keep_inputs,
    .acknowledge_frame = nq_acknowledge_frame,
};

/* Reads the update, and before it the number of the newest move that the server has. */
void nq_read_updateentities(struct qs_decoder *d)
{
    if (nq_session_of(d)->ext.fte2 & FTE2_PREDINFO)
        qs_u16(d, NQ_UPDATEENTITIES_MOVE);
    nq_read_frame_number(d, (int32_t)d->found.sequence);
    fte_read_updateentities(d);
    if (!d->in.overrun)
        nq_level_time(d, fte_session(d)->update_time);
}

/* Reads the move's number, because the ends number packets differently, and the move. */
void nq_read_fte_move(struct qs_decoder *d)
{
    qs_u16(d, NQ_MOVE_SEQUENCE);
    fte_read_move(d);
}
