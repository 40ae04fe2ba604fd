/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a Quake session's messages is its sign-on: from the message with svc_serverinfo to
 * svc_signonnum 3 everything that is the same for all clients. And what DarkPlaces' clients know of
 * entities from DP5 on: the last full update of each, as a svc_entities of its own. Source:
 * common/quake/PROTOCOL.md, section 9; DarkPlaces, cl_ents5.c EntityFrame5_CL_ReadFrame.
 */
#include "common/core/findings.h"
#include "common/core/hash.h"
#include "common/core/writer.h"
#include "common/demo/dem/late_join.h"
#include "common/quake/constants.h"
#include "common/quake/decode.h"

enum {
    STAT_TOTALSECRETS = 11,
    STAT_MONSTERS = 14,
    STAT_MOVEVARS = 220, /* from here on, of DarkPlaces: how players move on this server */
    FRAMES_VERSION = 5,  /* of DarkPlaces: from here on svc_entities has changes to frames, */
    MOVE_VERSION = 7,    /* and the number of the client's last move */
    FRAME_SIZE = 4,
    MOVE_SIZE = 4
};

bool dem_is_of_player(uint8_t id)
{
    return id == SVC_UPDATENAME || id == SVC_UPDATEFRAGS || id == SVC_UPDATECOLORS;
}

/* All other statistics are the player's own. */
static bool is_common_stat(const struct nq_session *session, uint8_t stat)
{
    if (stat >= STAT_MOVEVARS)
        return nq_darkplaces_version(session) != 0;
    return stat >= STAT_TOTALSECRETS && stat <= STAT_MONSTERS;
}

/* The message makes its client restart the sign-on; a late session must not. */
static bool is_reconnect(struct qs_view message)
{
    return g_strstr_len((const char *)message.data + 1, message.size - 1, "reconnect");
}

/* Whether the message is the same for all clients. `first`: svc_serverinfo is in the same packet.
 */
static bool is_common(const struct nq_session *session, struct qs_view message, bool first)
{
    const uint8_t id = message.data[0];

    switch (id) {
    case SVC_PRINT: /* the server's greeting */
        return first;
    case SVC_STUFFTEXT:
        return !is_reconnect(message);
    case SVC_UPDATESTAT:
        return message.size > 1 && is_common_stat(session, message.data[1]);
    case SVC_VERSION:
    case SVC_SETVIEW:
    case SVC_TIME:
    case SVC_SERVERINFO:
    case SVC_LIGHTSTYLE:
    case SVC_SPAWNSTATIC:
    case SVC_SPAWNSTATIC2:
    case SVC_SPAWNBASELINE:
    case SVC_SPAWNBASELINE2:
    case SVC_SETPAUSE:
    case SVC_SIGNONNUM:
    case SVC_SPAWNSTATICSOUND:
    case SVC_SPAWNSTATICSOUND2:
    case SVC_CDTRACK:
    case SVC_SKYBOX:
    case SVC_FOG:
        return true;
    /* Numbers that each server program uses for something else. */
    case SVCFTE_SPAWNSTATIC2:
    case SVCFTE_SPAWNBASELINE2:
        return nq_has_fte(session);
    case SVC_DP_DOWNLOADDATA: /* Nehahra's skybox, and its fog */
    case SVC_DP_UPDATESTATUBYTE:
        return nq_has_nehahra(session);
    case SVC_DP_PRECACHE:
        return nq_darkplaces_version(session) - 1u >= 3;
    case SVC_DP_SPAWNBASELINE2:
    case SVC_LOCALSOUND: /* DarkPlaces' svc_spawnstatic2 */
    case SVC_DP_SPAWNSTATICSOUND2:
        return nq_has_darkplaces(session);
    }
    return dem_is_of_player(id);
}

static void keep_baselines(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    if (!sign_on->extra) {
        sign_on->extra = g_hash_table_new_full(qs_direct_hash, NULL, NULL, g_free);
        sign_on->extra_free = (GDestroyNotify)g_hash_table_unref;
    }
    for (guint i = 0; i < decoder->found.entities->len; i++) {
        const struct qs_entity_update *update =
            &g_array_index(decoder->found.entities, struct qs_entity_update, i);

        if (update->kind == QS_ENTITY_BASELINE && update->has)
            g_hash_table_insert(dem_baselines(sign_on), GUINT_TO_POINTER(update->number),
                                g_memdup2(update, sizeof *update));
    }
}

/* Every byte of a donor's packets before the game must have been decoded. */
static void add_sign_on(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;
    const bool first = !sign_on->blocks;

    if (first && !qs_has_message(decoder, SVC_SERVERINFO))
        return;
    sign_on->broken |= qs_decoder_problems(decoder) || session->base.lost.packet;
    sign_on->blocks++;
    for (guint i = 0; i < decoder->found.messages->len; i++) {
        const struct qs_view message = qs_message_view(qs_message_at(decoder, i));

        if (is_common(session, message, first))
            qs_sign_on_add(sign_on, message);
    }
    keep_baselines(sign_on, decoder);
    if (session->signon == SIGNON_DONE && !sign_on->broken)
        qs_sign_on_complete(sign_on, decoder->protocol, decoder->session);
}

/* --- Entities of DarkPlaces from DP5 on --- */

static void keep_update(struct qs_sign_on *sign_on, struct qs_view head,
                        const struct qs_entity_update *update)
{
    GByteArray *bytes = g_byte_array_new();

    qs_write_view(bytes, head);
    qs_write_view(bytes, update->bytes);
    qs_write_u16(bytes, ENTITIES_END);
    qs_sign_on_set_state(sign_on, update->number, qs_view_of_bytes(bytes));
    g_byte_array_free(bytes, TRUE);
}

static void keep_updates(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const unsigned version = nq_darkplaces_version((const struct nq_session *)decoder->session);
    const uint32_t head = 1 + FRAME_SIZE + (version >= MOVE_VERSION ? MOVE_SIZE : 0);

    for (guint i = 0; version >= FRAMES_VERSION && i < decoder->found.entities->len; i++) {
        const struct qs_entity_update *update =
            &g_array_index(decoder->found.entities, struct qs_entity_update, i);

        if (update->kind == QS_ENTITY_FRAME && update->bits & E5_FULLUPDATE &&
            update->message < decoder->found.messages->len)
            keep_update(sign_on,
                        (struct qs_view){qs_message_at(decoder, update->message)->bytes, head},
                        update);
    }
}

/* --- Packets and blocks --- */

bool dem_needs_level(const struct qs_decoder *decoder)
{
    return qs_has_message(decoder, SVC_TIME) || qs_has_message(decoder, SVCFTE_UPDATEENTITIES) ||
           qs_has_message(decoder, SVC_SIGNONNUM) || qs_has_message(decoder, SVC_SPAWNBASELINE);
}

bool dem_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    if (decoder->found.direction != QS_S2C)
        return false;
    if (session->timed)
        qs_sign_on_mark(sign_on, session->delivered.bytes);
    if (sign_on->complete)
        keep_updates(sign_on, decoder);
    else if (session->delivered.bytes.data && decoder->found.messages->len)
        add_sign_on(sign_on, decoder);
    else
        sign_on->broken |= session->base.lost.packet || decoder->found.notes[QS_NOTE_NOT_CAPTURED];
    return qs_has_message(decoder, SVC_TIME) || qs_has_message(decoder, SVCFTE_UPDATEENTITIES);
}
