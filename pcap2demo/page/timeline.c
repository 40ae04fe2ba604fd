/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page's first part: a row a player, a bar a session; and the table of sessions. */
#include <math.h>
#include <string.h>

#include "common/core/hash.h"
#include "common/core/numeric_text.h"
#include "pcap2demo/page/page.h"

void page_mark(struct page *page, const char *class, double from, double until, double span,
               const char *text)
{
    const double left = 100 * CLAMP(from / span, 0, .993), right = 100 * CLAMP(until / span, 0, 1);

    page_add(page, "<span class=\"%s\" style=\"left:%.2f%%;width:%.2f%%\">%s</span>", class, left,
             MAX(right - left, 0), text);
}

void page_marks(struct page *page, const json_t *session, double at, double span)
{
    const json_t *levels = json_object_get(session, "levels");
    const json_t *holes = json_object_get(json_object_get(session, "holes"), "first");
    const double duration = page_number(session, "duration", 0);

    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *level = json_array_get(levels, i), *next = json_array_get(levels, i + 1);
        const double from = i ? page_number(level, "from", 0) : 0;
        const double until = next ? page_number(next, "from", 0) : duration;
        const char *map = page_string(level, "map");
        /* Percent of the width for a character: shown if there is room, maybe on wide screens. */
        const double room = 100 * (until - from) / span / (double)(g_utf8_strlen(map, -1) + 1);

        page_mark(page,
                  i            ? room < 2.6 ? "change wide" : "change"
                  : room < 2.6 ? "wide"
                               : "",
                  at + from, at + until, span, room < 1 ? "" : map);
    }
    for (size_t i = 0; i < json_array_size(holes); i++) {
        const json_t *hole = json_array_get(holes, i);

        page_mark(page, "hole", at + page_number(hole, "from", 0),
                  at + page_number(hole, "until", 0), span, "");
    }
}

void page_ticks(struct page *page, double begin, double end, bool clock)
{
    static const int steps[] = {5,    10,   30,   60,    120,   300,   600,   900,
                                1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800};
    const double span = end - begin;
    size_t i = 0;
    double every;

    while (i < G_N_ELEMENTS(steps) - 1 && span / steps[i] > 9)
        i++;
    every = MAX(steps[i], span / 9);
    page_add(page, "<div class=row aria-hidden=true><div></div><div class=ticks>");
    for (double time = ceil(begin / every) * every, odd = 0; time < end - span / 6; time += every) {
        g_autofree char *text = !clock ? qs_duration_text((int64_t)time)
                                       : page_clock(time, every < 60       ? "%H:%M:%S"
                                                          : every >= 43200 ? "%-e %b"
                                                                           : "%H:%M");

        page_mark(page, odd > 0 ? "wide" : "", time - begin, time - begin + 2 * every, span, text);
        odd = odd > 0 ? 0 : 1;
    }
    page_add(page, "</div></div>\n");
}

/* --- The timeline ---------------------------------------------------------------------------- */

/* The classes of the bar's color: that of the worse direction. A limit is an outline only. */
static const char *loss_class(const json_t *session)
{
    /* What stands above each color of the legend, in percent. */
    static const double steps[] = {0.5, 2, 5, 10};
    static const char *const losses[] = {"l0", "l1", "l2", "l3", "l4"};
    static const char *const limits[] = {"l0 limit", "l1 limit", "l2 limit", "l3 limit",
                                         "l4 limit"};
    const json_t *line = json_object_get(session, "line");
    const json_t *up = json_object_get(line, "c2s"), *down = json_object_get(line, "s2c");
    const double loss = MAX(page_number(up, "loss", -1), page_number(down, "loss", -1));
    const double limit =
        MAX(page_number(up, "loss_at_most", -1), page_number(down, "loss_at_most", -1));
    size_t step = 0;

    while (step < G_N_ELEMENTS(steps) && MAX(loss, limit) >= steps[step])
        step++;
    return MAX(loss, limit) < 0 ? "unknown" : limit > loss ? limits[step] : losses[step];
}

