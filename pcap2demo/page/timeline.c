/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page's first part: a row a player, a bar a session; and the table of sessions. */
#include <math.h>
#include <string.h>

#include "common/core/hash.h"
#include "pcap2demo/page/page.h"

enum { TICKS_MAX = 9 };

/* The classes of the legend in style.css: what stands above each, in percent. */
static const double loss_steps[] = {0.5, 2, 5, 10};

/* The color of a session's worse direction. A limit is no loss: the bar has an outline only. */
static void add_loss_class(struct page *page, const json_t *session)
{
    static const char *const names[] = {"c2s", "s2c"};
    const json_t *line = json_object_get(session, "line");
    double worst = -1;
    bool limited = false;
    size_t step = 0;

    for (int i = 0; i < 2; i++) {
        const json_t *direction = json_object_get(line, names[i]);
        const double loss = page_number(direction, "loss", -1);
        const double limit = page_number(direction, "loss_at_most", -1);

        if (MAX(loss, limit) < worst)
            continue;
        worst = MAX(loss, limit);
        limited = loss < 0;
    }
    while (step < G_N_ELEMENTS(loss_steps) && worst >= loss_steps[step])
        step++;
    if (worst < 0)
        page_add(page, "unknown");
    else
        page_add(page, "l%zu%s", step, limited ? " limit" : "");
}

/* --- The timeline ---------------------------------------------------------------------------- */

static void add_ticks(struct page *page, double span)
{
    static const int steps[] = {5,    10,   30,   60,    120,   300,   600,   900,
                                1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800};
    double first, every;
    size_t i = 0;

    while (i < G_N_ELEMENTS(steps) - 1 && span / steps[i] > TICKS_MAX)
        i++;
    first = ceil(page->begin / steps[i]) * steps[i];
    every = MAX(steps[i], span / TICKS_MAX);
    page_add(page, "<div class=row aria-hidden=true><div></div><div class=ticks>");
    for (int tick = 0; first + tick * every < page->end - span / 20; tick++) {
        const double time = first + tick * every;
        g_autoptr(GDateTime) date = g_date_time_new_from_unix_local((gint64)time);
        g_autofree char *text = date ? g_date_time_format(date, steps[i] < 60      ? "%H:%M:%S"
                                                                : span > 2 * 86400 ? "%-e %b"
                                                                                   : "%H:%M")
                                     : NULL;

        page_add(page, "<span%s style=\"left:%.2f%%\">%s</span>", tick % 2 ? " class=wide" : "",
                 100 * (time - page->begin) / span, text ? text : "");
    }
    page_add(page, "</div></div>\n");
}

static void add_bar(struct page *page, const json_t *session, double span)
{
    const json_t *levels = json_object_get(session, "levels");
    const double at = page_number(session, "start", 0) - page->begin;
    const double duration = page_number(session, "duration", 0);
    g_autofree char *length = page_duration(duration), *maps = page_maps(session);
    g_autofree char *up = page_loss(session, "c2s"), *down = page_loss(session, "s2c");

    page_add(page, "<a class=\"bar ");
    add_loss_class(page, session);
    page_add(page, "%s\" href=\"#s%.0f\" title=\"",
             json_is_true(json_object_get(session, "spectator")) ? " spectator" : "",
             page_number(session, "number", 0));
    page_text(page, page_string(session, "player"));
    page_add(page, ", ");
    page_text(page, maps);
    page_add(page, ", %s, loss ↑ %s ↓ %s %%\"", length, up, down);
    page_place(page, at, at + duration, span);
    page_add(page, "></a>");
    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *level = json_array_get(levels, i), *next = json_array_get(levels, i + 1);
        const double from = at + page_number(level, "from", 0);

        if (i)
            page_mark(page, "change", from, from, span);
        page_map_label(page, page_string(level, "map"), from,
                       at + (next ? page_number(next, "from", 0) : duration), span);
    }
    page_holes(page, session, at, span);
}

static void add_row(struct page *page, const char *player, guint first, double span)
{
    page_add(page, "<div class=row role=listitem><div class=who>");
    page_text(page, player);
    page_add(page, "</div><div class=track>");
    for (guint i = first; i < page->sessions->len; i++) {
        const json_t *session = g_ptr_array_index(page->sessions, i);

        if (page_number(session, "start", 0) > 0 &&
            strcmp(page_string(session, "player"), player) == 0)
            add_bar(page, session, span);
    }
    page_add(page, "</div></div>\n");
}

