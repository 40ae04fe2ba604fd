/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of a line, of what is kept of it. */
#include <math.h>

#include "common/core/numeric_text.h"
#include "common/netchan/quality_state.h"

#define MILLISECOND 1000.0
#define LIMIT_MAX 50.0 /* percent: a limit above says nothing */
#define ERROR_MAX 1.2  /* percent: a loss that may be off by more is not known */
#define NEAR (2.5 * MILLISECOND)

enum { ENOUGH = 30 /* datagrams each way, for any figure */ };

/* What the figures are made of; in percent. */
struct view {
    const struct qs_quality *quality;
    const struct qs_line_history *history;
    const struct qs_line_way *client, *server;
    const struct qs_line_leg *client_leg, *server_leg;
    bool near_client, near_server;
    double lacking;            /* of the capture */
    double gaps_c2s, gaps_s2c; /* of the line before the capture, if numbers were not left out */
    double limit_s2c;          /* behind it */
};

static double percent(double part, double all)
{
    return all > 0 ? 100 * CLAMP(part / all, 0, 1) : 0;
}

/* Of two losses one after the other. */
static double add_losses(double first, double second)
{
    return first + second - first * second / 100;
}

/* Of two losses one after the other the second, where the sum is known. */
static double without(double sum, double first)
{
    return MAX(100 - (100 - sum) / (1 - MIN(first, 99) / 100), 0);
}

/* Whether the end is next to the capture: what it sends after a datagram came by acknowledges that.
 * If it sends seldom, some must be acknowledged at once, too. On one host, a busy end may be late,
 * a client that sends first always is, and so is a relay to an end elsewhere. */
static bool is_near(const struct qs_quality *quality, const struct qs_line_leg *leg, bool seldom)
{
    if (quality->same_host)
        return quality->rules->sends_first || qs_histogram_quantile(&leg->low, .5) < NEAR;
    return leg->tried >= ENOUGH && qs_histogram_quantile(&leg->low, .95) < NEAR &&
           (!seldom || qs_histogram_quantile(&leg->high, .05) < 2 * NEAR);
}

/* Part of the numbers that never came by, without what the capture lacks. */
static double gap_loss(const struct qs_line_way *way, double lacking)
{
    const double arrived = (double)way->accepted + way->late;

    return without(percent((double)way->missing, (double)way->missing + arrived), lacking);
}

/* Whether most of what the receiver acknowledged came by a second place of the capture; what the
 * network repeats seldom does. */
static bool has_second_place(const struct qs_line_way *way)
{
    const uint32_t passed = way->acknowledged ? way->acknowledged : way->accepted;
    const uint32_t copied = way->acknowledged ? way->acknowledged_copied : way->copied;

    return way->copied >= ENOUGH && copied >= passed / 2;
}

static struct view view_of(const struct qs_quality *quality)
{
    const struct qs_line_history *history = quality->history;
    const struct qs_line_way *client = &history->ways[QS_TO_SERVER],
                             *server = &history->ways[QS_TO_CLIENT];
    const struct qs_line_leg *legs = history->legs;
    const double not_captured = (double)client->not_captured + server->not_captured;
    const double acknowledged = (double)client->acknowledged + server->acknowledged;
    struct view view = {
        .quality = quality,
        .history = history,
        .client = client,
        .server = server,
        .client_leg = &legs[QS_TO_SERVER],
        .server_leg = &legs[QS_TO_CLIENT],
        .lacking = percent(not_captured, not_captured + acknowledged),
        .limit_s2c =
            percent(history->passed_over, (double)history->passed_over + legs[QS_TO_SERVER].tried),
    };

    view.near_client = is_near(quality, view.client_leg, false);
    view.near_server =
        is_near(quality, view.server_leg, true) ||
        (!quality->rules->server_acknowledges && (!view.near_client || has_second_place(client)));
    view.gaps_c2s = gap_loss(client, view.lacking);
    view.gaps_s2c = gap_loss(server, view.lacking);
    return view;
}

/* Where the capture lacks packets, too, a small loss may be all its own. */
static void set_gap_loss(const struct view *view, const struct qs_line_way *way, double loss,
                         struct qs_line_direction *line)
{
    const double count =
        MIN(way->accepted, view->client->acknowledged + view->server->acknowledged);
    const double error = 3 * sqrt(2 * view->lacking * (100 - view->lacking) / MAX(count, 1));

    line->loss = loss;
    if (loss >= error || loss + error <= ERROR_MAX / 2)
        return;
    line->loss = view->quality->same_host ? 0 : QS_LINE_UNKNOWN;
    line->loss_at_most = loss + error;
}

