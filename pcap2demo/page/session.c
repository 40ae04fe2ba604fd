/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session of the page: the line over time. */
#include <math.h>
#include <stdlib.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/page/page.h"

/* A plot is as wide as the bins and 100 high. */
struct plot {
    struct page *page;
    const json_t *session;
    size_t bins;
    double span; /* seconds */
};

static double value_at(const json_t *values, size_t index)
{
    const json_t *value = json_array_get(values, index);

    return json_is_number(value) ? json_number_value(value) : -1;
}

static double largest(const json_t *values)
{
    double most = -1;

    for (size_t i = 0; i < json_array_size(values); i++)
        most = MAX(most, value_at(values, i));
    return most;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* What a tenth of the values exceeds. */
static double usual(const json_t *values)
{
    const size_t count = json_array_size(values);
    g_autofree double *sorted = g_new(double, count);

    for (size_t i = 0; i < count; i++)
        sorted[i] = value_at(values, i);
    qsort(sorted, count, sizeof *sorted, compare);
    return count ? sorted[count * 9 / 10] : -1;
}

/* The end of an axis: 1, 2 or 5 times a power of ten, above `most`. */
static double axis_end(double most, double least)
{
    double end = least;

    for (int i = 0; end < most; i++)
        end *= i % 3 == 1 ? 2.5 : 2;
    return end;
}

/* Hatched: bins of which neither value is known. */
static void add_unknown(const struct plot *plot, const json_t *values, const json_t *others)
{
    for (size_t i = 0, from; i < plot->bins; i++) {
        for (from = i; i < plot->bins && value_at(values, i) < 0 && value_at(others, i) < 0; i++)
            ;
        if (i > from)
            page_mark(plot->page, "unknown", (double)from, (double)i, (double)plot->bins);
    }
}

static void add_bars(const struct plot *plot, const json_t *values, double end, const char *class)
{
    if (largest(values) <= 0)
        return;
    page_add(plot->page, "<path class=%s d=\"", class);
    for (size_t i = 0; i < plot->bins; i++)
        if (value_at(values, i) > 0)
            page_add(plot->page, "M%zu 100v%.4gh1V100", i, -100 * value_at(values, i) / end);
    page_add(plot->page, "\"/>");
}

static void add_curve(const struct plot *plot, const json_t *values, double end, const char *class)
{
    bool pen = false;

    page_add(plot->page, "<path class=%s d=\"", class);
    for (size_t i = 0; i < plot->bins; i++) {
        const double value = value_at(values, i);

        if (value >= 0)
            page_add(plot->page, "%c%zu %.3gh1", pen ? 'L' : 'M', i, 100 - 100 * value / end);
        pen = value >= 0;
    }
    page_add(plot->page, "\"/>");
}

static void add_marks(const struct plot *plot)
{
    const json_t *levels = json_object_get(plot->session, "levels");

    for (size_t i = 1; i < json_array_size(levels); i++) {
        const double from = page_number(json_array_get(levels, i), "from", 0);

        page_mark(plot->page, "change", from, from, plot->span);
    }
    page_holes(plot->page, plot->session, 0, plot->span);
}

/* Values, and limits of what is not known; or curves of values, and of what few are above. */
static void add_plot(const struct plot *plot, const char *title, const char *unit,
                     const json_t *values, const json_t *others, bool curves)
{
    const double most = MAX(largest(values), largest(others));
    const double end = curves ? axis_end(1.2 * usual(others), 50) : axis_end(most, 5);

    page_add(
        plot->page,
        "<div class=row><div class=who>%s <small>0–%.0f %s%s</small></div><div class=\"plot%s\">"
        "<svg viewBox=\"0 0 %zu 100\" preserveAspectRatio=none role=img aria-label=\"%s over "
        "time, up to %.1f %s\">",
        title, end, unit, curves && most >= 0 ? "<br>median, <i>p95</i>" : "",
        most < 0 ? " empty" : "", plot->bins, title, MAX(most, 0), unit);
    if (curves) {
        add_curve(plot, others, end, "p95");
        add_curve(plot, values, end, "ping");
    } else {
        add_bars(plot, values, end, "loss");
        add_bars(plot, others, end, "limited");
    }
    page_add(plot->page, "</svg>");
    add_unknown(plot, values, curves ? NULL : others);
    add_marks(plot);
    page_add(plot->page, "</div></div>\n");
}

/* The levels' names above the plots, and the times below. */
static void add_maps(const struct plot *plot)
{
    const json_t *levels = json_object_get(plot->session, "levels");

    if (json_array_size(levels) < 2)
        return;
    page_add(plot->page, "<div class=row><div></div><div class=maps>");
    for (size_t i = 0; i < json_array_size(levels); i++)
        page_map_label(plot->page, page_string(json_array_get(levels, i), "map"),
                       page_number(json_array_get(levels, i), "from", 0),
                       page_number(json_array_get(levels, i + 1), "from", plot->span), plot->span);
    page_add(plot->page, "</div></div>\n");
}

static void add_plots(struct page *page, const json_t *session)
{
    const json_t *series = json_object_get(session, "series");
    const json_t *c2s = json_object_get(series, "c2s"), *s2c = json_object_get(series, "s2c");
    const json_t *ping = json_object_get(series, "ping");
    const size_t bins = json_array_size(ping);
    const struct plot plot = {page, session, bins,
                              (double)bins * page_number(series, "seconds", 1)};
    g_autofree char *end = page_duration(plot.span), *middle = page_duration(plot.span / 2);

    if (bins < 2)
        return;
    page_add(page, "<div class=plots>\n");
    add_maps(&plot);
    add_plot(&plot, "Ping", "ms", ping, json_object_get(series, "ping_p95"), true);
    add_plot(&plot, "Loss ↑", "%", json_object_get(c2s, "loss"),
             json_object_get(c2s, "loss_at_most"), false);
    add_plot(&plot, "Loss ↓", "%", json_object_get(s2c, "loss"),
             json_object_get(s2c, "loss_at_most"), false);
    if (largest(json_object_get(series, "choke")) > 0)
        add_plot(&plot, "Choke", "%", json_object_get(series, "choke"), NULL, false);
    page_add(page,
             "<div class=row aria-hidden=true><div></div><div class=times><span>0:00</span>"
             "<span>%s</span><span>%s</span></div></div>\n</div>\n",
             middle, end);
}

/* "ping 63 ms (p95 77), lost ↑ 1.9 % ↓ ≤3.0 %, captured near the server" */
static void add_figures(struct page *page, const json_t *session)
{
    const json_t *line = json_object_get(session, "line");
    const double ping = page_number(line, "ping", -1), p95 = page_number(line, "ping_p95", -1);
    const double holes = page_number(json_object_get(session, "holes"), "count", 0);
    g_autofree char *up = page_loss(session, "c2s"), *down = page_loss(session, "s2c");

    if (ping < 0)
        page_add(page, "ping unknown");
    else
        page_add(page, "ping %.1f ms", ping);
    if (p95 >= 0)
        page_add(page, " (p95 %.1f)", p95);
    page_add(page, ", loss ↑ %s ↓ %s %%, captured near: %s", up, down,
             page_string(line, "vantage"));
    if (holes > 0)
        page_add(page, ", holes of the capture: %.0f", holes);
}

void page_session(struct page *page, const json_t *session)
{
    const double number = page_number(session, "number", 0);
    g_autofree char *maps = page_maps(session);
    g_autofree char *duration = page_duration(page_number(session, "duration", 0));
    const char *score = json_string_value(json_object_get(session, "score"));

    page_add(
        page,
        "<section class=session id=s%.0f aria-labelledby=h%.0f><h2 id=h%.0f><small>%.0f</small> ",
        number, number, number, number);
    page_text(page, page_string(session, "player"));
    page_add(page, " <small>");
    page_text(page, maps);
    page_add(page, ", %s</small></h2>\n<p>", duration);
    if (json_is_object(json_object_get(session, "series")))
        add_figures(page, session);
    if (score) {
        page_add(page, "<br>");
        page_text(page, score);
    }
    page_add(page, "</p>\n");
    add_plots(page, session);
    page_levels(page, session);
    page_add(page, "</section>\n");
}
