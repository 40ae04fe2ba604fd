/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/match.h"

#include <string.h>

#include "common/core/text.h"

enum { NOBODY = -1, TEXT_MAX = 127 /* bytes of a name that are kept */ };

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
    g_ptr_array_free(match->levels, TRUE);
    g_free(match);
}

/* --- Levels ---------------------------------------------------------------------------------- */

static struct qs_match_level *last_level(const struct qs_match *match)
{
    return match->levels->len ? g_ptr_array_index(match->levels, match->levels->len - 1) : NULL;
}

/* Requests of a sign-on that repeat begin no other level: the one before has no players yet. */
static struct qs_match_level *begin_level(struct qs_match *match, int64_t time)
{
    struct qs_match_level *level = last_level(match);

    if (level && !level->players->len)
        g_ptr_array_set_size(match->levels, (gint)match->levels->len - 1);
    if (match->levels->len == QS_MATCH_LEVELS_MAX) {
        level = g_ptr_array_index(match->levels, 0);
        match->players -= level->players->len;
        match->changes -= level->changes->len;
        g_ptr_array_remove_index(match->levels, 0);
    }
    level = g_new0(struct qs_match_level, 1);
    level->from = level->to = level->scored = time;
    level->players = g_ptr_array_new_with_free_func(player_free);
    level->changes = g_array_new(FALSE, FALSE, sizeof(struct qs_match_change));
    g_array_set_clear_func(level->changes, change_clear);
    g_ptr_array_add(match->levels, level);
    for (unsigned i = 0; i < QS_PLAYER_SLOTS; i++)
        match->slots[i] = NOBODY;
    return level;
}

void qs_match_set_map(struct qs_match *match, const char *map)
{
    struct qs_match_level *level = last_level(match);

    if (!level)
        return;
    g_free(level->map);
    level->map = g_strdup(map);
}

/* --- Players --------------------------------------------------------------------------------- */

static struct qs_match_player *player_at(const struct qs_match_level *level, guint index)
{
    return g_ptr_array_index(level->players, index);
}

static void add_change(struct qs_match *match, const struct qs_match_player *player, guint index,
                       enum qs_match_change_kind kind, int64_t time)
{
    struct qs_match_change change = {.time = time, .kind = kind, .player = (uint16_t)index};

    if (match->changes == QS_MATCH_CHANGES_MAX)
        return;
    match->changes++;
    if (kind == QS_MATCH_FRAGS)
        change.frags = player->frags;
    else
        change.text = g_strdup(kind == QS_MATCH_NAME ? player->name : player->team);
    g_array_append_val(last_level(match)->changes, change);
}

/* The text as it is kept. New. */
static char *kept_text(const char *text)
{
    char *printable = text ? qs_text_printable(text) : NULL;

    if (printable && strlen(printable) > TEXT_MAX)
        *g_utf8_find_prev_char(printable, printable + TEXT_MAX) = '\0';
    return printable;
}

/* Replaces a name or a team by `text`, which it takes over. */
static void set_text(struct qs_match *match, guint index, enum qs_match_change_kind kind,
                     char *text, int64_t time)
{
    struct qs_match_player *player = player_at(last_level(match), index);
    char **place = kind == QS_MATCH_NAME ? &player->name : &player->team;

    if (g_strcmp0(*place, text) == 0) {
        g_free(text);
        return;
    }
    g_free(*place);
    *place = text;
    add_change(match, player, index, kind, time);
}

/* Servers take a player's frags away when it leaves. */
static void leave(struct qs_match *match, uint32_t slot, int64_t time)
{
    const int16_t index = match->slots[slot];
    struct qs_match_player *player;

    match->slots[slot] = NOBODY;
    if (index < 0)
        return;
    player = player_at(last_level(match), (guint)index);
    if (!player->frags && player->changed == time && player->frags_before != QS_MATCH_UNKNOWN)
        player->frags = player->frags_before;
    player->present = false;
    player->to = time;
}

