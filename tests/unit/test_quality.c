/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quality of simulated paths: which datagrams are lost, late, duplicate or choked is known. */
#include <math.h>

#include "common/netchan/netchan.h"
#include "common/netchan/quality.h"
#include "common/netchan/quality_state.h"
#include "tests/unit/toy.h"

enum {
    COUNT = 500,
    INTERVAL = 20, /* milliseconds between datagrams of an end */
    BACK = 3       /* how many datagrams an acknowledgement is behind the newest one */
};
#define MILLISECOND INT64_C(1000000)

static const struct qs_path_rules rules = {.server_acknowledges = true, .chokes = true},
                                  answering = {
                                      .server_acknowledges = true, .chokes = true, .answers = true};

struct path {
    struct qs_protocol protocol;
    struct toy_session session;
    struct qs_path *quality;
    struct qs_path_quality figures;
    unsigned lost, unread;            /* sums of the events of all packets */
    uint32_t ping;                    /* of the client's last packet (µs) */
    bool (*reports)(uint32_t number); /* see struct run */
};

static void receive(struct qs_decoder *d)
{
    static const struct qs_span header = {0, 8};
    const uint32_t skipped = qs_receive(d, qs_netchan_forth(d), header);

    if (qs_receive_acknowledgement(d, qs_netchan_back(d), header))
        qs_hole_acknowledged(d);
    qs_hole_gap(d, skipped);
}

/* Adds a datagram at a time in milliseconds. `note` is the reason why its receiver drops it, or
 * QS_NOTE_KINDS. */
static void add(struct path *path, enum qs_direction direction, uint32_t number,
                uint32_t acknowledged, int64_t time, uint32_t frame, int note)
{
    struct qs_path_event event;
    const struct qs_packet packet = {
        .time = time * MILLISECOND, .source.bytes = {1}, .destination.bytes = {2}};
    struct qs_decoder d = {.protocol = &path->protocol,
                           .session = &path->session.base,
                           .packet = &packet,
                           .found.direction = direction,
                           .found.accepted = note == QS_NOTE_KINDS,
                           .found.sequence = number,
                           .found.acknowledged = acknowledged,
                           .found.path.frame = frame};

    if (path->reports && direction == QS_C2S) {
        d.found.path.has_loss = true;
        d.found.path.loss = path->reports(number) ? 10 : 0;
    }
    if (note < QS_NOTE_KINDS)
        d.found.notes[note] = 1;
    else
        receive(&d);
    qs_path_add_event(path->quality, &d, number, &event);
    path->lost += qs_path_gap_of(path->quality, &d, &event).lost;
    path->unread += event.unread_count;
    if (direction == QS_C2S)
        path->ping = event.ping;
}

/* Events of a run, by sequence number; NULL: none. */
struct run {
    bool (*lost)(uint32_t number);           /* datagrams of the client that are lost */
    bool (*lost_to_client)(uint32_t number); /* those of the server */
    bool (*unread)(uint32_t number); /* those of the server that are lost behind the capture */
    bool (*not_captured)(
        uint32_t number);             /* those of the client that arrive and are not captured */
    bool (*hole)(uint32_t number);    /* those of both ends */
    bool (*between)(uint32_t number); /* those of the client lost between two capture points */
    uint32_t suppressed;              /* updates choked before each fiftieth */
    bool (*reports)(uint32_t number); /* the client reports 10 % loss, otherwise none */
    int64_t lag;                      /* delay between the capture points (ms) */
    int clocks; /* file_order of copies of the server's datagrams; those of the client's have 1 */
    int64_t jitter;        /* delay of every fifth datagram of the client, and its answer (ms) */
    int64_t answer_jitter; /* delay of every fifth answer (ms) */
    uint32_t server_back;  /* like BACK, for the server; 0: it is next to the capture */
    bool near_client;      /* the client acknowledges all datagrams: it is next to the capture */
};