enum { WINDOW = 256 /* numbers of which QuakeWorld's client counts its loss */ };

/* --- QuakeWorld: what the client reports is all that tells of the server's datagrams --- */

/* Of the client's datagrams that were captured those that the server did not answer. */
static double unanswered_loss(const struct view *view)
{
    const struct qs_line_way *client = view->client;
    const double left_out = (double)client->missing - client->not_captured;

    return percent((double)qs_line_numbers(view->history).unanswered - MAX(left_out, 0),
                   client->accepted);
}

static void estimate_at_client(const struct view *view, struct qs_line *line)
{
    const struct qs_histogram *times = &view->server_leg->high;

    line->c2s.gaps = QS_GAP_THROTTLED;
    line->c2s.throttle = view->gaps_c2s;
    if (qs_histogram_quantile(times, .95) - qs_histogram_quantile(times, .05) <
        qs_histogram_quantile(&view->client->interval, .5))
        line->round_trip_loss = line->c2s.loss_at_most;
}

/*
 * The client counts numbers that were not answered, by whatever cause; if it leaves out some on
 * purpose, it does not count these. It counts those on their way as soon as answers may come.
 */
static double reported_loss(const struct view *view)
{
    const struct qs_line_history *history = view->history;
    const struct qs_histogram *times = &view->client_leg->high;
    const double interval = qs_histogram_quantile(&view->client->interval, .5);
    const double late = qs_histogram_quantile(times, .5) - qs_histogram_quantile(times, .05);

    if (history->loss_count < ENOUGH)
        return QS_LINE_UNKNOWN;
    return MAX(history->losses / history->loss_count - percent(late / MAX(interval, 1), WINDOW), 0);
}

static void estimate_at_server(const struct view *view, struct qs_line *line)
{
    const struct qs_line_numbers first = view->history->start,
                                 last = qs_line_numbers(view->history);
    const double unanswered =
        percent((double)(last.unanswered - first.unanswered), (double)(last.all - first.all));
    const double reported = reported_loss(view);
    struct qs_line_direction *c2s = &line->c2s, *s2c = &line->s2c;

    s2c->or_late = true;
    if (reported >= 0 && view->gaps_c2s > MAX(3, reported + 1.5)) {
        c2s->gaps = QS_GAP_THROTTLED;
        c2s->throttle = view->gaps_c2s;
        line->round_trip_loss = MAX(reported - MAX(unanswered - view->gaps_c2s, 0), 0);
        c2s->loss_at_most = s2c->loss_at_most = line->round_trip_loss + ERROR_MAX;
        return;
    }
    c2s->gaps = QS_GAP_LOST;
    c2s->loss_at_most = view->gaps_c2s;
    s2c->loss_at_most = view->limit_s2c;
    if (reported >= 0 || view->gaps_c2s <= 3 || view->quality->same_host)
        set_gap_loss(view, view->client, view->gaps_c2s, c2s);
    if (reported >= 0)
        s2c->loss = MIN(view->limit_s2c, without(MAX(reported, unanswered), unanswered));
}

static void estimate_answers(const struct view *view, struct qs_line *line)
{
    line->c2s.loss_at_most = line->s2c.loss_at_most = unanswered_loss(view);
    if (view->near_server) {
        estimate_at_server(view, line);
    } else if (view->near_client) {
        estimate_at_client(view, line);
    } else {
        line->c2s.loss_at_most = add_losses(view->gaps_c2s, line->c2s.loss_at_most);
        line->s2c.loss_at_most = add_losses(line->s2c.loss_at_most, view->limit_s2c);
    }
}

/* --- Quake and Quake II --- */

/*
 * Numbers that the client leaves out on purpose, at regular distances: their spacing is always one
 * of two that are next to each other, and the distances between gaps vary less than those of losses
 * would. Percent of the numbers, 0: none; `loss` is then that of the rest.
 */
static double regular_throttle(const struct qs_line_way *way, double *loss)
{
    const double mean = way->skips > 0 ? way->distance / way->skips : 1;
    const double variance = way->skips > 0 ? way->distance_squares / way->skips - mean * mean : 0;
    double spacings = 0, numbers = 0, large = 0, lost = 0;
    int usual;

    for (int i = 1; i < QS_LINE_SPACINGS; i++) {
        const uint32_t count = qs_bin_at(&way->spacings, (unsigned)i);

        spacings += count;
        numbers += (double)count * i;
        large += i > 3 ? count : 0;
    }
    if (spacings < 100 || way->skips < .03 * spacings || large > .35 * spacings ||
        (way->skips <= .6 * spacings &&
         sqrt(MAX(variance, 0)) / mean >= .6 * sqrt(1 - way->skips / spacings)))
        return 0;
    usual = (int)(numbers / spacings);
    for (int i = usual + 2; i < QS_LINE_SPACINGS; i++)
        lost += qs_bin_at(&way->spacings, (unsigned)i) * MAX(1, round(i * spacings / numbers) - 1);
    *loss = percent(lost, lost + spacings);
    return percent(numbers - spacings - lost, numbers);
}

