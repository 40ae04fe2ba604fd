/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures of a line that is made up: which datagrams were lost, late, twice or suppressed is known.
 */
#include <math.h>

#include "common/netchan/netchan.h"
#include "common/netchan/quality.h"
#include "common/netchan/quality_state.h"
#include "tests/unit/toy.h"

enum {
    COUNT = 500,
    INTERVAL = 20, /* milliseconds between datagrams of an end */
    BACK = 3       /* the client acknowledges what was sent so many datagrams before */
};
#define MILLISECOND INT64_C(1000000)

static const struct qs_path_rules rules = {.server_acknowledges = true, .chokes = true},
                                  answering = {
                                      .server_acknowledges = true, .chokes = true, .answers = true};

struct line {
    struct qs_protocol protocol;
    struct toy_session session;
    struct qs_path *quality;
    struct qs_path_quality figures;
    unsigned lost, unread;            /* by the events of all packets */
    bool (*reports)(uint32_t number); /* as of struct run */
};

/* As a game's netchan does. */
static void receive(struct qs_decoder *d)
{
    static const struct qs_span header = {0, 8};
    const uint32_t skipped = qs_receive(d, qs_netchan_forth(d), header);

    if (qs_receive_acknowledgement(d, qs_netchan_back(d), header))
        qs_hole_acknowledged(d);
    qs_hole_gap(d, skipped);
}

/* A datagram, at a time in milliseconds; `note`: why its receiver drops it, or QS_NOTE_KINDS. */
static void add(struct line *line, enum qs_direction direction, uint32_t number, uint32_t echo,
                int64_t time, uint32_t frame, int note)
{
    struct qs_path_event event;
    const struct qs_packet packet = {
        .time = time * MILLISECOND, .source.bytes = {1}, .destination.bytes = {2}};
    struct qs_decoder d = {.protocol = &line->protocol,
                           .session = &line->session.base,
                           .packet = &packet,
                           .found.direction = direction,
                           .found.accepted = note == QS_NOTE_KINDS,
                           .found.sequence = number,
                           .found.acknowledged = echo,
                           .found.path.frame = frame};

    if (line->reports && direction == QS_C2S) {
        d.found.path.has_loss = true;
        d.found.path.loss = line->reports(number) ? 10 : 0;
    }
    if (note < QS_NOTE_KINDS)
        d.found.notes[note] = 1;
    else
        receive(&d);
    qs_path_add_event(line->quality, &d, number, &event);
    line->lost += qs_path_gap_of(line->quality, &d, &event).lost;
    line->unread += event.unread_count;
}

/* What happens to a run, and where it is captured. */
struct run {
    bool (*lost)(uint32_t number);           /* the client's; NULL: none */
    bool (*lost_to_client)(uint32_t number); /* the server's */
    bool (*unread)(uint32_t number);         /* the server's, behind the capture */
    bool (*not_captured)(uint32_t number);   /* the client's, though they arrive */
    bool (*hole)(uint32_t number);           /* both ends', though they arrive */
    bool (*between)(uint32_t number);        /* the client's, between two places of the capture */
    uint32_t suppressed;                     /* updates before each fiftieth */
    bool (*reports)(uint32_t number); /* the client's datagram reports 10 % lost, others none */
    int64_t lag;                      /* from one place to the other, of both ends' datagrams */
    int64_t jitter;                   /* of every fifth datagram of the client, and its answer */
    int64_t answer_jitter;            /* of every fifth answer */
    uint32_t server_back;             /* as BACK, of the server; 0: it is next to the capture */
};

static bool is_lost(bool (*lost)(uint32_t number), uint32_t number)
{
    return lost && lost(number);
}

/* The last datagram up to that one that was not lost; 0: none. */
static uint32_t last_before(bool (*lost)(uint32_t number), int64_t number)
{
    while (number > 0 && is_lost(lost, (uint32_t)number))
        number--;
    return (uint32_t)MAX(number, 0);
}

/* The server sends a millisecond after the client's datagram came. */
static void run(struct line *line, const struct run *run)
{
    *line =
        (struct line){.protocol = toy_protocol, .quality = qs_path_new(), .reports = run->reports};
    line->protocol.path = run->reports ? &answering : &rules;
    for (uint32_t i = 1; i <= COUNT; i++) {
        const int64_t late = i % 5 ? 0 : run->jitter;

        if (is_lost(run->hole, i))
            continue;
        if (!is_lost(run->lost, i) && !is_lost(run->not_captured, i))
            add(line, QS_C2S, i,
                last_before(run->unread ? run->unread : run->lost_to_client, (int64_t)i - BACK),
                i * INTERVAL + late, 0, QS_NOTE_KINDS);
        if (run->between && !run->between(i))
            qs_path_add_copy(line->quality, QS_C2S, i,
                             (i * INTERVAL + late + run->lag) * MILLISECOND);
        if (!is_lost(run->lost_to_client, i))
            add(line, QS_S2C, i,
                last_before(run->between ? run->between : run->lost, (int64_t)i - run->server_back),
                i * INTERVAL + late + 1 + (i % 5 ? 0 : run->answer_jitter),
                i + i / 50 * run->suppressed, QS_NOTE_KINDS);
        if (run->lag)
            qs_path_add_copy(line->quality, QS_S2C, i,
                             (i * INTERVAL + late + 1 + run->lag) * MILLISECOND);
    }
}

