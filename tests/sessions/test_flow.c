/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of conversations, whose number is limited, and of clients' qports. */
#include "common/netchan/seqinfo.h"
#include "common/sessions/flow.h"
#include "tests/unit/unit.h"

struct qs_conversation {
    struct qs_flow flow;
    unsigned name;
};

struct fixture {
    struct qs_flow_table *table;
    GArray *over; /* names of the conversations that ended */
};

static void note_over(struct qs_flow *flow, void *user)
{
    struct fixture *f = user;

    g_array_append_val(f->over, ((struct qs_conversation *)flow)->name);
    g_free(flow);
}

static void set_up(struct fixture *f)
{
    f->over = g_array_new(FALSE, FALSE, sizeof(unsigned));
    f->table = qs_flow_table_new(0, note_over, f);
}

static void tear_down(struct fixture *f)
{
    qs_flow_table_free(f->table);
    g_array_free(f->over, TRUE);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

/* Returns a packet of a client, each of which has another address. */
static struct qs_packet to_server(unsigned client, int64_t time)
{
    struct qs_packet packet = {.time = time, .from = QS_END_UNKNOWN};

    packet.source = (struct qs_address){
        .family = 4, .bytes = {10, 0, (uint8_t)(client >> 8), (uint8_t)client}, .port = 27001};
    packet.destination = (struct qs_address){.family = 4, .bytes = {192, 168, 0, 1}, .port = 27500};
    return packet;
}

static struct qs_packet reversed(struct qs_packet packet)
{
    const struct qs_address source = packet.source;

    packet.source = packet.destination;
    packet.destination = source;
    return packet;
}

static struct qs_flow *find(struct fixture *f, struct qs_packet packet)
{
    return qs_flow_find(f->table, &packet);
}

static struct qs_flow *add(struct fixture *f, unsigned name, int64_t time)
{
    struct qs_conversation *conversation = g_new0(struct qs_conversation, 1);
    const struct qs_packet packet = to_server(name, time);

    conversation->name = name;
    qs_flow_add(f->table, &conversation->flow, &packet.source, &packet.destination, time);
    return &conversation->flow;
}

FIXTURE_TEST(idle_conversations_end)
{
    add(f, 1, 0);
    add(f, 2, 0);
    assert_non_null(find(f, to_server(1, QS_FLOW_IDLE - 1)));
    assert_int_equal(f->over->len, 0);
    assert_non_null(find(f, to_server(1, QS_FLOW_IDLE)));
    assert_int_equal(f->over->len, 1);
    assert_int_equal(g_array_index(f->over, unsigned, 0), 2);
    assert_null(find(f, to_server(2, QS_FLOW_IDLE)));
    /* A packet after the limit does not continue its conversation. */
    assert_null(find(f, to_server(1, 2 * QS_FLOW_IDLE)));
    assert_int_equal(f->over->len, 2);
}

FIXTURE_TEST(a_clock_that_is_set_back_neither_ends_nor_keeps_conversations)
{
    add(f, 1, 2 * QS_FLOW_IDLE);
    assert_non_null(find(f, to_server(1, 0)));
    assert_non_null(find(f, to_server(1, QS_FLOW_IDLE - 1)));
    assert_null(find(f, to_server(1, 3 * QS_FLOW_IDLE)));
}

FIXTURE_TEST(the_number_of_conversations_is_limited)
{
    for (unsigned i = 0; i < QS_FLOWS_MAX; i++)
        add(f, i, 0);
    assert_int_equal(f->over->len, 0);
    /* The first one gets a packet, so the second one is idle longest. */
    assert_non_null(find(f, to_server(0, 1)));
    add(f, QS_FLOWS_MAX, 2);
    assert_int_equal(f->over->len, 1);
    assert_int_equal(g_array_index(f->over, unsigned, 0), 1);
    for (unsigned i = 0; i < 10 * QS_FLOWS_MAX; i++)
        add(f, QS_FLOWS_MAX + 1 + i, 3);
    assert_int_equal(f->over->len, 1 + 10 * QS_FLOWS_MAX);
}

/* One-sided, answered and live conversations have a limit each. */
FIXTURE_TEST(conversations_only_end_others_of_their_class)
{
    struct qs_flow *live = add(f, 1, 0);

    assert_int_equal(live->class, QS_FLOW_ONE_SIDED);
    qs_flow_raise(f->table, live, QS_FLOW_LIVE);
    add(f, 2, 0);
    assert_int_equal(find(f, reversed(to_server(2, 1)))->class, QS_FLOW_ANSWERED);
    for (unsigned i = 0; i < 3 * QS_FLOWS_MAX; i++)
        add(f, 10 + i, 2);
    assert_int_equal(f->over->len, 2 * QS_FLOWS_MAX);
    assert_int_equal(g_array_index(f->over, unsigned, 0), 10);
    for (unsigned i = 0; i < QS_FLOWS_MAX; i++)
        find(f, reversed(to_server(10 + 2 * QS_FLOWS_MAX + i, 3)));
    assert_int_equal(f->over->len, 2 * QS_FLOWS_MAX + 1);
    assert_int_equal(g_array_index(f->over, unsigned, 2 * QS_FLOWS_MAX), 2);
    assert_ptr_equal(find(f, to_server(1, 4)), live);
    assert_int_equal(qs_flow_count(f->table, QS_FLOW_LIVE), 1);
}

FIXTURE_TEST(the_limit_of_a_class_can_be_changed)
{
    qs_flow_table_limit(f->table, QS_FLOW_LIVE, 2);
    for (unsigned i = 0; i < 3; i++)
        qs_flow_raise(f->table, add(f, i, i), QS_FLOW_LIVE);
    assert_int_equal(f->over->len, 1);
    assert_int_equal(g_array_index(f->over, unsigned, 0), 0);
    assert_int_equal(qs_flow_oldest(f->table, QS_FLOW_LIVE)->last, 1);
    assert_null(qs_flow_oldest(f->table, QS_FLOW_ONE_SIDED));
}

/* In constant time: no conversation is changed. */
FIXTURE_TEST(the_clock_is_set_for_all_conversations_at_once)
{
    const int64_t day = INT64_C(86400) * 1000000000;
    struct qs_flow *first = add(f, 1, 5), *second = add(f, 2, 6);
    const struct qs_flow before = *first;

    qs_flow_table_shift(f->table, day);
    assert_memory_equal(first, &before, sizeof before);
    assert_int_equal(qs_flow_last(f->table, first), day + 5);
    assert_int_equal(qs_flow_last(f->table, second), day + 6);
    assert_int_equal(qs_flow_last(f->table, add(f, 3, day + 7)), day + 7);
    qs_flow_table_expire(f->table, day + 8);
    assert_int_equal(f->over->len, 0);
    qs_flow_table_shift(f->table, -day);
    assert_int_equal(qs_flow_last(f->table, first), 5);
    qs_flow_table_expire(f->table, QS_FLOW_IDLE + 5);
    assert_int_equal(f->over->len, 1);
}

FIXTURE_TEST(times_are_limited_when_the_clock_is_set)
{
    const struct qs_flow *early = add(f, 1, 5), *late = add(f, 2, INT64_MAX - 5);

    qs_flow_table_shift(f->table, INT64_MAX);
    assert_true(qs_flow_last(f->table, late) == INT64_MAX);
    qs_flow_table_shift(f->table, -INT64_MAX);
    qs_flow_table_shift(f->table, -INT64_MAX);
    assert_true(qs_flow_last(f->table, early) == 0);
    qs_flow_table_shift(f->table, -1);
    assert_true(qs_flow_last(f->table, early) == 0);
}

/* --- Qports --- */

enum { QPORT = 0x1234, SENT = 1000 };

static int found_same_host; /* -1: no qport was found */

static bool always_continues(void *owner, const struct qs_packet *packet, bool same_host)
{
    (void)owner, (void)packet;
    found_same_host = same_host;
    return true;
}

static void assert_found(struct qs_qports *qports, uint8_t host, void *owner, int same_host)
{
    static const uint8_t data[] = {1, 0, 0, 0, 1, 0, 0, 0, QPORT & 0xff, QPORT >> 8};
    struct qs_packet packet = to_server(host, 0);

    packet.data = data;
    packet.size = sizeof data;
    packet.source.port = 40000;
    found_same_host = -1;
    assert_ptr_equal(qs_qports_find(qports, &packet, always_continues), owner);
    assert_int_equal(found_same_host, same_host);
}

TEST(the_latest_conversation_of_the_host_with_the_qport_is_found)
{
    const struct qs_packet packet = to_server(1, 0);
    const uint32_t value = qs_seqinfo_qport(2, QPORT);
    struct qs_qports *qports = qs_qports_new();
    int one, two;
    struct qs_qport *first =
        qs_qports_add(qports, &packet.destination, &packet.source, value, &one);
    struct qs_qport *second;

    assert_found(qports, 1, &one, true);
    assert_found(qports, 2, &one, false);
    second = qs_qports_add(qports, &packet.destination, &packet.source, value, &two);
    assert_found(qports, 1, &two, true);
    qs_qports_remove(qports, first);
    assert_found(qports, 1, &two, true);
    qs_qports_remove(qports, second);
    assert_found(qports, 1, NULL, -1);
    qs_qports_free(qports);
}

static struct qs_seqinfo sent;

static bool sent_seqinfo(const struct qs_session *session, const struct qs_packet *packet,
                         struct qs_seqinfo *seqinfo)
{
    (void)session, (void)packet;
    *seqinfo = sent;
    return true;
}

static bool continues(struct qs_session *session, unsigned width, int ahead, bool same_host)
{
    const struct qs_protocol protocol = {.seqinfo = sent_seqinfo};
    const struct qs_packet packet = to_server(1, 0);

    sent = (struct qs_seqinfo){.qport = qs_seqinfo_qport(width, QPORT)};
    qs_seqinfo_message(&sent, (uint32_t)(SENT + ahead), 1);
    return qs_session_continues(&protocol, session, &packet, sent.qport, same_host);
}

/* From another host, only later numbers do. With qports of one byte, which many clients share,
 * fewer numbers do. */
TEST(packets_with_near_numbers_continue_a_session)
{
    struct qs_session session = {.server = QS_END_B,
                                 .to_server = {.started = true, .sequence = SENT}};

    assert_true(continues(&session, 2, 1, false) && continues(&session, 2, 2048, false));
    assert_false(continues(&session, 2, 0, false) || continues(&session, 2, 2049, false));
    assert_true(continues(&session, 2, -63, true));
    assert_false(continues(&session, 2, -64, true));
    assert_true(continues(&session, 1, 64, true));
    assert_false(continues(&session, 1, 65, true));
    session.disconnected = true;
    assert_false(continues(&session, 2, 1, true));
}
