/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page: a timeline with a row for each player, and a table. */
#include "pcap2demo/page/page.h"

#include "common/core/hash.h"
#include "common/core/numeric_text.h"
#include "pcap2demo/config.h"

/* Contents of style.css and script.js, as strings. */
extern const char page_style[], page_script[];

/* --- Timeline -------------------------------------------------------------------------------- */

/* Returns the loss of a direction, or its upper limit (`*limited`); below 0 if unknown. */
static double loss_of(const json_t *session, const char *direction, bool *limited)
{
    const json_t *path = json_object_get(json_object_get(session, "line"), direction);
    const double loss = page_number(path, "loss", -1);

    *limited = loss < 0;
    return loss < 0 ? page_number(path, "loss_at_most", -1) : loss;
}

/* Returns the loss as text: "1.9", "≤3.0" or "–". The caller frees it. */
static char *loss_text(const json_t *session, const char *direction)
{
    bool limited;
    const double loss = loss_of(session, direction, &limited);

    return loss < 0 ? g_strdup("–") : g_strdup_printf("%s%.1f", limited ? "≤" : "", loss);
}

/* Adds a session's bar, in the color of the worse direction; upper limits are outlined only. */
static void add_bar(struct page *page, const json_t *session)
{
    static const double steps[] = {0.5, 2, 5, 10}; /* limits of the colors, in percent */
    const double span = MAX(page->end - page->begin, 1);
    const double at = page_number(session, "start", 0) - page->begin;
    const double duration = page_number(session, "duration", 0);
    bool up_limited, down_limited;
    const double up = loss_of(session, "c2s", &up_limited);
    const double down = loss_of(session, "s2c", &down_limited), worse = MAX(up, down);
    g_autofree char *length = qs_duration_text((int64_t)duration), *maps = page_maps(session);
    g_autofree char *up_text = loss_text(session, "c2s"), *down_text = loss_text(session, "s2c");
    unsigned step = 0;

    while (step < G_N_ELEMENTS(steps) && worse >= steps[step])
        step++;
    page_add(page,
             "<a class=\"bar l%u%s\" href=\"#s%.0f\" title=\"%s, %s, %s, loss ↑ %s ↓ %s %%\" "
             "style=\"left:%.2f%%;width:%.2f%%\"></a>",
             step,
             worse < 0                                  ? " unknown"
             : (up >= down ? up_limited : down_limited) ? " limit"
                                                        : "",
             page_number(session, "number", 0), page_string(session, "player"), maps, length,
             up_text, down_text, 100 * MIN(at / span, .993), 100 * duration / span);
    page_marks(page, session, at, span);
}

static const char legend[] =
    "<p class=legend>Loss in the worse direction: <b class=l0></b> below 0.5 % "
    "<b class=l1></b> 2 % <b class=l2></b> 5 % <b class=l3></b> 10 % <b class=l4></b> above "
    "<b class=\"l2 limit\"></b> at most <b class=unknown></b> unknown <b class=hole></b> not "
    "captured. ↑ to the server, ↓ to the player.</p>\n";

static void add_timeline(struct page *page)
{
    GString *html = page->html;
    GPtrArray *players = g_ptr_array_new();
    GHashTable *rows = g_hash_table_new(qs_str_hash, g_str_equal);

    page_add(page, "<section aria-label=Timeline>\n");
    page_ticks(page, page->begin, page->end);
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
            page_add(page, "<div class=row role=listitem><div>%s</div><div class=track>", player);
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

/* --- Table ----------------------------------------------------------------------------------- */

static void add_table_row(struct page *page, const json_t *session)
{
    bool limited;
    const double start = page_number(session, "start", 0);
    const double number = page_number(session, "number", 0);
    const double duration = page_number(session, "duration", 0);
    const double ping = page_number(json_object_get(session, "line"), "ping", -1);
    const char *all = page_string(session, "version");
    const char *score = json_string_value(json_object_get(session, "score"));
    g_autofree char *version = g_strndup(all, strcspn(all, " ")), *maps = page_maps(session);
    g_autofree char *length = qs_duration_text((int64_t)duration);
    g_autofree char *milliseconds = ping < 0 ? g_strdup("–") : g_strdup_printf("%.0f", ping);
    g_autofree char *clock = page_clock(start, "%H:%M:%S");
    g_autofree char *up = loss_text(session, "c2s"), *down = loss_text(session, "s2c");

    page_add(page,
             "<tr><td class=n data-key=%.0f><a href=\"#s%.0f\">%.0f</a><td>%s<td>%s<td>%s %s"
             "<td class=n data-key=%.3f>%s<td class=n data-key=%.3f>%s<td class=n data-key=%.3f>%s"
             "<td class=n data-key=%.3f>%s<td class=n data-key=%.3f>%s<td>%s\n",
             number, number, number, page_string(session, "player"), maps,
             page_string(session, "title"), version, start, clock, duration, length, ping,
             milliseconds, loss_of(session, "c2s", &limited), up, loss_of(session, "s2c", &limited),
             down, score ? score : "");
}

static void add_table(struct page *page)
{
    page_add(page,
             "<section aria-label=Sessions class=scroll tabindex=0>\n<table><thead><tr>"
             "<th class=n>#<th>player<th>map<th>game<th class=n>start<th class=n>duration"
             "<th class=n>ping<th class=n>loss↑<th class=n>loss↓<th>score</thead>\n<tbody>\n");
    for (guint i = 0; i < page->sessions->len; i++)
        add_table_row(page, g_ptr_array_index(page->sessions, i));
    page_add(page, "</table>\n</section>\n");
}

/* --- Page ------------------------------------------------------------------------------------ */

static void find_times(struct page *page)
{
    for (guint i = 0; i < page->sessions->len; i++) {
        const json_t *session = g_ptr_array_index(page->sessions, i);
        const double start = page_number(session, "start", 0);

        if (start <= 0)
            continue;
        page->begin = page->begin > 0 ? MIN(page->begin, start) : start;
        page->end = MAX(page->end, start + page_number(session, "duration", 0));
    }
}

GString *page_new(const GPtrArray *sessions)
{
    struct page page = {.html = g_string_new(NULL), .sessions = sessions};
    g_autofree char *from = NULL, *until = NULL;

    find_times(&page);
    from = page.begin > 0 ? page_clock(page.begin, "%-e %B %Y, %H:%M") : g_strdup("Sessions");
    until = page.begin > 0 ? page_clock(page.end, ", until %H:%M (%Z)") : g_strdup("");
    page_add(&page,
             "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
             "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
             "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
             "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
             "<meta name=generator content=\"pcap2demo %s\">\n<title>%s</title>\n<style>\n",
             QUAKESHARK_VERSION, from);
    g_string_append_printf(page.html, "%s</style>\n</head>\n<body>\n", page_style);
    page_add(&page, "<header><h1>%s</h1>\n<p>%u session%s%s</p></header>\n<main>\n", from,
             sessions->len, qs_plural(sessions->len), until);
    if (page.begin > 0)
        add_timeline(&page);
    add_table(&page);
    for (guint i = 0; i < sessions->len; i++)
        page_session(&page, g_ptr_array_index(sessions, i));
    g_string_append_printf(page.html, "</main>\n<script>\n%s</script>\n</body>\n</html>\n",
                           page_script);
    return page.html;
}
