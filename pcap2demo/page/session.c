/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that all of the page uses, and a session of it: path quality over time; score, chat and
 * routes in each level. */
#include <math.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "common/sessions/match.h"
#include "pcap2demo/page/page.h"

/* Limits for all sessions together. */
enum { POINTS_MAX = 30000, CHAT_BYTES = 250000 };

enum { SIZE_MIN = 64 /* minimum size of a drawing of routes, in map units */ };

/* --- Text and JSON --------------------------------------------------------------------------- */

void page_add(struct page *page, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    text = g_markup_vprintf_escaped(format, arguments);
    va_end(arguments);
    g_string_append(page->html, text);
}

double page_number(const json_t *object, const char *name, double unknown)
{
    const json_t *value = json_object_get(object, name);

    return json_is_number(value) ? json_number_value(value) : unknown;
}

const char *page_string(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "?";
}

char *page_maps(const json_t *session)
{
    const json_t *maps = json_object_get(session, "maps");
    GString *text = g_string_new(json_array_size(maps) ? NULL : "?");

    for (size_t i = 0; i < json_array_size(maps); i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "",
                               json_string_value(json_array_get(maps, i)));
    return g_string_free(text, FALSE);
}

char *page_clock(double time, const char *format)
{
    g_autoptr(GDateTime) date = g_date_time_new_from_unix_local((gint64)time);
    char *text = date && time > 0 ? g_date_time_format(date, format) : NULL;

    return text ? text : g_strdup("–");
}

/* --- Time axes ------------------------------------------------------------------------------- */

void page_mark(struct page *page, const char *class, double from, double until, double span,
               const char *text)
{
    const double left = 100 * CLAMP(from / span, 0, .993), right = 100 * CLAMP(until / span, 0, 1);

    page_add(page, "<span class=\"%s\" style=\"left:%.2f%%;width:%.2f%%\">%s</span>", class, left,
             MAX(right - left, 0), text);
}

double page_level_from(const json_t *levels, size_t index)
{
    const bool begins = !index && json_array_size(levels) < QS_MATCH_LEVELS_MAX;

    return begins ? 0 : page_number(json_array_get(levels, index), "from", 0);
}

void page_marks(struct page *page, const json_t *session, double at, double span)
{
    static const char *const classes[2][2] = {{"", "change"}, {"wide", "wide change"}};
    const json_t *levels = json_object_get(session, "levels");
    const json_t *holes = json_object_get(json_object_get(session, "holes"), "first");

    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *level = json_array_get(levels, i), *next = json_array_get(levels, i + 1);
        const double from = page_level_from(levels, i);
        const double until = page_number(next, "from", page_number(session, "duration", 0));
        const char *map = page_string(level, "map");
        /* Width for each character of the name, in percent: decides whether it is shown, maybe on
         * wide screens only. */
        const double room = 100 * (until - from) / span / (double)(g_utf8_strlen(map, -1) + 1);

        page_mark(page, room < 2.6 ? classes[1][i > 0] : classes[0][i > 0], at + from, at + until,
                  span, room < 1 ? "" : map);
    }
    for (size_t i = 0; i < json_array_size(holes); i++) {
        const json_t *hole = json_array_get(holes, i);

        page_mark(page, "hole", at + page_number(hole, "from", 0),
                  at + page_number(hole, "until", 0), span, "");
    }
}

void page_ticks(struct page *page, double begin, double end)
{
    static const int steps[] = {5,    10,   30,   60,    120,   300,   600,   900,
                                1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800};
    const double span = end - begin;
    size_t step = 0;
    double every;

    while (step < G_N_ELEMENTS(steps) - 1 && span / steps[step] > 9)
        step++;
    every = MAX(steps[step], span / 9);
    page_add(page, "<div class=row aria-hidden=true><div></div><div class=ticks>");
    for (int i = 0; (ceil(begin / every) + i) * every < end - span / 8; i++) {
        const double time = (ceil(begin / every) + i) * every;
        g_autofree char *text = begin <= 0 ? qs_duration_text((int64_t)time)
                                           : page_clock(time, every < 60       ? "%H:%M:%S"
                                                              : every >= 43200 ? "%-e %b"
                                                                               : "%H:%M");

        page_mark(page, i % 2 ? "wide" : "", time - begin, time - begin + 2 * every, span, text);
    }
    page_add(page, "</div></div>\n");
}

