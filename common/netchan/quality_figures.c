/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes the figures of a path from its state. */
#include <math.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "common/netchan/quality_state.h"

#define MILLISECOND 1000.0
#define SECOND 1000000.0
#define LIMIT_MAX 50.0 /* highest upper bound that is reported (percent) */
#define NEAR (2.5 * MILLISECOND)
#define NEARLY_ALL .95

enum {
    ENOUGH = 30, /* minimum number of datagrams for a figure */
    WINDOW = 256 /* numbers over which QuakeWorld's client measures its loss */
};

/* A loss in percent: its bounds, and the figure if these are close; below 0 if it is unknown. */
struct loss {
    double low, figure, high;
};

static double percent(double part, double all)
{
    return all > 0 ? 100 * CLAMP(part / all, 0, 1) : 0;
}

/* Returns the loss of two losses, one after the other. */
static double add(double first, double second)
{
    return first + second - first * second / 100;
}

/* Returns the second of two losses, one after the other, if `sum` is known. */
static double without(double sum, double first)
{
    return MAX(100 - (100 - sum) / (1 - MIN(first, 99) / 100), 0);
}

static struct loss add_losses(struct loss first, struct loss second)
{
    return (struct loss){add(first.low, second.low),
                         first.figure < 0 || second.figure < 0 ? -1
                                                               : add(first.figure, second.figure),
                         add(first.high, second.high)};
}

static struct loss up_to(double high)
{
    return (struct loss){0, high > 0 ? -1 : 0, high};
}

/* --- Place of the capture -------------------------------------------------------------------- */

/* True if the end is next to the capture: all that it sends after a captured datagram acknowledges
 * that. If it sends `seldom`, some must be acknowledged at once, too. On one host, a busy end may
 * be late, a client that sends first always is, and so is a relay to an end elsewhere. */
static bool is_near(const struct qs_path *path, const struct qs_path_times *times, bool seldom)
{
    if (path->same_host)
        return path->rules->sends_first || qs_histogram_quantile(&times->low, .5) < NEAR;
    return times->high.count >= ENOUGH && qs_histogram_quantile(&times->low, .95) < NEAR &&
           (!seldom || qs_histogram_quantile(&times->high, .05) < 2 * NEAR);
}

/* Returns the time from one place of the capture to the other one, and back. */
static double lag_of(const struct qs_path *path)
{
    double lag = 0;

    for (int i = QS_CLIENT; i <= QS_SERVER; i++) {
        const struct qs_path_sender *sender = &path->history->senders[i];

        if (qs_path_has_two_vantages(sender))
            lag += sender->lag / sender->copied;
    }
    return lag;
}

/* Returns the time (s) by which the clocks of two captures differ, or 0. They differ if one capture
 * has the datagrams of both directions first, which no path does. */
static double clock_difference(const struct qs_path *path)
{
    const struct qs_path_sender *client = &path->history->senders[QS_CLIENT],
                                *server = &path->history->senders[QS_SERVER];
    const double copied[] = {MAX(client->copied, ENOUGH), MAX(server->copied, ENOUGH)};
    const double ahead = MIN(client->ahead / copied[0], server->ahead / copied[1]);
    const double behind = MIN(client->behind / copied[0], server->behind / copied[1]);

    if (MIN(client->copied, server->copied) < ENOUGH || MAX(ahead, behind) < NEARLY_ALL)
        return 0;
    return fabs(client->lag / copied[0] + server->lag / copied[1]) / 2 / SECOND;
}

/* True if the capture has some datagrams at two places, but most at one: figures would mix both
 * places. */
static bool changes_place(const struct qs_path_sender *sender)
{
    const uint32_t copied = sender->copied - sender->repeated;

    return copied >= ENOUGH && !qs_path_has_two_vantages(sender) &&
           fabs(sender->lag) > NEAR * sender->copied;
}

bool qs_path_is_near(const struct qs_path *path, unsigned sender)
{
    const struct qs_path_sender *senders = path->history->senders;

    if (sender == QS_SERVER)
        return is_near(path, qs_path_times_of(&senders[QS_SERVER]), false);
    if (path->rules->server_acknowledges)
        return is_near(path, qs_path_times_of(&senders[QS_CLIENT]), true);
    /* Two vantages with a lag between them are at both ends. One is at the server if it is known
     * not to be at the client, and none of the server's datagrams came late to it. */
    if (path->same_host || lag_of(path) > NEAR)
        return true;
    return qs_path_times_of(&senders[QS_SERVER])->high.count >= ENOUGH &&
           senders[QS_SERVER].counts.late == 0 && !qs_path_is_near(path, QS_SERVER);
}

