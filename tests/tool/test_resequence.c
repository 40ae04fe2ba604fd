/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Datagrams out of order: what moves, what stays, and what is held for how long. */
#include "tests/tool/frames.h"

#include "common/sessions/reorder.h"

#define MS INT64_C(1000000)

struct fixture {
    struct qs_resequencer *order;
    GString *taken; /* "c1 s1 c2 " */
    uint64_t number;
    int64_t time;
};

static void set_up(struct fixture *f)
{
    f->order = qs_resequence_new();
    f->taken = g_string_new(NULL);
}

static void tear_down(struct fixture *f)
{
    qs_resequence_free(f->order);
    g_string_free(f->taken, TRUE);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

static void take(struct fixture *f, const struct qs_packet *packet)
{
    g_string_append_len(f->taken, (const char *)packet->data, packet->size);
    g_string_append_c(f->taken, ' ');
}

static void take_held(struct fixture *f, bool all)
{
    const struct qs_packet *packet;
    struct qs_seqinfo place;

    while ((packet = qs_resequence_next(f->order, all, &place)))
        take(f, packet);
}

/* Number 0: a packet outside of a connection. */
static void give(struct fixture *f, enum qs_end from, uint32_t number, uint32_t ack)
{
    g_autofree char *text = g_strdup_printf("%c%u", from == QS_END_A ? 'c' : 's', number);
    const struct qs_packet packet = {.data = (const uint8_t *)text,
                                     .size = (uint32_t)strlen(text),
                                     .number = ++f->number,
                                     .time = f->time,
                                     .from = from};
    struct qs_seqinfo place = qs_seqinfo_from(from, QS_END_B);

    if (number)
        qs_seqinfo_message(&place, number, 1);
    place.mark = number;
    place.echo = ack;
    if (qs_resequence_passes(f->order, &packet, &place)) {
        take(f, &packet);
    } else {
        qs_resequence_hold(f->order, &packet, &place);
        take_held(f, false);
    }
    f->time += 10 * MS;
}

static void client(struct fixture *f, uint32_t number, uint32_t ack)
{
    give(f, QS_END_A, number, ack);
}

static void server(struct fixture *f, uint32_t number, uint32_t ack)
{
    give(f, QS_END_B, number, ack);
}

/* Both ends have sent and acknowledged up to number 10. */
static void begin(struct fixture *f)
{
    client(f, 10, 9);
    server(f, 10, 10);
    g_string_set_size(f->taken, 0);
}

static void assert_taken(struct fixture *f, const char *expected)
{
    take_held(f, true);
    assert_string_equal(f->taken->str, expected);
}

FIXTURE_TEST(passes_what_is_in_order)
{
    begin(f);
    client(f, 11, 10);
    server(f, 11, 11);
    client(f, 12, 11);
    assert_false(qs_resequence_holds(f->order));
    assert_taken(f, "c11 s11 c12 ");
}

FIXTURE_TEST(moves_what_was_acknowledged_before)
{
    begin(f);
    client(f, 11, 11);
    assert_true(qs_resequence_holds(f->order));
    server(f, 11, 10);
    assert_false(qs_resequence_holds(f->order));
    assert_taken(f, "s11 c11 ");
}

FIXTURE_TEST(moves_what_is_acknowledged_after_a_later_one)
{
    begin(f);
    server(f, 12, 10);
    server(f, 11, 10);
    client(f, 11, 11);
    client(f, 12, 12);
    assert_taken(f, "s11 s12 c11 c12 ");
}

/* Its receiver has never acknowledged it: the network delayed it. */
FIXTURE_TEST(leaves_what_came_late)
{
    begin(f);
    server(f, 12, 10);
    client(f, 11, 12);
    server(f, 11, 10);
    client(f, 12, 12);
    assert_taken(f, "s12 c11 s11 c12 ");
}

FIXTURE_TEST(moves_what_has_an_earlier_time)
{
    begin(f);
    f->time += 5 * MS;
    server(f, 12, 10);
    f->time -= 12 * MS;
    server(f, 11, 10);
    assert_taken(f, "s11 s12 ");
}

/* Once some were so far out of order for certain, others are taken to be, too. */
FIXTURE_TEST(learns_how_far)
{
    begin(f);
    client(f, 11, 11);
    server(f, 11, 10);
    server(f, 13, 11);
    server(f, 12, 11);
    client(f, 12, 13);
    assert_taken(f, "s11 c11 s12 s13 c12 ");
}

FIXTURE_TEST(leaves_the_order_of_a_loss)
{
    begin(f);
    server(f, 12, 10);
    client(f, 11, 12);
    for (uint32_t i = 13; i < 18; i++)
        server(f, i, 11);
    assert_taken(f, "s12 c11 s13 s14 s15 s16 s17 ");
}

FIXTURE_TEST(holds_few)
{
    begin(f);
    for (uint32_t i = 12; i < 12 + QS_REORDER_HELD_MAX; i++)
        server(f, i, 10);
    assert_int_equal(f->taken->len, 0);
    server(f, 12 + QS_REORDER_HELD_MAX, 10);
    assert_false(qs_resequence_holds(f->order));
}

FIXTURE_TEST(holds_not_long)
{
    begin(f);
    server(f, 12, 10);
    f->time += QS_RESEQUENCE_WAIT;
    server(f, 13, 10);
    assert_string_equal(f->taken->str, "s12 s13 ");
}

/* What is held does not wait for the clock to come back. */
FIXTURE_TEST(holds_nothing_when_the_clock_is_set_back)
{
    begin(f);
    server(f, 12, 10);
    f->time -= 2 * QS_RESEQUENCE_WAIT;
    server(f, 13, 10);
    assert_string_equal(f->taken->str, "s12 s13 ");
}

/* By its time it belongs before number 12, behind which it was sent. */
FIXTURE_TEST(moves_nothing_before_what_it_is_behind)
{
    begin(f);
    f->time += 30 * MS;
    server(f, 12, 10);
    f->time -= 20 * MS;
    server(f, 14, 10);
    f->time -= 20 * MS;
    server(f, 13, 10);
    assert_taken(f, "s12 s13 s14 ");
}

/* A connection begins with number 1: what lacks are the first ones, unless it lacks too many. */
FIXTURE_TEST(waits_for_the_beginning)
{
    client(f, 0, 0);
    server(f, 17, 0);
    f->time -= 15 * MS;
    assert_true(qs_resequence_holds(f->order));
    server(f, 1, 0);
    assert_taken(f, "c0 s1 s17 ");
}

FIXTURE_TEST(waits_for_no_beginning_that_is_far_away)
{
    client(f, 0, 0);
    server(f, 18, 0);
    assert_false(qs_resequence_holds(f->order));
}

FIXTURE_TEST(leaves_duplicates)
{
    begin(f);
    server(f, 11, 10);
    server(f, 11, 10);
    server(f, 13, 10);
    server(f, 13, 10);
    client(f, 11, 13);
    assert_taken(f, "s11 s11 s13 s13 c11 ");
}