/* --- Step charts ----------------------------------------------------------------------------- */

/* A value that holds until the next step; NAN: unknown. */
struct step {
    double x, y;
};

/* Begins a chart with a horizontal axis of length `span`. */
static void begin_chart(struct page *page, const char *title, const char *unit, double span,
                        double least, double most)
{
    page_add(page,
             "<figure><figcaption>%s <small>%g to %g%s</small></figcaption><div class=plot><svg "
             "viewBox=\"0 %g %g %g\" preserveAspectRatio=none role=img aria-label=\"%s over "
             "time\">",
             title, least, most, unit, .03 * least - 1.03 * most, span, 1.06 * (most - least),
             title);
}

/* Draws steps until `end`, and frees the array. If `area`, fills the area above 0. */
static void add_steps(struct page *page, const char *class, GArray *steps, double end, bool area)
{
    double value = NAN;

    g_string_append_printf(page->html, "<path class=%s d=\"", class);
    for (guint i = 0; i <= steps->len; i++) {
        const struct step *step = &g_array_index(steps, struct step, i);
        const bool more = i < steps->len;
        const double x = more ? step->x : end, y = more ? step->y : NAN;

        if (y == value || (isnan(y) && isnan(value)))
            continue;
        if (isnan(value))
            g_string_append_printf(page->html, "M%g %g", x, area ? 0 : 0 - y);
        else
            g_string_append_printf(page->html, "H%g", x);
        if (area || (!isnan(value) && !isnan(y)))
            g_string_append_printf(page->html, "V%g", isnan(y) ? 0 : 0 - y);
        value = y;
    }
    g_string_append(page->html, "\"/>");
    g_array_free(steps, TRUE);
}

/* --- Charts of path quality ------------------------------------------------------------------ */

struct plots {
    struct page *page;
    const json_t *session;
    size_t bins;
    double seconds; /* duration of all bins */
};

static double value_at(const json_t *values, size_t index)
{
    const json_t *value = json_array_get(values, index);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Returns the largest known value, at least 0. */
static double largest(const json_t *values)
{
    double most = 0;

    for (size_t i = 0; i < json_array_size(values); i++)
        most = fmax(most, value_at(values, i));
    return most;
}

static void add_bins(const struct plots *plots, const char *class, const json_t *values)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(struct step));

    for (size_t i = 0; i < plots->bins; i++) {
        const struct step step = {(double)i, value_at(values, i)};

        g_array_append_val(steps, step);
    }
    add_steps(plots->page, class, steps, (double)plots->bins, strcmp(class, "loss") == 0);
}

/* Appends a chart of two series. The axis ends at 1, 2 or 5 times a power of ten, at least at
 * `axis`. Bins without a known value are hatched. */
static void add_plot(const struct plots *plots, const char *title, const char *unit, double most,
                     double axis, const char *class, const json_t *values, const char *other_class,
                     const json_t *others)
{
    struct page *page = plots->page;
    const double bins = (double)plots->bins;

    for (int i = 0; axis < MIN(most, fmax(largest(values), largest(others))); i++)
        axis *= i % 3 == 1 ? 2.5 : 2;
    begin_chart(page, title, unit, bins, 0, axis);
    add_bins(plots, class, values);
    add_bins(plots, other_class, others);
    page_add(page, "</svg>");
    for (size_t i = 0, from; i < plots->bins; i++) {
        for (from = i; i < plots->bins && isnan(value_at(values, i)) && isnan(value_at(others, i));
             i++)
            ;
        if (i > from)
            page_mark(page, "unknown", (double)from, (double)i, bins, "");
    }
    page_marks(page, plots->session, 0, plots->seconds);
    page_add(page, "</div></figure>\n");
}