/* Returns how much each count has grown; 0 if it has decreased. */
static struct qs_path_counts counts_between(const struct qs_path_counts *from,
                                            const struct qs_path_counts *until)
{
    double before[sizeof *from / sizeof(double)], counts[G_N_ELEMENTS(before)];
    struct qs_path_counts between;

    memcpy(before, from, sizeof before);
    memcpy(counts, until, sizeof counts);
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        counts[i] -= MIN(before[i], counts[i]);
    memcpy(&between, counts, sizeof between);
    return between;
}

/* Input of the figures. */
struct figures_input {
    const struct qs_path *path;
    struct qs_path_counts counts; /* of all of the time, of that of two places, or of a part */
    const struct qs_path_history *history;
    const struct qs_path_sender *client, *server;
    bool near_client, near_server;
};

static struct figures_input view_of(const struct qs_path *path)
{
    struct figures_input view = {.path = path,
                                 .counts = qs_path_counts(path),
                                 .history = path->history,
                                 .client = &path->history->senders[QS_CLIENT],
                                 .server = &path->history->senders[QS_SERVER],
                                 .near_client = qs_path_is_near(path, QS_SERVER),
                                 .near_server = qs_path_is_near(path, QS_CLIENT)};

    for (int i = QS_CLIENT; i <= QS_SERVER; i++) {
        const struct qs_path_sender *sender = &path->history->senders[i];
        const struct qs_path_counts both = counts_between(&sender->from, &sender->until);

        if (!qs_path_has_two_vantages(sender))
            continue;
        view.counts.ends[i] = both.ends[i];
        view.counts.game = both.game;
    }
    return view;
}

/* --- Losses ---------------------------------------------------------------------------------- */

/* Returns the loss if `lost` of `all` are missing, and the capture lacks an estimated `lacking` of
 * them, or more by `error`. */
static struct loss loss_without(double lost, double lacking, double error, double all)
{
    return (struct loss){percent(lost - lacking - error, all), percent(lost - lacking, all),
                         percent(lost, all)};
}

/*
 * Returns the part of the numbers that is `missing`, without what the capture lacks; the others
 * were `captured`. The receiver acknowledged `not_captured` of the missing ones. For each of them
 * it has `silent` others that it did not acknowledge; if that is below 0, it acknowledges none, and
 * may have all.
 */
static struct loss loss_of(double missing, double not_captured, double captured, double silent)
{
    const double lost = MAX(missing - not_captured, 0), all = captured + missing;

    return silent < 0
               ? up_to(percent(lost, all))
               : loss_without(lost, not_captured * silent, 2 * sqrt(not_captured) * silent, all);
}

/* Returns the number of unacknowledged datagrams for each one that the receiver acknowledged. */
static double silent_part(double captured, double acknowledged)
{
    return acknowledged > 0 ? MAX(captured / acknowledged - 1, 0) : -1;
}

/* True if acknowledgements name datagrams. Those of more than are missing name something else:
 * FTE's Quake client sends times between those of frames. */
static bool names_datagrams(const struct qs_path_end_counts *end)
{
    return end->not_captured <= end->missing;
}

static struct loss gap_loss(const struct qs_path_end_counts *end)
{
    const double holes = end->acknowledged > 0 ? 0 : end->holes; /* nothing distinguishes them */

    if (!names_datagrams(end))
        return up_to(percent(end->missing, end->accepted + end->late + end->missing));
    return loss_of(end->missing + holes, end->not_captured, end->accepted + end->late,
                   silent_part(end->accepted, end->acknowledged));
}

/* Returns the number of acknowledged datagrams seen at one place only, while there were two. */
static double single_acknowledged(const struct figures_input *view, unsigned sender)
{
    return MAX(view->counts.ends[sender].acknowledged -
                   view->history->senders[sender].copied_acknowledged,
               0);
}

/* Returns the loss between two vantages of the capture: datagrams seen at one of them only. If the
 * receiver acknowledges nothing, the capture points lack as much as in the other direction. */
