/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP streams put in order: what comes out is what was sent, in order and once, with holes where
 * bytes are missing; whatever segments do.
 */
#include <string.h>

#include "common/core/writer.h"
#include "pcap2demo/capture/ip.h"
#include "tests/unit/unit.h"

enum { FIN = 1, SYN = 2, RST = 4, ACK = 16, SENT = 4000 };

struct fixture {
    struct tcp *tcp;
    uint64_t number; /* of the last segment */
    GByteArray *from[2];
    uint32_t missing[2];
    uint64_t missing_before;
    unsigned overs;
    uint16_t port; /* of the client */
    bool refuses;
    uint8_t sent[SENT];
};

static void receive(void *user, struct tcp_connection *connection, const struct qs_packet *packet)
{
    struct fixture *f = user;

    connection->ignored = f->refuses;
    if (!packet) {
        f->overs++;
        return;
    }
    assert_int_equal(packet->number, f->number);
    assert_int_equal(packet->size, packet->wire_size);
    if (packet->missing) {
        f->missing[packet->from] += packet->missing;
        f->missing_before = packet->missing_before;
    }
    if (packet->size && !f->refuses)
        g_byte_array_append(f->from[packet->from], packet->data, packet->size);
}

static void tear_down(struct fixture *f)
{
    tcp_free(f->tcp);
    g_byte_array_free(f->from[0], TRUE);
    g_byte_array_free(f->from[1], TRUE);
}

struct sending {
    bool by_server;
    uint8_t flags;
    uint32_t sequence, acknowledged;
    const uint8_t *data;
    uint32_t size, lacks; /* bytes at the end that were not captured */
};

static void take(struct fixture *f, const struct sending *sending)
{
    static const uint8_t client[] = {10, 0, 0, 1}, server[] = {10, 0, 0, 2};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    struct qs_packet packet = {.number = ++f->number, .time = (int64_t)f->number * 1000000};

    packet.source.family = packet.destination.family = 4;
    memcpy(packet.source.bytes, sending->by_server ? server : client, 4);
    memcpy(packet.destination.bytes, sending->by_server ? client : server, 4);
    qs_write_u16be(bytes, sending->by_server ? 28000 : f->port);
    qs_write_u16be(bytes, sending->by_server ? f->port : 28000);
    qs_write_u32be(bytes, sending->sequence);
    qs_write_u32be(bytes, sending->acknowledged);
    qs_write_u8(bytes, 5 << 4);
    qs_write_u8(bytes, sending->flags);
    for (int i = 0; i < 6; i++)
        qs_write_u8(bytes, 0);
    if (sending->size)
        g_byte_array_append(bytes, sending->data, sending->size);
    packet.data = bytes->data;
    packet.wire_size = bytes->len;
    packet.size = bytes->len - sending->lacks;
    tcp_add_segment(f->tcp, &packet);
}

/* Bytes `from` to `to` of what is sent, in a stream whose first byte has the number `first`. */
static void send_part(struct fixture *f, uint32_t first, uint32_t from, uint32_t to)
{
    take(f, &(struct sending){true, ACK, first + from, 1, f->sent + from, to - from, 0});
}

static void acknowledge(struct fixture *f, uint32_t sequence)
{
    take(f, &(struct sending){false, ACK, 1, sequence, NULL, 0, 0});
}

static void shake_hands(struct fixture *f, uint32_t first)
{
    take(f, &(struct sending){false, SYN, 0, 0, NULL, 0, 0});
    take(f, &(struct sending){true, SYN | ACK, first - 1, 1, NULL, 0, 0});
    acknowledge(f, first);
}

static void set_up(struct fixture *f)
{
    f->tcp = tcp_new(receive, f);
    f->from[0] = g_byte_array_new();
    f->from[1] = g_byte_array_new();
    f->port = 50000;
    for (unsigned i = 0; i < SENT; i++)
        f->sent[i] = (uint8_t)(i * 7 + i / 256);
}

static void set_up_shaken(struct fixture *f)
{
    set_up(f);
    shake_hands(f, 1000);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)
/* The handshake has been, and the server's first byte has the number 1000. */
#define SHAKEN_TEST(function) TEST_WITH(function, struct fixture, f, set_up_shaken, tear_down)

static void assert_received(const struct fixture *f, uint32_t size)
{
    /* The server's end is B, where the client's SYN came first; else A. */
    const GByteArray *bytes = f->from[1]->len ? f->from[1] : f->from[0];

    assert_int_equal(bytes->len, size);
    assert_memory_equal(bytes->data, f->sent, size);
}

/* What lies behind bytes that waited is not lost. */
SHAKEN_TEST(test_around_what_waits)
{
    send_part(f, 1000, 100, 200);
    send_part(f, 1000, 300, 400);
    send_part(f, 1000, 0, 500);
    assert_received(f, 500);
}

