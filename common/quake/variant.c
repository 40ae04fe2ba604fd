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

/* --- Numbers --- */

/* By DarkPlaces' version (com_msg.c, MSG_ReadCoord and MSG_ReadAngle). */
static void set_darkplaces_formats(struct qs_decoder *d, unsigned version)
{
    d->coord_format = version >= 2 && version <= 4 ? QS_COORD_WHOLE : QS_COORD_FLOAT32;
    d->angle_format = version >= 5 ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
}

/* In QuakeSpasm's order (common.c, MSG_ReadCoord and MSG_ReadAngle). */
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

    if (darkplaces)
        set_darkplaces_formats(d, darkplaces);
    else
        set_flagged_formats(d, session->flags);
    if (session->ext.fte & FTE_FLOATCOORDS) {
        /* fteqw cl_parse.c, CLNQ_ParseProtoVersion. */
        d->coord_format = QS_COORD_FLOAT32;
        if (d->angle_format == QS_ANGLE_BYTE)
            d->angle_format = QS_ANGLE_SHORT;
    }
}

/* --- Without a serverinfo --- */

/* What servers choose, the most frequent first. */
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
    /* FTE's extensions as its own client gets them. */
    {PROTOCOL_RMQ, PRFL_FLOATCOORD | PRFL_SHORTANGLE, UINT32_C(0x40060600), UINT32_C(0x7f)},
};

/* The first that reads the messages without a problem. */
static void assume_variant(struct qs_decoder *d, void (*read)(struct qs_decoder *d))
{
    struct nq_session *session = nq_session_of(d);
    struct nq_session guess = *session; /* only read from */

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

/* nop and disconnect, alone, are the same in all protocols, from both sides. */
static bool is_common(struct qs_decoder *d)
{
    return qs_reader_left(&d->in) == 1 && d->in.data[d->in.pos] <= SVC_DISCONNECT;
}

/* So is a console command of the client. */
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