static struct loss loss_between(const struct figures_input *view, unsigned from, unsigned to)
{
    const struct qs_path_sender *sender = &view->history->senders[from],
                                *other = &view->history->senders[to];
    const double single = (double)sender->copied_until + 1 - sender->copied_from - sender->copied;
    const double lacking = sender->copied * single_acknowledged(view, to) / MAX(other->copied, 1);

    if (!qs_path_has_two_vantages(sender))
        return (struct loss){0};
    if (sender->counts.acknowledged > 0 || other->counts.acknowledged <= 0)
        return loss_of(single, single_acknowledged(view, from), sender->copied,
                       silent_part(sender->copied, sender->copied_acknowledged));
    return loss_without(single, lacking, 2 * sqrt(lacking), sender->copied + single);
}

/* Returns the loss behind the capture: at least what acknowledgements prove, at most all that have
 * none. The datagrams on which acknowledgements show something are a sample. */
static struct loss loss_behind(const struct qs_path_end_counts *end)
{
    const double all = end->judged + end->passed_over;
    const double proven = percent(end->lost, all), high = percent(end->passed_over, all);
    const double others = MAX(1 - all / MAX(end->sample, 1), 0);
    const double error = 3 * sqrt(high * (100 - high) / MAX(all, 1) * others);

    return all >= ENOUGH ? (struct loss){proven - error, proven, high + error}
                         : (struct loss){0, -1, 100};
}

/* Returns the part of the client's captured datagrams that the server did not answer: numbers that
 * it skipped, but not because of its rate limit, nor because the client had skipped them. */
static struct loss unanswered(const struct figures_input *view)
{
    const struct qs_path_end_counts *client = &view->counts.ends[QS_CLIENT],
                                    *server = &view->counts.ends[QS_SERVER];
    const struct loss answers = gap_loss(server), gaps = gap_loss(client);
    const double numbers = (server->accepted + server->missing) / 100;
    const double asked = (client->accepted + client->missing) / 100;
    const double choked = view->counts.game.choked, all = client->accepted;

    return (struct loss){percent(answers.low * numbers - choked - gaps.high * asked, all),
                         percent(answers.figure * numbers - choked - gaps.figure * asked, all),
                         percent(answers.high * numbers - choked - gaps.low * asked, all)};
}

/* Returns the loss that QuakeWorld's client reports: percent of its numbers without an answer,
 * rounded down, without those that it skipped on purpose. */
static double reported_loss(const struct qs_path_game_counts *game)
{
    return game->loss_count < ENOUGH ? QS_QUALITY_UNKNOWN : game->losses / game->loss_count;
}

/* Returns the loss that Quake II's server reports, which may be of several datagrams per update. */
static double dropped_loss(const struct qs_path_game_counts *game)
{
    const double frames = game->drop_frames;

    if (frames < ENOUGH)
        return QS_QUALITY_UNKNOWN;
    return 100 * (1 - pow(1 - game->drops / frames, frames / game->drop_numbers));
}

/* --- Loss by direction ----------------------------------------------------------------------- */

static void set_loss(struct qs_path_direction *direction, struct loss loss)
{
    if (loss.figure >= 0 && loss.high - loss.low <= QS_LOSS_BOUNDS)
        direction->loss = loss.figure < .05 ? 0 : loss.figure;
    else if (loss.high <= LIMIT_MAX)
        direction->loss_at_most = loss.high;
}

/*
 * Finds the reason why the client's numbers are missing, and returns the loss in them. If the
 * client, or the server, reports less loss than there are gaps, the client skipped numbers on
 * purpose. If neither reports any, it may have: one or two at a time, before each fifth datagram or
 * more often.
 */
static struct loss client_gaps(const struct figures_input *view, struct qs_path_quality *quality)
{
    const bool answers = view->path->rules->answers;
    const double reported =
        answers ? reported_loss(&view->counts.game) : dropped_loss(&view->counts.game);
    const struct qs_path_end_counts *client = &view->counts.ends[QS_CLIENT];
    const bool often = client->single_gaps > client->accepted / 5;
    const struct loss gaps = gap_loss(client);
    struct qs_path_direction *c2s = &quality->c2s;

