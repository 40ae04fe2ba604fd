/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/match.h"

#include <string.h>

#include "common/core/hash.h"
#include "common/core/text.h"

#define GHOST_MARK "• "

static void player_free(gpointer data)
{
    struct qs_match_player *player = data;

    g_free(player->name);
    g_free(player->team);
    g_free(player);
}

static void change_clear(gpointer data)
{
    g_free(((struct qs_match_change *)data)->text);
}

static void level_free(gpointer data)
{
    struct qs_match_level *level = data;

    g_ptr_array_free(level->players, TRUE);
    g_array_free(level->changes, TRUE);
    g_free(level->map);
    g_free(level);
}

struct qs_match *qs_match_new(void)
{
    struct qs_match *match = g_new0(struct qs_match, 1);

    match->levels = g_ptr_array_new_with_free_func(level_free);
    return match;
}

void qs_match_free(struct qs_match *match)
{
    if (match)
        g_ptr_array_free(match->levels, TRUE);
    g_free(match);
}

/* --- Levels ---------------------------------------------------------------------------------- */

static struct qs_match_level *last_level(const struct qs_match *match)
{
    return match->levels->len ? g_ptr_array_index(match->levels, match->levels->len - 1) : NULL;
}

static void remove_level(struct qs_match *match, guint index)
{
    const struct qs_match_level *level = g_ptr_array_index(match->levels, index);

    match->players -= level->players->len;
    match->changes -= level->changes->len;
    g_ptr_array_remove_index(match->levels, index);
}

static struct qs_match_level *begin_level(struct qs_match *match, int64_t time)
{
    struct qs_match_level *level = last_level(match);

    /* Drops an empty level: clients may ask twice for a sign-on. */
    if (level && !level->players->len)
        remove_level(match, match->levels->len - 1);
    if (match->levels->len == QS_MATCH_LEVELS_MAX)
        remove_level(match, 0);
    level = g_new0(struct qs_match_level, 1);
    level->from = level->to = level->scored = time;
    level->players = g_ptr_array_new_with_free_func(player_free);
    level->changes = g_array_new(FALSE, FALSE, sizeof(struct qs_match_change));
    g_array_set_clear_func(level->changes, change_clear);
    g_ptr_array_add(match->levels, level);
    memset(match->slots, 0, sizeof match->slots);
    memset(match->left_out, 0, sizeof match->left_out);
    return level;
}

/* --- Players --------------------------------------------------------------------------------- */

static void add_change(struct qs_match *match, const struct qs_match_player *player,
                       enum qs_match_change_kind kind, int64_t time)
{
    const struct qs_match_change change = {
        .time = time,
        .kind = kind,
        .player = player->number,
        .frags = player->frags,
        .text = kind == QS_MATCH_FRAGS
                    ? NULL
                    : g_strdup(kind == QS_MATCH_NAME ? player->name : player->team)};

    if (match->changes == QS_MATCH_CHANGES_MAX) {
        g_free(change.text);
        return;
    }
    match->changes++;
    g_array_append_val(last_level(match)->changes, change);
}

/* Replaces a name or a team, unless `text` is NULL. */
static void set_text(struct qs_match *match, struct qs_match_player *player,
                     enum qs_match_change_kind kind, const char *text, int64_t time)
{
    char **place = kind == QS_MATCH_NAME ? &player->name : &player->team;

    if (!text || g_strcmp0(*place, text) == 0)
        return;
    g_free(*place);
    *place = g_strdup(text);
    add_change(match, player, kind, time);
}

static void set_frags(struct qs_match *match, struct qs_match_player *player, int32_t frags,
                      int64_t time)
{
    enum { AT_ONCE_MAX = 2 }; /* maximum change of frags by one death */
    struct qs_match_level *level = last_level(match);

    if (level->over || level->undecodable || player->frags == frags)
        return;
    if (player->changed != time)
        player->frags_before = player->frags;
    player->frags = frags;
    player->changed = time;
    if (frags && !player->spectator)
        level->scored = time;
    else if (player->frags_before != QS_MATCH_UNKNOWN && ABS(player->frags_before) > AT_ONCE_MAX)
        level->reset = time;
    add_change(match, player, QS_MATCH_FRAGS, time);
}

static void forget_frags(struct qs_match *match, struct qs_match_level *level)
{
    level->undecodable = true;
    for (guint i = level->changes->len; i-- > 0;)
        if (g_array_index(level->changes, struct qs_match_change, i).kind == QS_MATCH_FRAGS) {
            g_array_remove_index(level->changes, i);
            match->changes--;
        }
}

/* Removes the player from the slot. Restores frags that were reset at the same time: servers do so
 * just before a player leaves. */
static void leave(struct qs_match *match, uint32_t slot, int64_t time)
{
    struct qs_match_player *player = match->slots[slot];

    match->slots[slot] = NULL;
    match->left_out[slot] = 0;
    if (!player)
        return;
    if (!player->frags && player->changed == time && player->frags_before != QS_MATCH_UNKNOWN)
        player->frags = player->frags_before;
    player->present = false;
    player->to = time;
}

