/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a Quake session's messages is its sign-on: from the message with svc_serverinfo to
 * svc_signonnum 3 everything that is the same for all clients, and the server's later changes to
 * it. Source: common/quake/PROTOCOL.md, section 9.
 */
#include "common/demo/dem/late_join.h"
#include "common/quake/constants.h"
#include "common/quake/decode.h"

enum {
    GREETING = QS_PART_GAME, /* belongs to a sign-on only together with svc_serverinfo */
    STAT,                    /* numbered, but few of them are the same for all */
    COUNTED                  /* adds one to a statistic */
};

/* What the messages are whose numbers mean the same in all variants. */
static const uint8_t parts[] = {
    [SVC_UPDATESTAT] = STAT,
    [SVC_VERSION] = QS_PART_STATE,
    [SVC_SETVIEW] = QS_PART_STATE,
    [SVC_TIME] = QS_PART_STATE,
    [SVC_PRINT] = GREETING,
    [SVC_STUFFTEXT] = QS_PART_ONCE,
    [SVC_SERVERINFO] = QS_PART_ONCE,
    [SVC_LIGHTSTYLE] = QS_PART_NUMBERED,
    [SVC_UPDATENAME] = QS_PART_NUMBERED,
    [SVC_UPDATEFRAGS] = QS_PART_NUMBERED,
    [SVC_UPDATECOLORS] = QS_PART_NUMBERED,
    [SVC_SPAWNSTATIC] = QS_PART_ONCE,
    [SVC_SPAWNSTATIC2] = QS_PART_ONCE,
    [SVC_SPAWNBASELINE] = QS_PART_ONCE,
    [SVC_SPAWNBASELINE2] = QS_PART_ONCE,
    [SVC_SETPAUSE] = QS_PART_STATE,
    [SVC_SIGNONNUM] = QS_PART_ONCE,
    [SVC_KILLEDMONSTER] = COUNTED,
    [SVC_FOUNDSECRET] = COUNTED,
    [SVC_SPAWNSTATICSOUND] = QS_PART_ONCE,
    [SVC_SPAWNSTATICSOUND2] = QS_PART_ONCE,
    [SVC_CDTRACK] = QS_PART_STATE,
    [SVC_SKYBOX] = QS_PART_STATE,
    [SVC_FOG] = QS_PART_STATE,
};

/* Numbers that each server program uses for something else. */
static enum qs_sign_on_part part_of_shared(const struct nq_session *session, uint16_t id)
{
    switch (id) {
    case SVCFTE_SPAWNSTATIC2:
    case SVCFTE_SPAWNBASELINE2:
        return nq_has_fte(session) ? QS_PART_ONCE : QS_PART_NONE;
    case SVC_DP_DOWNLOADDATA: /* Nehahra's skybox, and its fog */
    case SVC_DP_UPDATESTATUBYTE:
        return nq_has_nehahra(session) ? QS_PART_STATE : QS_PART_NONE;
    case SVC_DP_PRECACHE:
        return nq_darkplaces_version(session) - 1u < 3 ? QS_PART_NONE : QS_PART_NUMBERED16;
    case SVC_DP_SPAWNBASELINE2:
    case SVC_LOCALSOUND: /* DarkPlaces' svc_spawnstatic2 */
    case SVC_DP_SPAWNSTATICSOUND2:
        return nq_has_darkplaces(session) ? QS_PART_ONCE : QS_PART_NONE;
    }
    return QS_PART_NONE;
}

static enum qs_sign_on_part part_of(const struct nq_session *session, uint16_t id)
{
    const enum qs_sign_on_part part =
        id < G_N_ELEMENTS(parts) ? (enum qs_sign_on_part)parts[id] : QS_PART_NONE;

    return part == QS_PART_NONE ? part_of_shared(session, id) : part;
}

/* The message makes its client restart the sign-on; a late session must not. */
static bool is_reconnect(struct qs_view message)
{
    static const char command[] = "reconnect";

    return message.data[0] == SVC_STUFFTEXT &&
           g_strstr_len((const char *)message.data + 1, message.size - 1, command);
}

/* --- Which messages --- */

enum {
    STAT_TOTALSECRETS = 11,
    STAT_SECRETS = 13,
    STAT_MONSTERS = 14,
    STAT_MOVEVARS = 220 /* from here on, of DarkPlaces: how players move on this server */
};

/* All others are the player's own. */
static bool is_common_stat(const struct nq_session *session, uint8_t stat)
{
    if (stat >= STAT_MOVEVARS)
        return nq_darkplaces_version(session) != 0;
    return stat >= STAT_TOTALSECRETS && stat <= STAT_MONSTERS;
}