    if ((view->near_client && !view->near_server) ||
        (reported >= 0 ? gaps.low > reported + 1 : often && !answers)) {
        c2s->gaps = QS_GAP_THROTTLED;
        c2s->throttle = view->path->rules->chokes ? gaps.figure : QS_QUALITY_UNKNOWN;
        return up_to(reported >= 0 ? reported + 1 : gaps.high);
    }
    c2s->gaps = reported < 0 && often ? QS_GAP_UNKNOWN : QS_GAP_LOST;
    return reported < 0 && (often || answers) ? up_to(gaps.high) : gaps;
}

/* Returns the loss to the server. `gaps` is the loss before the capture. */
static struct loss loss_to_server(const struct figures_input *view, struct loss gaps)
{
    const struct qs_path_end_counts *client = &view->counts.ends[QS_CLIENT];
    const double dropped = dropped_loss(&view->counts.game);
    struct loss loss = gaps;

    if (view->near_client && !view->near_server)
        loss = (struct loss){0};
    if (!view->near_server)
        loss = add_losses(loss, view->path->rules->answers ? up_to(unanswered(view).high)
                                                           : loss_behind(client));
    loss = add_losses(loss, loss_between(view, QS_CLIENT, QS_SERVER));
    if (!view->near_server && dropped >= 0)
        loss = (struct loss){dropped, dropped, dropped};
    return loss;
}

/*
 * Returns the loss to the client, by the client's reports: the part of its numbers without an
 * answer, rounded down, less those that the server has not answered. Subtracts numbers in transit,
 * because the client counts them as soon as answers may come.
 */
static struct loss reported_s2c(const struct figures_input *view)
{
    const struct qs_path_history *history = view->history;
    const struct qs_path_answers from = history->counted_from, to = qs_path_answers_of(history);
    const double missing = to.missing - from.missing, captured = to.captured - from.captured;
    const struct qs_path_end_counts *client = &view->counts.ends[QS_CLIENT],
                                    *server = &view->counts.ends[QS_SERVER];
    const double silent = silent_part(server->accepted, server->acknowledged);
    const struct loss gaps =
        loss_of(missing, to.not_captured - from.not_captured, captured, silent);
    const double numbers = (captured + missing) / 100, asked = to.asked - from.asked;
    const double choked = to.choked - from.choked, count = view->counts.game.loss_count;
    const struct qs_histogram *times = &qs_path_times_of(view->server)->high;
    const double interval =
        (double)(view->client->times[0] - view->client->begin) / MAX(client->accepted, 1);
    const double late = qs_histogram_quantile(times, .5) - qs_histogram_quantile(times, .05);
    const double reported =
        MAX(view->counts.game.losses / MAX(count, 1) - percent(late / MAX(interval, 1), WINDOW), 0);

    if (count < ENOUGH || !view->near_server)
        return (struct loss){0, -1, 100};
    return (struct loss){without(reported, percent(gaps.high * numbers - choked, asked)),
                         without(reported + .5 * view->counts.game.lossy / count,
                                 percent(gaps.figure * numbers - choked, asked)),
                         without(reported + 1, percent(gaps.low * numbers - choked, asked))};
}

double qs_path_reported_loss(const struct qs_path *path)
{
    const struct figures_input view = view_of(path);

    return path->rules->answers ? reported_s2c(&view).figure : -1;
}

static struct loss loss_to_client(const struct figures_input *view)
{
    const struct qs_path_end_counts *server = &view->counts.ends[QS_SERVER];
    struct loss loss = {0};

    if (view->path->rules->answers && !view->near_server)
        loss = up_to(unanswered(view).high);
    else if (!view->path->rules->answers && (view->near_client || !view->near_server))
        loss = gap_loss(server);
    if (!view->near_client)
        loss = add_losses(loss, loss_behind(server));
    return add_losses(loss, loss_between(view, QS_SERVER, QS_CLIENT));
}

static void estimate_losses(const struct figures_input *view, struct qs_path_quality *quality)
{
    struct loss to_client = loss_to_client(view);

    if (view->path->rules->answers && reported_s2c(view).figure >= 0 && !view->near_client)
        to_client = reported_s2c(view);
    quality->c2s.or_late = !view->near_server;
    quality->s2c.or_late = !view->near_client;
    set_loss(&quality->c2s, loss_to_server(view, client_gaps(view, quality)));
    set_loss(&quality->s2c, to_client);
}

