/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects a QuakeWorld session's sign-on: all messages that are the same for every client, from
 * the packet with svc_serverdata to the first packet of the game. Also tracks the client's view of
 * entities, to find those in view when a late session begins. Source:
 * common/quakeworld/PROTOCOL.md, section 9.
 */
#include <string.h>

#include "common/core/findings.h"
#include "common/core/text.h"
#include "common/core/writer.h"
#include "common/demo/qwd/late_join.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/decode.h"

/* --- Messages of the sign-on --- */

/* Messages sent in a level's sign-on only. */
static const uint8_t once[] = {
    SVC_SERVERDATA,         SVC_SOUNDLIST,         SVC_FTE_SOUNDLISTSHORT, SVC_MODELLIST,
    SVC_FTE_MODELLISTSHORT, SVC_SPAWNSTATIC,       SVC_FTE_SPAWNSTATIC2,   SVC_SPAWNSTATICSOUND,
    SVC_SPAWNBASELINE,      SVC_FTE_SPAWNBASELINE2};

static const uint8_t game[] = {SVC_PLAYERINFO, SVC_PACKETENTITIES, SVC_DELTAPACKETENTITIES,
                               SVC_FTE_UPDATEENTITIES};

/* True for secrets and monsters; all other statistics are the player's own. */
static bool is_common_stat(uint8_t stat)
{
    enum { STAT_TOTALSECRETS = 11, STAT_MONSTERS = 14 };

    return stat >= STAT_TOTALSECRETS && stat <= STAT_MONSTERS;
}

/* True for the server's settings, and for the command that ends the sign-on. */
static bool is_common_text(struct qs_view message)
{
    const struct qs_view text = qs_view_skip(message, 1);

    return qs_view_begins(text, "fullserverinfo ") || qs_view_begins(text, "skins\n");
}

/* True if the message is the same for all clients. */
static bool is_common(struct qs_view message)
{
    switch (message.data[0]) {
    case SVC_CDTRACK:
    case SVC_SETPAUSE:
    case SVC_LIGHTSTYLE:
    case SVC_FTE_LIGHTSTYLECOL:
    case SVC_UPDATEFRAGS:
    case SVC_UPDATEPING:
    case SVC_UPDATEPL:
    case SVC_UPDATEENTERTIME:
    case SVC_UPDATEUSERINFO:
    case SVC_SETINFO:
    case SVC_SERVERINFO:
    case SVC_FTE_PRECACHE:
        return true;
    case SVC_FTE_CUSTOMTEMPENT:
        return message.data[1] == CTE_DEFINITION;
    case SVC_UPDATESTAT:
    case SVC_UPDATESTATLONG:
        return is_common_stat(message.data[1]);
    case SVC_STUFFTEXT:
        return is_common_text(message);
    }
    return memchr(once, message.data[0], sizeof once);
}

static bool has_game(const struct qs_decoder *decoder)
{
    for (size_t i = 0; i < sizeof game; i++)
        if (qs_has_message(decoder, game[i]))
            return true;
    return false;
}

bool qwd_needs_level(const struct qs_decoder *decoder)
{
    if (decoder->found.direction != QS_S2C)
        return false;
    for (size_t i = 0; i < sizeof once; i++)
        if (qs_has_message(decoder, once[i]))
            return true;
    return has_game(decoder) || qs_has_message(decoder, SVC_LIGHTSTYLE);
}

static bool is_pair(uint32_t key)
{
    return key == EXTENSION_FTE || key == EXTENSION_FTE2 || key == EXTENSION_MVD1 ||
           key == EXTENSION_VLEN;
}

void qwd_skip_pairs(struct qs_reader *in)
{
    enum { PAIR_SIZE = 8 };

    while (qs_reader_left(in) >= PAIR_SIZE && is_pair(qs_le32(in->data + in->pos))) {
        const uint32_t key = qs_reader_u32(in);

        qs_reader_u32(in);
        if (key == EXTENSION_VLEN)
            qs_reader_bytes(in, qs_reader_u32(in));
    }
}

void qwd_skip_to_players(struct qs_reader *in, const struct fte_session *agreed)
{
    qs_reader_bytes(in, 8); /* protocol, count */
    qs_reader_string(in);   /* game directory */
    if (agreed->fte2 & FTE2_MAXPLAYERS)
        qs_reader_u8(in); /* slots */
}