/* Returns the player of this name who left and is back, or adds one; NULL if there are too many. */
static struct qs_match_player *join(struct qs_match *match, const struct qs_player_event *event,
                                    const struct qs_player *known, int64_t time)
{
    struct qs_match_level *level = last_level(match);
    struct qs_match_player *player;

    for (guint i = 0; known->name && i < level->players->len; i++) {
        player = g_ptr_array_index(level->players, i);
        if (!player->present && player->spectator == known->spectator &&
            g_strcmp0(player->name, known->name) == 0)
            return player;
    }
    if (match->players == QS_MATCH_PLAYERS_MAX) {
        level->left_out += !match->left_out[event->slot];
        if (!match->left_out[event->slot] || event->kind == QS_PLAYER_INFO)
            match->left_out[event->slot] =
                event->kind == QS_PLAYER_INFO ? event->value : QS_PLAYER_USER_UNKNOWN;
        return NULL;
    }
    match->players++;
    player = g_new0(struct qs_match_player, 1);
    *player = (struct qs_match_player){.number = (uint16_t)level->players->len,
                                       .frags = QS_MATCH_UNKNOWN,
                                       .ping = QS_MATCH_UNKNOWN,
                                       .loss = QS_MATCH_UNKNOWN,
                                       .frags_before = QS_MATCH_UNKNOWN,
                                       .from = time,
                                       .changed = time,
                                       .spectator = known->spectator};
    g_ptr_array_add(level->players, player);
    return player;
}

/* Returns the event's player, updated from the session. NULL if the slot is empty: servers send
 * frags and pings of empty slots, too. The session may have a player who came later in the packet,
 * so only QS_PLAYER_INFO changes a known name. */
static struct qs_match_player *find_player(struct qs_match *match, const struct qs_decoder *d,
                                           const struct qs_player_event *event, int64_t time)
{
    const bool is_info = event->kind == QS_PLAYER_INFO, left = is_info && !event->value;
    const bool scores = event->kind == QS_PLAYER_FRAGS && event->value;
    struct qs_match_player *player = match->slots[event->slot];
    struct qs_player known = {0};
    const bool is_known = !left && d->protocol->player(d->session, event->slot, &known);

    /* KTX keeps players who left on the scoreboard, without a user and with a marked name. */
    if (!player && is_known && is_info && event->value == QS_PLAYER_USER_UNKNOWN &&
        g_str_has_prefix(known.name, GHOST_MARK))
        memmove(known.name, known.name + strlen(GHOST_MARK),
                strlen(known.name + strlen(GHOST_MARK)) + 1);
    /* A player who becomes a spectator leaves the game, and the reverse. */
    if (player && player->name && is_info && is_known && player->spectator != known.spectator) {
        leave(match, event->slot, time);
        player = NULL;
    }
    if (!player && (is_known || scores))
        player = match->slots[event->slot] = join(match, event, &known, time);
    if (player) {
        player->present = true;
        if (known.has_frags && player->frags == QS_MATCH_UNKNOWN)
            player->frags = 0;
        if (is_known && !known.spectator)
            last_level(match)->teams_count = known.teams_count;
        if (is_known && (is_info || !player->name)) {
            player->spectator = known.spectator;
            set_text(match, player, QS_MATCH_NAME, known.name, time);
            set_text(match, player, QS_MATCH_TEAM, known.team, time);
        }
    }
    g_free(known.name);
    g_free(known.team);
    return player;
}

static void update_player(struct qs_match *match, struct qs_match_player *player,
                          const struct qs_player_event *event, int64_t time)
{
    char team[sizeof "-2147483648"];

    g_snprintf(team, sizeof team, "%d", event->value);
    if (event->kind == QS_PLAYER_FRAGS)
        set_frags(match, player, event->value, time);
    else if (event->kind == QS_PLAYER_TEAM)
        set_text(match, player, QS_MATCH_TEAM, team, time);
    else if (event->kind == QS_PLAYER_PING)
        player->ping = event->value;
    else if (event->kind == QS_PLAYER_LOSS)
        player->loss = event->value;
    else if (event->value != QS_PLAYER_USER_UNKNOWN)
        player->user = event->value;
}

/* True if the slot, which had this user (0: none), is empty now or has another player. */
static bool is_other(int32_t user, const struct qs_player_event *event)
{
    const bool is_known = user && user != QS_PLAYER_USER_UNKNOWN;

    return event->kind == QS_PLAYER_INFO &&
           (!event->value ||
            (event->value != QS_PLAYER_USER_UNKNOWN && is_known && user != event->value));
}