/* --- Round trip ------------------------------------------------------------------------------ */

/*
 * Returns the ping of a half path, without the waiting for the far end's next frame. Sets `*above`
 * to the distance of p95, if that is known. If the next datagram was lost, which is true for at
 * least `loss` percent, `low` is too high.
 */
static double half_ping(const struct qs_path_sender *sender, double loss, double *above)
{
    const struct qs_path_times *times = qs_path_times_of(sender);
    const struct qs_path_end_counts *counts = &sender->counts;
    const double lost = counts->lost / MAX(counts->judged + counts->passed_over, 1);
    const double kept = 1 - MAX(loss / 100, lost);
    const double least = qs_histogram_quantile(&times->low, .85 * kept);
    const double most = qs_histogram_quantile(&times->high, .15);
    const double ping =
        least > most ? qs_histogram_quantile(&times->middle, .5 * kept) : (least + most) / 2;
    const double spread = qs_histogram_quantile(&times->middle, .95 * kept) -
                          qs_histogram_quantile(&times->middle, .5 * kept);

    if (times->middle.count < times->high.count / 2)
        *above = QS_QUALITY_UNKNOWN;
    else
        *above = (MAX(qs_histogram_quantile(&times->low, .95 * kept) - ping, 0) + spread) / 2;
    return ping;
}

static void estimate_ping(const struct figures_input *view, struct qs_path_quality *quality)
{
    const struct qs_histogram *answers = &qs_path_times_of(view->client)->high;
    double ping = 0, above = 0, more = 0, more_above = 0;

    if (!view->near_server && !view->path->rules->server_acknowledges)
        return;
    if (!view->near_client)
        ping = half_ping(view->server, quality->s2c.loss, &above);
    if (view->path->rules->answers) { /* the server answers at once */
        more = qs_histogram_quantile(answers, .5);
        more_above = qs_histogram_quantile(answers, .95) - more;
    } else if (!view->near_server) {
        more = half_ping(view->client, quality->c2s.loss, &more_above);
    }
    more += lag_of(view->path);
    quality->ping = (ping + more) / MILLISECOND;
    quality->ping_game =
        (more + qs_histogram_quantile(&qs_path_times_of(view->server)->high, .5)) / MILLISECOND;
    if (above < 0 || more_above < 0)
        return;
    quality->jitter = MAX(above, more_above) / MILLISECOND;
    quality->ping_p95 = quality->ping + quality->jitter;
}

/* --- Quality of a path ----------------------------------------------------------------------- */

const char *qs_vantage_name(enum qs_vantage vantage)
{
    static const char *const names[] = {"unknown", "client", "server", "both"};

    return names[vantage];
}

/* Returns the percentage of the numbers that the capture is known to lack. */
static double not_captured(const struct qs_path_counts *counts)
{
    const struct qs_path_end_counts *client = &counts->ends[QS_CLIENT],
                                    *server = &counts->ends[QS_SERVER];
    const double acknowledged = client->acknowledged + server->acknowledged;
    const double lacking = (names_datagrams(client) ? client->not_captured : 0) +
                           (names_datagrams(server) ? server->not_captured : 0);
    const double holes = client->holes + server->holes;
    const double accepted = client->accepted + server->accepted;

    return add(percent(lacking, lacking + acknowledged), percent(holes, holes + accepted));
}

static void estimate_answers(const struct figures_input *view, struct qs_path_quality *quality)
{
    const struct loss loss = unanswered(view);

    if (loss.high - loss.low <= QS_LOSS_BOUNDS)
        quality->unanswered = loss.figure;
    if (view->near_client && !view->near_server)
        quality->round_trip_loss = loss.high;
    else if (quality->c2s.gaps == QS_GAP_THROTTLED)
        quality->round_trip_loss = reported_loss(&view->counts.game);
}

static double choke_of(const struct qs_path_counts *counts)
{
    const double choked = counts->game.choked;

    return percent(choked, choked + counts->ends[QS_SERVER].accepted);
}