/* Adds svc_serverdata of MVD, with a player in place of the time: PROTOCOL.md, section 10. Drops
 * the pairs of extensions if none is agreed, because clients without extensions know none. */
static void add_serverdata_of_mvd(struct qs_sign_on *sign_on, const struct fte_session *agreed,
                                  struct qs_view message)
{
    const bool plain =
        !agreed->fte && !agreed->fte2 && !(agreed->mvd1 & ~(uint32_t)MVD1_HIDDEN_MESSAGES);
    struct qs_reader in = qs_reader_over(message.data, message.size);
    GByteArray *bytes = g_byte_array_new();
    const bool several = agreed->fte2 & FTE2_MAXPLAYERS;
    uint32_t from;

    qs_write_u8(bytes, qs_reader_u8(&in));
    from = in.pos;
    qwd_skip_pairs(&in);
    from = plain ? in.pos : from;
    qwd_skip_to_players(&in, agreed);
    g_byte_array_append(bytes, message.data + from, in.pos - from);
    qs_reader_u32(&in); /* time */
    if (several)
        qs_write_u8(bytes, 1); /* seats */
    qs_write_u8(bytes, 0);     /* player */
    if (!several && agreed->fte & FTE_SPLITSCREEN)
        qs_write_u8(bytes, SEATS_END);
    g_byte_array_append(bytes, in.data + in.pos, qs_reader_left(&in));
    qs_sign_on_add(sign_on, qs_view_of_bytes(bytes));
    sign_on->broken |= in.overrun;
    g_byte_array_free(bytes, TRUE);
}

static void add_message(struct qs_sign_on *sign_on, const struct qw_session *session,
                        struct qs_view message)
{
    if (message.size < 2 || !is_common(message))
        return;
    if (message.data[0] == SVC_SERVERDATA && session->mvd)
        add_serverdata_of_mvd(sign_on, &session->ext, message);
    else
        qs_sign_on_add(sign_on, message);
}

/* --- View of the donor's client --- */

static void view_free(gpointer data)
{
    struct qwd_view *view = data;

    g_free(view->baselines);
    qs_sights_clear(&view->sights);
    g_free(view);
}

static void begin_view(struct qs_sign_on *sign_on, const struct qw_session *session)
{
    struct qwd_view *view = g_new0(struct qwd_view, 1);

    view->format = qw_delta_format(&session->ext);
    qs_sights_init(&view->sights);
    sign_on->extra = view;
    sign_on->extra_free = view_free;
}

/* Source: PROTOCOL.md, section 4. */
bool qwd_read_position(struct qs_view body, const struct fte_session *agreed,
                       struct qwd_position *position)
{
    const bool floats = (agreed->fte & FTE_FLOATCOORDS) || (agreed->mvd1 & MVD1_FLOATCOORDS);
    struct qs_reader in = qs_reader_over(body.data, body.size);

    position->player = qs_reader_u8(&in);
    position->flags = qs_reader_u16(&in);
    if ((position->flags & PF_EXTRA_PFS) && (agreed->fte & FTE_MOREFLAGS))
        qs_reader_u8(&in);
    for (unsigned i = 0; i < 3; i++)
        position->origin[i] =
            floats ? qs_reader_float(&in) : (float)(int16_t)qs_reader_u16(&in) / 8;
    return !in.overrun;
}

static void store_change(void *user, const struct qwd_change *change)
{
    struct qs_sign_on *sign_on = user;

    if (change->arrives && !qwd_first_seen_state(sign_on, change->delta->number))
        qs_sign_on_set_state(sign_on, change->delta->number,
                             (struct qs_view){(const void *)change->state, sizeof *change->state});
}