static bool is_lost(bool (*lost)(uint32_t number), uint32_t number)
{
    return lost && lost(number);
}

/* Returns the last datagram up to `number` that was not lost, or 0. */
static uint32_t last_before(bool (*lost)(uint32_t number), int64_t number)
{
    while (number > 0 && is_lost(lost, (uint32_t)number))
        number--;
    return (uint32_t)MAX(number, 0);
}

/* The server answers each datagram of the client a millisecond later. */
static void run(struct path *path, const struct run *run)
{
    *path =
        (struct path){.protocol = toy_protocol, .quality = qs_path_new(), .reports = run->reports};
    path->protocol.path = run->reports ? &answering : &rules;
    for (uint32_t i = 1; i <= COUNT; i++) {
        const int64_t late = i % 5 ? 0 : run->jitter;

        if (is_lost(run->hole, i))
            continue;
        if (!is_lost(run->lost, i) && !is_lost(run->not_captured, i))
            add(path, QS_C2S, i,
                last_before(run->unread ? run->unread : run->lost_to_client,
                            (int64_t)i - (run->near_client ? 1 : BACK)),
                i * INTERVAL + late, 0, QS_NOTE_KINDS);
        if (run->between && !run->between(i))
            qs_path_add_copy(path->quality, QS_C2S, i,
                             (i * INTERVAL + late + run->lag) * MILLISECOND, run->clocks != 0);
        if (!is_lost(run->lost_to_client, i))
            add(path, QS_S2C, i,
                last_before(run->between ? run->between : run->lost, (int64_t)i - run->server_back),
                i * INTERVAL + late + 1 + (i % 5 ? 0 : run->answer_jitter),
                i + i / 50 * run->suppressed, QS_NOTE_KINDS);
        if (run->lag)
            qs_path_add_copy(path->quality, QS_S2C, i,
                             (i * INTERVAL + late + 1 + run->lag) * MILLISECOND, run->clocks);
    }
}

static void finish(struct path *path)
{
    qs_path_quality(path->quality, &path->figures);
    qs_path_free(path->quality);
}

static struct path measure(const struct run *events)
{
    struct path path;

    run(&path, events);
    finish(&path);
    return path;
}

/* Five datagrams, four of them in a row. */
static bool some_are_lost(uint32_t number)
{
    return (number >= 200 && number < 204) || number == 300;
}

static bool one_comes_late(uint32_t number)
{
    return number == 400;
}

TEST(path_without_loss_has_only_a_ping)
{
    const struct path path = measure(&(struct run){0});

    assert_int_equal(path.figures.vantage, QS_VANTAGE_SERVER);
    assert_true(path.figures.c2s.loss == 0 && path.figures.c2s.burst == 0);
    assert_true(path.figures.s2c.choke == 0);
    assert_int_equal(path.figures.c2s.packets, COUNT);
    assert_true(fabs(path.figures.ping - (BACK - .5) * INTERVAL) < INTERVAL / 2);
    assert_true(path.figures.jitter < 1);
}

TEST(loss_and_the_longest_burst_are_known)
{
    const struct path path = measure(&(struct run){.lost = some_are_lost});

    assert_true(fabs(path.figures.c2s.loss - 100. * 5 / COUNT) < .01);
    assert_true(path.figures.c2s.burst == 4);
}

TEST(late_and_duplicate_datagrams_are_not_lost)
{
    struct path path;

    run(&path, &(struct run){.lost = one_comes_late});
    add(&path, QS_C2S, 400, 397, (COUNT + 1) * INTERVAL, 0, QS_NOTE_SEQUENCE_STALE);
    add(&path, QS_C2S, 400, 397, (COUNT + 1) * INTERVAL, 0, QS_NOTE_SEQUENCE_DUPLICATE);
    finish(&path);
    assert_int_equal(path.figures.c2s.late, 1);
    assert_int_equal(path.figures.c2s.duplicates, 1);
    assert_true(
        path.figures.c2s.packets_are_limit); /* one without an IP identification may be a copy */
    assert_false(path.figures.s2c.packets_are_limit);
    assert_int_equal(path.figures.s2c.late + path.figures.s2c.duplicates, 0);
    assert_true(path.figures.c2s.loss == 0);
}

