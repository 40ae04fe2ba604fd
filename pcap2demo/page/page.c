/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/page/page.h"

#include "common/core/numeric_text.h"
#include "pcap2demo/config.h"

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

char *page_loss(const json_t *session, const char *direction)
{
    const json_t *path = json_object_get(json_object_get(session, "line"), direction);
    const double loss = page_number(path, "loss", -1);
    const double limit = page_number(path, "loss_at_most", -1);

    if (loss < 0 && limit < 0)
        return g_strdup("–");
    return g_strdup_printf("%s%.1f", loss < 0 ? "≤" : "", loss < 0 ? limit : loss);
}

char *page_clock(double time, const char *format)
{
    g_autoptr(GDateTime) date = g_date_time_new_from_unix_local((gint64)time);
    char *text = date && time > 0 ? g_date_time_format(date, format) : NULL;

    return text ? text : g_strdup("–");
}

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
    from = page_clock(page.begin, "%-e %B %Y, %H:%M");
    until = page_clock(page.end, "%H:%M (%Z)");
    page_add(
        &page,
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
        "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        "<meta name=generator content=\"pcap2demo %s\">\n<title>Games of %s</title>\n<style>\n",
        QUAKESHARK_VERSION, from);
    g_string_append(page.html, page_style);
    page_add(&page,
             "</style>\n</head>\n<body>\n<header><h1>%s</h1>\n<p>%u session%s, until "
             "%s</p></header>\n<main>\n",
             from, sessions->len, qs_plural(sessions->len), until);
    page_timeline(&page);
    page_table(&page);
    for (guint i = 0; i < sessions->len; i++)
        page_session(&page, g_ptr_array_index(sessions, i));
    g_string_append_printf(page.html, "</main>\n<script>\n%s</script>\n</body>\n</html>\n",
                           page_script);
    return page.html;
}
