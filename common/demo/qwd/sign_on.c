/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a QuakeWorld session's messages is its sign-on: from the packet with svc_serverdata to
 * the first of the game all that is the same for every client, and what the server changes of it
 * later. And what the client then sees of entities, for those that are in view when a late session
 * begins. Source: common/quakeworld/PROTOCOL.md, section 9.
 */
#include "common/core/infostring.h"
#include "common/core/text.h"
#include "common/core/writer.h"
#include "common/demo/qwd/late_join.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/decode.h"

/* --- Which messages --- */

enum {
    STAT = QS_PART_GAME, /* numbered, but few are the same for all clients */
    TEXT,                /* few commands belong to it */
    CHANGE,              /* changes part of an info string, which belongs to it */
    VIEW                 /* what the client sees: see() */
};

static enum qs_sign_on_part part_of(uint8_t id)
{
    static const uint8_t parts[QS_MESSAGE_IDS] = {
        [SVC_SERVERDATA] = QS_PART_ONCE,
        [SVC_SOUNDLIST] = QS_PART_ONCE,
        [SVC_FTE_SOUNDLISTSHORT] = QS_PART_ONCE,
        [SVC_MODELLIST] = QS_PART_ONCE,
        [SVC_FTE_MODELLISTSHORT] = QS_PART_ONCE,
        [SVC_SPAWNSTATIC] = QS_PART_ONCE,
        [SVC_FTE_SPAWNSTATIC2] = QS_PART_ONCE,
        [SVC_SPAWNSTATICSOUND] = QS_PART_ONCE,
        [SVC_SPAWNBASELINE] = QS_PART_ONCE,
        [SVC_FTE_SPAWNBASELINE2] = QS_PART_ONCE,
        [SVC_CDTRACK] = QS_PART_STATE,
        [SVC_SETPAUSE] = QS_PART_STATE,
        [SVC_LIGHTSTYLE] = QS_PART_NUMBERED,
        [SVC_FTE_LIGHTSTYLECOL] = QS_PART_NUMBERED,
        [SVC_UPDATEFRAGS] = QS_PART_NUMBERED,
        [SVC_UPDATEPING] = QS_PART_NUMBERED,
        [SVC_UPDATEPL] = QS_PART_NUMBERED,
        [SVC_UPDATEENTERTIME] = QS_PART_NUMBERED,
        [SVC_UPDATEUSERINFO] = QS_PART_NUMBERED,
        [SVC_UPDATESTAT] = STAT,
        [SVC_UPDATESTATLONG] = STAT,
        [SVC_STUFFTEXT] = TEXT,
        [SVC_SETINFO] = CHANGE,
        [SVC_SERVERINFO] = CHANGE,
        [SVC_PLAYERINFO] = VIEW,
        [SVC_PACKETENTITIES] = VIEW,
        [SVC_DELTAPACKETENTITIES] = VIEW,
        [SVC_FTE_UPDATEENTITIES] = VIEW,
    };

    return (enum qs_sign_on_part)parts[id];
}

/* Secrets and monsters; all others are the player's own. */
static bool is_common_stat(uint8_t stat)
{
    enum { STAT_TOTALSECRETS = 11, STAT_MONSTERS = 14 };

    return stat >= STAT_TOTALSECRETS && stat <= STAT_MONSTERS;
}

/* The server's settings, and the command that ends the sign-on. */
static bool is_common_text(struct qs_view message)
{
    const struct qs_view text = qs_view_behind(message, 1);

    return qs_view_begins(text, "fullserverinfo ") || qs_view_begins(text, "skins\n");
}

/* Both forms of a statistic share a key; so do texts with the same first letter. */
static enum qs_sign_on_part common_part_of(struct qs_view message)
{
    const enum qs_sign_on_part part = part_of(message.data[0]);

    if (part < QS_PART_GAME)
        return part;
    if ((part == (enum qs_sign_on_part)STAT && is_common_stat(message.data[1])) ||
        (part == (enum qs_sign_on_part)TEXT && is_common_text(message)))
        return QS_PART_NUMBERED;
    return QS_PART_NONE;
}

/* --- Changes of a part of an info --- */

static void replace_with(struct qs_sign_on *sign_on, GByteArray *message)
{
    qs_sign_on_replace(sign_on, qs_sign_on_about(message->data[0], message->data[1]),
                       qs_view_of_bytes(message));
    g_byte_array_free(message, TRUE);
}