/* What the server says of missing datagrams, of which it had several between two updates. */
static double dropped_loss(const struct qs_line_history *history)
{
    const double frames = history->drop_frames;

    if (frames < ENOUGH)
        return QS_LINE_UNKNOWN;
    return 100 * (1 - pow(1 - history->drops / frames, frames / history->drop_numbers));
}

static void estimate_c2s(const struct view *view, struct qs_line_direction *line)
{
    double loss = view->gaps_c2s, throttle = 0;

    if (view->quality->rules->skips_regularly) {
        line->throttle = throttle = regular_throttle(view->client, &loss);
        if (throttle > 0)
            loss = without(loss, view->lacking);
    }
    if (throttle > 0)
        line->gaps = QS_GAP_THROTTLED;
    line->loss = dropped_loss(view->history);
    line->or_late = !view->near_server;
    if (view->near_server)
        set_gap_loss(view, view->client, loss, line);
}

/* The loss behind the capture that acknowledgements prove. If too few losses would be seen to know
 * it to a percent or so, its limit. */
static void estimate_proven(const struct view *view, struct qs_line_direction *line)
{
    static const double levels[] = {.98, .95, .9, .85};
    const struct qs_line_history *history = view->history;
    const struct qs_line_leg *leg = view->client_leg;
    const double passed_over = history->passed_over, all = leg->tried + passed_over;
    double seen = .01, lost = 0, loss, error;

    line->or_late = true;
    for (unsigned i = 0; i < G_N_ELEMENTS(levels); i++) {
        const double time = qs_histogram_quantile(&leg->high, levels[i]);
        const double part = (double)qs_intervals_covering(&history->seen, time) / leg->tried;

        if (part > seen) {
            seen = part;
            lost = qs_intervals_covering(&history->lost, time);
            if (lost < passed_over)
                lost -= qs_intervals_covering(&history->wrong, time) * (1 - lost / passed_over);
        }
    }
    loss = MIN(percent(lost / seen, all), view->limit_s2c);
    error = 2 * sqrt(loss * (100 - loss) / (seen * all) *
                     MAX(1 - seen * all / MAX(view->server->accepted, 1), 0));
    line->loss_at_most = view->limit_s2c;
    if (seen >= .6 && error <= ERROR_MAX)
        line->loss = loss;
    else if (history->named)
        line->loss_at_most = loss + error + 200 / all;
}

static void estimate_s2c(const struct view *view, struct qs_line_direction *line)
{
    if (view->near_client && (view->quality->same_host || !view->near_server))
        set_gap_loss(view, view->server, view->gaps_s2c, line);
    else if (view->near_server)
        estimate_proven(view, line);
    else
        line->loss_at_most = add_losses(view->gaps_s2c, view->limit_s2c);
}

/* --- Round trip --- */

/*
 * Of a leg's line, without the waiting for the far end's next frame; adds how far p95 is above,
 * if that is known. Where the next datagram was lost, which happens to `loss` percent, `low` is too
 * high.
 */
static double leg_ping(const struct qs_line_leg *leg, double loss, double *above)
{
    const double kept = 1 - MAX(loss, 0) / 100;
    const double least = qs_histogram_quantile(&leg->low, .85 * kept);
    const double most = qs_histogram_quantile(&leg->high, .15);
    const double ping =
        least > most ? qs_histogram_quantile(&leg->middle, .5 * kept) : (least + most) / 2;
    const double spread = qs_histogram_quantile(&leg->middle, .95 * kept) -
                          qs_histogram_quantile(&leg->middle, .5 * kept);

    if (leg->middle.count < leg->high.count / 2)
        *above = QS_LINE_UNKNOWN;
    else
        *above = (MAX(qs_histogram_quantile(&leg->low, .95 * kept) - ping, 0) + spread) / 2;
    return ping;
}

