/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svc_serverdata, which begins a level. Source: dm2-format, section 3; additions of newer
 * protocols: PROTOCOL.md, sections 5, 7 and 11.
 */
#include "common/quake2/decode.h"

/* --- Known protocols that are not decoded. Source: PROTOCOL.md, section 16. --- */

bool q2_pass_over(struct qs_decoder *d)
{
    struct q2_session *session = q2_session_of(d->session);
    char *version;

    if (!session->undecodable)
        return false;
    version = q2_version_text(session);
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, qs_reader_left(&d->in),
            "Protocol %s is not decoded", version);
    g_free(version);
    qs_undecoded_to(d, d->in.limit);
    return true;
}

/* --- Level start --- */

enum {
    SPLIT_SCREEN = -2, /* player number in the rerelease if several players share a screen */
    MINOR_FLAGS = 1024 /* first minor version of Q2PRO whose serverdata has a word of flags */
};

/* Content of svc_serverdata. */
struct serverdata {
    int32_t version, servercount;
    uint8_t record;
    int16_t player;
    uint32_t minor;
    uint16_t flags;
    uint8_t frame_rate; /* 0 if not sent */
    struct qs_view gamedir, level;
};

static void read_r1q2_serverdata(struct qs_decoder *d, struct serverdata *data)
{
    qs_u8(d, Q2_SERVERDATA_ENHANCED);
    data->minor = qs_u16(d, Q2_SERVERDATA_MINOR);
    qs_u8(d, Q2_SERVERDATA_ADVANCED_DELTAS);
    qs_u8(d, Q2_SERVERDATA_STRAFEJUMP);
}

static void read_q2pro_serverdata(struct qs_decoder *d, struct serverdata *data)
{
    data->minor = qs_u16(d, Q2_SERVERDATA_MINOR);
    qs_u8(d, Q2_SERVERDATA_STATE);
    if (data->version == Q2_PROTOCOL_Q2PRO && data->minor >= MINOR_FLAGS) {
        data->flags = qs_u16(d, Q2_SERVERDATA_FLAGS);
        return;
    }
    qs_u8(d, Q2_SERVERDATA_STRAFEJUMP);
    qs_u8(d, Q2_SERVERDATA_QW_MODE);
    qs_u8(d, Q2_SERVERDATA_WATERJUMP);
}

static void read_q2repro_serverdata(struct qs_decoder *d, struct serverdata *data)
{
    data->minor = qs_u16(d, Q2_SERVERDATA_MINOR);
    qs_u8(d, Q2_SERVERDATA_STATE);
    data->flags = qs_u16(d, Q2_SERVERDATA_FLAGS);
    data->frame_rate = qs_u8(d, Q2_SERVERDATA_FPS);
}

/* True if R1Q2's minor version or the qport's width is unknown: only connect has them. */
static bool lacks_connect(const struct q2_session *session)
{
    return session->variant.packed &&
           (session->qport_width == Q2_QPORT_UNKNOWN ||
            (session->base.version == Q2_PROTOCOL_R1Q2 && !session->handshake.connect_minor));
}

static void begin_level(struct qs_decoder *d, const struct serverdata *data)
{
    struct q2_session *session = q2_session_of(d->session);

    q2_session_begin_level(session);
    session->level.frame_rate = data->frame_rate;
    session->level.servercount = data->servercount;
    session->record = data->record;
    session->player = data->player;
    session->protocol_flags = data->flags;
    session->minor = data->minor;
    if (data->version == Q2_PROTOCOL_R1Q2 && session->handshake.connect_minor &&
        session->handshake.connect_minor < data->minor)
        session->minor = session->handshake.connect_minor;
    qs_table_set(&session->texts, Q2_TEXT_GAMEDIR, data->gamedir);
    q2_session_set_version(session, data->version);
    session->handshake.guessed = lacks_connect(session);
    if (session->tracker)
        q2_tracker_level(session->tracker);
}

/* Stops decoding this session, because its version is not supported. */
static void refuse_version(struct qs_decoder *d, int32_t version, uint32_t minor)
{
    struct q2_session *session = q2_session_of(d->session);

    session->minor = minor;
    q2_session_set_version(session, version);
    session->undecodable = true;
    q2_pass_over(d);
    d->stop = true;
}

/* True if the level can be decoded. The rerelease's connections are not, nor its demos of split
 * screens, whose format is unknown. */
static bool is_to_be_read(const struct qs_decoder *d, const struct serverdata *data)
{
    if (q2_is_rerelease(data->version))
        return data->player != SPLIT_SCREEN &&
               q2_session_of_const(d->session)->handshake.wanted.version != data->version;
    return q2_is_decoded(data->version, data->minor);
}

void q2_read_serverdata(struct qs_decoder *d)
{
    struct serverdata data = {.version = (int32_t)qs_u32(d, Q2_SERVERDATA_PROTOCOL)};

    if (!d->in.overrun && !q2_is_decoded(data.version, 0) && !q2_is_rerelease(data.version)) {
        refuse_version(d, data.version, 0);
        return;
    }
    data.servercount = qs_i32(d, Q2_SERVERDATA_COUNT);
    data.record = qs_u8(d, Q2_SERVERDATA_RECORD);
    if (q2_is_rerelease(data.version))
        data.frame_rate = qs_u8(d, Q2_SERVERDATA_FPS);
    data.gamedir = qs_text(d, Q2_SERVERDATA_GAMEDIR);
    data.player = qs_i16(d, Q2_SERVERDATA_PLAYER);
    data.level = qs_text(d, Q2_SERVERDATA_LEVEL);
    if (data.version == Q2_PROTOCOL_R1Q2)
        read_r1q2_serverdata(d, &data);
    else if (q2_is_q2pro(data.version))
        read_q2pro_serverdata(d, &data);
    else if (data.version == Q2_PROTOCOL_Q2REPRO)
        read_q2repro_serverdata(d, &data);
    qs_label(d, ": protocol %d", data.version);
    qs_label_text(d, ", \"", data.level, "\"");
    if (d->in.overrun)
        return;
    if (!is_to_be_read(d, &data)) {
        refuse_version(d, data.version, data.minor);
        return;
    }
    begin_level(d, &data);
}
