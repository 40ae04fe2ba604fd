/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/page/page.h"

#include <math.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/config.h"

/* --- Text ------------------------------------------------------------------------------------ */

void page_text(struct page *page, const char *text)
{
    for (; *text; text++)
        if (strchr("<>&\"'", *text))
            page_add(page, "&#%d;", *text);
        else
            g_string_append_c(page->html, *text);
}

void page_add(struct page *page, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_string_append_vprintf(page->html, format, arguments);
    va_end(arguments);
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

const char *page_player(const json_t *session)
{
    return page_string(session, "player");
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

char *page_duration(double seconds)
{
    return qs_duration_text((int64_t)seconds);
}

char *page_loss(const json_t *session, const char *direction)
{
    const json_t *way = json_object_get(json_object_get(session, "line"), direction);
    const double loss = page_number(way, "loss", -1), limit = page_number(way, "loss_at_most", -1);

    if (loss < 0 && limit < 0)
        return g_strdup("–");
    return g_strdup_printf("%s%.1f", loss < 0 ? "≤" : "", loss < 0 ? limit : loss);
}

void page_place(struct page *page, double from, double until, double span)
{
    const double left = 100 * CLAMP(from / span, 0, .993), right = 100 * CLAMP(until / span, 0, 1);

    page_add(page, " style=\"left:%.2f%%;width:%.2f%%\"", left, MAX(right - left, 0));
}

void page_map_label(struct page *page, const char *map, double from, double until, double span)
{
    const double percent = 100 * (until - from) / span / (double)(g_utf8_strlen(map, -1) + 1);

    if (percent < 1)
        return;
    page_add(page, "<span%s", percent < 2.6 ? " class=wide" : "");
    page_place(page, from, until, span);
    page_add(page, ">");
    page_text(page, map);
    page_add(page, "</span>");
}

/* --- The page -------------------------------------------------------------------------------- */

static void find_clock(struct page *page)
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

static void add_date(struct page *page, double time, const char *format)
{
    g_autoptr(GDateTime) date = g_date_time_new_from_unix_local((gint64)time);
    g_autofree char *text = date ? g_date_time_format(date, format) : NULL;

    page_add(page, "%s", text ? text : "?");
}

static void add_header(struct page *page)
{
    GHashTable *players = g_hash_table_new(g_str_hash, g_str_equal);
    const guint count = page->sessions->len;

    for (guint i = 0; i < count; i++)
        g_hash_table_add(players, (gpointer)page_player(g_ptr_array_index(page->sessions, i)));
    page_add(page, "<header><h1>");
    if (page->begin > 0)
        add_date(page, page->begin, "%-e %B %Y, %H:%M");
    else
        page_add(page, "Sessions");
    page_add(page, "</h1>\n<p>%u session%s, %u name%s", count, qs_plural(count),
             g_hash_table_size(players), qs_plural(g_hash_table_size(players)));
    if (page->begin > 0) {
        page_add(page, "; until ");
        add_date(page, page->end, "%H:%M (%Z)");
    }
    page_add(page, "</p></header>\n");
    g_hash_table_destroy(players);
}

GString *page_new(const GPtrArray *sessions)
{
    struct page page = {.html = g_string_new(NULL), .sessions = sessions};

    find_clock(&page);
    page_add(&page,
             "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
             "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
             "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
             "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
             "<meta name=generator content=\"pcap2demo %s\">\n<title>Games",
             QUAKESHARK_VERSION);
    if (page.begin > 0)
        add_date(&page, page.begin, " of %-e %B %Y");
    page_add(&page, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", page_style);
    add_header(&page);
    page_add(&page, "<main>\n");
    page_timeline(&page);
    page_table(&page);
    for (guint i = 0; i < sessions->len; i++)
        page_session(&page, g_ptr_array_index(sessions, i));
    page_add(&page, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", page_script);
    return page.html;
}
