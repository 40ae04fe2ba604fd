/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The levels of a session of the page: score, chat, and the ways of players. */
#include <math.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/page/page.h"

/* Of all sessions together. */
enum { POINTS_MAX = 30000, STEPS_MAX = 40000, CHAT_BYTES = 250000, COLORS = 8, SIZE_MIN = 64 };

struct level {
    struct page *page;
    const json_t *session, *json, *players;
    double from, until; /* seconds of the session */
};

/* The class of a color. */
static const char *color_of(size_t player)
{
    static const char *const colors[COLORS] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"};

    return colors[player % COLORS];
}

static bool is_within(const struct level *level, double time)
{
    return time >= level->from && time < level->until;
}

static bool has_score(const json_t *player)
{
    return json_is_number(json_object_get(player, "frags")) &&
           !json_is_true(json_object_get(player, "spectator"));
}

/* --- Score ----------------------------------------------------------------------------------- */

/* Scores begin at 0. */
static void add_score_of(const struct level *level, size_t player)
{
    const json_t *changes = json_object_get(level->json, "changes");
    const double span = level->until - level->from;
    const double lines = (double)json_array_size(level->players) * level->page->sessions->len;
    GArray *steps = g_array_new(FALSE, TRUE, sizeof(struct page_step));

    g_array_set_size(steps, 1);
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const json_t *change = json_array_get(changes, i);
        const struct page_step step = {round(page_number(change, "time", 0) - level->from),
                                       page_number(change, "frags", NAN)};

        if (!isnan(step.y) && page_number(change, "player", -1) == (double)player)
            g_array_append_val(steps, step);
    }
    page_steps(level->page, color_of(player), steps, ceil(span), span * lines / STEPS_MAX, false);
    g_array_free(steps, TRUE);
}

static void add_score(const struct level *level)
{
    const json_t *changes = json_object_get(level->json, "changes");
    double most = 0, least = 0;

    for (size_t i = 0; i < json_array_size(changes); i++) {
        const double frags = page_number(json_array_get(changes, i), "frags", 0);

        most = MAX(most, frags);
        least = MIN(least, MAX(frags, -99));
    }
    if (most <= least)
        return;
    page_chart(level->page, "Frags", "", ceil(level->until - level->from), least, most);
    for (size_t i = 0; i < json_array_size(level->players); i++)
        if (has_score(json_array_get(level->players, i)))
            add_score_of(level, i);
    page_add(level->page, "</svg></div></figure>\n");
}

/* --- Ways ------------------------------------------------------------------------------------ */

struct box {
    double left, right, top, bottom;
};

/* Draws what of the way is within the level, north up; of its points each `step`th. */
static void add_way(const struct level *level, const json_t *way, size_t step, GString *paths,
                    struct box *box)
{
    const json_t *times = json_object_get(way, "time");
    const json_t *xs = json_object_get(way, "x"), *ys = json_object_get(way, "y");
    const char *name = page_string(way, "player");
    size_t player = 0, since = step;
    double x = 0, y = 0;
    bool pen = false, any = false;

    while (player < json_array_size(level->players) &&
           strcmp(page_string(json_array_get(level->players, player), "name"), name) != 0)
        player++;
    for (size_t i = 0; i < json_array_size(times); i++) {
        const json_t *time = json_array_get(times, i);
        const double right = json_number_value(json_array_get(xs, i));
        const double down = -json_number_value(json_array_get(ys, i));

        if (!json_is_number(time) || !is_within(level, json_number_value(time)))
            pen = false;
        else if (since++ >= step) {
            if (!any)
                g_string_append_printf(paths, "<path class=%s d=\"", color_of(player));
            if (pen)
                g_string_append_printf(paths, " %.0f %.0f", right - x, down - y);
            else
                g_string_append_printf(paths, "M%.0f %.0fl0 0", right, down);
            *box = (struct box){MIN(box->left, right), MAX(box->right, right), MIN(box->top, down),
                                MAX(box->bottom, down)};
            x = right;
            y = down;
            pen = any = true;
            since = 1;
        }
    }
    g_string_append(paths, any ? "\"/>" : "");
}

/* The same number of units in both directions. */
static void add_ways(const struct level *level)
{
    const json_t *ways = json_object_get(level->session, "ways");
    struct box box = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    GString *paths = g_string_new(NULL);
    size_t points = 0;
    double size;

    for (size_t i = 0; i < json_array_size(ways); i++)
        points += json_array_size(json_object_get(json_array_get(ways, i), "time"));
    for (size_t i = 0; i < json_array_size(ways); i++)
        add_way(level, json_array_get(ways, i),
                1 + points * level->page->sessions->len / POINTS_MAX, paths, &box);
    size = MAX(box.right - box.left, box.bottom - box.top);
    if (size >= SIZE_MIN) {
        page_add(level->page,
                 "<figure><figcaption>Ways, from above</figcaption><svg class=ways role=img "
                 "aria-label=\"The ways of players, from above\" viewBox=\"%.0f %.0f %.0f %.0f\">",
                 box.left - size / 20, box.top - size / 20, box.right - box.left + size / 10,
                 box.bottom - box.top + size / 10);
        g_string_append_printf(level->page->html, "%s</svg></figure>\n", paths->str);
    }
    g_string_free(paths, TRUE);
}

/* --- Who, and what they say ------------------------------------------------------------------ */

static void add_legend(const struct level *level)
{
    page_add(level->page, "<ul class=players>");
    for (size_t i = 0; i < json_array_size(level->players); i++) {
        const json_t *player = json_array_get(level->players, i);

        if (has_score(player))
            page_add(level->page, "<li><b class=%s></b> %s %.0f", color_of(i),
                     page_string(player, "name"), page_number(player, "frags", 0));
    }
    page_add(level->page, "</ul>\n");
}

static void add_chat(const struct level *level)
{
    const json_t *chat = json_object_get(level->session, "chat");
    const gsize end = level->page->html->len + CHAT_BYTES / level->page->sessions->len;
    unsigned more = 0;

    page_add(level->page, "<ol class=chat>");
    for (size_t i = 0; i < json_array_size(chat); i++) {
        const json_t *line = json_array_get(chat, i);
        const double time = page_number(line, "time", 0);
        g_autofree char *clock = qs_duration_text((int64_t)time);

        if (is_within(level, time) && level->page->html->len < end)
            page_add(level->page, "<li><time>%s</time> %s", clock, page_string(line, "text"));
        else if (is_within(level, time))
            more++;
    }
    if (more)
        page_add(level->page, "<li>and %u more", more);
    page_add(level->page, "</ol>\n");
}

void page_levels(struct page *page, const json_t *session)
{
    const json_t *levels = json_object_get(session, "levels");

    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *json = json_array_get(levels, i), *next = json_array_get(levels, i + 1);
        const char *winner = json_string_value(json_object_get(json, "winner"));
        const struct level level = {
            page,
            session,
            json,
            json_object_get(json, "players"),
            i ? page_number(json, "from", 0) : 0,
            page_number(next, "from", page_number(session, "duration", 0) + 1)};
        g_autofree char *from = qs_duration_text((int64_t)level.from);

        page_add(page,
                 "<section class=level><h3>%s <small>from %s%s%s</small></h3>\n<div "
                 "class=figures>\n",
                 page_string(json, "map"), from, winner ? ", won by " : "", winner ? winner : "");
        add_score(&level);
        add_ways(&level);
        add_legend(&level);
        add_chat(&level);
        page_add(page, "</div></section>\n");
    }
}
