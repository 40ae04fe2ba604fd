/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/series.h"

#include "common/dump/dump.h"
#include "common/netchan/histogram.h"
#include "pcap2demo/actions/report.h"

enum { BINS_MAX = 120 };

#define WIDTH_MIN INT64_C(4000000000) /* nanoseconds, in which a path has datagrams enough */

/* What was counted up to the end of the bin; of pings what is in it. */
struct bin {
    struct qs_path_counts counts;
    struct qs_histogram pings;
};

struct series {
    int64_t width; /* nanoseconds */
    guint count;
    struct bin bins[BINS_MAX];
};

struct series *series_new(void)
{
    struct series *series = g_new0(struct series, 1);

    series->width = WIDTH_MIN;
    return series;
}

void series_free(struct series *series)
{
    for (guint i = 0; series && i < series->count; i++)
        qs_histogram_clear(&series->bins[i].pings);
    g_free(series);
}

static void halve(struct series *series)
{
    for (guint i = 0; i < series->count; i += 2) {
        const guint last = MIN(i + 1, series->count - 1);
        struct bin bin = series->bins[last];

        if (last > i)
            qs_histogram_join(&bin.pings, &series->bins[i].pings);
        series->bins[i / 2] = bin;
    }
    series->count = (series->count + 1) / 2;
    series->width *= 2;
}

/* The bin of this time; the last one for a packet that is older. */
static struct bin *bin_at(struct series *series, int64_t since)
{
    while (since / series->width >= BINS_MAX)
        halve(series);
    while ((int64_t)series->count <= since / series->width) {
        struct bin *bin = &series->bins[series->count];

        *bin = series->count ? bin[-1] : (struct bin){0};
        bin->pings = (struct qs_histogram){0};
        series->count++;
    }
    return &series->bins[series->count - 1];
}

void series_add(struct series *series, const struct qs_client_session *session, int64_t time)
{
    struct bin *bin = bin_at(series, MAX(time - session->start, 0));

    bin->counts = qs_path_counts(session->quality);
    if (session->path.ping)
        qs_histogram_add(&bin->pings, session->path.ping);
}

/* Of the bin's pings, in milliseconds. */
static json_t *ping_json(const struct bin *bin, double part)
{
    return report_figure_json(bin->pings.count ? qs_histogram_quantile(&bin->pings, part) / 1000
                                               : QS_QUALITY_UNKNOWN);
}

static void append_direction(json_t *json, const struct qs_path_direction *figures)
{
    report_append(json, "packets", report_number(figures->packets));
    report_append(json, "loss", report_figure_json(figures->loss));
    report_append(json, "loss_at_most", report_figure_json(figures->loss_at_most));
}

json_t *series_json(const struct series *series, const struct qs_client_session *session)
{
    static const struct bin none;
    struct qs_path_quality whole, part;
    json_t *json;

    if (!series || !series->count)
        return json_null();
    qs_path_quality(session->quality, &whole);
    json = json_pack("{s:f, s:{}, s:{}}", "seconds", (double)series->width / 1e9, "c2s", "s2c");
    for (guint i = 0; i < series->count; i++) {
        const struct bin *bin = &series->bins[i], *before = i ? bin - 1 : &none;

        qs_path_part(session->quality, &whole, &before->counts, &bin->counts, &part);
        report_append(json, "ping", ping_json(bin, .5));
        report_append(json, "ping_p95", ping_json(bin, .95));
        report_append(json, "choke", report_figure_json(part.s2c.choke));
        append_direction(json_object_get(json, "c2s"), &part.c2s);
        append_direction(json_object_get(json, "s2c"), &part.s2c);
    }
    return json;
}
