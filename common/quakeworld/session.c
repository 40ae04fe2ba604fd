/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/decode.h"

#include "common/core/text.h"

void qw_session_init(struct qw_session *session, const struct fte_game *game)
{
    *session = (struct qw_session){.connecting = false};
    qs_session_init(&session->base);
    session->ext.game = game;
}

void qw_session_copy(struct qs_session *to, const struct qs_session *from)
{
    struct qw_session *copy = (struct qw_session *)to;
    const struct qw_session *original = (const struct qw_session *)from;

    *copy = *original;
    qs_table_copy(&copy->models, &original->models);
    qs_table_copy(&copy->sounds, &original->sounds);
    qs_table_copy(&copy->userinfo, &original->userinfo);
    qs_table_copy(&copy->texts, &original->texts);
    copy->effect_styles = original->effect_styles ? g_bytes_ref(original->effect_styles) : NULL;
    qs_fragments_copy(&copy->to_server, &original->to_server);
    qs_fragments_copy(&copy->to_client, &original->to_client);
    copy->joined = NULL;
    copy->content = (struct qs_view){0};
}

bool qw_session_shares(const struct qs_session *a, const struct qs_session *b)
{
    const struct qw_session *one = (const struct qw_session *)a;
    const struct qw_session *other = (const struct qw_session *)b;

    return qs_table_shares(&one->models, &other->models) &&
           qs_table_shares(&one->sounds, &other->sounds) &&
           qs_table_shares(&one->userinfo, &other->userinfo) &&
           qs_table_shares(&one->texts, &other->texts) &&
           one->effect_styles == other->effect_styles && one->joined == other->joined &&
           qs_fragments_shares(&one->to_server, &other->to_server) &&
           qs_fragments_shares(&one->to_client, &other->to_client);
}

void qw_session_forget_packet(struct qs_session *session)
{
    struct qw_session *qw = (struct qw_session *)session;

    qw->moved = false;
    memset(qw->cmds, 0, sizeof qw->cmds);
    qw->choked = 0;
    qw->header_size = 0;
    qw->content = (struct qs_view){0};
    g_clear_pointer(&qw->joined, g_bytes_unref);
}

void qw_session_clear(struct qs_session *session)
{
    struct qw_session *qw = (struct qw_session *)session;

    qs_table_clear(&qw->models);
    qs_table_clear(&qw->sounds);
    qs_table_clear(&qw->userinfo);
    qs_table_clear(&qw->texts);
    g_clear_pointer(&qw->effect_styles, g_bytes_unref);
    qs_fragments_clear(&qw->to_server);
    qs_fragments_clear(&qw->to_client);
    g_clear_pointer(&qw->joined, g_bytes_unref);
}

/* --- Connections and levels --- */

static void clear_level(struct qw_session *session)
{
    qs_table_clear(&session->models);
    qs_table_clear(&session->sounds);
    qs_table_clear(&session->userinfo);
    session->sign_on = (struct qw_sign_on){0};
}

void qw_session_connect(struct qw_session *session)
{
    const char *userinfo = qs_table_get(&session->texts, QW_TEXT_ASKED_USERINFO);
    struct qw_session fresh = {.ext = {.base = session->base, .game = session->ext.game}};

    qs_session_connect(&fresh.base);
    qs_table_set(&fresh.texts, QW_TEXT_CONNECT_USERINFO, qs_view_of(userinfo));
    qs_table_set(&fresh.texts, QW_TEXT_ASKED_USERINFO, qs_view_of(userinfo));
    fresh.format = session->asked;
    /* Until svc_serverdata arrives, the client's first moves have the form that it asked for. */
    fresh.ext.fte2 = session->asked_fte2 & FTE2_VRINPUTS;
    fresh.header_size = session->header_size;
    qw_session_clear(&session->base);
    *session = fresh;
}

/* Clears the level's state, as svc_serverdata does in clients; see ezquake cl_parse.c
 * CL_ParseServerData, CL_ClearState. */
void qw_session_begin_level(struct qw_session *session)
{
    clear_level(session);
    qs_level_begin(&session->base);
    fte_forget_agreement(&session->ext);
}