static void estimate_ping(const struct view *view, struct qs_line *line)
{
    const struct qs_histogram *answers = &view->server_leg->high;
    double ping = 0, above = 0, more = 0, more_above = 0;

    if (!view->near_server && !view->quality->rules->server_acknowledges)
        return;
    if (!view->near_client)
        ping = leg_ping(view->client_leg, line->s2c.loss, &above);
    if (view->quality->rules->answers) { /* at once */
        more = qs_histogram_quantile(answers, .5);
        more_above = qs_histogram_quantile(answers, .95) - more;
    } else if (!view->near_server) {
        more = leg_ping(view->server_leg, line->c2s.loss, &more_above);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(view->history->ways); i++)
        if (has_second_place(&view->history->ways[i]))
            more += view->history->ways[i].lag / view->history->ways[i].copied;
    line->ping = (ping + more) / MILLISECOND;
    line->ping_game = (more + qs_histogram_quantile(&view->client_leg->high, .5)) / MILLISECOND;
    if (above < 0 || more_above < 0)
        return;
    line->jitter = MAX(above, more_above) / MILLISECOND;
    line->ping_p95 = line->ping + line->jitter;
}

/* --- All of it --- */

const char *qs_vantage_name(enum qs_vantage vantage)
{
    static const char *const names[] = {"unknown", "client", "server", "both"};

    return names[vantage];
}

/*
 * Part of the datagrams that came by the first place of the capture and not the second. The second
 * one may lack datagrams that did come by: of what the receiver acknowledged, such a part has no
 * copy.
 */
static double loss_between(const struct qs_line_way *way)
{
    const double passed = (double)way->accepted - way->before_copies;
    const double seen =
        way->acknowledged ? (double)way->acknowledged_copied / way->acknowledged : 1;

    return without(percent(passed - way->copied, passed), 100 * (1 - seen));
}

/* Adds the loss between two places of the capture, where it has copies. */
static void add_loss_between(const struct view *view, enum qs_direction direction,
                             struct qs_line_direction *line)
{
    const struct qs_line_way *way = &view->history->ways[direction - QS_C2S];
    const bool near = direction == QS_C2S ? view->near_server : view->near_client;
    const bool answers = view->quality->rules->answers && direction == QS_S2C;
    double between;

    if (!has_second_place(way))
        return;
    between = loss_between(way);
    if (near)
        line->loss = answers ? between : add_losses(MAX(line->loss, 0), between);
    else
        line->loss = line->loss >= 0 ? MAX(line->loss, between) : line->loss;
}

static void finish_direction(const struct view *view, enum qs_direction direction,
                             struct qs_line_direction *line)
{
    const struct qs_line_way *way = &view->history->ways[direction - QS_C2S];
    const bool gaps = direction == QS_C2S || view->near_client;
    const uint32_t burst = gaps ? way->burst : view->history->burst;

    line->late = (uint64_t)way->late;
    line->duplicates = (uint64_t)way->duplicates + (has_second_place(way) ? 0 : way->repeated);
    add_loss_between(view, direction, line);
    if (line->loss >= 0 || line->loss_at_most > LIMIT_MAX)
        line->loss_at_most = QS_LINE_UNKNOWN;
    if (line->loss >= 0 && line->loss < .05)
        line->loss = line->burst = 0;
    else if (line->loss > 0 &&
             (direction == QS_S2C || (view->near_server && line->gaps == QS_GAP_LOST)))
        line->burst = MAX(burst, 1);
}

static void estimate(const struct view *view, struct qs_line *line)
{
    const uint64_t holes = view->client->holes + view->server->holes;
    const uint64_t accepted = (uint64_t)view->client->accepted + view->server->accepted;

    line->vantage =
        (view->near_client ? QS_VANTAGE_CLIENT : 0) | (view->near_server ? QS_VANTAGE_SERVER : 0);
    line->c2s.throttle = line->s2c.choke = view->quality->rules->chokes ? 0 : QS_LINE_UNKNOWN;
    if (view->quality->rules->answers) {
        estimate_answers(view, line);
    } else {
        estimate_c2s(view, &line->c2s);
        estimate_s2c(view, &line->s2c);
    }
    estimate_ping(view, line);
    line->not_captured =
        add_losses(view->lacking, percent((double)holes, (double)(holes + accepted)));
    if (view->quality->rules->chokes)
        line->s2c.choke =
            percent(view->history->choked, view->history->choked + view->server->accepted);
}