/* Of bytes that differ those that came first count. */
SHAKEN_TEST(test_contradictions)
{
    uint8_t other[SENT];

    memset(other, 0xee, sizeof other);
    send_part(f, 1000, 500, 1000);
    take(f, &(struct sending){true, ACK, 1000 + 400, 1, other, 700, 0});
    send_part(f, 1000, 0, 500);
    assert_int_equal(f->from[1]->len, 1100);
    assert_memory_equal(f->from[1]->data, f->sent, 400);
    assert_memory_equal(f->from[1]->data + 500, f->sent + 500, 500);
    assert_memory_equal(f->from[1]->data + 400, other, 100);
    assert_memory_equal(f->from[1]->data + 1000, other, 100);
}

FIXTURE_TEST(test_wrap_around)
{
    const uint32_t first = UINT32_MAX - 999;

    shake_hands(f, first);
    send_part(f, first, 0, 900);
    send_part(f, first, 1500, 2000);
    send_part(f, first, 900, 1200); /* over the edge */
    send_part(f, first, 1000, 1500);
    send_part(f, first, 2000, SENT);
    assert_received(f, SENT);
    assert_int_equal(tcp_counts(f->tcp)->holes, 0);
}

/* A hole is given up when the other end has the bytes and nothing brought them. */
SHAKEN_TEST(test_hole)
{
    uint64_t behind;

    send_part(f, 1000, 0, 100);
    send_part(f, 1000, 300, 400);
    behind = f->number;
    for (int i = 0; i < TCP_PATIENCE + 5; i++)
        acknowledge(f, 1100); /* not received: it can still come */
    assert_int_equal(f->from[1]->len, 100);
    for (int i = 0; i < TCP_PATIENCE + 5; i++)
        acknowledge(f, 1400);
    assert_int_equal(f->from[1]->len, 200);
    assert_int_equal(f->missing[1], 200);
    assert_int_equal(f->missing_before, behind);
    send_part(f, 1000, 100, 300); /* too late */
    send_part(f, 1000, 400, 500);
    assert_int_equal(f->from[1]->len, 300);
    assert_memory_equal(f->from[1]->data + 100, f->sent + 300, 200);
    assert_int_equal(tcp_counts(f->tcp)->holes, 1);
}

/* The capture may see a segment after its acknowledgement. */
SHAKEN_TEST(test_late_but_there)
{
    send_part(f, 1000, 100, 200);
    acknowledge(f, 1200);
    send_part(f, 1000, 0, 100);
    assert_received(f, 200);
}

SHAKEN_TEST(test_cut_segment)
{
    take(f, &(struct sending){true, ACK, 1000, 1, f->sent, 500, 200});
    send_part(f, 1000, 500, 600);
    tcp_end(f->tcp, f->number);
    assert_int_equal(f->from[1]->len, 400);
    assert_int_equal(f->missing[1], 200);
    assert_memory_equal(f->from[1]->data + 300, f->sent + 500, 100);
}

FIXTURE_TEST(test_begins_in_the_middle)
{
    acknowledge(f, 77);
    send_part(f, 5000, 0, 100);
    send_part(f, 5000, 100, 200);
    assert_received(f, 200);
    assert_int_equal(f->missing[0] + f->missing[1], 0);
}

/* With the handshake the place of the first byte is known. */
SHAKEN_TEST(test_first_bytes_are_missing)
{
    send_part(f, 1000, 100, 200);
    tcp_end(f->tcp, f->number);
    assert_int_equal(f->missing[1], 100);
    assert_int_equal(f->from[1]->len, 100);
}

static void finish_both(struct fixture *f, uint32_t client, uint32_t server)
{
    take(f, &(struct sending){true, FIN | ACK, server, client, NULL, 0, 0});
    take(f, &(struct sending){false, FIN | ACK, client, server + 1, NULL, 0, 0});
    take(f, &(struct sending){true, ACK, server + 1, client + 1, NULL, 0, 0});
}

SHAKEN_TEST(test_end)
{
    send_part(f, 1000, 0, 100);
    finish_both(f, 1, 1100);
    assert_int_equal(f->overs, 1);
    assert_int_equal(f->missing[0] + f->missing[1], 0);
    send_part(f, 1000, 0, 100); /* a stray */
    tcp_end(f->tcp, f->number);
    assert_int_equal(f->overs, 1);
    assert_received(f, 100);
}

SHAKEN_TEST(test_last_bytes_are_missing)
{
    send_part(f, 1000, 0, 100);
    finish_both(f, 1, 1300);
    tcp_end(f->tcp, f->number);
    assert_int_equal(f->missing[1], 200);
    assert_int_equal(f->overs, 1);
}

