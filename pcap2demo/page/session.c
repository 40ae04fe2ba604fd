/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session of the page: the line over time. */
#include <math.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/page/page.h"

/* --- Step lines ------------------------------------------------------------------------------ */

void page_chart(struct page *page, const char *title, const char *unit, double span, double least,
                double most)
{
    page_add(page,
             "<figure><figcaption>%s <small>%g to %g%s</small></figcaption><div class=plot><svg "
             "viewBox=\"0 %g %g %g\" preserveAspectRatio=none role=img aria-label=\"%s over "
             "time\">",
             title, least, most, unit, -most, span, most - least, title);
}

void page_steps(struct page *page, const char *class, const GArray *steps, double end,
                double closest, bool area)
{
    double last = -INFINITY, value = NAN;

    g_string_append_printf(page->html, "<path class=%s d=\"", class);
    for (guint i = 0; i <= steps->len; i++) {
        const struct page_step *step = &g_array_index(steps, struct page_step, i);
        const bool more = i < steps->len;
        const double x = more ? step->x : end, y = more ? step->y : NAN;

        if ((more && y == value) || (isnan(y) && isnan(value)) ||
            (i + 1 < steps->len && step[1].x < last + closest))
            continue;
        if (isnan(value))
            g_string_append_printf(page->html, "M%g %g", x, area ? 0 : 0 - y);
        else
            g_string_append_printf(page->html, "H%g", x);
        if (area || (!isnan(value) && !isnan(y)))
            g_string_append_printf(page->html, "V%g", isnan(y) ? 0 : 0 - y);
        value = y;
        last = x;
    }
    g_string_append(page->html, "\"/>");
}

/* --- The line's bins ------------------------------------------------------------------------- */

struct plots {
    struct page *page;
    const json_t *session, *series;
    size_t bins;
};

static double value_at(const json_t *values, size_t index)
{
    const json_t *value = json_array_get(values, index);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* At least 0. */
static double largest(const json_t *values)
{
    double most = 0;

    for (size_t i = 0; i < json_array_size(values); i++)
        most = fmax(most, value_at(values, i));
    return most;
}

/* The end of an axis: 1, 2 or 5 times a power of ten, above `most`. */
static double axis_end(double most, double least)
{
    double end = least;

    for (int i = 0; end < most; i++)
        end *= i % 3 == 1 ? 2.5 : 2;
    return end;
}

static void add_bins(const struct plots *plots, const char *class, const json_t *values, bool area)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(struct page_step));

    for (size_t i = 0; i < plots->bins; i++) {
        const struct page_step step = {(double)i, value_at(values, i)};

        g_array_append_val(steps, step);
    }
    page_steps(plots->page, class, steps, (double)plots->bins, 0, area);
    g_array_free(steps, TRUE);
}

/* Ends a chart; bins of which neither value is known are hatched. */
static void end_chart(const struct plots *plots, const json_t *values, const json_t *others)
{
    page_add(plots->page, "</svg>");
    for (size_t i = 0, from; i < plots->bins; i++) {
        for (from = i; i < plots->bins && isnan(value_at(values, i)) && isnan(value_at(others, i));
             i++)
            ;
        if (i > from)
            page_mark(plots->page, "unknown", (double)from, (double)i, (double)plots->bins, "");
    }
    page_marks(plots->page, plots->session, 0,
               (double)plots->bins * page_number(plots->series, "seconds", 1));
    page_add(plots->page, "</div></figure>\n");
}

static void add_loss(const struct plots *plots, const char *title, const json_t *losses,
                     const json_t *limits)
{
    page_chart(plots->page, title, " %", (double)plots->bins, 0,
               axis_end(fmax(largest(losses), largest(limits)), 5));
    add_bins(plots, "loss", losses, true);
    add_bins(plots, "limited", limits, false);
    end_chart(plots, losses, limits);
}

/* Of the line's median; few pings are above twice that. */
static void add_ping(const struct plots *plots)
{
    const json_t *line = json_object_get(plots->session, "line");
    const json_t *ping = json_object_get(plots->series, "ping");
    const json_t *p95 = json_object_get(plots->series, "ping_p95");

    page_chart(plots->page, "Ping, p95", " ms", (double)plots->bins, 0,
               axis_end(MIN(2 * page_number(line, "ping_game", 1e6), largest(p95)), 50));
    add_bins(plots, "p95", p95, false);
    add_bins(plots, "ping", ping, false);
    end_chart(plots, ping, p95);
}

static void add_plots(struct page *page, const json_t *session)
{
    const json_t *series = json_object_get(session, "series");
    const json_t *c2s = json_object_get(series, "c2s"), *s2c = json_object_get(series, "s2c");
    const json_t *choke = json_object_get(series, "choke");
    const struct plots plots = {page, session, series, json_array_size(choke)};

    if (plots.bins < 2)
        return;
    page_add(page, "<div class=plots>\n");
    add_ping(&plots);
    add_loss(&plots, "Loss ↑", json_object_get(c2s, "loss"), json_object_get(c2s, "loss_at_most"));
    add_loss(&plots, "Loss ↓", json_object_get(s2c, "loss"), json_object_get(s2c, "loss_at_most"));
    if (largest(choke) > 0)
        add_loss(&plots, "Choke", choke, NULL);
    page_ticks(page, 0, (double)plots.bins * page_number(series, "seconds", 1), false);
    page_add(page, "</div>\n");
}

/* "ping 63 ms (p95 77), loss ↑ 1.9 ↓ ≤3.0 %, captured near: server" */
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
    const char *score = json_string_value(json_object_get(session, "score"));
    g_autofree char *maps = page_maps(session);
    g_autofree char *duration = qs_duration_text((int64_t)page_number(session, "duration", 0));

    page_add(page,
             "<section class=session id=s%.0f aria-labelledby=h%.0f><h2 id=h%.0f><small>%.0f"
             "</small> %s <small>%s, %s</small></h2>\n<p>",
             number, number, number, number, page_string(session, "player"), maps, duration);
    if (json_is_object(json_object_get(session, "series")))
        add_figures(page, session);
    page_add(page, "<br>%s</p>\n", score ? score : "");
    add_plots(page, session);
    page_levels(page, session);
    page_add(page, "</section>\n");
}
