/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol of a conversation is found by its ports and bytes. */
#include "common/protocols.h"
#include "common/sessions/heuristic.h"
#include "tests/unit/unit.h"

struct fixture {
    struct qs_protocol_selection *selection;
};

static void set_up(struct fixture *f)
{
    f->selection = qs_protocol_selection_new();
}

static void tear_down(struct fixture *f)
{
    qs_protocol_selection_free(f->selection);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

static int find(struct fixture *f, const struct qs_packet *packet)
{
    return qs_protocol_selection_find(f->selection, packet, QS_PROTOCOL_NONE);
}

/* Returns a packet whose bytes fit no protocol. */
static struct qs_packet between(uint16_t source, uint16_t destination)
{
    static const uint8_t data[] = {17, 0, 0, 0, 16, 0, 0, 0, 1, 1, 1};
    struct qs_packet packet = {.data = data, .size = sizeof data, .wire_size = sizeof data};

    packet.source.port = source;
    packet.destination.port = destination;
    return packet;
}

/* A QuakeWorld connection request on ports of no protocol. */
FIXTURE_TEST(the_bytes_decide_on_other_ports)
{
    static const uint8_t data[] = "\xff\xff\xff\xff"
                                  "connect 28 1 2 \"\\name\\x\"\n";
    struct qs_packet packet = between(40000, 40001);

    packet.data = data;
    packet.size = packet.wire_size = sizeof data - 1;
    assert_int_equal(find(f, &packet), qs_protocol_number("qw"));
}

FIXTURE_TEST(the_users_ports_decide_before_the_default_ones)
{
    const struct qs_packet low = between(1, 28500), high = between(28510, 2), one = between(3, 99);
    const struct qs_packet outside = between(3, 28511), standard = between(4, 27500);
    char *error = NULL;

    assert_true(qs_protocol_selection_add(f->selection, "acknex=28500-28510,99", &error));
    assert_int_equal(find(f, &low), qs_protocol_number("acknex"));
    assert_int_equal(find(f, &high), qs_protocol_number("acknex"));
    assert_int_equal(find(f, &one), qs_protocol_number("acknex"));
    assert_int_equal(find(f, &outside), -1);
    assert_int_equal(find(f, &standard), qs_protocol_number("qw"));
    assert_true(qs_protocol_selection_add(f->selection, "acknex=27500", &error));
    assert_int_equal(find(f, &standard), qs_protocol_number("acknex"));
}

/* A client requests a connection of both protocols. */
FIXTURE_TEST(the_answer_of_the_server_decides_unless_the_user_did)
{
    static const uint8_t challenge[] = "\xff\xff\xff\xff"
                                       "c1234567890";
    const int qw = qs_protocol_number("qw"), nq = qs_protocol_number("nq");
    struct qs_packet packet = between(40000, 40001);
    char *error = NULL;

    assert_int_equal(qs_protocol_selection_find(f->selection, &packet, nq), nq);
    packet.data = challenge;
    packet.size = packet.wire_size = sizeof challenge;
    assert_int_equal(qs_protocol_selection_find(f->selection, &packet, nq), qw);
    assert_int_equal(qs_protocol_selection_find(f->selection, &packet, qw), qw);
    assert_true(qs_protocol_selection_add(f->selection, "nq=40000", &error));
    assert_int_equal(qs_protocol_selection_find(f->selection, &packet, nq), nq);
}

/* DarkPlaces sends a request of Quake to the port of a QuakeWorld server, too. */
FIXTURE_TEST(a_request_does_not_decide)
{
    static const uint8_t request[] = "\x80\0\0\x0c\1QUAKE\0\3";
    static const uint8_t acceptance[] = "\x80\0\0\x09\x81\x90\x65\0\0";
    const int qw = qs_protocol_number("qw"), nq = qs_protocol_number("nq");
    struct qs_packet to = between(40000, 27500), from = between(27500, 40000);

    to.data = request;
    to.size = to.wire_size = sizeof request - 1;
    from.data = acceptance;
    from.size = from.wire_size = sizeof acceptance - 1;
    assert_int_equal(qs_protocol_selection_find(f->selection, &to, qw), qw);
    assert_int_equal(qs_protocol_selection_find(f->selection, &from, qw), nq);
}

FIXTURE_TEST(malformed_port_lists_are_reported)
{
    static const char *const wrong[] = {
        "",        "qw",     "qw=",       "qw=x",
        "qw=1,",   "qw=1-",  "qw=2-1",    "qw=65536",
        "qw=-1",   "qw=1 2", "nothing=1", "=1",
        "qw=1,,2", "qw=+1",  "qw=1-2-3",  "qw=99999999999999999999"};

    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        char *error = NULL;

        print_message("\"%s\"\n", wrong[i]);
        assert_false(qs_protocol_selection_add(f->selection, wrong[i], &error));
        assert_non_null(error);
        g_free(error);
    }
}