static void add_bar(struct page *page, const json_t *session)
{
    const double span = MAX(page->end - page->begin, 1);
    const double at = page_number(session, "start", 0) - page->begin;
    const double duration = page_number(session, "duration", 0);
    g_autofree char *length = qs_duration_text((int64_t)duration), *maps = page_maps(session);
    g_autofree char *up = page_loss(session, "c2s"), *down = page_loss(session, "s2c");

    page_add(page,
             "<a class=\"bar %s%s\" href=\"#s%.0f\" title=\"%s, %s, %s, loss ↑ %s ↓ %s %%\" "
             "style=\"left:%.2f%%;width:%.2f%%\"></a>",
             loss_class(session),
             json_is_true(json_object_get(session, "spectator")) ? " spectator" : "",
             page_number(session, "number", 0), page_string(session, "player"), maps, length, up,
             down, 100 * MIN(at / span, .993), 100 * duration / span);
    page_marks(page, session, at, span);
}

static const char legend[] =
    "<p class=legend>Loss, of the two directions the worse: <b class=l0></b> below 0.5 % "
    "<b class=l1></b> 2 % <b class=l2></b> 5 % <b class=l3></b> 10 % <b class=l4></b> above "
    "<b class=\"l2 limit\"></b> at most <b class=unknown></b> unknown <b class=hole></b> not "
    "captured. ↑ to the server, ↓ to the player.</p>\n";

void page_timeline(struct page *page)
{
    GString *html = page->html;
    GPtrArray *players;
    GHashTable *rows;

    if (page->begin <= 0)
        return;
    players = g_ptr_array_new();
    rows = g_hash_table_new(qs_str_hash, g_str_equal);
    page_add(page, "<section aria-label=Timeline class=timeline>\n");
    page_ticks(page, page->begin, page->end, true);
    page_add(page, "<div role=list>\n");
    for (guint i = 0; i < page->sessions->len; i++) {
        const json_t *session = g_ptr_array_index(page->sessions, i);
        const char *player = page_string(session, "player");

        if (page_number(session, "start", 0) <= 0)
            continue;
        page->html = g_hash_table_lookup(rows, player);
        if (!page->html) {
            page->html = g_string_new(NULL);
            g_ptr_array_add(players, page->html);
            g_hash_table_insert(rows, (gpointer)player, page->html);
            page_add(page, "<div class=row role=listitem><div class=who>%s</div><div class=track>",
                     player);
        }
        add_bar(page, session);
    }
    page->html = html;
    for (guint i = 0; i < players->len; i++) {
        GString *row = g_ptr_array_index(players, i);

        g_string_append_printf(page->html, "%s</div></div>\n", row->str);
        g_string_free(row, TRUE);
    }
    g_string_append_printf(page->html, "</div>\n%s</section>\n", legend);
    g_ptr_array_free(players, TRUE);
    g_hash_table_destroy(rows);
}

/* --- The table ------------------------------------------------------------------------------- */

static double loss_key(const json_t *session, const char *direction)
{
    const json_t *path = json_object_get(json_object_get(session, "line"), direction);

    return page_number(path, "loss", page_number(path, "loss_at_most", -1));
}

static void add_table_row(struct page *page, const json_t *session)
{
    const double start = page_number(session, "start", 0);
    const double number = page_number(session, "number", 0);
    const double duration = page_number(session, "duration", 0);
    const double ping = page_number(json_object_get(session, "line"), "ping", -1);
    const char *full = page_string(session, "version");
    const char *score = json_string_value(json_object_get(session, "score"));
    g_autofree char *version = g_strndup(full, strcspn(full, " "));
    g_autofree char *maps = page_maps(session), *length = qs_duration_text((int64_t)duration);
    g_autofree char *milliseconds = ping < 0 ? g_strdup("–") : g_strdup_printf("%.0f", ping);
    g_autofree char *clock = page_clock(start, "%H:%M:%S");
    g_autofree char *up = page_loss(session, "c2s"), *down = page_loss(session, "s2c");

    page_add(page,
             "<tr><td class=n data-key=%.0f><a href=\"#s%.0f\">%.0f</a><td>%s<td>%s<td>%s %s"
             "<td class=n data-key=%.3f>%s<td class=n data-key=%.3f>%s<td class=n data-key=%.3f>%s"
             "<td class=n data-key=%.3f>%s<td class=n data-key=%.3f>%s<td>%s\n",
             number, number, number, page_string(session, "player"), maps,
             page_string(session, "title"), version, start, clock, duration, length, ping,
             milliseconds, loss_key(session, "c2s"), up, loss_key(session, "s2c"), down,
             score ? score : "");
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
