/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Datagrams are put in the order in which their receivers read them. */
#include <stdio.h>

#include "common/sessions/order.h"
#include "tests/unit/unit.h"

#define MS INT64_C(1000000)

struct fixture {
    struct qs_order *order;
    GString *ordered; /* "c1 s1 c2 ", "s40! ": rejected, "c3? ": with a false acknowledgement */
    uint64_t number;
    int64_t time;
};

static void set_up(struct fixture *f)
{
    f->order = qs_order_new();
    f->ordered = g_string_new(NULL);
}

static void tear_down(struct fixture *f)
{
    qs_order_free(f->order);
    g_string_free(f->ordered, TRUE);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

static void append(struct fixture *f, const struct qs_packet *packet)
{
    g_string_append_len(f->ordered, (const char *)packet->data, packet->size);
    g_string_append_printf(f->ordered, "%s%s ", packet->rejected ? "!" : "",
                           packet->false_ack ? "?" : "");
}

static void release_held(struct fixture *f, bool all)
{
    const struct qs_packet *packet;
    struct qs_seqinfo seqinfo;

    while ((packet = qs_order_next(f->order, all, &seqinfo)))
        append(f, packet);
}

/* Adds a packet; with number 0, one outside of a connection. `part` is "a" or "b" for the fragments
 * of a message, otherwise "". */
static void add(struct fixture *f, enum qs_end from, uint32_t number, uint32_t ack,
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
        append(f, &packet);
    } else {
        qs_order_hold(f->order, &packet, &seqinfo);
        release_held(f, false);
    }
    f->time += 10 * MS;
}

/*
 * A script has packets in the captured order. "c11/10" is the client's number 11, which
 * acknowledges the server's 10; "s11/10" is one of the server; "s11a/10" and "s11b/10" are two
 * fragments. "+5" and "-5" set the clock (ms), "held" and "free" assert that packets are held or
 * not, and "|" drops the result so far. At the end, all packets are released.
 */
static void play(struct fixture *f, const char *script, const char *expected)
{
    g_auto(GStrv) words = g_strsplit(script, " ", -1);
    unsigned number, ack;
    char end[2], part[2] = "";

    for (char **word = words; *word; word++, *part = 0)
        if (sscanf(*word, "%1[cs]%u/%u", end, &number, &ack) == 3 ||
            sscanf(*word, "%1[cs]%u%1[ab]/%u", end, &number, part, &ack) == 4)
            add(f, *end == 'c' ? QS_END_A : QS_END_B, number, ack, part);
        else if (**word == '|')
            g_string_set_size(f->ordered, 0);
        else if (g_ascii_isalpha(**word))
            assert_int_equal(qs_order_holds(f->order), strcmp(*word, "held") == 0);
        else
            f->time += strtol(*word, NULL, 10) * MS;
    release_held(f, true);
    assert_string_equal(f->ordered->str, expected);
}

/* Both ends have sent and acknowledged up to number 10. */
#define BEGUN "c10/9 s10/10 | "

#define SCRIPT_TEST(name, script, expected)                                                        \
    FIXTURE_TEST(name)                                                                             \
    {                                                                                              \
        play(f, script, expected);                                                                 \
    }

SCRIPT_TEST(packets_in_order_pass, BEGUN "c11/10 s11/11 c12/11 free", "c11 s11 c12 ")
SCRIPT_TEST(packets_move_before_their_acknowledgement, BEGUN "c11/11 held s11/10 free", "s11 c11 ")
SCRIPT_TEST(packets_move_if_they_are_acknowledged_in_their_order,
            BEGUN "s12/10 s11/10 c11/11 c12/12", "s11 s12 c11 c12 ")
/* The acknowledgement is of the whole message. */
SCRIPT_TEST(the_last_fragment_moves_before_its_acknowledgement, BEGUN "s11a/10 c11/11 s11b/10 free",
            "s11a s11b c11 ")
