/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The levels of a session of the page: score, chat, and the ways of players. */
#include <math.h>
#include <string.h>

#include "pcap2demo/page/page.h"

/* Of all sessions together. */
enum { POINTS_MAX = 30000, CHANGES_MAX = 20000, CHAT_BYTES = 250000, COLORS = 8, LEGEND_MAX = 32 };

struct level {
    struct page *page;
    const json_t *session, *json;
    double from, until; /* seconds of the session */
    GPtrArray *names;   /* of players, in the order of their colors */
};

static guint color_of(const struct level *level, const char *name)
{
    guint index;

    if (!g_ptr_array_find_with_equal_func(level->names, name, g_str_equal, &index)) {
        index = level->names->len;
        g_ptr_array_add(level->names, (gpointer)name);
    }
    return index % COLORS;
}

static bool is_within(const struct level *level, double time)
{
    return time >= level->from && time < level->until;
}

/* --- Score ----------------------------------------------------------------------------------- */

static double time_of(const struct level *level, const json_t *change)
{
    return page_number(change, "time", 0) - level->from;
}

/* Scores begin at 0. */
static void add_score_of(const struct level *level, size_t player, const char *name)
{
    const json_t *changes = json_object_get(level->json, "changes");
    const size_t step = 1 + json_array_size(changes) * level->page->sessions->len / CHANGES_MAX;

    page_add(level->page, "<path class=p%u d=\"M0 0", color_of(level, name));
    for (size_t i = 0; i < json_array_size(changes); i += step) {
        const json_t *change = json_array_get(changes, i);
        const json_t *frags = json_object_get(change, "frags");

        if (!frags || page_number(change, "player", -1) != (double)player)
            continue;
        page_add(level->page, "H%.0fV%.0f", time_of(level, change), -json_number_value(frags));
    }
    page_add(level->page, "H%.0f\"/>", ceil(level->until - level->from));
}

static void add_score(const struct level *level)
{
    const json_t *players = json_object_get(level->json, "players");
    const json_t *changes = json_object_get(level->json, "changes");
    double most = 0, least = 0;

    for (size_t i = 0; i < json_array_size(changes); i++) {
        const double frags = page_number(json_array_get(changes, i), "frags", 0);

        most = MAX(most, frags);
        least = MIN(least, MAX(frags, -99));
    }
    if (most <= least)
        return;
    page_add(
        level->page,
        "<figure><figcaption>Frags <small>%.0f to %.0f</small></figcaption><svg class=score "
        "role=img aria-label=\"Frags over time\" preserveAspectRatio=none viewBox=\"0 %.1f %.0f "
        "%.1f\">",
        least, most, -most - .5, ceil(level->until - level->from), most - least + 1);
    for (size_t i = 0; i < json_array_size(players); i++)
        if (!json_is_true(json_object_get(json_array_get(players, i), "spectator")))
            add_score_of(level, i, page_string(json_array_get(players, i), "name"));
    page_add(level->page, "</svg></figure>\n");
}

/* --- Ways ------------------------------------------------------------------------------------ */

struct box {
    double left, right, low, high;
};

static void widen(const struct level *level, const json_t *way, struct box *box)
{
    const json_t *times = json_object_get(way, "time");
    const json_t *xs = json_object_get(way, "x"), *ys = json_object_get(way, "y");

    for (size_t i = 0; i < json_array_size(times); i++) {
        const double x = json_number_value(json_array_get(xs, i));
        const double y = json_number_value(json_array_get(ys, i));

        if (!json_is_number(json_array_get(xs, i)) ||
            !is_within(level, json_number_value(json_array_get(times, i))))
            continue;
        box->left = MIN(box->left, x);
        box->right = MAX(box->right, x);
        box->low = MIN(box->low, y);
        box->high = MAX(box->high, y);
    }
}

static void add_way(const struct level *level, const json_t *way, size_t step)
{
    const json_t *times = json_object_get(way, "time");
    const json_t *xs = json_object_get(way, "x"), *ys = json_object_get(way, "y");
    size_t since = step; /* points left out */
    double x = 0, y = 0;
    bool pen = false, any = false;

    for (size_t i = 0; i < json_array_size(times); i++) {
        const json_t *time = json_array_get(times, i);
        const double next_x = json_number_value(json_array_get(xs, i));
        const double next_y = -json_number_value(json_array_get(ys, i));

        if (!json_is_number(time) || !is_within(level, json_number_value(time)))
            pen = false;
        else if (since < step)
            since++;
        else {
            if (!any)
                page_add(level->page, "<path class=p%u d=\"",
                         color_of(level, page_string(way, "player")));
            if (pen)
                page_add(level->page, " %.0f %.0f", next_x - x, next_y - y);
            else
                page_add(level->page, "M%.0f %.0fl0 0", next_x, next_y);
            x = next_x;
            y = next_y;
            pen = any = true;
            since = 1;
        }
    }
    if (any)
        page_add(level->page, "\"/>");
}