static void finish(struct line *line)
{
    qs_path_quality(line->quality, &line->figures);
    qs_path_free(line->quality);
}

/* Five, of which four are in a row. */
static bool some_are_lost(uint32_t number)
{
    return (number >= 200 && number < 204) || number == 300;
}

static bool one_comes_late(uint32_t number)
{
    return number == 400;
}

TEST(nothing_is_lost)
{
    struct line line;

    run(&line, &(struct run){0});
    finish(&line);
    assert_int_equal(line.figures.vantage, QS_VANTAGE_SERVER);
    assert_true(line.figures.c2s.loss == 0 && line.figures.c2s.burst == 0);
    assert_true(line.figures.s2c.choke == 0);
    assert_int_equal(line.figures.c2s.packets, COUNT);
    assert_true(fabs(line.figures.ping - (BACK - .5) * INTERVAL) < INTERVAL / 2);
    assert_true(line.figures.jitter < 1);
}

TEST(loss_and_the_longest_burst)
{
    struct line line;

    run(&line, &(struct run){.lost = some_are_lost});
    finish(&line);
    assert_true(fabs(line.figures.c2s.loss - 100. * 5 / COUNT) < .01);
    assert_true(line.figures.c2s.burst == 4);
}

TEST(what_comes_late_or_twice_is_not_lost)
{
    struct line line;

    run(&line, &(struct run){.lost = one_comes_late});
    add(&line, QS_C2S, 400, 397, (COUNT + 1) * INTERVAL, 0, QS_NOTE_SEQUENCE_STALE);
    add(&line, QS_C2S, 400, 397, (COUNT + 1) * INTERVAL, 0, QS_NOTE_SEQUENCE_DUPLICATE);
    finish(&line);
    assert_int_equal(line.figures.c2s.late, 1);
    assert_int_equal(line.figures.c2s.duplicates, 1);
    assert_true(
        line.figures.c2s.packets_are_limit); /* without an identification it may be a copy */
    assert_false(line.figures.s2c.packets_are_limit);
    assert_int_equal(line.figures.s2c.late + line.figures.s2c.duplicates, 0);
    assert_true(line.figures.c2s.loss == 0);
}

TEST(suppressed_updates)
{
    const double choked = COUNT / 50 * 2;
    struct line line;

    run(&line, &(struct run){.suppressed = 2});
    finish(&line);
    assert_true(fabs(line.figures.s2c.choke - 100 * choked / (choked + COUNT)) < .01);
}