TEST(suppressed_updates_are_choked)
{
    const double choked = COUNT / 50 * 2;
    const struct path path = measure(&(struct run){.suppressed = 2});

    assert_true(fabs(path.figures.s2c.choke - 100 * choked / (choked + COUNT)) < .01);
}

TEST(delays_of_the_clients_datagrams_are_jitter)
{
    const struct path path = measure(&(struct run){.jitter = 12});

    assert_true(path.figures.jitter > 3 && path.figures.jitter < 6);
    assert_float_equal(path.figures.ping_game, BACK * INTERVAL - 1, 1);
}

static bool is_odd(uint32_t number)
{
    return number % 2;
}

static bool none(uint32_t number)
{
    (void)number;
    return false;
}

TEST(delays_of_the_servers_answers_are_jitter)
{
    const struct path path = measure(&(struct run){.reports = none, .answer_jitter = 12});

    assert_true(path.figures.jitter > 6 && path.figures.jitter < 13);
}

/* The capture shows few round trips to the server. */
TEST(jitter_is_unknown_if_half_of_a_direction_is_captured)
{
    const struct path path = measure(&(struct run){.not_captured = is_odd, .server_back = BACK});

    assert_true(path.figures.ping > 0 && path.figures.jitter == QS_QUALITY_UNKNOWN);
}

/* The client acknowledges all captured datagrams: none was lost behind the capture. */
TEST(loss_before_a_capture_between_the_ends_is_known)
{
    const struct path path =
        measure(&(struct run){.lost_to_client = some_are_lost, .server_back = BACK});

    assert_int_equal(path.figures.vantage, QS_VANTAGE_UNKNOWN);
    assert_true(fabs(path.figures.s2c.loss - 100. * 5 / COUNT) < .01);
    assert_int_equal(path.ping, 2 * BACK * INTERVAL * 1000); /* of both half paths */
}

static bool each_fifth(uint32_t number)
{
    return number % 5 == 0;
}

/* One more fifth, which is lost behind the capture. */
static bool two_of_five(uint32_t number)
{
    return number % 5 == 0 || number % 5 == 2;
}

TEST(losses_before_and_behind_the_capture_are_added)
{
    const struct path path = measure(
        &(struct run){.lost_to_client = each_fifth, .unread = two_of_five, .server_back = BACK});

    assert_float_equal(path.figures.s2c.loss, 40, 1);
}

TEST(choked_updates_in_a_gap_are_not_lost)
{
    struct path path;
    const struct qs_packet packet = {.time = (COUNT + 4) * INTERVAL * MILLISECOND};
    struct qs_decoder d = {.protocol = &path.protocol,
                           .session = &path.session.base,
                           .packet = &packet,
                           .found.direction = QS_S2C,
                           .found.accepted = true,
                           .found.sequence = COUNT + 4,
                           .found.path.choked = 2};
    struct qs_path_event event;
    struct qs_path_gap gap;

    run(&path, &(struct run){0});
    path.protocol.path = &answering;
    qs_path_add_event(path.quality, &d, 0, &event);
    gap = qs_path_gap_of(path.quality, &d, &event);
    assert_int_equal(event.choked, 2);
    assert_int_equal(gap.lost + gap.skipped + gap.throttled, 1);
    d.found.sequence++;
    d.found.path.choked = 0;
    qs_path_add_event(path.quality, &d, 0, &event);
    assert_int_equal(event.choked, 0); /* of the second packet alone */
    qs_path_free(path.quality);
}