static void check_end(struct fixture *f, uint32_t acknowledged, unsigned missing)
{
    send_part(f, 1000, 0, 100);
    acknowledge(f, acknowledged);
    tcp_end(f->tcp, f->number);
    assert_received(f, 100);
    assert_int_equal(f->missing[1], missing);
    assert_int_equal(tcp_counts(f->tcp)->holes, missing != 0);
    assert_int_equal(f->overs, 1);
}

/* The client acknowledges all bytes and a FIN that the capture lacks: no byte is missing. */
SHAKEN_TEST(test_fin_that_was_not_captured)
{
    check_end(f, 1101, 0);
}

/* More than a FIN is acknowledged: there were bytes. */
SHAKEN_TEST(test_end_that_was_not_captured)
{
    check_end(f, 1102, 2);
}

/* The FIN comes with the last bytes, and before bytes that are late. */
SHAKEN_TEST(test_fin_with_bytes)
{
    take(f, &(struct sending){true, FIN | ACK, 1100, 1, f->sent + 100, 100, 0});
    take(f, &(struct sending){false, FIN | ACK, 1, 1000, NULL, 0, 0});
    assert_int_equal(f->overs, 0);
    send_part(f, 1000, 0, 100);
    assert_received(f, 200);
    assert_int_equal(f->overs, 1);
    assert_int_equal(f->missing[1], 0);
}

/* Of the last bytes, which come with the FIN, some were not captured. */
SHAKEN_TEST(test_fin_with_cut_bytes)
{
    send_part(f, 1000, 0, 100);
    take(f, &(struct sending){true, FIN | ACK, 1100, 1, f->sent + 100, 100, 50});
    tcp_end(f->tcp, f->number);
    assert_received(f, 150);
    assert_int_equal(f->missing[1], 50);
    assert_int_equal(f->overs, 1);
}

SHAKEN_TEST(test_reset)
{
    send_part(f, 1000, 0, 100);
    take(f, &(struct sending){false, RST, 1, 0, NULL, 0, 0});
    assert_int_equal(f->overs, 1);
    send_part(f, 1000, 100, 200);
    assert_received(f, 100);
}

/* The same ports once more: a connection of its own. */
SHAKEN_TEST(test_ports_used_again)
{
    send_part(f, 1000, 0, 100);
    take(f, &(struct sending){false, SYN, 0, 0, NULL, 0, 0}); /* sent again: no other */
    assert_int_equal(f->overs, 0);
    take(f, &(struct sending){false, SYN, 70000, 0, NULL, 0, 0});
    assert_int_equal(f->overs, 1);
    take(f, &(struct sending){true, SYN | ACK, 899, 70001, NULL, 0, 0});
    send_part(f, 800, 100, 200);
    assert_received(f, 200);
}

SHAKEN_TEST(test_ignored)
{
    f->refuses = true;
    send_part(f, 1000, 0, 4);
    f->refuses = false;
    send_part(f, 1000, 4, 100);
    finish_both(f, 1, 1100);
    tcp_end(f->tcp, f->number);
    assert_int_equal(f->from[1]->len, 0);
    assert_int_equal(f->overs, 0);
}

/* Only so much waits, of one and of all connections. */
SHAKEN_TEST(test_limits)
{
    for (uint32_t i = 0; i <= TCP_WAITING_SEGMENTS; i++)
        send_part(f, 1000, 2 * i + 2, 2 * i + 3);
    assert_true(f->from[1]->len > 0);
    assert_true(f->missing[1] > 0);
}

FIXTURE_TEST(test_runts)
{
    static const uint8_t bytes[40] = {[12] = 0xf0};
    struct qs_packet packet = {.data = bytes, .number = 1};

    for (packet.size = 0; packet.size <= sizeof bytes; packet.size++) {
        packet.wire_size = packet.size;
        tcp_add_segment(f->tcp, &packet);
    }
    assert_int_equal(tcp_counts(f->tcp)->segments, 0);
}

/* Segments cut, repeated and shuffled at random: what was sent comes out. */
FIXTURE_TEST(test_shuffled)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);

    for (unsigned round = 0; round < 200; round++) {
        const uint32_t first = g_rand_int(random);

        f->port++;
        g_byte_array_set_size(f->from[1], 0);
        shake_hands(f, first);
        for (unsigned i = 0; i < 400; i++) {
            const uint32_t from = (uint32_t)g_rand_int_range(random, 0, SENT - 1);
            const uint32_t to = from + (uint32_t)g_rand_int_range(random, 1, 100);

            send_part(f, first, from, MIN(SENT, to));
        }
        for (uint32_t at = 0; at < SENT; at += 500) /* what was left out */
            send_part(f, first, at, at + 500);
        assert_received(f, SENT);
    }
    assert_int_equal(tcp_counts(f->tcp)->holes, 0);
}
