/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "common/core/text.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"

void nq_session_init(struct qs_session *session)
{
    memset(session, 0, sizeof(struct nq_session));
    qs_session_init(session);
}

void nq_session_forget_packet(struct qs_session *session)
{
    struct nq_session *nq = (struct nq_session *)session;

    g_clear_pointer(&nq->joined, g_bytes_unref);
    nq->delivered = (struct nq_delivery){0};
    nq->move_time = 0;
    nq->moved = nq->angle_set = nq->timed = false;
    nq->move = nq->set = (struct nq_angles){0};
}

void nq_session_copy(struct qs_session *to, const struct qs_session *from)
{
    struct nq_session *target = (struct nq_session *)to;
    const struct nq_session *origin = (const struct nq_session *)from;

    memcpy(target, origin, sizeof *target);
    qs_fragments_copy(&target->to_server.pending, &origin->to_server.pending);
    qs_fragments_copy(&target->to_client.pending, &origin->to_client.pending);
    qs_table_copy(&target->models, &origin->models);
    qs_table_copy(&target->sounds, &origin->sounds);
    qs_table_copy(&target->players, &origin->players);
    qs_table_copy(&target->coarse, &origin->coarse);
    target->joined = NULL; /* copies do not have the last packet */
    nq_session_forget_packet(to);
}

bool nq_session_shares(const struct qs_session *a, const struct qs_session *b)
{
    const struct nq_session *one = (const struct nq_session *)a;
    const struct nq_session *other = (const struct nq_session *)b;

    return qs_fragments_shares(&one->to_server.pending, &other->to_server.pending) &&
           qs_fragments_shares(&one->to_client.pending, &other->to_client.pending) &&
           qs_table_shares(&one->models, &other->models) &&
           qs_table_shares(&one->sounds, &other->sounds) &&
           qs_table_shares(&one->players, &other->players) &&
           qs_table_shares(&one->coarse, &other->coarse) && one->joined == other->joined;
}

void nq_session_clear(struct qs_session *session)
{
    struct nq_session *nq = (struct nq_session *)session;

    nq_session_forget_packet(session);
    qs_fragments_clear(&nq->to_server.pending);
    qs_fragments_clear(&nq->to_client.pending);
    qs_table_clear(&nq->models);
    qs_table_clear(&nq->sounds);
    qs_table_clear(&nq->players);
    qs_table_clear(&nq->coarse);
}

void nq_session_begin_connection(struct nq_session *session)
{
    struct nq_session fresh = {.ext = {.base = session->base, .game = session->ext.game},
                               .darkplaces_client = session->darkplaces_client};

    qs_session_connect(&fresh.base);
    nq_session_clear(&session->base);
    *session = fresh;
}

void nq_session_accept_connection(struct nq_session *session, int64_t time)
{
    const int64_t repeats = INT64_C(2) * 1000000000; /* ns; PROTOCOL.md, section 3 */
    const bool repeated = !session->accepted_at || time - session->accepted_at <= repeats;

    if (session->base.connection && !session->base.disconnected) {
        session->restart_offered = true;
        session->restart_is_certain |= !repeated;
    } else {
        nq_session_begin_connection(session);
    }
    session->accepted_at = time;
}

static char *version_text(const struct nq_session *session)
{
    GString *text = g_string_new(NULL);

    g_string_printf(text, "%d", session->base.version);
    if (session->flags)
        g_string_append_printf(text, " flags 0x%x", session->flags);
    fte_describe(&session->ext, text);
    return g_string_free(text, FALSE);
}

void nq_session_describe(const struct qs_session *session, struct qs_description *description)
{
    const struct nq_session *nq = (const struct nq_session *)session;
    const char *player = nq->view_entity ? qs_table_get(&nq->players, nq->view_entity - 1u) : NULL;

    *description = (struct qs_description){
        .version = session->version ? version_text(nq) : NULL,
        .map = qs_text_file_stem(qs_table_get(&nq->models, 1)),
        .player = player ? qs_text_utf8(qs_view_of(player)) : NULL,
    };
}

bool nq_session_player(const struct qs_session *session, uint32_t slot, struct qs_player *player)
{
    const char *name = qs_table_get(&((const struct nq_session *)session)->players, slot);

    if (name)
        *player = (struct qs_player){.name = qs_text_title(qs_view_of(name), QS_PLAYER_CHARACTERS),
                                     .has_frags = true};
    return name;
}

void nq_session_begin_level(struct nq_session *session)
{
    qs_level_begin(&session->base);
    session->signon = 0;
    session->level_time = session->gap_from = session->gap_until = session->acknowledged_time = 0;
    session->doubt = (struct nq_doubt){0};
    session->has_donor = false;
    session->frames = (struct nq_frames){0};
    session->view_entity = 0;
    session->undecodable = false;
    fte_forget_agreement(&session->ext);
    qs_table_clear(&session->models);
    qs_table_clear(&session->sounds);
    qs_table_clear(&session->players);
    qs_table_clear(&session->coarse);
}

/* Source: PROTOCOL.md, section 9. */
void nq_session_use_donor(struct nq_session *session, const struct nq_session *donor)
{
    struct nq_session own = *session;

    nq_session_copy(&session->base, &donor->base);
    session->base.server = own.base.server;
    session->base.connection = own.base.connection;
    session->base.level = own.base.level;
    qs_level_begin(&session->base);
    qs_level_play(&session->base, 0);
    session->level_time = session->gap_from = session->gap_until = session->acknowledged_time = 0;
    session->base.disconnected = own.base.disconnected;
    session->has_donor = true;
    session->base.to_server = own.base.to_server;
    session->base.to_client = own.base.to_client;
    session->frames = own.frames;
    session->to_server = own.to_server;
    session->to_client = own.to_client;
    session->darkplaces_client =
        own.darkplaces_client || nq_darkplaces_version(session); /* others cannot speak these */
    /* The session owns these fragments now. */
    own.to_server.pending = own.to_client.pending = (struct qs_fragments){0};
    nq_session_clear(&own.base);
}

unsigned nq_darkplaces_version(const struct nq_session *session)
{
    const int32_t version = nq_version(session);

    if (version >= PROTOCOL_DP3 && version <= PROTOCOL_DP8)
        return (unsigned)(version - PROTOCOL_DP3) + 3;
    if (version == PROTOCOL_DP1 || version == PROTOCOL_DP2)
        return (unsigned)(version - PROTOCOL_DP1) + 1;
    return 0;
}

/* In other protocols another number precedes the time, or moves are not known well enough. */
bool nq_moves_begin_with_time(const struct nq_session *session)
{
    const int32_t version = nq_version(session);

    return !(session->ext.fte2 & FTE2_PREDINFO) &&
           (version == PROTOCOL_NETQUAKE || version == PROTOCOL_FITZQUAKE ||
            version == PROTOCOL_RMQ);
}