TEST(acknowledged_datagrams_that_the_capture_lacks_are_not_lost)
{
    const struct path path = measure(&(struct run){.not_captured = each_fifth});

    assert_true(path.figures.c2s.loss == 0);
    assert_true(path.figures.s2c.loss == QS_QUALITY_UNKNOWN && path.unread == 0);
    assert_true(path.figures.not_captured > 10);
}

static bool is_in_hole(uint32_t number)
{
    return number >= 250 && number < 300;
}

TEST(a_hole_in_both_directions_is_of_the_capture)
{
    const struct path path = measure(&(struct run){.hole = is_in_hole});

    assert_true(path.figures.c2s.loss == 0);
    assert_true(path.figures.s2c.loss == 0);
    assert_float_equal(path.figures.not_captured, 100. * 50 / COUNT, .5);
}

TEST(loss_between_two_capture_points_is_known)
{
    const struct path path = measure(&(struct run){.between = some_are_lost});

    assert_true(fabs(path.figures.c2s.loss - 100. * 5 / COUNT) < .1);
    assert_int_equal(path.figures.c2s.duplicates, 0);
}

TEST(each_loss_is_an_event_of_a_packet)
{
    const struct path path = measure(&(struct run){.lost = some_are_lost, .unread = some_are_lost});

    assert_int_equal(path.lost, 5);
    assert_int_equal(path.unread, 5);
    assert_true(fabs(path.figures.s2c.loss - 100. * 5 / COUNT) < .1);
    assert_true(path.figures.s2c.burst == 4);
}

/* The ping has the delay between the points in both directions; one of them is in the rest of the
 * path to the client already. */
TEST(ping_includes_the_delay_between_two_capture_points)
{
    const struct path path = measure(&(struct run){.between = none, .lag = 1});
    const struct path longer = measure(&(struct run){.between = none, .lag = 7});

    assert_true(fabs(longer.figures.ping - path.figures.ping - (7 - 1)) < 1);
}

/* On one clock, the file that has the client's datagrams first has the server's ones last. */
TEST(figures_are_unknown_if_one_file_has_the_datagrams_of_both_directions_first)
{
    const struct path path = measure(&(struct run){.between = none, .lag = 7, .clocks = -1});
    const struct path other = measure(&(struct run){.between = none, .lag = 7, .clocks = 1});
    g_autofree char *text = qs_path_ping_text(&other.figures);

    assert_true(path.figures.ping > 0 && path.figures.clocks == 0);
    assert_true(other.figures.ping < 0 && other.figures.c2s.loss < 0);
    assert_float_equal(other.figures.clocks, .007, 1e-6);
    assert_true(
        g_str_has_prefix(text, "ping unknown: the clocks of two captures differ by 0.007 s"));
}

/* QuakeWorld's client rounds the percentage of its last datagrams up, by a half on average. */
TEST(reported_loss_is_the_mean_of_the_clients_reports)
{
    struct path path;

    run(&path, &(struct run){.reports = is_odd});
    assert_float_equal(qs_path_reported_loss(path.quality), 5 + .25, .1);
    qs_path_free(path.quality);
    /* Answers that come earlier: nine tenths of a datagram are in transit. */
    run(&path, &(struct run){.reports = is_odd, .answer_jitter = 18});
    assert_float_equal(qs_path_reported_loss(path.quality), 5 + .25 - 90. / 256, .1);
    qs_path_free(path.quality);
}

static bool three_of_five(uint32_t number)
{
    return number % 5 > 1;
}

/* Clients skip one or two numbers at a time on purpose. */
TEST(gaps_are_losses_unless_they_are_short_and_often)
{
    struct path path = measure(&(struct run){.lost = three_of_five});

    assert_int_equal(path.figures.c2s.gaps, QS_GAP_LOST);
    assert_float_equal(path.figures.c2s.loss, 60, 1);
    path = measure(&(struct run){.lost = is_odd, .server_back = 1});
    assert_int_equal(path.figures.c2s.gaps, QS_GAP_THROTTLED);
    assert_float_equal(path.figures.c2s.throttle, 50, 1);
}