void qs_match_packet(struct qs_match *match, const struct qs_decoder *d,
                     const struct qs_packet *packet)
{
    struct qs_match_level *level = last_level(match);

    if (!d->found.accepted || !d->protocol->player)
        return;
    if (d->session->connection && !d->session->level && !d->session->hole.number)
        return; /* the connection's first level has not begun */
    if (!level || d->session->level != match->level)
        level = begin_level(match, packet->time);
    match->level = d->session->level;
    level->to = MAX(level->to, packet->time);
    if (!match->level && d->found.undecoded && !level->undecodable)
        forget_frags(match, level);
    if (!level->map && d->found.player_events->len)
        level->map = qs_map_of(d->protocol, d->session);
    for (guint i = 0; i < d->found.player_events->len; i++) {
        const struct qs_player_event *event =
            &g_array_index(d->found.player_events, struct qs_player_event, i);
        struct qs_match_player *player = match->slots[event->slot];

        if (is_other(player ? player->user : match->left_out[event->slot], event))
            leave(match, event->slot, packet->time);
        if (event->kind == QS_PLAYER_LEVEL_OVER)
            level->over = true;
        else if ((player = find_player(match, d, event, packet->time)))
            update_player(match, player, event, packet->time);
    }
}

void qs_match_rewind(struct qs_match *match, int64_t since)
{
    while (match->levels->len && last_level(match)->to >= since)
        remove_level(match, match->levels->len - 1);
    match->level = UINT32_MAX;
}

/* --- Names and scores ------------------------------------------------------------------------ */

char **qs_match_names(const struct qs_match *match)
{
    GPtrArray *names = g_ptr_array_new();
    GHashTable *seen = g_hash_table_new(qs_str_hash, g_str_equal);

    for (guint i = 0; i < match->levels->len; i++) {
        const struct qs_match_level *level = g_ptr_array_index(match->levels, i);

        for (guint j = 0; j < level->players->len; j++) {
            const struct qs_match_player *player = g_ptr_array_index(level->players, j);

            if (!player->spectator && player->name && g_hash_table_add(seen, player->name))
                g_ptr_array_add(names, g_strdup(player->name));
        }
    }
    g_hash_table_destroy(seen);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

int32_t qs_match_frags(const struct qs_match_level *level, const struct qs_match_player *player)
{
    const bool anew = level->reset > level->scored && player->changed == level->reset;

    if (level->undecodable)
        return QS_MATCH_UNKNOWN;
    return anew && !player->frags ? player->frags_before : player->frags;
}

static gint compare_scores(gconstpointer a, gconstpointer b)
{
    const struct qs_match_score *x = a, *y = b;

    if (x->frags != y->frags)
        return x->frags > y->frags ? -1 : 1;
    return g_strcmp0(x->name, y->name);
}

/* True if the player was there when frags last changed, and no present player has its name. */
static bool is_scored(const struct qs_match_level *level, const struct qs_match_player *player)
{
    if (player->spectator || qs_match_frags(level, player) == QS_MATCH_UNKNOWN)
        return false;
    for (guint i = 0; !player->present && i < level->players->len; i++) {
        const struct qs_match_player *other = g_ptr_array_index(level->players, i);

        if (other->present && !other->spectator && g_strcmp0(other->name, player->name) == 0)
            return false;
    }
    return player->present || player->to >= level->scored;
}

GArray *qs_match_scores(const struct qs_match_level *level, bool teams)
{
    GArray *scores = g_array_new(FALSE, FALSE, sizeof(struct qs_match_score));

    for (guint i = 0; i < level->players->len; i++) {
        const struct qs_match_player *player = g_ptr_array_index(level->players, i);
        struct qs_match_score score = {teams ? player->team : player->name,
                                       qs_match_frags(level, player)};
        guint same = teams ? 0 : scores->len;

        if (!is_scored(level, player))
            continue;
        while (same < scores->len &&
               g_strcmp0(g_array_index(scores, struct qs_match_score, same).name, score.name) != 0)
            same++;
        if (same < scores->len)
            g_array_index(scores, struct qs_match_score, same).frags += score.frags;
        else
            g_array_append_val(scores, score);
    }
    g_array_sort(scores, compare_scores);
    return scores;
}

const char *qs_match_winner(const GArray *scores)
{
    const struct qs_match_score *first = (const struct qs_match_score *)(const void *)scores->data;

    return scores->len > 1 && first[0].frags > first[1].frags ? first->name : NULL;
}

char *qs_match_score_text(const struct qs_match *match)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < match->levels->len; i++) {
        const struct qs_match_level *level = g_ptr_array_index(match->levels, i);
        g_autoptr(GArray) scores = qs_match_scores(level, level->teams_count);
        const struct qs_match_score *score = (const struct qs_match_score *)(void *)scores->data;

        if (!scores->len || (!score->frags && !score[scores->len - 1].frags))
            continue;
        g_string_append(text, text->len ? "; " : "");
        if (match->levels->len > 1)
            g_string_append_printf(text, "%s: ", level->map ? level->map : "?");
        for (guint j = 0; j < scores->len; j++, score++)
            g_string_append_printf(text, "%s%s %" G_GINT64_FORMAT, j ? ", " : "",
                                   score->name ? score->name : "?", score->frags);
    }
    return text->len ? qs_text_printable(text->str) : NULL;
}
