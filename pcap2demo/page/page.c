/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/page/page.h"

#include "common/core/hash.h"
#include "common/core/numeric_text.h"
#include "pcap2demo/config.h"

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
    GHashTable *players = g_hash_table_new(qs_str_hash, g_str_equal);
    const guint count = page->sessions->len;

    for (guint i = 0; i < count; i++)
        g_hash_table_add(players,
                         (gpointer)page_string(g_ptr_array_index(page->sessions, i), "player"));
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