/* The receiver never acknowledges it. */
SCRIPT_TEST(packets_that_the_network_delayed_stay, BEGUN "s12/10 c11/12 s11/10 c12/12",
            "s12 c11 s11 c12 ")
SCRIPT_TEST(packets_with_an_earlier_time_move, BEGUN "+5 s12/10 -12 s11/10", "s11 s12 ")
/* Acknowledgements prove the distance of a move; packets within it move without proof. */
SCRIPT_TEST(packets_move_as_far_as_others_have, BEGUN "c11/11 s11/10 s13/11 s12/11 c12/13",
            "s11 c11 s12 s13 c12 ")
SCRIPT_TEST(packets_around_a_loss_stay, BEGUN "s12/10 c11/12 s13/11 s14/11 s15/11 s16/11 s17/11",
            "s12 c11 s13 s14 s15 s16 s17 ")
/* By its time, number 13 would be before number 12. */
SCRIPT_TEST(packets_never_move_before_a_lower_number, BEGUN "+30 s12/10 -20 s14/10 -20 s13/10",
            "s12 s13 s14 ")
/* A connection begins with number 1. */
SCRIPT_TEST(the_first_packets_are_awaited_if_few_are_missing, "c0/0 s17/0 -15 held s1/0",
            "c0 s1 s17 ")
SCRIPT_TEST(the_first_packets_are_not_awaited_if_many_are_missing, "c0/0 s18/0 free", "c0 s18 ")
SCRIPT_TEST(duplicates_stay, BEGUN "s11/10 s11/10 s13/10 s13/10 c11/13", "s11 s11 s13 s13 c11 ")

/* Senders count up, and receivers acknowledge only packets that were sent. */
SCRIPT_TEST(numbers_far_ahead_are_rejected, BEGUN "s27/10 s11/10 s12/10", "s27! s11 s12 ")
SCRIPT_TEST(numbers_less_far_ahead_are_accepted, BEGUN "s26/10 s11/10 s12/10", "s26 s11 s12 ")
SCRIPT_TEST(acknowledgements_far_ahead_are_false, BEGUN "c11/27 s11/10 s12/11", "c11? s11 s12 ")
SCRIPT_TEST(acknowledgements_less_far_ahead_count, BEGUN "c11/26 s11/10 s12/11", "c11 s11 s12 ")

FIXTURE_TEST(a_limited_number_of_packets_is_held)
{
    play(f, BEGUN, "");
    for (uint32_t i = 12; i < 12 + QS_ORDER_HELD_MAX; i++)
        add(f, QS_END_B, i, 10, "");
    assert_int_equal(f->ordered->len, 0);
    add(f, QS_END_B, 12 + QS_ORDER_HELD_MAX, 10, "");
    assert_false(qs_order_holds(f->order));
}

static void hold_until(struct fixture *f, int64_t later)
{
    play(f, BEGUN, "");
    add(f, QS_END_B, 12, 10, "");
    f->time += later;
    add(f, QS_END_B, 13, 10, "");
    assert_string_equal(f->ordered->str, "s12 s13 ");
}

FIXTURE_TEST(packets_are_held_for_a_limited_time)
{
    hold_until(f, QS_ORDER_WAIT);
}

FIXTURE_TEST(no_packet_is_held_if_the_clock_is_set_back)
{
    hold_until(f, -2 * QS_ORDER_WAIT);
}

FIXTURE_TEST(packets_of_a_new_connection_are_sorted_also_those_held_before_it)
{
    struct qs_seqinfo begin = qs_seqinfo_from(QS_END_B, QS_END_B);

    play(f, BEGUN "+30", "");
    add(f, QS_END_B, 13, 0, "");
    qs_seqinfo_message(&begin, 11, 1);
    qs_order_restart(f->order, QS_END_B, &begin);
    play(f, "-30 s12/0", "s12 s13 ");
    qs_seqinfo_message(&begin, 3, 1);
    qs_order_restart(f->order, QS_END_B, &begin);
    play(f, "+60 s5/0 -30 s4/0", "s12 s13 s4 s5 ");
}
