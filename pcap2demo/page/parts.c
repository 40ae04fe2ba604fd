/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all parts of the page are written with. */
#include <string.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/page/page.h"

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

void page_mark(struct page *page, const char *class, double from, double until, double span)
{
    page_add(page, "<i class=%s", class);
    page_place(page, from, until, span);
    page_add(page, "></i>");
}

void page_holes(struct page *page, const json_t *session, double at, double span)
{
    const json_t *holes = json_object_get(json_object_get(session, "holes"), "first");

    for (size_t i = 0; i < json_array_size(holes); i++) {
        const json_t *hole = json_array_get(holes, i);

        page_mark(page, "hole", at + page_number(hole, "from", 0),
                  at + page_number(hole, "until", 0), span);
    }
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