/* svc_setinfo: the session has the whole updated user info. */
static void change_userinfo(struct qs_sign_on *sign_on, const struct qw_session *session,
                            uint8_t player)
{
    const struct qs_view old =
        qs_sign_on_find(sign_on, qs_sign_on_about(SVC_UPDATEUSERINFO, player));
    const char *info = qs_table_get(&session->userinfo, player);
    GByteArray *message;

    if (old.size < 6 || !info)
        return;
    message = g_byte_array_new();
    g_byte_array_append(message, old.data, 6); /* id, player, user id */
    qs_write_text(message, info);
    replace_with(sign_on, message);
}

/* svc_serverinfo, likewise. */
static void change_serverinfo(struct qs_sign_on *sign_on, const struct qw_session *session)
{
    const char *info = qs_table_get(&session->texts, QW_TEXT_SERVERINFO);
    GByteArray *message;
    char *text;

    if (!info)
        return;
    message = g_byte_array_new();
    text = g_strdup_printf("fullserverinfo \"%s\"\n", info);
    qs_write_u8(message, SVC_STUFFTEXT);
    qs_write_text(message, text);
    g_free(text);
    replace_with(sign_on, message);
}

/* In MVD four bytes of time replace the player's: PROTOCOL.md, section 10. */
static void add_serverdata_of_mvd(struct qs_sign_on *sign_on, struct qs_view message)
{
    struct qs_reader in = qs_reader_over(message.data, message.size);
    GByteArray *bytes = g_byte_array_new();

    qs_reader_u8(&in);
    qwd_skip_pairs(&in);
    qs_reader_take(&in, 8); /* protocol, count */
    qs_reader_string(&in);  /* game directory */
    g_byte_array_append(bytes, message.data, in.pos);
    qs_reader_u32(&in);
    qs_write_u8(bytes, 0);
    g_byte_array_append(bytes, in.data + in.pos, qs_reader_left(&in));
    qs_sign_on_add(sign_on, QS_SIGN_ON_ALONE, qs_view_of_bytes(bytes));
    sign_on->broken |= in.overrun;
    g_byte_array_free(bytes, TRUE);
}

static void update(struct qs_sign_on *sign_on, const struct qw_session *session,
                   struct qs_view message)
{
    const uint8_t id = message.data[0];

    if (id == SVC_SETINFO)
        change_userinfo(sign_on, session, message.data[1]);
    else if (id == SVC_SERVERINFO)
        change_serverinfo(sign_on, session);
    else if (id == SVC_SERVERDATA && session->mvd && !sign_on->complete)
        add_serverdata_of_mvd(sign_on, message);
    else
        qs_sign_on_update(sign_on, common_part_of(message),
                          id == SVC_UPDATESTATLONG ? SVC_UPDATESTAT : id, message);
}

/* --- The donor's view of entities --- */

static void begin_view(struct qs_sign_on *sign_on, const struct qw_session *session)
{
    const struct qw_delta_format format = qw_delta_format(&session->ext);
    struct qwd_view *view = qwd_view_new(&format);

    view->everywhere = session->mvd;
    sign_on->extra = &view->extra;
}

/* PROTOCOL.md, section 4. */
bool qwd_read_place(struct qs_view body, const struct fte_session *agreed, struct qwd_place *place)
{
    const bool floats = (agreed->fte & FTE_FLOATCOORDS) || (agreed->mvd1 & MVD1_FLOATCOORDS);
    struct qs_reader in = qs_reader_over(body.data, body.size);

    place->player = qs_reader_u8(&in);
    place->flags = qs_reader_u16(&in);
    if ((place->flags & PF_EXTRA_PFS) && (agreed->fte & FTE_MOREFLAGS))
        qs_reader_u8(&in);
    for (unsigned i = 0; i < 3; i++)
        place->origin[i] =
            floats ? qs_float_of_bits(qs_reader_u32(&in)) : (float)(int16_t)qs_reader_u16(&in) / 8;
    return !in.overrun;
}

static void see_place(struct qwd_view *view, const struct qw_session *session, struct qs_view body)
{
    struct qwd_place place;

    if (body.data[0] == session->player && qwd_read_place(body, &session->ext, &place))
        memcpy(view->origin, place.origin, sizeof view->origin);
}