void qs_quality_line(const struct qs_quality *quality, struct qs_line *line)
{
    const struct qs_line_direction unknown = {.loss = QS_LINE_UNKNOWN,
                                              .loss_at_most = QS_LINE_UNKNOWN,
                                              .burst = QS_LINE_UNKNOWN,
                                              .choke = QS_LINE_UNKNOWN,
                                              .throttle = QS_LINE_UNKNOWN};
    struct view view;

    *line = (struct qs_line){.c2s = unknown,
                             .s2c = unknown,
                             .round_trip_loss = QS_LINE_UNKNOWN,
                             .ping = QS_LINE_UNKNOWN,
                             .ping_p95 = QS_LINE_UNKNOWN,
                             .ping_game = QS_LINE_UNKNOWN,
                             .jitter = QS_LINE_UNKNOWN,
                             .not_captured = QS_LINE_UNKNOWN};
    if (quality) {
        line->c2s.packets = quality->packets[QS_C2S];
        line->s2c.packets = quality->packets[QS_S2C];
    }
    if (!quality || !quality->history)
        return;
    if (!quality->rules->answers)
        line->c2s.gaps = line->s2c.gaps = QS_GAP_LOST;
    view = view_of(quality);
    if (view.client_leg->tried >= ENOUGH)
        estimate(&view, line);
    finish_direction(&view, QS_C2S, &line->c2s);
    finish_direction(&view, QS_S2C, &line->s2c);
}

double qs_line_worst(const struct qs_line *line)
{
    return MAX(MAX(line->c2s.loss, line->c2s.loss_at_most),
               MAX(line->s2c.loss, line->s2c.loss_at_most));
}

/* --- In words --- */

char *qs_line_loss_text(const struct qs_line_direction *direction, bool ascii)
{
    if (direction->loss >= 0)
        return g_strdup_printf("%.1f", direction->loss);
    if (direction->loss_at_most < 0)
        return g_strdup("-");
    return g_strdup_printf("%s%.1f", ascii ? "<=" : "≤", direction->loss_at_most);
}

char *qs_line_ping_text(const struct qs_line *line)
{
    static const char *const places[] = {
        [QS_VANTAGE_UNKNOWN] = "captured at an unknown place",
        [QS_VANTAGE_CLIENT] = "captured near the client",
        [QS_VANTAGE_SERVER] = "captured near the server",
        [QS_VANTAGE_BOTH] = "captured near both ends",
    };
    GString *text = g_string_new("ping ");

    if (line->ping < 0)
        g_string_append(text, "unknown");
    else
        g_string_append_printf(text, "%.1f ms", line->ping);
    if (line->ping_p95 >= 0)
        g_string_append_printf(text, " (p95 %.1f), jitter %.1f ms", line->ping_p95, line->jitter);
    if (line->ping_game >= 0)
        g_string_append_printf(text, ", %.1f ms as the game counts it", line->ping_game);
    if (line->round_trip_loss >= 0)
        g_string_append_printf(text, "; %.1f %% lost on the round trip, at most",
                               line->round_trip_loss);
    g_string_append_printf(text, "; %s", places[line->vantage]);
    return g_string_free(text, FALSE);
}

char *qs_line_direction_text(const struct qs_line_direction *direction, bool ascii)
{
    GString *text = g_string_new(NULL);
    char *loss = qs_line_loss_text(direction, ascii);

    if (direction->loss < 0 && direction->loss_at_most < 0)
        g_string_append(text, "loss unknown");
    else
        g_string_append_printf(text, "%s %% lost%s", loss,
                               direction->or_late && !direction->late ? " or late" : "");
    if (direction->burst > 0)
        g_string_append_printf(text, ", longest burst %.0f packet%s", direction->burst,
                               qs_plural((uint64_t)direction->burst));
    if (direction->choke > 0)
        g_string_append_printf(text, ", %.1f %% choked", direction->choke);
    if (direction->throttle > 0)
        g_string_append_printf(text, ", %.1f %% of the numbers throttled", direction->throttle);
    if (direction->late)
        g_string_append_printf(text, ", %" G_GUINT64_FORMAT " late", direction->late);
    if (direction->duplicates)
        g_string_append_printf(text, ", %" G_GUINT64_FORMAT " twice", direction->duplicates);
    g_free(loss);
    return g_string_free(text, FALSE);
}

char *qs_line_text(const struct qs_line *line, bool ascii)
{
    char *to_server = qs_line_direction_text(&line->c2s, ascii);
    char *to_client = qs_line_direction_text(&line->s2c, ascii);
    char *ping = qs_line_ping_text(line);
    char *text = g_strdup_printf("client to server: %s; server to client: %s; %s", to_server,
                                 to_client, ping);

    g_free(to_server);
    g_free(to_client);
    g_free(ping);
    return text;
}