TEST(jitter_of_one_leg)
{
    struct line line;

    run(&line, &(struct run){.jitter = 12});
    finish(&line);
    assert_true(line.figures.jitter > 3 && line.figures.jitter < 12);
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

/* The other leg is that of the answers. */
TEST(jitter_of_the_answers)
{
    struct line line;

    run(&line, &(struct run){.reports = none, .answer_jitter = 12});
    finish(&line);
    assert_true(line.figures.jitter > 6 && line.figures.jitter < 13);
}

/* What the server acknowledges is seldom seen: its leg's share of the jitter is not known. */
TEST(jitter_of_a_leg_half_of_which_is_captured)
{
    struct line line;

    run(&line, &(struct run){.not_captured = is_odd, .server_back = BACK});
    finish(&line);
    assert_true(line.figures.ping > 0 && line.figures.jitter == QS_QUALITY_UNKNOWN);
}

/* The client acknowledges all that came by: none of it was lost behind the capture. */
TEST(captured_between_the_ends)
{
    struct line line;

    run(&line, &(struct run){.lost_to_client = some_are_lost, .server_back = BACK});
    finish(&line);
    assert_int_equal(line.figures.vantage, QS_VANTAGE_UNKNOWN);
    assert_true(fabs(line.figures.s2c.loss - 100. * 5 / COUNT) < .01);
}

static bool each_fifth(uint32_t number)
{
    return number % 5 == 0;
}

/* Another fifth of the numbers, behind the first one, never arrives. */
static bool two_of_five(uint32_t number)
{
    return number % 5 == 0 || number % 5 == 2;
}

/* Of what one part of the line loses the other cannot lose any more. */
TEST(losses_before_and_behind_the_capture)
{
    struct line line;

    run(&line,
        &(struct run){.lost_to_client = each_fifth, .unread = two_of_five, .server_back = BACK});
    finish(&line);
    assert_float_equal(line.figures.s2c.loss, 40, 1);
}

/* What the server counts as choked is no loss. */
TEST(gap_with_choked_updates)
{
    struct line line;
    const struct qs_packet packet = {.time = (COUNT + 4) * INTERVAL * MILLISECOND};
    struct qs_decoder d = {.protocol = &line.protocol,
                           .session = &line.session.base,
                           .packet = &packet,
                           .found.direction = QS_S2C,
                           .found.accepted = true,
                           .found.sequence = COUNT + 4,
                           .found.path.choked = 2};
    struct qs_path_event event;
    struct qs_path_gap gap;

    run(&line, &(struct run){0});
    line.protocol.path = &answering;
    qs_path_add_event(line.quality, &d, 0, &event);
    gap = qs_path_gap_of(line.quality, &d, &event);
    assert_int_equal(event.choked, 2);
    assert_int_equal(gap.lost + gap.skipped + gap.throttled, 1);
    qs_path_free(line.quality);
}

/* The server acknowledges what the capture lacks. */
TEST(one_sided_loss_of_the_capture)
{
    struct line line;

    run(&line, &(struct run){.not_captured = each_fifth});
    finish(&line);
    assert_true(line.figures.c2s.loss == 0);
    assert_true(line.figures.s2c.loss == QS_QUALITY_UNKNOWN && line.unread == 0);
    assert_true(line.figures.not_captured > 10);
}

static bool is_in_hole(uint32_t number)
{
    return number >= 250 && number < 300;
}

TEST(hole_of_the_capture)
{
    struct line line;

    run(&line, &(struct run){.hole = is_in_hole});
    finish(&line);
    assert_true(line.figures.c2s.loss == 0);
    assert_true(line.figures.s2c.loss == 0);
    assert_float_equal(line.figures.not_captured, 100. * 50 / COUNT, .5);
}

TEST(loss_between_two_places)
{
    struct line line;

    run(&line, &(struct run){.between = some_are_lost});
    finish(&line);
    assert_true(fabs(line.figures.c2s.loss - 100. * 5 / COUNT) < .1);
    assert_int_equal(line.figures.c2s.duplicates, 0);
}

TEST(each_lost_packet_has_a_mark)
{
    struct line line;

    run(&line, &(struct run){.lost = some_are_lost, .unread = some_are_lost});
    finish(&line);
    assert_int_equal(line.lost, 5);
    assert_int_equal(line.unread, 5);
    assert_true(fabs(line.figures.s2c.loss - 100. * 5 / COUNT) < .1);
    assert_true(line.figures.s2c.burst == 4);
}

/* Each datagram is seen at two places: of what lies between them both ways count, and the rest of
 * the way to the client is shorter by one. */
TEST(ping_between_two_places_in_both_directions)
{
    struct line line, apart;

    run(&line, &(struct run){.between = none, .lag = 1});
    finish(&line);
    run(&apart, &(struct run){.between = none, .lag = 7});
    finish(&apart);
    assert_true(fabs(apart.figures.ping - line.figures.ping - (7 - 1)) < 1);
}

/* QuakeWorld's client reports percents of its last numbers: their mean counts, rounded up by a
 * half. */
TEST(loss_that_the_client_reports)
{
    struct line line;

    run(&line, &(struct run){.reports = is_odd});
    assert_float_equal(qs_path_reported_loss(line.quality), 5 + .25, .5);
    qs_path_free(line.quality);
}

static bool three_of_five(uint32_t number)
{
    return number % 5 > 1;
}

/* One or two numbers are left out on purpose, more at a time are not. */
TEST(gaps_are_losses_unless_they_are_short_and_often)
{
    struct line line;

    run(&line, &(struct run){.lost = three_of_five});
    finish(&line);
    assert_int_equal(line.figures.c2s.gaps, QS_GAP_LOST);
    assert_float_equal(line.figures.c2s.loss, 60, 1);
    run(&line, &(struct run){.lost = is_odd, .server_back = 1});
    finish(&line);
    assert_int_equal(line.figures.c2s.gaps, QS_GAP_THROTTLED);
    assert_float_equal(line.figures.c2s.throttle, 50, 1);
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

/* What the server receives is not acknowledged: missing numbers may be the capture's, also those
 * that both ends lack at once. */
TEST(loss_that_nothing_tells)
{
    static const struct run runs[] = {{.lost = some_are_lost, .server_back = COUNT},
                                      {.hole = is_in_hole, .server_back = COUNT}};

    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
        struct line line;

        run(&line, &runs[i]);
        finish(&line);
        assert_true(line.figures.c2s.loss == QS_QUALITY_UNKNOWN);
    }
}

TEST(direction_in_words)
{
    static const struct {
        struct qs_path_direction figures;
        const char *text;
    } directions[] = {
        {{.loss = 1.5, .burst = 3, .or_late = true}, "1.5 % lost or late, longest burst 3 packets"},
        {{.loss = 1.5, .burst = 1, .or_late = true, .late = 1, .duplicates = 2},
         "1.5 % lost, longest burst 1 packet, 1 late, 2 twice"},
        {{.choke = 2, .throttle = 40}, "0.0 % lost, 2.0 % choked, 40.0 % of the numbers throttled"},
        {{.loss = -1, .loss_at_most = 4}, "≤4.0 % lost"},
        {{.loss = -1, .loss_at_most = -1}, "loss unknown"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(directions); i++) {
        g_autofree char *text = qs_path_direction_text(&directions[i].figures, false);

        assert_string_equal(text, directions[i].text);
    }
}