static void add_legend(struct page *page)
{
    page_add(page, "<p class=legend>Loss, of the two directions the worse: <b class=l0></b> below "
                   "0.5 %% <b class=l1>"
                   "</b> 2 %% <b class=l2></b> 5 %% <b class=l3></b> 10 %% <b class=l4></b> above "
                   "<b class=\"l2 limit\"></b> at most <b class=unknown></b> unknown "
                   "<b class=hole></b> not captured. "
                   "↑ to the server, ↓ to the player.</p>\n");
}

void page_timeline(struct page *page)
{
    const double span = MAX(page->end - page->begin, 1);
    GHashTable *players = g_hash_table_new(qs_str_hash, g_str_equal);

    if (page->begin <= 0) {
        g_hash_table_destroy(players);
        return;
    }
    page_add(page, "<section aria-label=Timeline class=timeline>\n");
    add_ticks(page, span);
    page_add(page, "<div role=list>\n");
    for (guint i = 0; i < page->sessions->len; i++) {
        const json_t *session = g_ptr_array_index(page->sessions, i);

        if (page_number(session, "start", 0) > 0 &&
            g_hash_table_add(players, (gpointer)page_string(session, "player")))
            add_row(page, page_string(session, "player"), i, span);
    }
    page_add(page, "</div>\n");
    add_legend(page);
    page_add(page, "</section>\n");
    g_hash_table_destroy(players);
}

/* --- The table ------------------------------------------------------------------------------- */

static void add_cell(struct page *page, const char *text)
{
    page_add(page, "<td>");
    page_text(page, text);
}

/* `key`: for the order. */
static void add_number_cell(struct page *page, double key, const char *text)
{
    page_add(page, "<td class=n data-key=\"%.3f\">%s", key, text);
}

static void add_loss_cell(struct page *page, const json_t *session, const char *name)
{
    const json_t *direction = json_object_get(json_object_get(session, "line"), name);
    g_autofree char *text = page_loss(session, name);

    add_number_cell(
        page, page_number(direction, "loss", page_number(direction, "loss_at_most", -1)), text);
}

static void add_table_row(struct page *page, const json_t *session)
{
    const double start = page_number(session, "start", 0),
                 number = page_number(session, "number", 0);
    const double ping = page_number(json_object_get(session, "line"), "ping", -1);
    g_autofree char *maps = page_maps(session);
    g_autofree char *duration = page_duration(page_number(session, "duration", 0));
    g_autofree char *milliseconds = ping < 0 ? g_strdup("–") : g_strdup_printf("%.0f", ping);
    const char *version = page_string(session, "version"), *named = strstr(version, " flags"),
               *flags = named ? named : strstr(version, " 0x");
    g_autofree char *game = g_strdup_printf("%s %.*s", page_string(session, "title"),
                                            (int)(flags ? flags - version : G_MAXINT), version);
    const char *score = json_string_value(json_object_get(session, "score"));
    g_autoptr(GDateTime) date = start > 0 ? g_date_time_new_from_unix_local((gint64)start) : NULL;
    g_autofree char *clock = date ? g_date_time_format(date, "%H:%M:%S") : g_strdup("–");

    page_add(page, "<tr><td class=n data-key=%.0f><a href=\"#s%.0f\">%.0f</a>", number, number,
             number);
    add_cell(page, page_string(session, "player"));
    add_cell(page, maps);
    add_cell(page, game);
    add_number_cell(page, start, clock);
    add_number_cell(page, page_number(session, "duration", 0), duration);
    add_number_cell(page, ping, milliseconds);
    add_loss_cell(page, session, "c2s");
    add_loss_cell(page, session, "s2c");
    add_cell(page, score ? score : "");
    page_add(page, "\n");
}

void page_table(struct page *page)
{
    page_add(page,
             "<section aria-label=Sessions class=scroll tabindex=0>\n<table><thead><tr>"
             "<th class=n>#<th>player<th>map<th>game<th class=n>start<th class=n>duration"
             "<th class=n>ping<th class=n>loss↑<th class=n>loss↓<th>score</thead>\n<tbody>\n");
    for (guint i = 0; i < page->sessions->len; i++)
        add_table_row(page, g_ptr_array_index(page->sessions, i));
    page_add(page, "</table>\n</section>\n");
}
