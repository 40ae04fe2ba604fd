/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/report.h"

static json_t *known_json(int32_t value)
{
    return value == QS_MATCH_UNKNOWN ? json_null() : json_integer(value);
}

static json_t *players_json(const struct qs_client_session *session,
                            const struct qs_match_level *level)
{
    json_t *json = json_array();

    for (guint i = 0; i < level->players->len; i++) {
        const struct qs_match_player *player = g_ptr_array_index(level->players, i);
        const int64_t to = player->present ? level->to : player->to;

        json_array_append_new(
            json, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "name",
                            report_text_json(player->name), "team", report_text_json(player->team),
                            "frags", known_json(qs_match_frags(level, player)), "ping",
                            known_json(player->ping), "loss", known_json(player->loss), "from",
                            report_seconds_json(session, player->from), "to",
                            report_seconds_json(session, to), "spectator", player->spectator));
    }
    return json;
}

static json_t *changes_json(const struct qs_client_session *session, const GArray *changes)
{
    static const char *const members[] = {"name", "team", "frags"};
    json_t *json = json_array();

    for (guint i = 0; i < changes->len; i++) {
        const struct qs_match_change *change = &g_array_index(changes, struct qs_match_change, i);

        json_array_append_new(
            json, json_pack("{s:o, s:i, s:o}", "time", report_seconds_json(session, change->time),
                            "player", (int)change->player, members[change->kind],
                            change->kind == QS_MATCH_FRAGS ? json_integer(change->frags)
                                                           : report_text_json(change->text)));
    }
    return json;
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

json_t *report_levels_json(const struct qs_client_session *session)
{
    json_t *json = json_array();

    for (guint i = 0; i < session->match->levels->len; i++) {
        const struct qs_match_level *level = g_ptr_array_index(session->match->levels, i);
        g_autoptr(GArray) teams = qs_match_scores(level, true);
        g_autoptr(GArray) scores = qs_match_scores(level, level->teams_count);

        json_array_append_new(
            json,
            json_pack(
                "{s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "map",
                report_text_json(level->map), "from", report_seconds_json(session, level->from),
                "to", report_seconds_json(session, level->to), "over", level->over, "team_game",
                level->teams_count, "players", players_json(session, level), "players_left_out",
                report_number(level->left_out), "teams", scores_json(teams), "score",
                scores_json(scores), "winner", report_text_json(qs_match_winner(scores)), "changes",
                changes_json(session, level->changes)));
    }
    return json;
}