/* The client reports no loss: rounded down, that is less than one percent. */
TEST(loss_of_a_throttled_client_is_at_most_what_it_reports)
{
    const struct path path = measure(&(struct run){.lost = is_odd, .reports = none});

    assert_int_equal(path.figures.c2s.gaps, QS_GAP_THROTTLED);
    assert_float_equal(path.figures.c2s.loss_at_most, 1, .01);
}

static bool one_of_a_hundred(uint32_t number)
{
    return number % 100 == 50;
}

/* Next to the client, datagrams without an answer may be lost on their way, or the answers. */
TEST(loss_of_the_round_trip_is_a_limit)
{
    const struct path path = measure(&(struct run){.lost = some_are_lost,
                                                   .lost_to_client = one_of_a_hundred,
                                                   .reports = none,
                                                   .near_client = true,
                                                   .server_back = COUNT});

    assert_int_equal(path.figures.vantage, QS_VANTAGE_CLIENT);
    assert_float_equal(path.figures.round_trip_loss, 1, .02);
}

/* Updates are choked up to the last datagram of the run, and not behind it. */
TEST(part_of_the_time_has_a_choke_of_its_own)
{
    struct qs_path_counts from, until;
    struct qs_path_quality part;
    struct path path;

    run(&path, &(struct run){.suppressed = 2});
    from = qs_path_counts(path.quality);
    for (uint32_t i = COUNT + 1; i <= 2 * COUNT; i++)
        add(&path, QS_S2C, i, COUNT, i * INTERVAL, i + COUNT / 50 * 2, QS_NOTE_KINDS);
    until = qs_path_counts(path.quality);
    qs_path_quality(path.quality, &path.figures);
    qs_path_part(path.quality, &path.figures, &from, &until, &part);
    assert_true(path.figures.s2c.choke > 1 && part.s2c.choke == 0);
    qs_path_free(path.quality);
}

TEST(worst_loss_is_of_either_direction_and_may_be_a_limit)
{
    static const double losses[][4] = {
        {7, -1, 3, -1}, {-1, 7, 3, -1}, {3, -1, 7, -1}, {3, -1, -1, 7}};

    for (size_t i = 0; i < G_N_ELEMENTS(losses); i++)
        assert_true(qs_path_worst(&(struct qs_path_quality){
                        .c2s = {.loss = losses[i][0], .loss_at_most = losses[i][1]},
                        .s2c = {.loss = losses[i][2], .loss_at_most = losses[i][3]}}) == 7);
}

/* The server acknowledges nothing. */
TEST(loss_is_unknown_if_the_capture_may_lack_the_datagrams)
{
    static const struct run runs[] = {{.lost = some_are_lost, .server_back = COUNT},
                                      {.hole = is_in_hole, .server_back = COUNT}};

    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
        const struct path path = measure(&runs[i]);

        assert_true(path.figures.c2s.loss == QS_QUALITY_UNKNOWN);
    }
}

TEST(figures_of_a_direction_are_one_text)
{
    static const struct {
        struct qs_path_direction figures;
        const char *text;
    } directions[] = {
        {{.loss = 1.5, .burst = 3, .or_late = true}, "1.5 % lost or late, longest burst 3 packets"},
        {{.loss = 1.5, .burst = 1, .or_late = true, .late = 1, .duplicates = 2},
         "1.5 % lost, longest burst 1 packet, 1 late, 2 duplicated"},
        {{.choke = 2, .throttle = 40}, "0.0 % lost, 2.0 % choked, 40.0 % of the numbers throttled"},
        {{.loss = -1, .loss_at_most = 4}, "≤4.0 % lost"},
        {{.loss = -1, .loss_at_most = -1}, "loss unknown"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(directions); i++) {
        g_autofree char *text = qs_path_direction_text(&directions[i].figures, false);

        assert_string_equal(text, directions[i].text);
    }
}