/* Appends the charts of the path quality. Few pings are above twice the median. */
static void add_plots(struct page *page, const json_t *session)
{
    const json_t *series = json_object_get(session, "series");
    const json_t *c2s = json_object_get(series, "c2s"), *s2c = json_object_get(series, "s2c");
    const json_t *choke = json_object_get(series, "choke");
    const size_t bins = json_array_size(choke);
    const struct plots plots = {page, session, bins,
                                (double)bins * page_number(series, "seconds", 1)};
    const double median = page_number(json_object_get(session, "line"), "ping_game", INFINITY);

    if (bins < 2)
        return;
    page_add(page, "<div class=plots>\n");
    add_plot(&plots, "Ping, p95", " ms", 2 * median, 50, "p95", json_object_get(series, "ping_p95"),
             "ping", json_object_get(series, "ping"));
    add_plot(&plots, "Loss ↑", " %", 100, 5, "loss", json_object_get(c2s, "loss"), "limited",
             json_object_get(c2s, "loss_at_most"));
    add_plot(&plots, "Loss ↓", " %", 100, 5, "loss", json_object_get(s2c, "loss"), "limited",
             json_object_get(s2c, "loss_at_most"));
    if (largest(choke) > 0)
        add_plot(&plots, "Choke", " %", 100, 5, "loss", choke, "limited", NULL);
    page_ticks(page, 0, plots.seconds);
    page_add(page, "</div>\n");
}

/* --- Levels ---------------------------------------------------------------------------------- */

struct level {
    struct page *page;
    const json_t *session, *json, *players;
    double from, until; /* times in the session, in seconds */
    gsize *chat_room;   /* bytes that the session's chat may still have */
};

static bool is_within(const struct level *level, double time)
{
    return time >= level->from && time < level->until;
}

static bool has_score(const json_t *player)
{
    return json_is_number(json_object_get(player, "frags")) &&
           !json_is_true(json_object_get(player, "spectator"));
}

/* Returns a player's color, by the index in the level. */
static const char *color_of(size_t player)
{
    static const char *const colors[] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"};

    return colors[player % G_N_ELEMENTS(colors)];
}

/* Draws a player's score, which begins at 0. */
static void add_score_of(const struct level *level, size_t player)
{
    const json_t *changes = json_object_get(level->json, "changes");
    GArray *steps = g_array_new(FALSE, TRUE, sizeof(struct step));

    g_array_set_size(steps, 1);
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const json_t *change = json_array_get(changes, i);
        const struct step step = {round(page_number(change, "time", 0) - level->from),
                                  page_number(change, "frags", NAN)};

        if (!isnan(step.y) && page_number(change, "player", -1) == (double)player)
            g_array_append_val(steps, step);
    }
    add_steps(level->page, color_of(player), steps, ceil(level->until - level->from), false);
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
    begin_chart(level->page, "Frags", "", ceil(level->until - level->from), least, most);
    for (size_t i = 0; i < json_array_size(level->players); i++)
        if (has_score(json_array_get(level->players, i)))
            add_score_of(level, i);
    page_add(level->page, "</svg></div></figure>\n");
}

struct box {
    double left, right, top, bottom;
};

/* Draws a route within the level, north up, with each `nth` point. Extends `box` to contain it. */
static void add_route(const struct level *level, const json_t *route, size_t nth, GString *paths,
                      struct box *box)
{
    const json_t *times = json_object_get(route, "time");
    size_t player = 0;
    double x = 0, y = 0;
    bool is_joined = false;

