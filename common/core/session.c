/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/session.h"

#include <stddef.h>

#include "common/core/protocol.h"

void qs_session_init(struct qs_session *session)
{
    *session = (struct qs_session){.server = QS_END_UNKNOWN};
}

void qs_session_connect(struct qs_session *session)
{
    *session = (struct qs_session){.server = session->server,
                                   .connection = session->connection + 1,
                                   .may_inflate = session->may_inflate};
}

void qs_level_begin(struct qs_session *session)
{
    session->level++;
    session->level_state = QS_LEVEL_SIGNING_ON;
    session->lost = (struct qs_sign_on_loss){0};
}

void qs_level_play(struct qs_session *session, uint32_t from)
{
    if (session->level_state != QS_LEVEL_SIGNING_ON)
        return;
    session->level_state = QS_LEVEL_PLAYING;
    session->played_from = from;
}

void qs_level_end(struct qs_session *session, uint64_t packet)
{
    if (!session->level)
        return;
    session->level_state = QS_LEVEL_ENDED;
    session->ended_by = packet;
}

bool qs_level_is_over(const struct qs_session *session, uint64_t packet)
{
    return session->level_state == QS_LEVEL_ENDED && session->ended_by != packet;
}

void qs_level_lose(struct qs_session *session, uint64_t packet, bool before, bool playable)
{
    const struct qs_reliable *reliable = &session->to_client.reliable;
    const bool of_sign_on = session->level_state == QS_LEVEL_SIGNING_ON ||
                            (reliable->lacks && reliable->since + 1 < session->played_from);

    if (session->level && (!session->lost.packet || (session->lost.playable && !playable)))
        session->lost =
            (struct qs_sign_on_loss){packet, before, !of_sign_on, playable && of_sign_on};
}

bool qs_level_is_unplayable(const struct qs_session *session)
{
    return session->lost.packet && !session->lost.playable;
}

bool qs_session_from_server(const struct qs_session *session, const struct qs_packet *packet)
{
    return session->server != QS_END_UNKNOWN && session->server == packet->from;
}

uint32_t qs_number_session(struct qs_session_numbers *numbering, struct qs_session_number *current,
                           uint32_t connection, bool accepted)
{
    if (current->number && current->connection != connection)
        current->number = 0;
    if (!current->number && accepted)
        *current = (struct qs_session_number){++numbering->count, connection};
    return current->number;
}

char *qs_player_of(const struct qs_protocol *protocol, const struct qs_session *session)
{
    struct qs_description description = {0};
    struct qs_player player;
    GString *names;

    protocol->describe(session, &description);
    g_free(description.version);
    g_free(description.map);
    if (!description.has_all_players)
        return description.player;
    names = g_string_new(NULL);
    for (uint32_t slot = 0; slot < QS_PLAYER_SLOTS; slot++)
        if (protocol->player(session, slot, &player)) {
            if (!player.spectator)
                g_string_append_printf(names, "%s%s", names->len ? ", " : "", player.name);
            g_free(player.name);
            g_free(player.team);
        }
    return g_string_free(names, !names->len);
}

const struct qs_field qs_session_fields[QS_SESSION_FIELDS] = {
    [QS_SESSION_NUMBER] = {.name = "session",
                           .title = "Session",
                           .type = QS_U32,
                           .blurb = "Number of the session in the capture, in the order of "
                                    "first packets"},
    [QS_SESSION_PLAYER] = {.name = "session.player",
                           .title = "Player",
                           .type = QS_TEXT,
                           .blurb = "Name of the session's player",
                           .role = QS_ROLE_NAME},
    [QS_SESSION_FROM_SERVER] = {.name = "from_server",
                                .title = "From the server",
                                .type = QS_BOOL,
                                .blurb = "Whether the server sent the packet"},
};