static void estimate(const struct figures_input *view, struct qs_path_quality *quality)
{
    const struct qs_path_counts all = qs_path_counts(view->path);
    const bool chokes = view->path->rules->chokes;

    quality->vantage =
        (view->near_client ? QS_VANTAGE_CLIENT : 0) | (view->near_server ? QS_VANTAGE_SERVER : 0);
    quality->answers = view->path->rules->answers;
    quality->two_vantages =
        qs_path_has_two_vantages(view->client) || qs_path_has_two_vantages(view->server);
    quality->c2s.throttle = chokes ? 0 : QS_QUALITY_UNKNOWN;
    if (chokes)
        quality->s2c.choke = choke_of(&all);
    estimate_losses(view, quality);
    if (view->path->rules->answers)
        estimate_answers(view, quality);
    estimate_ping(view, quality);
    quality->not_captured = not_captured(&all);
}

static void finish_direction(const struct figures_input *view, enum qs_direction direction,
                             struct qs_path_direction *figures)
{
    const struct qs_path_sender *sender = &view->history->senders[direction - QS_C2S];
    const bool to_server = direction == QS_C2S, answers = view->path->rules->answers;
    /* The losses of loss_to_server() and loss_to_client(). */
    const bool gaps = to_server || view->near_client || !(answers || view->near_server);
    const bool behind = to_server ? !answers && !view->near_server : !view->near_client;

    figures->late = (uint64_t)sender->counts.late;
    figures->duplicates =
        sender->duplicates + (qs_path_has_two_vantages(sender) ? 0 : sender->repeated);
    figures->packets_are_limit = sender->may_be_copies;
    if (figures->loss == 0)
        figures->burst = 0;
    else if (figures->loss > 0 && (!to_server || figures->gaps == QS_GAP_LOST))
        figures->burst = MAX(MAX(gaps ? sender->burst : 0, behind ? sender->half.burst : 0), 1);
}

static struct qs_path_quality unknown_quality(void)
{
    const struct qs_path_direction unknown = {.loss = QS_QUALITY_UNKNOWN,
                                              .loss_at_most = QS_QUALITY_UNKNOWN,
                                              .burst = QS_QUALITY_UNKNOWN,
                                              .choke = QS_QUALITY_UNKNOWN,
                                              .throttle = QS_QUALITY_UNKNOWN};

    return (struct qs_path_quality){.c2s = unknown,
                                    .s2c = unknown,
                                    .round_trip_loss = QS_QUALITY_UNKNOWN,
                                    .unanswered = QS_QUALITY_UNKNOWN,
                                    .ping = QS_QUALITY_UNKNOWN,
                                    .ping_p95 = QS_QUALITY_UNKNOWN,
                                    .ping_game = QS_QUALITY_UNKNOWN,
                                    .jitter = QS_QUALITY_UNKNOWN,
                                    .not_captured = QS_QUALITY_UNKNOWN};
}

void qs_path_quality(const struct qs_path *path, struct qs_path_quality *quality)
{
    struct figures_input view;

    *quality = unknown_quality();
    if (path) {
        quality->c2s.packets = path->packets[QS_C2S];
        quality->s2c.packets = path->packets[QS_S2C];
    }
    if (!path || !path->history)
        return;
    quality->clocks = clock_difference(path);
    if (quality->clocks > 0) {
        quality->two_vantages = true;
        return;
    }
    view = view_of(path);
    if (view.counts.ends[QS_SERVER].acknowledged >= ENOUGH && !changes_place(view.client) &&
        !changes_place(view.server))
        estimate(&view, quality);
    finish_direction(&view, QS_C2S, &quality->c2s);
    finish_direction(&view, QS_S2C, &quality->s2c);
}

/* --- Part of the time ------------------------------------------------------------------------ */

struct qs_path_counts qs_path_counts(const struct qs_path *path)
{
    const struct qs_path_history *history = path->history;

    if (!history)
        return (struct qs_path_counts){0};
    return (struct qs_path_counts){
        {history->senders[QS_CLIENT].counts, history->senders[QS_SERVER].counts}, history->counts};
}

/* Sets the loss of a part of the time, which is 0 if that of the whole is. */
static void set_part_loss(struct qs_path_direction *part, const struct qs_path_end_counts *end,
                          struct loss loss, const struct qs_path_direction *whole)
{
    if (end->accepted + end->missing < ENOUGH)
        return;
    if (whole->loss >= 0 && loss.figure >= 0)
        part->loss = whole->loss > 0 ? loss.figure : 0;
    else if (whole->loss_at_most >= 0 && loss.high <= LIMIT_MAX)
        part->loss_at_most = loss.high;
}

