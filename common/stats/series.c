/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/stats/series.h"

#include <math.h>

#include "common/core/parse.h"

enum {
    ENOUGH = 8,    /* datagrams, for a loss */
    LIMIT_MAX = 50 /* percent: a limit above says nothing */
};

#define SECOND INT64_C(1000000000)

struct qs_series *qs_series_new(int64_t start)
{
    struct qs_series *series = g_new0(struct qs_series, 1);

    series->start = start;
    series->width = SECOND;
    return series;
}

void qs_series_free(struct qs_series *series)
{
    for (uint32_t i = 0; series && i < series->count; i++)
        qs_histogram_clear(&series->bins[i].pings);
    g_free(series);
}

/* Adds the second bin to the first, and clears it. */
static void join(struct qs_series_bin *bin, struct qs_series_bin *other)
{
    for (int i = 0; i < 2; i++) {
        struct qs_series_side *side = &bin->sides[i];
        const struct qs_series_side *more = &other->sides[i];

        side->packets += more->packets;
        side->gaps += more->gaps;
        side->not_captured += more->not_captured;
        side->unread += more->unread;
        side->acks.judged += more->acks.judged;
        side->acks.passed += more->acks.passed;
    }
    bin->drops.frames += other->drops.frames;
    bin->drops.drops += other->drops.drops;
    bin->drops.numbers += other->drops.numbers;
    bin->choked += other->choked;
    qs_histogram_join(&bin->pings, &other->pings);
    *other = (struct qs_series_bin){0};
}

static void halve(struct qs_series *series)
{
    for (uint32_t i = 0; i < series->count; i += 2) {
        struct qs_series_bin bin = series->bins[i];

        series->bins[i] = (struct qs_series_bin){0};
        if (i + 1 < series->count)
            join(&bin, &series->bins[i + 1]);
        series->bins[i / 2] = bin;
    }
    series->count = (series->count + 1) / 2;
    series->width *= 2;
}

/* The bin of this time; packets before the start are in the first. */
static struct qs_series_bin *bin_at(struct qs_series *series, int64_t time)
{
    const int64_t since = MAX(time - series->start, 0);

    while (since / series->width >= QS_SERIES_BINS)
        halve(series);
    series->count = MAX(series->count, (uint32_t)(since / series->width) + 1);
    return &series->bins[since / series->width];
}

/* Packets that the capture lacks, by what the netchans know since the packet before. */
static void add_not_captured(struct qs_series *series, struct qs_series_bin *bin,
                             const struct qs_session *state)
{
    const uint32_t now[2] = {state->to_server.not_captured, state->to_client.not_captured};

    for (int i = 0; i < 2; i++) {
        bin->sides[i].not_captured += (int32_t)(now[i] - series->not_captured[i]);
        series->not_captured[i] = now[i];
    }
}

void qs_series_add(struct qs_series *series, const struct qs_path_event *event,
                   const struct qs_decoder *decoder)
{
    const bool to_client = decoder->found.direction == QS_S2C;
    struct qs_series_bin *bin;
    struct qs_series_side *side, *other;

    if (decoder->found.connectionless)
        return;
    bin = bin_at(series, decoder->packet->time);
    side = &bin->sides[to_client];
    other = &bin->sides[!to_client];
    add_not_captured(series, bin, decoder->session);
    if (decoder->found.notes[QS_NOTE_SEQUENCE_STALE] && side->gaps)
        side->gaps--;
    if (!event->counted)
        return;
    side->packets++;
    side->gaps += event->gap;
    other->unread += event->unread_count;
    other->acks.judged += event->acks.judged;
    other->acks.passed += event->acks.passed;
    bin->drops.frames += event->drops.frames;
    bin->drops.drops += event->drops.drops;
    bin->drops.numbers += event->drops.numbers;
    bin->choked += event->choked;
    if (event->ping)
        qs_histogram_add(&bin->pings, event->ping);
}

/* --- Figures --------------------------------------------------------------------------------- */

/* Of a loss, in percent: what is likely, and the limit; below 0: unknown. */
struct loss {
    double figure, limit;
};

static const struct loss unknown_loss = {-1, -1};

static struct loss loss_of(double lost, double packets)
{
    const double loss =
        lost + packets >= ENOUGH ? 100 * MAX(lost, 0) / (MAX(lost, 0) + packets) : -1;

    return (struct loss){loss, loss};
}

/* Of two losses one after the other. */
static struct loss add_losses(struct loss first, struct loss second)
{
    if (first.limit < 0 || second.limit < 0)
        return unknown_loss;
    return (struct loss){first.figure + second.figure - first.figure * second.figure / 100,
                         first.limit + second.limit - first.limit * second.limit / 100};
}

