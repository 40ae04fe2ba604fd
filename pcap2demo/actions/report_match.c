/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who played in a session, and how it ended, as JSON. */
#include "pcap2demo/actions/report.h"

/* Of a time of the session, to the millisecond. */
static json_t *seconds_json(const struct qs_client_session *session, int64_t time)
{
    return json_real((double)((time - session->start) / 1000000) / 1e3);
}

static json_t *known_json(int32_t value)
{
    return value == QS_MATCH_UNKNOWN ? json_null() : json_integer(value);
}

static json_t *player_json(const struct qs_client_session *session,
                           const struct qs_match_level *level, const struct qs_match_player *player)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "name",
                     report_text_json(player->name), "team", report_text_json(player->team),
                     "frags", known_json(player->frags), "ping", known_json(player->ping), "loss",
                     known_json(player->loss), "from", seconds_json(session, player->from), "to",
                     seconds_json(session, player->present ? level->to : player->to), "spectator",
                     player->spectator);
}

static json_t *change_json(const struct qs_client_session *session,
                           const struct qs_match_change *change)
{
    static const char *const members[] = {
        [QS_MATCH_NAME] = "name", [QS_MATCH_TEAM] = "team", [QS_MATCH_FRAGS] = "frags"};
    json_t *value = change->kind == QS_MATCH_FRAGS ? json_integer(change->frags)
                                                   : report_text_json(change->text);

    return json_pack("{s:o, s:i, s:o}", "time", seconds_json(session, change->time), "player",
                     (int)change->player, members[change->kind], value);
}

static json_t *scores_json(const GArray *scores)
{
    json_t *json = json_array();

    for (guint i = 0; i < scores->len; i++) {
        const struct qs_match_score *score = &g_array_index(scores, struct qs_match_score, i);

        json_array_append_new(json, json_pack("{s:o, s:o}", "name", report_text_json(score->name),
                                              "frags", json_integer(score->frags)));
    }
    return json;
}

static json_t *level_json(const struct qs_client_session *session,
                          const struct qs_match_level *level)
{
    json_t *players = json_array(), *changes = json_array(), *json;
    GArray *teams = qs_match_scores(level, true);
    GArray *scores = qs_match_scores(level, level->teams_count);

    for (guint i = 0; i < level->players->len; i++)
        json_array_append_new(players,
                              player_json(session, level, g_ptr_array_index(level->players, i)));
    for (guint i = 0; i < level->changes->len; i++)
        json_array_append_new(
            changes,
            change_json(session, &g_array_index(level->changes, struct qs_match_change, i)));
    json = json_pack("{s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "map",
                     report_text_json(level->map), "from", seconds_json(session, level->from), "to",
                     seconds_json(session, level->to), "over", level->over, "team_game",
                     level->teams_count, "players", players, "players_left_out",
                     report_number(level->left_out), "teams", scores_json(teams), "score",
                     scores_json(scores), "winner", report_text_json(qs_match_winner(scores)),
                     "changes", changes);
    g_array_free(scores, TRUE);
    g_array_free(teams, TRUE);
    return json;
}

json_t *report_levels_json(const struct qs_client_session *session)
{
    const GPtrArray *levels = session->match->levels;
    json_t *json = json_array();

    for (guint i = 0; i < levels->len; i++)
        json_array_append_new(json, level_json(session, g_ptr_array_index(levels, i)));
    return json;
}
