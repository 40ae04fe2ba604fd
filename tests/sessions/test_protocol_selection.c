/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which protocol a conversation is given to. */
#include "tests/unit/unit.h"

#include "common/sessions/heuristic.h"
#include "common/protocols.h"

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

/* A packet that is no evidence but where a server listens. */
static struct qs_packet between(uint16_t source, uint16_t destination)
{
    static const uint8_t data[] = {17, 0, 0, 0, 16, 0, 0, 0, 1, 1, 1};
    struct qs_packet packet = {.data = data, .size = sizeof data, .wire_size = sizeof data};

    packet.source.port = source;
    packet.destination.port = destination;
    return packet;
}

/* A QuakeWorld connection request, on ports that say nothing. */
FIXTURE_TEST(goes_by_bytes)
{
    static const uint8_t data[] = "\xff\xff\xff\xff"
                                  "connect 28 1 2 \"\\name\\x\"\n";
    struct qs_packet packet = between(40000, 40001);

    packet.data = data;
    packet.size = packet.wire_size = sizeof data - 1;
    assert_int_equal(find(f, &packet), qs_protocol_number("qw"));
}

FIXTURE_TEST(takes_the_users_word)
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
    /* It counts for more than what the port is by default. */
    assert_true(qs_protocol_selection_add(f->selection, "acknex=27500", &error));
    assert_int_equal(find(f, &standard), qs_protocol_number("acknex"));
}

/* A client that asks in two ways: what the server answers decides, unless the user did. */
FIXTURE_TEST(thinks_again)
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

/* At the port of a QuakeWorld server DarkPlaces' client asks in Quake's way, too. */
FIXTURE_TEST(waits_for_the_answer)
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

FIXTURE_TEST(refuses_what_it_cannot_read)
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