/* The index of a player of this name who left, and is back; or of a new one; or NOBODY. */
static int16_t join(struct qs_match *match, const char *name, int64_t time)
{
    struct qs_match_level *level = last_level(match);
    struct qs_match_player *player;

    for (guint i = 0; name && i < level->players->len; i++)
        if (!player_at(level, i)->present && g_strcmp0(player_at(level, i)->name, name) == 0)
            return (int16_t)i;
    if (match->players == QS_MATCH_PLAYERS_MAX) {
        level->left_out++;
        return NOBODY;
    }
    match->players++;
    player = g_new0(struct qs_match_player, 1);
    player->frags = player->frags_before = player->ping = player->loss = QS_MATCH_UNKNOWN;
    player->from = player->changed = time;
    player->spectator = true;
    g_ptr_array_add(level->players, player);
    return (int16_t)(level->players->len - 1);
}

/* The slot's player is as the session knows it. */
static void apply_info(struct qs_match *match, uint32_t slot, const struct qs_player *known,
                       int64_t time)
{
    const guint index = (guint)match->slots[slot];
    struct qs_match_player *player = player_at(last_level(match), index);

    if (known->has_frags && player->frags == QS_MATCH_UNKNOWN)
        player->frags = 0;
    player->spectator &= known->spectator;
    set_text(match, index, QS_MATCH_NAME, kept_text(known->name), time);
    if (known->team)
        set_text(match, index, QS_MATCH_TEAM, kept_text(known->team), time);
}

/* Finds or adds the player of an event. A name counts where it is news: by then the slot may be
 * another player's. */
static struct qs_match_player *find_player(struct qs_match *match, const struct qs_decoder *d,
                                           const struct qs_player_event *event, bool is_news,
                                           int64_t time)
{
    struct qs_match_level *level = last_level(match);
    int16_t *index = &match->slots[event->slot];
    struct qs_player known = {0};
    const bool is_known = d->protocol->player(d->session, event->slot, &known);
    const bool scores = event->kind == QS_PLAYER_FRAGS && event->value;

    /* Servers tell frags and pings of empty slots, too. */
    if (*index < 0 && (is_known || scores))
        *index = join(match, known.name, time);
    if (*index >= 0) {
        struct qs_match_player *player = player_at(level, (guint)*index);

        is_news |= !player->name;
        player->present = true;
        player->spectator &= is_known;
        if (is_known && is_news)
            apply_info(match, event->slot, &known, time);
        if (is_known && !known.spectator)
            level->teams_count = known.teams_count;
    }
    qs_player_clear(&known);
    return *index < 0 ? NULL : player_at(level, (guint)*index);
}

static void set_frags(struct qs_match *match, guint index, int32_t frags, int64_t time)
{
    struct qs_match_level *level = last_level(match);
    struct qs_match_player *player = player_at(level, index);

    if (level->over || player->frags == frags)
        return;
    if (player->changed != time)
        player->frags_before = player->frags;
    player->frags = frags;
    player->changed = time;
    if (frags) /* what begins anew is no score */
        level->scored = time;
    add_change(match, player, index, QS_MATCH_FRAGS, time);
}

static void update_player(struct qs_match *match, const struct qs_decoder *d,
                          const struct qs_player_event *event, int64_t time)
{
    const bool is_news = event->kind == QS_PLAYER_INFO || event->kind == QS_PLAYER_CHANGE;
    struct qs_match_player *player = find_player(match, d, event, is_news, time);
    const guint index = (guint)match->slots[event->slot];

    if (!player)
        return;
    if (event->kind == QS_PLAYER_INFO)
        player->user = event->value;
    else if (event->kind == QS_PLAYER_FRAGS)
        set_frags(match, index, event->value, time);
    else if (event->kind == QS_PLAYER_PING)
        player->ping = event->value;
    else if (event->kind == QS_PLAYER_LOSS)
        player->loss = event->value;
    else if (event->kind == QS_PLAYER_TEAM)
        set_text(match, index, QS_MATCH_TEAM, g_strdup_printf("%d", event->value), time);
}

/* Whether the slot has nobody any more, or another one than before. */
static bool is_other(const struct qs_match *match, const struct qs_player_event *event)
{
    const int16_t index = match->slots[event->slot];
    const int32_t user = index < 0 ? 0 : player_at(last_level(match), (guint)index)->user;

    return !event->value || (user && user != event->value);
}