/* The same number of units in both directions, north up. */
static void add_ways(const struct level *level)
{
    const json_t *ways = json_object_get(level->session, "ways");
    struct box box = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    size_t points = 0;
    double margin;

    for (size_t i = 0; i < json_array_size(ways); i++) {
        widen(level, json_array_get(ways, i), &box);
        points += json_array_size(json_object_get(json_array_get(ways, i), "time"));
    }
    if (MAX(box.right - box.left, box.high - box.low) < 64)
        return;
    margin = 16 + MAX(box.right - box.left, box.high - box.low) / 40;
    page_add(level->page,
             "<figure><figcaption>Ways, from above</figcaption><svg class=ways role=img "
             "aria-label=\"The ways of players, from above\" viewBox=\"%.0f %.0f %.0f %.0f\">",
             box.left - margin, -box.high - margin, box.right - box.left + 2 * margin,
             box.high - box.low + 2 * margin);
    for (size_t i = 0; i < json_array_size(ways); i++)
        add_way(level, json_array_get(ways, i),
                1 + points * level->page->sessions->len / POINTS_MAX);
    page_add(level->page, "</svg></figure>\n");
}

/* --- Who, and what they say ------------------------------------------------------------------ */

/* The players of the figures, with their frags. */
static void add_legend(const struct level *level)
{
    const json_t *players = json_object_get(level->json, "players");

    if (!level->names->len)
        return;
    page_add(level->page, "<ul class=players>");
    for (guint i = 0; i < MIN(level->names->len, LEGEND_MAX); i++) {
        const char *name = g_ptr_array_index(level->names, i);

        page_add(level->page, "<li><b class=p%u></b> ", i % COLORS);
        page_text(level->page, name);
        for (size_t j = 0; j < json_array_size(players); j++) {
            const json_t *player = json_array_get(players, j);

            if (strcmp(page_string(player, "name"), name) == 0 &&
                json_is_number(json_object_get(player, "frags"))) {
                page_add(level->page, " %.0f", page_number(player, "frags", 0));
                break;
            }
        }
    }
    page_add(level->page, "</ul>\n");
}

static void add_chat(const struct level *level)
{
    const json_t *chat = json_object_get(level->session, "chat");
    const gsize end = level->page->html->len + CHAT_BYTES / level->page->sessions->len;
    unsigned more = 0;
    bool any = false;

    for (size_t i = 0; i < json_array_size(chat); i++) {
        const json_t *line = json_array_get(chat, i);
        const char *player = json_string_value(json_object_get(line, "player"));
        g_autofree char *time = page_duration(page_number(line, "time", 0));

        if (!is_within(level, page_number(line, "time", 0)))
            continue;
        if (level->page->html->len >= end) {
            more++;
            continue;
        }
        page_add(level->page, "%s<li><time>%s</time> ", any ? "" : "<ol class=chat>", time);
        any = true;
        if (player) {
            page_add(level->page, "<b>");
            page_text(level->page, player);
            page_add(level->page, "</b> ");
        }
        page_text(level->page, page_string(line, "text"));
    }
    if (more)
        page_add(level->page, "<li>and %u more", more);
    if (any)
        page_add(level->page, "</ol>\n");
}

static void add_level(struct level *level)
{
    const char *winner = json_string_value(json_object_get(level->json, "winner"));
    const gsize begin = level->page->html->len;
    g_autofree char *from = page_duration(level->from);
    gsize head;

    page_add(level->page, "<section class=level><h3>");
    page_text(level->page, page_string(level->json, "map"));
    page_add(level->page, " <small>from %s", from);
    if (winner) {
        page_add(level->page, ", won by ");
        page_text(level->page, winner);
    }
    page_add(level->page, "</small></h3>\n<div class=figures>\n");
    head = level->page->html->len;
    add_score(level);
    add_ways(level);
    add_legend(level);
    add_chat(level);
    if (level->page->html->len == head)
        g_string_truncate(level->page->html, begin);
    else
        page_add(level->page, "</div></section>\n");
}

void page_levels(struct page *page, const json_t *session)
{
    const json_t *levels = json_object_get(session, "levels");

    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *json = json_array_get(levels, i), *next = json_array_get(levels, i + 1);
        struct level level = {page,
                              session,
                              json,
                              i ? page_number(json, "from", 0) : 0,
                              next ? page_number(next, "from", 0)
                                   : page_number(session, "duration", 0) + 1,
                              g_ptr_array_new()};

        add_level(&level);
        g_ptr_array_free(level.names, TRUE);
    }
}
