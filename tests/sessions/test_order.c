/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Datagrams out of order: what moves, what stays, and what is held for how long. */
#include <stdio.h>

#include "tests/unit/unit.h"

#include "common/sessions/order.h"

#define MS INT64_C(1000000)

struct fixture {
    struct qs_order *order;
    GString *taken; /* "c1 s1 c2 ", "s40! ": rejected, "c3? ": with a false acknowledgement */
    uint64_t number;
    int64_t time;
};

static void set_up(struct fixture *f)
{
    f->order = qs_order_new();
    f->taken = g_string_new(NULL);
}

static void tear_down(struct fixture *f)
{
    qs_order_free(f->order);
    g_string_free(f->taken, TRUE);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

static void take(struct fixture *f, const struct qs_packet *packet)
{
    g_string_append_len(f->taken, (const char *)packet->data, packet->size);
    g_string_append_printf(f->taken, "%s%s ", packet->rejected ? "!" : "",
                           packet->false_ack ? "?" : "");
}

static void release_held(struct fixture *f, bool all)
{
    const struct qs_packet *packet;
    struct qs_seqinfo seqinfo;

    while ((packet = qs_order_next(f->order, all, &seqinfo)))
        take(f, packet);
}

/* Number 0: a packet outside of a connection. Of two fragments of a message, `part` is "a" or "b".
 */
static void give(struct fixture *f, enum qs_end from, uint32_t number, uint32_t ack,
                 const char *part)
{
    enum { OFFSET = 100 };
    g_autofree char *text = g_strdup_printf("%c%u%s", from == QS_END_A ? 'c' : 's', number, part);
    const struct qs_packet packet = {.data = (const uint8_t *)text,
                                     .size = (uint32_t)strlen(text),
                                     .number = ++f->number,
                                     .time = f->time,
                                     .from = from};
    struct qs_seqinfo seqinfo = qs_seqinfo_from(from, QS_END_B);

    if (number)
        qs_seqinfo_message(&seqinfo, number, 1);
    if (*part)
        qs_seqinfo_fragment(&seqinfo, *part == 'a' ? 0 : OFFSET, OFFSET, *part == 'a');
    seqinfo.ack_id = number;
    seqinfo.acked_id = ack;
    if (qs_order_passes(f->order, &packet, &seqinfo)) {
        take(f, &packet);
    } else {
        qs_order_hold(f->order, &packet, &seqinfo);
        release_held(f, false);
    }
    f->time += 10 * MS;
}

/*
 * Packets in order: "c11/10" is the client's number 11, which acknowledges the server's 10,
 * "s11/10" one of the server's, "s11a/10" and "s11b/10" two fragments; "+5" and "-5" set the clock,
 * in milliseconds; "held" and "free": whether packets are held then; "|": what was taken so far
 * does not count. At the end all is taken.
 */
static void play(struct fixture *f, const char *script, const char *expected)
{
    g_auto(GStrv) words = g_strsplit(script, " ", -1);
    unsigned number, ack;
    char end[2], part[2] = "";

    for (char **word = words; *word; word++, *part = 0)
        if (sscanf(*word, "%1[cs]%u/%u", end, &number, &ack) == 3 ||
            sscanf(*word, "%1[cs]%u%1[ab]/%u", end, &number, part, &ack) == 4)
            give(f, *end == 'c' ? QS_END_A : QS_END_B, number, ack, part);
        else if (**word == '|')
            g_string_set_size(f->taken, 0);
        else if (g_ascii_isalpha(**word))
            assert_int_equal(qs_order_holds(f->order), strcmp(*word, "held") == 0);
        else
            f->time += strtol(*word, NULL, 10) * MS;
    release_held(f, true);
    assert_string_equal(f->taken->str, expected);
}

/* Both ends have sent and acknowledged up to number 10. */
#define BEGUN "c10/9 s10/10 | "

#define SCRIPT_TEST(name, script, expected)                                                        \
    FIXTURE_TEST(name)                                                                             \
    {                                                                                              \
        play(f, script, expected);                                                                 \
    }

SCRIPT_TEST(passes_what_is_in_order, BEGUN "c11/10 s11/11 c12/11 free", "c11 s11 c12 ")
SCRIPT_TEST(moves_what_was_acknowledged_before, BEGUN "c11/11 held s11/10 free", "s11 c11 ")
SCRIPT_TEST(moves_what_is_acknowledged_after_a_later_one, BEGUN "s12/10 s11/10 c11/11 c12/12",
            "s11 s12 c11 c12 ")
/* A message is acknowledged from its last fragment on. */
SCRIPT_TEST(moves_a_fragment_that_was_acknowledged_before, BEGUN "s11a/10 c11/11 s11b/10 free",
            "s11a s11b c11 ")
/* Its receiver has never acknowledged it: the network delayed it. */
SCRIPT_TEST(leaves_what_came_late, BEGUN "s12/10 c11/12 s11/10 c12/12", "s12 c11 s11 c12 ")
SCRIPT_TEST(moves_what_has_an_earlier_time, BEGUN "+5 s12/10 -12 s11/10", "s11 s12 ")
/* Once some were so far out of order for certain, others are taken to be, too. */
SCRIPT_TEST(learns_how_far, BEGUN "c11/11 s11/10 s13/11 s12/11 c12/13", "s11 c11 s12 s13 c12 ")
SCRIPT_TEST(leaves_the_order_of_a_loss, BEGUN "s12/10 c11/12 s13/11 s14/11 s15/11 s16/11 s17/11",
            "s12 c11 s13 s14 s15 s16 s17 ")
/* By its time it belongs before number 12, behind which it was sent. */
SCRIPT_TEST(moves_nothing_before_what_it_is_behind, BEGUN "+30 s12/10 -20 s14/10 -20 s13/10",
            "s12 s13 s14 ")
/* A connection begins with number 1: what lacks are the first ones, unless it lacks too many. */
SCRIPT_TEST(waits_for_the_beginning, "c0/0 s17/0 -15 held s1/0", "c0 s1 s17 ")
SCRIPT_TEST(waits_for_no_beginning_that_is_far_away, "c0/0 s18/0 free", "c0 s18 ")
SCRIPT_TEST(leaves_duplicates, BEGUN "s11/10 s11/10 s13/10 s13/10 c11/13", "s11 s11 s13 s13 c11 ")

/* Senders only count up, and no receiver acknowledges what was not sent. */
SCRIPT_TEST(rejects_what_is_far_ahead, BEGUN "s27/10 s11/10 s12/10", "s27! s11 s12 ")
SCRIPT_TEST(waits_for_what_is_not_so_far_ahead, BEGUN "s26/10 s11/10 s12/10", "s26 s11 s12 ")
SCRIPT_TEST(takes_no_acknowledgement_from_far_ahead, BEGUN "c11/27 s11/10 s12/11", "c11? s11 s12 ")
SCRIPT_TEST(takes_one_from_not_so_far_ahead, BEGUN "c11/26 s11/10 s12/11", "c11 s11 s12 ")

FIXTURE_TEST(holds_few)
{
    play(f, BEGUN, "");
    for (uint32_t i = 12; i < 12 + QS_ORDER_HELD_MAX; i++)
        give(f, QS_END_B, i, 10, "");
    assert_int_equal(f->taken->len, 0);
    give(f, QS_END_B, 12 + QS_ORDER_HELD_MAX, 10, "");
    assert_false(qs_order_holds(f->order));
}

/* Nor does what is held wait for the clock to come back. */
static void hold_until(struct fixture *f, int64_t later)
{
    play(f, BEGUN, "");
    give(f, QS_END_B, 12, 10, "");
    f->time += later;
    give(f, QS_END_B, 13, 10, "");
    assert_string_equal(f->taken->str, "s12 s13 ");
}

FIXTURE_TEST(holds_not_long)
{
    hold_until(f, QS_ORDER_WAIT);
}

FIXTURE_TEST(holds_nothing_when_the_clock_is_set_back)
{
    hold_until(f, -2 * QS_ORDER_WAIT);
}