void qw_session_begin_unseen(struct qw_session *session)
{
    clear_level(session);
    qs_table_set(&session->texts, QW_TEXT_LEVEL, (struct qs_view){0});
    qs_level_begin(&session->base);
}

void qw_session_use_donor(struct qw_session *session, const struct qw_session *donor)
{
    qw_session_begin_level(session);
    session->sign_on.has_donor = true;
    session->hole = (struct qw_hole){.is_before_donor = true};
    qs_table_clear(&session->texts);
    qs_table_copy(&session->models, &donor->models);
    qs_table_copy(&session->sounds, &donor->sounds);
    qs_table_copy(&session->userinfo, &donor->userinfo);
    qs_table_copy(&session->texts, &donor->texts);
    g_clear_pointer(&session->effect_styles, g_bytes_unref);
    session->effect_styles = donor->effect_styles ? g_bytes_ref(donor->effect_styles) : NULL;
    session->base.version = donor->base.version;
    session->base.disconnected = false; /* may have been misread without the extensions */
    session->ext.fte = donor->ext.fte;
    session->ext.fte2 = donor->ext.fte2;
    session->ext.mvd1 = donor->ext.mvd1;
}

struct qs_view qw_player_name(const struct qw_session *session, uint32_t player)
{
    return qs_info_value(qs_view_of(qs_table_get(&session->userinfo, player)), "name");
}

/* --- Description --- */

static char *version_text(const struct qw_session *session)
{
    GString *text;

    if (!session->base.version)
        return NULL;
    text = g_string_new(NULL);
    g_string_printf(text, "%d", session->base.version);
    fte_describe(&session->ext, text);
    return g_string_free(text, FALSE);
}

bool qw_session_player(const struct qs_session *session, uint32_t slot, struct qs_player *player)
{
    const struct qw_session *qw = (const struct qw_session *)session;
    const struct qs_view info = qs_view_of(qs_table_get(&qw->userinfo, slot));
    const struct qs_view serverinfo = qs_view_of(qs_table_get(&qw->texts, QW_TEXT_SERVERINFO));
    const struct qs_view name = qs_info_value(info, "name"), team = qs_info_value(info, "team");

    if (name.size)
        *player = (struct qs_player){
            .name = qs_text_title(name, QS_PLAYER_CHARACTERS),
            .team = team.size ? qs_text_title(team, QS_PLAYER_CHARACTERS) : NULL,
            .spectator = qs_info_is_set(info, "*spectator"),
            .has_frags = true,
            .teams_count = qs_info_is_set(serverinfo, "teamplay"),
        };
    return name.size;
}

static char *player_name(const struct qw_session *session)
{
    struct qs_view name = {0};

    if (session->mvd)
        return NULL;
    if (session->base.level)
        name = qw_player_name(session, session->player);
    if (!name.size)
        name = qs_info_value(qs_view_of(qs_table_get(&session->texts, QW_TEXT_CONNECT_USERINFO)),
                             "name");
    return name.size ? qs_text_utf8(name) : NULL;
}

void qw_session_describe(const struct qs_session *session, struct qs_description *description)
{
    const struct qw_session *qw = (const struct qw_session *)session;

    *description = (struct qs_description){.version = version_text(qw),
                                           .map = qs_text_file_stem(qs_table_get(&qw->models, 1)),
                                           .player = player_name(qw),
                                           .spectator = qw->spectator && !qw->mvd,
                                           .has_all_players = qw->mvd};
}

/* --- Formats of the agreed extensions --- */

void qw_apply_extensions(struct qs_decoder *d)
{
    const bool floats = qw_session_of(d)->ext.fte & FTE_FLOATCOORDS;

    d->coord_format = floats ? QS_COORD_FLOAT32 : QS_COORD_SHORT;
    d->angle_format = floats ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
}

bool qw_only_fte_reads(const struct fte_session *session)
{
    static const uint32_t fte =
        FTE_SCALE | FTE_FATNESS | FTE_HULLSIZE | FTE_SPLITSCREEN | FTE_HEXEN2 | FTE_DPFLAGS;
    static const uint32_t fte2 =
        FTE2_REPLACEMENTDELTAS | FTE2_MAXPLAYERS | FTE2_VRINPUTS | FTE2_LERPTIME;

    return (session->fte & fte) || (session->fte2 & fte2);
}
