/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which protocol a conversation is given to. */
#include "tests/tool/frames.h"

#include "common/sessions/protocol_selection.h"
#include "common/protocols.h"

static int set_up(void **state)
{
    *state = qs_protocol_selection_new();
    return 0;
}

static int tear_down(void **state)
{
    qs_protocol_selection_free(*state);
    return 0;
}

/* A packet that is no evidence but where a server listens. */
static struct qs_packet between(uint16_t source, uint16_t destination)
{
    static const uint8_t data[] = {17, 0, 0, 0, 16, 0, 0, 0, 1, 1, 1};
    struct qs_packet packet = {.data = data, .size = sizeof data, .wire_size = sizeof data};

    packet.source.port = source;
    packet.destination.port = destination;
    return packet;
}

TEST_WITH(goes_by_server_ports, set_up, tear_down)
{
    const struct qs_packet to = between(40000, 27500), from = between(27500, 40000);
    const struct qs_packet none = between(40000, 40001);

    assert_int_equal(qs_protocol_selection_find(*state, &to, QS_PROTOCOL_NONE),
                     qs_protocol_number("qw"));
    assert_int_equal(qs_protocol_selection_find(*state, &from, QS_PROTOCOL_NONE),
                     qs_protocol_number("qw"));
    assert_int_equal(qs_protocol_selection_find(*state, &none, QS_PROTOCOL_NONE), -1);
    assert_true(qs_protocol_selection_is_server(*state, qs_protocol_number("qw"), 27500));
    assert_false(qs_protocol_selection_is_server(*state, qs_protocol_number("qw"), 40000));
}

/* Source's servers have ports of their own there, too: what is asked of them is not ours. */
TEST_WITH(leaves_what_is_foreign, set_up, tear_down)
{
    static const uint8_t a2s[] = "\xff\xff\xff\xffTSource Engine Query";
    static const uint8_t steam[] = "VS01\0\0\1\0\0\0\0\0";
    struct qs_packet packet = between(40000, 27000);

    packet.data = a2s;
    packet.size = packet.wire_size = sizeof a2s;
    assert_int_equal(qs_protocol_selection_find(*state, &packet, QS_PROTOCOL_NONE), -1);
    packet.data = steam;
    packet.size = packet.wire_size = sizeof steam - 1;
    assert_int_equal(qs_protocol_selection_find(*state, &packet, QS_PROTOCOL_NONE), -1);
}

/* A QuakeWorld connection request, on ports that say nothing. */
TEST_WITH(goes_by_bytes, set_up, tear_down)
{
    static const uint8_t data[] = "\xff\xff\xff\xff"
                                  "connect 28 1 2 \"\\name\\x\"\n";
    struct qs_packet packet = between(40000, 40001);

    packet.data = data;
    packet.size = packet.wire_size = sizeof data - 1;
    assert_int_equal(qs_protocol_selection_find(*state, &packet, QS_PROTOCOL_NONE),
                     qs_protocol_number("qw"));
}

TEST_WITH(takes_the_users_word, set_up, tear_down)
{
    const struct qs_packet low = between(1, 28500), high = between(28510, 2), one = between(3, 99);
    const struct qs_packet outside = between(3, 28511), standard = between(4, 27500);
    char *error = NULL;

    assert_true(qs_protocol_selection_add(*state, "acknex=28500-28510,99", &error));
    assert_int_equal(qs_protocol_selection_find(*state, &low, QS_PROTOCOL_NONE),
                     qs_protocol_number("acknex"));
    assert_int_equal(qs_protocol_selection_find(*state, &high, QS_PROTOCOL_NONE),
                     qs_protocol_number("acknex"));
    assert_int_equal(qs_protocol_selection_find(*state, &one, QS_PROTOCOL_NONE),
                     qs_protocol_number("acknex"));
    assert_int_equal(qs_protocol_selection_find(*state, &outside, QS_PROTOCOL_NONE), -1);
    assert_int_equal(qs_protocol_selection_find(*state, &standard, QS_PROTOCOL_NONE),
                     qs_protocol_number("qw"));
    /* It counts for more than what the port is by default. */
    assert_true(qs_protocol_selection_add(*state, "acknex=27500", &error));
    assert_int_equal(qs_protocol_selection_find(*state, &standard, QS_PROTOCOL_NONE),
                     qs_protocol_number("acknex"));
}

/* A client that asks in two ways: what the server answers decides, unless the user did. */
TEST_WITH(thinks_again, set_up, tear_down)
{
    static const uint8_t challenge[] = "\xff\xff\xff\xff"
                                       "c1234567890";
    const int qw = qs_protocol_number("qw"), nq = qs_protocol_number("nq");
    struct qs_packet packet = between(40000, 40001);
    char *error = NULL;

    assert_int_equal(qs_protocol_selection_find(*state, &packet, nq), nq);
    packet.data = challenge;
    packet.size = packet.wire_size = sizeof challenge;
    assert_int_equal(qs_protocol_selection_find(*state, &packet, nq), qw);
    assert_int_equal(qs_protocol_selection_find(*state, &packet, qw), qw);
    assert_true(qs_protocol_selection_add(*state, "nq=40000", &error));
    assert_int_equal(qs_protocol_selection_find(*state, &packet, nq), nq);
}

/* At the port of a QuakeWorld server DarkPlaces' client asks in Quake's way, too. */
TEST_WITH(waits_for_the_answer, set_up, tear_down)
{
    static const uint8_t request[] = "\x80\0\0\x0c\1QUAKE\0\3";
    static const uint8_t acceptance[] = "\x80\0\0\x09\x81\x90\x65\0\0";
    const int qw = qs_protocol_number("qw"), nq = qs_protocol_number("nq");
    struct qs_packet to = between(40000, 27500), from = between(27500, 40000);

    to.data = request;
    to.size = to.wire_size = sizeof request - 1;
    from.data = acceptance;
    from.size = from.wire_size = sizeof acceptance - 1;
    assert_int_equal(qs_protocol_selection_find(*state, &to, qw), qw);
    assert_int_equal(qs_protocol_selection_find(*state, &from, qw), nq);
}

TEST_WITH(refuses_what_it_cannot_read, set_up, tear_down)
{
    static const char *const wrong[] = {
        "",        "qw",     "qw=",       "qw=x",
        "qw=1,",   "qw=1-",  "qw=2-1",    "qw=65536",
        "qw=-1",   "qw=1 2", "nothing=1", "=1",
        "qw=1,,2", "qw=+1",  "qw=1-2-3",  "qw=99999999999999999999"};

    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        char *error = NULL;

        print_message("\"%s\"\n", wrong[i]);
        assert_false(qs_protocol_selection_add(*state, wrong[i], &error));
        assert_non_null(error);
        g_free(error);
    }
}
