/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the page have alike: text, members of JSON, marks on a time. */
#include <math.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/page/page.h"

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

/* --- Parts of a time ------------------------------------------------------------------------- */

void page_mark(struct page *page, const char *class, double from, double until, double span,
               const char *text)
{
    const double left = 100 * CLAMP(from / span, 0, .993), right = 100 * CLAMP(until / span, 0, 1);

    page_add(page, "<span class=\"%s\" style=\"left:%.2f%%;width:%.2f%%\">%s</span>", class, left,
             MAX(right - left, 0), text);
}

void page_marks(struct page *page, const json_t *session, double at, double span)
{
    static const char *const classes[2][2] = {{"", "change"}, {"wide", "wide change"}};
    const json_t *levels = json_object_get(session, "levels");
    const json_t *holes = json_object_get(json_object_get(session, "holes"), "first");

    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *level = json_array_get(levels, i), *next = json_array_get(levels, i + 1);
        const double from = i ? page_number(level, "from", 0) : 0;
        const double until = page_number(next, "from", page_number(session, "duration", 0));
        const char *map = page_string(level, "map");
        /* Percent of the width for a character: shown if there is room, maybe on wide screens. */
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