    while (player < json_array_size(level->players) &&
           strcmp(page_string(json_array_get(level->players, player), "name"),
                  page_string(route, "player")) != 0)
        player++;
    g_string_append_printf(paths, "<path class=%s d=\"", color_of(player));
    for (size_t i = 0; i < json_array_size(times); i++) {
        const double right = value_at(json_object_get(route, "x"), i);
        const double down = -value_at(json_object_get(route, "y"), i);

        if (isnan(right) || !is_within(level, value_at(times, i))) {
            is_joined = false;
        } else if (i % nth == 0) {
            if (is_joined)
                g_string_append_printf(paths, " %.0f %.0f", right - x, down - y);
            else
                g_string_append_printf(paths, "M%.0f %.0fl0 0", right, down);
            *box = (struct box){MIN(box->left, right), MAX(box->right, right), MIN(box->top, down),
                                MAX(box->bottom, down)};
            x = right;
            y = down;
            is_joined = true;
        }
    }
    g_string_append(paths, "\"/>");
}

/* Draws all routes to one scale, in a box around them. */
static void add_routes(const struct level *level)
{
    const json_t *routes = json_object_get(level->session, "ways");
    struct box box = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    GString *paths = g_string_new(NULL);
    size_t points = 0;
    double size;

    for (size_t i = 0; i < json_array_size(routes); i++)
        points += json_array_size(json_object_get(json_array_get(routes, i), "time"));
    for (size_t i = 0; i < json_array_size(routes); i++)
        add_route(level, json_array_get(routes, i),
                  1 + points * level->page->sessions->len / POINTS_MAX, paths, &box);
    size = MAX(box.right - box.left, box.bottom - box.top);
    if (size >= SIZE_MIN) {
        page_add(level->page,
                 "<figure><figcaption>Routes, from above</figcaption><svg class=ways role=img "
                 "aria-label=\"Routes of players, from above\" viewBox=\"%.0f %.0f %.0f %.0f\">",
                 box.left - size / 20, box.top - size / 20, box.right - box.left + size / 10,
                 box.bottom - box.top + size / 10);
        g_string_append_printf(level->page->html, "%s</svg></figure>\n", paths->str);
    }
    g_string_free(paths, TRUE);
}

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
    const gsize begin = level->page->html->len, end = begin + *level->chat_room;
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
    *level->chat_room -= MIN(level->page->html->len - begin, *level->chat_room);
    if (more)
        page_add(level->page, "<li>and %u more", more);
    page_add(level->page, "</ol>\n");
}

static void add_level(const struct level *level)
{
    const char *winner = json_string_value(json_object_get(level->json, "winner"));
    g_autofree char *from = qs_duration_text((int64_t)level->from);

    page_add(level->page,
             "<section class=level><h3>%s <small>from %s%s%s</small></h3>\n<div class=figures>\n",
             page_string(level->json, "map"), from, winner ? ", won by " : "",
             winner ? winner : "");
    add_score(level);
    add_routes(level);
    add_legend(level);
    add_chat(level);
    page_add(level->page, "</div></section>\n");
}

void page_session(struct page *page, const json_t *session)
{
    const json_t *levels = json_object_get(session, "levels");
    const double number = page_number(session, "number", 0);
    const double duration = page_number(session, "duration", 0);
    const double left_out = page_number(session, "chat_left_out", 0);
    gsize chat_room = CHAT_BYTES / page->sessions->len;
    g_autofree char *maps = page_maps(session), *length = qs_duration_text((int64_t)duration);

    page_add(page,
             "<section class=session id=s%.0f aria-labelledby=h%.0f><h2 id=h%.0f><small>%.0f"
             "</small> %s <small>%s, %s</small></h2>\n",
             number, number, number, number, page_string(session, "player"), maps, length);
    add_plots(page, session);
    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *json = json_array_get(levels, i), *next = json_array_get(levels, i + 1);
        const struct level level = {page,
                                    session,
                                    json,
                                    json_object_get(json, "players"),
                                    page_level_from(levels, i),
                                    page_number(next, "from", duration + 1),
                                    &chat_room};

        add_level(&level);
    }
    if (left_out > 0)
        page_add(page, "<p>and %.0f more line%s of chat\n", left_out,
                 qs_plural((uint64_t)left_out));
    page_add(page, "</section>\n");
}