/* --- Messages --- */

static void count_one(struct qs_sign_on *sign_on, uint8_t stat)
{
    const uint32_t which = qs_sign_on_about(SVC_UPDATESTAT, stat);
    const struct qs_view old = qs_sign_on_find(sign_on, which);
    uint8_t bytes[6] = {SVC_UPDATESTAT, stat};
    uint32_t value;

    if (old.size != sizeof bytes)
        return;
    value = qs_le32(old.data + 2) + 1;
    for (unsigned i = 0; i < 4; i++)
        bytes[2 + i] = (uint8_t)(value >> 8 * i);
    qs_sign_on_replace(sign_on, which, (struct qs_view){bytes, sizeof bytes});
}

/* `first`: svc_serverinfo is in the same packet. */
static void update(struct qs_sign_on *sign_on, const struct nq_session *session,
                   struct qs_view message, bool first)
{
    enum qs_sign_on_part part = part_of(session, message.data[0]);

    if (part == (enum qs_sign_on_part)COUNTED && sign_on->complete)
        count_one(sign_on, message.data[0] == SVC_KILLEDMONSTER ? STAT_MONSTERS : STAT_SECRETS);
    if (part == (enum qs_sign_on_part)GREETING)
        part = first ? QS_PART_ONCE : QS_PART_NONE;
    else if (part == (enum qs_sign_on_part)STAT && message.size > 1)
        part = is_common_stat(session, message.data[1]) ? QS_PART_NUMBERED : QS_PART_NONE;
    if (!is_reconnect(message))
        qs_sign_on_update(sign_on, part, message.data[0], message);
}

/* --- Packets and blocks --- */

static void add_messages(struct qs_sign_on *sign_on, const struct qs_decoder *decoder, bool first)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    for (guint i = 0; i < decoder->messages->len; i++) {
        const struct qs_message *message = qs_message_at(decoder, i);
        const struct qs_view bytes = qs_message_view(message);

        /* Most messages are entities, and the time, which the late session has itself. */
        if (!sign_on->complete ||
            (message->id != SVC_TIME && message->id != SVC_CLIENTDATA && message->id < U_SIGNAL))
            update(sign_on, session, bytes, first && !sign_on->complete);
    }
}

/* Of DarkPlaces: they are sent unreliably. */
static void add_frames(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    for (guint i = 0; i < decoder->messages->len; i++)
        if (qs_message_at(decoder, i)->id == SVC_DP_ENTITIES)
            dem_frames_keep(sign_on, decoder, i, qs_message_view(qs_message_at(decoder, i)));
}

/* Before svc_signonnum 3 a donor must have been understood to the last byte. */
static void add_sign_on(struct qs_sign_on *sign_on, const struct qs_decoder *decoder, bool first)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    sign_on->broken |= qs_decoder_problems(decoder) != 0;
    if (sign_on->broken)
        return;
    sign_on->blocks++;
    add_messages(sign_on, decoder, first);
    sign_on->complete = session->signon == SIGNON_DONE && !sign_on->broken;
}

/* Lasting state is sent reliably. Blocks of demos do not show how they were sent. */
static bool is_unreliable(const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    return decoder->packet->from != QS_END_UNKNOWN && !session->delivered.reliable;
}

void dem_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;
    bool first;

    if (decoder->direction != QS_S2C)
        return;
    sign_on->broken |= !sign_on->complete && session->base.lost.packet;
    if (!session->delivered.bytes.data || !decoder->messages->len) {
        sign_on->broken |= !sign_on->complete && decoder->notes[QS_NOTE_NOT_CAPTURED];
        return;
    }
    first = !sign_on->blocks && qs_has_message(decoder, SVC_SERVERINFO);
    if (sign_on->complete && dem_has_frames(session))
        add_frames(sign_on, decoder);
    if (sign_on->complete && is_unreliable(decoder))
        return;
    if (sign_on->complete)
        add_messages(sign_on, decoder, false);
    else if (first || sign_on->blocks)
        add_sign_on(sign_on, decoder, first);
}

bool dem_needs_level(const struct qs_decoder *decoder)
{
    return qs_has_message(decoder, SVC_TIME) || qs_has_message(decoder, SVCFTE_UPDATEENTITIES) ||
           qs_has_message(decoder, SVC_SIGNONNUM) || qs_has_message(decoder, SVC_SPAWNBASELINE);
}