void qs_path_part(const struct qs_path *path, const struct qs_path_quality *whole,
                  const struct qs_path_counts *from, const struct qs_path_counts *until,
                  struct qs_path_quality *part)
{
    const struct qs_path_end_counts *client, *server;
    struct loss gaps;
    struct figures_input view;

    *part = unknown_quality();
    if (!path->history)
        return;
    view = view_of(path);
    view.counts = counts_between(from, until);
    client = &view.counts.ends[QS_CLIENT];
    server = &view.counts.ends[QS_SERVER];
    part->c2s.packets = (uint64_t)client->accepted;
    part->s2c.packets = (uint64_t)server->accepted;
    if (whole->s2c.choke >= 0 && server->accepted > 0)
        part->s2c.choke = choke_of(&view.counts);
    if (whole->two_vantages)
        return;
    gaps = gap_loss(client);
    if (whole->c2s.gaps != QS_GAP_LOST)
        gaps = up_to(gaps.high);
    set_part_loss(&part->c2s, client, loss_to_server(&view, gaps), &whole->c2s);
    set_part_loss(&part->s2c, server, loss_to_client(&view), &whole->s2c);
}

double qs_path_worst(const struct qs_path_quality *quality)
{
    return MAX(MAX(quality->c2s.loss, quality->c2s.loss_at_most),
               MAX(quality->s2c.loss, quality->s2c.loss_at_most));
}

/* --- Texts ----------------------------------------------------------------------------------- */

char *qs_path_loss_text(const struct qs_path_direction *direction, bool ascii)
{
    if (direction->loss >= 0)
        return g_strdup_printf("%.1f", direction->loss);
    if (direction->loss_at_most < 0)
        return g_strdup("-");
    return g_strdup_printf("%s%.1f", ascii ? "<=" : "≤", direction->loss_at_most);
}

char *qs_path_ping_text(const struct qs_path_quality *quality)
{
    static const char *const vantages[] = {
        [QS_VANTAGE_UNKNOWN] = "capture point unknown",
        [QS_VANTAGE_CLIENT] = "captured near the client",
        [QS_VANTAGE_SERVER] = "captured near the server",
        [QS_VANTAGE_BOTH] = "captured near both ends",
    };
    GString *text = g_string_new("ping ");

    if (quality->clocks > 0) {
        g_string_append_printf(text,
                               "unknown: the clocks of two captures differ by %.3f s; shift one "
                               "with \"editcap -t\"",
                               quality->clocks);
        return g_string_free(text, FALSE);
    }
    if (quality->ping < 0)
        g_string_append(text, "unknown");
    else
        g_string_append_printf(text, "%.1f ms", quality->ping);
    if (quality->ping_p95 >= 0)
        g_string_append_printf(text, " (p95 %.1f), jitter %.1f ms", quality->ping_p95,
                               quality->jitter);
    if (quality->ping_game >= 0)
        g_string_append_printf(text, ", %.1f ms as the game counts it", quality->ping_game);
    if (quality->round_trip_loss >= 0)
        g_string_append_printf(text, "; %.1f %% lost on the round trip, at most",
                               quality->round_trip_loss);
    if (quality->unanswered > 0)
        g_string_append_printf(text, "; %.1f %% of the client's packets unanswered",
                               quality->unanswered);
    g_string_append_printf(text, "; %s", vantages[quality->vantage]);
    return g_string_free(text, FALSE);
}

char *qs_path_direction_text(const struct qs_path_direction *direction, bool ascii)
{
    GString *text = g_string_new(NULL);
    g_autofree char *loss = qs_path_loss_text(direction, ascii);

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
        g_string_append_printf(text, ", %" G_GUINT64_FORMAT " duplicated", direction->duplicates);
    return g_string_free(text, FALSE);
}

char *qs_path_text(const struct qs_path_quality *quality, bool ascii)
{
    g_autofree char *to_server = qs_path_direction_text(&quality->c2s, ascii);
    g_autofree char *to_client = qs_path_direction_text(&quality->s2c, ascii);
    g_autofree char *ping = qs_path_ping_text(quality);

    return g_strdup_printf("client to server: %s; server to client: %s; %s", to_server, to_client,
                           ping);
}