/* Numbers missing that the capture does not just lack. */
static double missing(const struct qs_series_side *side)
{
    return MAX((double)side->gaps - side->not_captured, 0);
}

/* Behind the capture. Datagrams of which acknowledgements tell are a sample. */
static struct loss loss_behind(const struct qs_series_side *side)
{
    const double all = (double)side->acks.judged + side->acks.passed;
    const double limit = 100 * side->acks.passed / MAX(all, 1);
    const double others = MAX(1 - all / MAX(side->packets, 1), 0);

    if (all < ENOUGH)
        return unknown_loss;
    return (struct loss){100 * MIN(side->unread / all, 1),
                         limit + 3 * sqrt(limit * (100 - limit) / all * others)};
}

/* Of datagrams of the client that had no answer; some answers may have been lost. */
static struct loss unanswered(const struct qs_series_bin *bin)
{
    return loss_of(missing(&bin->sides[1]) - bin->choked - missing(&bin->sides[0]),
                   bin->sides[1].packets);
}

static struct loss dropped(const struct qs_path_drops *drops)
{
    const double frames = drops->frames;
    const double loss = frames >= ENOUGH && drops->numbers
                            ? 100 * (1 - pow(1 - drops->drops / frames, frames / drops->numbers))
                            : -1;

    return (struct loss){loss, loss};
}

/* Numbers that clients leave out on purpose are no loss, and hide which ones are lost. */
static struct loss loss_to_server(const struct qs_series_bin *bin,
                                  const struct qs_path_quality *quality)
{
    const struct qs_series_side *side = &bin->sides[0];
    const bool near_server = quality->vantage & QS_VANTAGE_SERVER;
    struct loss gaps = {0}, behind = {0};

    if (quality->vantage != QS_VANTAGE_CLIENT)
        gaps = quality->c2s.gaps == QS_GAP_THROTTLED ? unknown_loss
                                                     : loss_of(missing(side), side->packets);
    if (!near_server && quality->answers)
        behind = unanswered(bin);
    else if (!near_server)
        behind = bin->drops.frames ? dropped(&bin->drops) : loss_behind(side);
    return add_losses(gaps, behind);
}

/* Numbers that the server skips next to the capture are no loss. */
static struct loss loss_to_client(const struct qs_series_bin *bin,
                                  const struct qs_path_quality *quality)
{
    const struct qs_series_side *side = &bin->sides[1];
    const bool near_server = quality->vantage & QS_VANTAGE_SERVER;
    struct loss gaps = {0}, behind = {0};

    if (quality->answers && !near_server)
        gaps = unanswered(bin);
    else if (!quality->answers && quality->vantage != QS_VANTAGE_SERVER)
        gaps = loss_of(missing(side), side->packets);
    if (!(quality->vantage & QS_VANTAGE_CLIENT))
        behind = loss_behind(side);
    return add_losses(gaps, behind);
}

/* Where nothing was lost in the session, nothing was in a bin. */
static void set_loss(struct qs_bin_figures *figures, int side, struct loss loss,
                     const struct qs_path_direction *direction)
{
    if (loss.limit < 0)
        return;
    if (direction->loss >= 0)
        figures->loss[side] = direction->loss > 0 ? loss.figure : 0;
    else if (direction->loss_at_most >= 0 && loss.limit <= LIMIT_MAX)
        figures->loss_at_most[side] = loss.limit;
}

struct qs_bin_figures qs_series_figures(const struct qs_series_bin *bin,
                                        const struct qs_path_quality *quality)
{
    struct qs_bin_figures figures = {
        .ping = QS_QUALITY_UNKNOWN,
        .ping_p95 = QS_QUALITY_UNKNOWN,
        .choke = QS_QUALITY_UNKNOWN,
        .loss = {QS_QUALITY_UNKNOWN, QS_QUALITY_UNKNOWN},
        .loss_at_most = {QS_QUALITY_UNKNOWN, QS_QUALITY_UNKNOWN},
    };

    for (int i = 0; i < 2; i++)
        figures.not_captured[i] = (uint32_t)MAX(bin->sides[i].not_captured, 0);
    if (bin->pings.count) {
        figures.ping = qs_histogram_quantile(&bin->pings, .5) / 1000;
        figures.ping_p95 = qs_histogram_quantile(&bin->pings, .95) / 1000;
    }
    if (quality->s2c.choke >= 0 && bin->sides[1].packets)
        figures.choke = 100. * bin->choked / (bin->choked + bin->sides[1].packets);
    if (quality->two_places)
        return figures;
    set_loss(&figures, 0, loss_to_server(bin, quality), &quality->c2s);
    set_loss(&figures, 1, loss_to_client(bin, quality), &quality->s2c);
    return figures;
}