/* FTE's replacement deltas are kept unchanged: see entity_updates.c. */
static void see(struct qwd_view *view, const struct qw_session *session, uint8_t id,
                struct qs_view message)
{
    const struct qs_view body = {message.data + 1, message.size - 1};
    struct qw_entity baseline;

    if (session->ext.fte2 & FTE2_REPLACEMENTDELTAS)
        return;
    switch (id) {
    case SVC_SPAWNBASELINE:
    case SVC_FTE_SPAWNBASELINE2:
        if (qw_read_baseline(body, id == SVC_FTE_SPAWNBASELINE2, &view->format, &baseline))
            view->baselines = qw_states_set(view->baselines, &baseline);
        break;
    case SVC_PLAYERINFO:
        /* In MVD it has another form. */
        if (!session->mvd)
            see_place(view, session, body);
        break;
    case SVC_PACKETENTITIES:
    case SVC_DELTAPACKETENTITIES:
        qwd_view_update(view, session->player, body, id == SVC_DELTAPACKETENTITIES);
        break;
    }
}

/* --- Packets and blocks --- */

static const uint8_t game_messages[] = {SVC_PLAYERINFO, SVC_PACKETENTITIES, SVC_DELTAPACKETENTITIES,
                                        SVC_FTE_UPDATEENTITIES};

static bool has_game(const struct qs_decoder *decoder)
{
    for (size_t i = 0; i < G_N_ELEMENTS(game_messages); i++)
        if (qs_has_message(decoder, game_messages[i]))
            return true;
    return false;
}

static bool needs_level(uint8_t id)
{
    return memchr(game_messages, id, sizeof game_messages) || part_of(id) == QS_PART_ONCE ||
           id == SVC_LIGHTSTYLE;
}

bool qwd_needs_level(const struct qs_decoder *decoder)
{
    for (guint i = 0; decoder->direction == QS_S2C && i < decoder->messages->len; i++)
        if (needs_level((uint8_t)qs_message_at(decoder, i)->id))
            return true;
    return false;
}

static void add_message(struct qs_sign_on *sign_on, const struct qs_decoder *decoder, guint index)
{
    const struct qw_session *session = (const struct qw_session *)decoder->session;
    const struct qs_view message = qs_message_view(qs_message_at(decoder, index));
    struct qwd_view *view = (struct qwd_view *)sign_on->extra;

    if (message.size < 2)
        return;
    see(view, session, (uint8_t)qs_message_at(decoder, index)->id, message);
    if (qwd_updates_is_kept(&session->ext, message.data[0]))
        qwd_updates_keep(sign_on, &view->presence, decoder, index, message);
    update(sign_on, session, message);
}

/* Most messages of the game are irrelevant; servers send a player's origin before each update. */
static bool is_relevant(const struct qwd_view *view, uint8_t id)
{
    return part_of(id) != QS_PART_NONE &&
           (id != SVC_PLAYERINFO || qs_samples_is_due(&view->samples, view->updates));
}

static void add_messages(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    for (guint i = 0; i < decoder->messages->len; i++)
        if (is_relevant((const struct qwd_view *)sign_on->extra,
                        (uint8_t)qs_message_at(decoder, i)->id))
            add_message(sign_on, decoder, i);
}

/* Every byte of a donor's packets before the game must have been decoded. */
static void add_sign_on(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const struct qw_session *session = (const struct qw_session *)decoder->session;

    sign_on->broken |= qs_decoder_problems(decoder) != 0;
    if (sign_on->broken)
        return;
    sign_on->blocks++;
    add_messages(sign_on, decoder);
    sign_on->complete = has_game(decoder) && qs_table_get(&session->models, 1);
}

void qwd_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const struct qw_session *session = (const struct qw_session *)decoder->session;

    if (!sign_on->complete && session->base.lost.packet)
        sign_on->broken = true;
    if (decoder->direction != QS_S2C || !session->content.data)
        return;
    /* A svc_serverdata begins a level, and each level has a sign-on of its own. */
    if (sign_on->complete) {
        add_messages(sign_on, decoder);
        return;
    }
    if (qs_has_message(decoder, SVC_SERVERDATA)) {
        qs_sign_on_clear(sign_on);
        begin_view(sign_on, session);
    }
    if (sign_on->extra)
        add_sign_on(sign_on, decoder);
}