void qs_match_packet(struct qs_match *match, const struct qs_decoder *d,
                     const struct qs_packet *packet)
{
    const GArray *events = d->player_events;
    struct qs_match_level *level = last_level(match);

    if (!d->accepted || !d->protocol->player)
        return;
    if (!level || d->session->level != match->level)
        level = begin_level(match, packet->time);
    match->level = d->session->level;
    level->to = MAX(level->to, packet->time);
    for (guint i = 0; i < events->len; i++) {
        const struct qs_player_event *event = &g_array_index(events, struct qs_player_event, i);

        if (event->kind == QS_PLAYER_INFO && is_other(match, event))
            leave(match, event->slot, packet->time);
        if (event->kind == QS_PLAYER_LEVEL_OVER)
            level->over = true;
        else if (event->kind != QS_PLAYER_INFO || event->value)
            update_player(match, d, event, packet->time);
    }
}

/* --- Reports --------------------------------------------------------------------------------- */

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b);
}

GPtrArray *qs_match_names(const struct qs_match *match)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GTree *seen = g_tree_new(compare_names);

    for (guint i = 0; i < match->levels->len; i++) {
        const struct qs_match_level *level = g_ptr_array_index(match->levels, i);

        for (guint j = 0; j < level->players->len; j++) {
            const struct qs_match_player *player = player_at(level, j);

            if (player->spectator || !player->name || g_tree_lookup(seen, player->name))
                continue;
            g_tree_insert(seen, player->name, player->name);
            g_ptr_array_add(names, g_strdup(player->name));
        }
    }
    g_tree_destroy(seen);
    return names;
}

/* Unknown names go first, so that equal ones stand together. */
static gint compare_by_name(gconstpointer a, gconstpointer b)
{
    const struct qs_match_score *x = a, *y = b;

    return g_strcmp0(x->name, y->name);
}

static gint compare_by_frags(gconstpointer a, gconstpointer b)
{
    const struct qs_match_score *x = a, *y = b;

    if (x->frags != y->frags)
        return x->frags > y->frags ? -1 : 1;
    return g_strcmp0(x->name, y->name);
}

/* Makes one score of those of the same name. */
static void sum_up(GArray *scores)
{
    guint count = 0;

    g_array_sort(scores, compare_by_name);
    for (guint i = 0; i < scores->len; i++) {
        const struct qs_match_score score = g_array_index(scores, struct qs_match_score, i);
        struct qs_match_score *last =
            count ? &g_array_index(scores, struct qs_match_score, count - 1) : NULL;

        if (last && g_strcmp0(last->name, score.name) == 0)
            last->frags += score.frags;
        else
            g_array_index(scores, struct qs_match_score, count++) = score;
    }
    g_array_set_size(scores, count);
}

GArray *qs_match_scores(const struct qs_match_level *level, bool teams)
{
    GArray *scores = g_array_new(FALSE, FALSE, sizeof(struct qs_match_score));

    for (guint i = 0; i < level->players->len; i++) {
        const struct qs_match_player *player = player_at(level, i);
        const struct qs_match_score score = {teams ? player->team : player->name, player->frags};

        if (!player->spectator && player->frags != QS_MATCH_UNKNOWN &&
            (player->present || player->to >= level->scored))
            g_array_append_val(scores, score);
    }
    if (teams)
        sum_up(scores);
    g_array_sort(scores, compare_by_frags);
    return scores;
}

const char *qs_match_winner(const GArray *scores)
{
    const struct qs_match_score *first = (const struct qs_match_score *)(const void *)scores->data;

    return scores->len > 1 && first[0].frags > first[1].frags ? first->name : NULL;
}

static void append_score(GString *text, const struct qs_match_level *level)
{
    GArray *scores = qs_match_scores(level, level->teams_count);
    const char *before = text->len ? "; " : "";
    bool any = false;

    for (guint i = 0; i < scores->len; i++)
        any |= g_array_index(scores, struct qs_match_score, i).frags != 0;
    for (guint i = 0; any && i < scores->len; i++) {
        const struct qs_match_score *score = &g_array_index(scores, struct qs_match_score, i);

        g_string_append_printf(text, "%s%s %" G_GINT64_FORMAT, i ? ", " : before,
                               score->name ? score->name : "?", score->frags);
    }
    g_array_free(scores, TRUE);
}

char *qs_match_score_text(const struct qs_match *match)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < match->levels->len; i++)
        append_score(text, g_ptr_array_index(match->levels, i));
    return g_string_free(text, !text->len);
}