/* Follows an update. Server demos have no numbers: each update is based on the previous one. */
static void follow_update(struct qs_sign_on *sign_on, struct qwd_view *view,
                          const struct qs_decoder *decoder, struct qs_view body, bool is_delta)
{
    const bool mvd = ((const struct qw_session *)decoder->session)->mvd;
    const uint32_t sequence = mvd ? view->updates + 1 : decoder->found.sequence;
    struct qs_reader in = qs_reader_over(body.data, body.size);
    const uint32_t from = is_delta ? qw_delta_base(sequence, qs_reader_u8(&in)) : 0;

    qwd_follow_update(&view->seen, sequence, mvd ? view->updates : from, !is_delta, in,
                      &view->format, view->baselines, store_change, sign_on);
    if (!mvd && qs_sights_is_due(&view->sights, view->updates))
        qs_sights_add(&view->sights, view->updates, view->origin)->in_view =
            view->seen.kept[sequence % QW_FRAMES_KEPT].in;
    view->updates++;
}

static void store_message(struct qs_sign_on *sign_on, const struct qs_decoder *decoder, uint16_t id,
                          struct qs_view message)
{
    const struct qw_session *session = (const struct qw_session *)decoder->session;
    const struct qs_view body = {message.data + 1, message.size - 1};
    struct qwd_view *view = sign_on->extra;
    struct qw_entity baseline;
    struct qwd_position position;

    switch (id) {
    case SVC_SPAWNBASELINE:
    case SVC_FTE_SPAWNBASELINE2:
        if (qw_read_baseline(body, id == SVC_FTE_SPAWNBASELINE2, &view->format, &baseline))
            view->baselines = qw_states_set(view->baselines, &baseline);
        break;
    case SVC_PLAYERINFO: /* servers send it before each update; MVD's form differs */
        if (!session->mvd && body.data[0] == session->player &&
            qs_sights_is_due(&view->sights, view->updates) &&
            qwd_read_position(body, &session->ext, &position))
            memcpy(view->origin, position.origin, sizeof view->origin);
        break;
    case SVC_PACKETENTITIES:
    case SVC_DELTAPACKETENTITIES:
        follow_update(sign_on, view, decoder, body, id == SVC_DELTAPACKETENTITIES);
        break;
    }
}

/* --- Packets and blocks --- */

struct qs_view qwd_messages(const struct qs_decoder *decoder)
{
    const guint count = decoder->found.messages->len;
    const struct qs_message *first, *last;

    if (!count || !has_game(decoder))
        return (struct qs_view){0};
    first = qs_message_at(decoder, 0);
    last = qs_message_at(decoder, count - 1);
    return (struct qs_view){first->bytes, (uint32_t)(last->bytes + last->length - first->bytes)};
}

static void store_entities(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    if (((const struct qw_session *)decoder->session)->ext.fte2 & FTE2_REPLACEMENTDELTAS) {
        qwd_updates_keep(sign_on, sign_on->extra, decoder);
        return;
    }
    for (guint i = 0; i < decoder->found.messages->len; i++) {
        const struct qs_view message = qs_message_view(qs_message_at(decoder, i));

        if (message.size > 1)
            store_message(sign_on, decoder, qs_message_at(decoder, i)->id, message);
    }
}

/* Adds a packet's messages. Any undecoded byte before the game breaks the sign-on. */
static void add_sign_on(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const struct qw_session *session = (const struct qw_session *)decoder->session;

    sign_on->broken |= qs_decoder_problems(decoder) != 0;
    if (sign_on->broken)
        return;
    sign_on->blocks++;
    for (guint i = 0; i < decoder->found.messages->len; i++)
        add_message(sign_on, session, qs_message_view(qs_message_at(decoder, i)));
    if (has_game(decoder) && qs_table_get(&session->models, 1) && !sign_on->broken)
        qs_sign_on_complete(sign_on, decoder->protocol, decoder->session);
}

bool qwd_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const struct qw_session *session = (const struct qw_session *)decoder->session;

    if (!sign_on->complete && session->base.lost.packet)
        sign_on->broken = true;
    if (decoder->found.direction != QS_S2C || !session->content.data || sign_on->broken)
        return false;
    /* A svc_serverdata begins a level, which has a sign-on of its own. */
    if (!sign_on->complete && qs_has_message(decoder, SVC_SERVERDATA)) {
        qs_sign_on_clear(sign_on);
        begin_view(sign_on, session);
    }
    if (!sign_on->extra)
        return false;
    if (!sign_on->complete)
        add_sign_on(sign_on, decoder);
    store_entities(sign_on, decoder);
    qs_sign_on_mark(sign_on, qwd_messages(decoder));
    return has_game(decoder);
}
