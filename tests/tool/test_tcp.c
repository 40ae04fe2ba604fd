/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP streams are reassembled: the receiver gets the bytes in order and once, with holes where
 * bytes are missing.
 *
 * A row is a script of segments, with the bytes of the server's stream numbered from 0, and what
 * the receiver gets:
 *
 *     h            the handshake, in three segments
 *     0-500        the server sends the first 500 bytes
 *     0-500/200    the same; the capture lacks the last 200
 *     0-500F       the same with a FIN; 500-500F is a FIN alone
 *     ~0-500       the server sends other bytes
 *     a500*3       the client acknowledges 500 bytes, three times
 *     C501         the client's FIN acknowledges 500 bytes and the server's FIN
 *     R            the client resets the connection
 *     .            the capture ends
 *
 *     0-500 ~500-600 (200 before 5) end
 *                  500 bytes; 100 other ones; 200 are missing before the fifth segment, or "cut" if
 *                  the capture cut them; the connection ends
 */
#include <stdio.h>
#include <string.h>

#include "common/core/writer.h"
#include "pcap2demo/capture/ip.h"
#include "tests/support/test.h"

enum { FIN = 1, SYN = 2, RST = 4, ACK = 16, SENT = 4000, FIRST = 1000 };

struct fixture {
    struct tcp *tcp;
    uint64_t number;     /* number of the last segment */
    uint32_t first;      /* sequence number of the server's first byte */
    uint16_t port;       /* port of the client */
    bool refuses;        /* the receiver needs no more bytes */
    uint8_t sent[SENT];  /* the server's stream */
    uint8_t other[SENT]; /* the same with other bytes */
    GString *received;
    uint32_t begin, end; /* bytes of the stream that are not in `received` yet */
    bool is_other;       /* they are other bytes */
};

static void write_bytes(struct fixture *f)
{
    if (f->end > f->begin)
        g_string_append_printf(f->received, "%s%u-%u ", f->is_other ? "~" : "", f->begin, f->end);
    f->begin = f->end;
}

static void receive(void *user, struct tcp_connection *connection, const struct qs_packet *packet)
{
    struct fixture *f = user;

    connection->ignored = f->refuses;
    if (!packet || packet->missing)
        write_bytes(f);
    if (!packet) {
        g_string_append(f->received, "end ");
        return;
    }
    assert_int_equal(packet->number, f->number);
    assert_int_equal(packet->size, packet->wire_size);
    assert_int_equal(packet->from, QS_END_B);
    if (packet->missing)
        g_string_append_printf(f->received, "(%u%s before %u) ", packet->missing,
                               packet->missing_is_cut ? " cut" : "",
                               (unsigned)packet->missing_before);
    f->end += packet->missing;
    if (packet->missing)
        f->begin = f->end;
    for (uint32_t i = 0; i < packet->size; i++) {
        const bool is_other = packet->data[i] != f->sent[f->end];

        if (is_other != f->is_other)
            write_bytes(f);
        f->is_other = is_other;
        f->end++;
    }
}

/* Checks what came since the last call, and begins a new stream. */
static void expect(struct fixture *f, const char *expected)
{
    write_bytes(f);
    assert_string_equal(f->received->str, expected);
    g_string_truncate(f->received, 0);
    f->begin = f->end = 0;
}

static void set_up(struct fixture *f)
{
    f->tcp = tcp_new(0, receive, f);
    f->received = g_string_new(NULL);
    f->port = 50000;
    f->first = FIRST;
    for (unsigned i = 0; i < SENT; i++) {
        f->sent[i] = (uint8_t)(i * 7 + i / 256);
        f->other[i] = (uint8_t)~f->sent[i];
    }
}

static void tear_down(struct fixture *f)
{
    tcp_free(f->tcp);
    g_string_free(f->received, TRUE);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

struct segment {
    bool by_server;
    uint8_t flags;
    uint32_t sequence, acknowledged;
    struct qs_view data;
    uint32_t lacks; /* bytes at the end that were not captured */
};

static void add(struct fixture *f, const struct segment *segment)
{
    const struct qs_address ends[] = {{4, {10, 0, 0, 1}, f->port}, {4, {10, 0, 0, 2}, 28000}};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    struct qs_packet packet = {.number = ++f->number, .time = (int64_t)f->number * 1000000};

    packet.source = ends[segment->by_server];
    packet.destination = ends[!segment->by_server];
    qs_write_u16be(bytes, packet.source.port);
    qs_write_u16be(bytes, packet.destination.port);
    qs_write_u32be(bytes, segment->sequence);
    qs_write_u32be(bytes, segment->acknowledged);
    qs_write_u16be(bytes, (uint16_t)(5 << 12 | segment->flags));
    for (int i = 0; i < 6; i++)
        qs_write_u8(bytes, 0);
    qs_write_view(bytes, segment->data);
    packet.data = bytes->data;
    packet.wire_size = bytes->len;
    packet.size = bytes->len - segment->lacks;
    tcp_add_segment(f->tcp, &packet);
}

static void send_bytes(struct fixture *f, uint32_t from, uint32_t to)
{
    add(f, &(struct segment){true, ACK, f->first + from, 1, {f->sent + from, to - from}, 0});
}

static void send_by_client(struct fixture *f, uint8_t flags, uint32_t sequence, uint32_t position)
{
    add(f, &(struct segment){false, flags, sequence, f->first + position, {NULL, 0}, 0});
}

static void shake_hands(struct fixture *f, uint32_t client)
{
    add(f, &(struct segment){false, SYN, client, 0, {NULL, 0}, 0});
    add(f, &(struct segment){true, SYN | ACK, f->first - 1, client + 1, {NULL, 0}, 0});
    send_by_client(f, ACK, client + 1, 0);
}

/* One step of a script. */
static void run_step(struct fixture *f, const char *step)
{
    const bool other = *step == '~';
    const char *lacks = strchr(step, '/');
    uint32_t from = 0, to = 0, times = 1;

    if (*step == 'h')
        shake_hands(f, 0);
    else if (*step == '.')
        tcp_end(f->tcp, f->number);
    else if (*step == 'R')
        send_by_client(f, RST, 1, 0);
    else if (sscanf(step, "C%u", &to) == 1)
        send_by_client(f, FIN | ACK, 1, to);
    else if (sscanf(step, "a%u*%u", &to, &times) >= 1)
        for (uint32_t i = 0; i < times; i++)
            send_by_client(f, ACK, 1, to);
    else if (sscanf(step + other, "%u-%u", &from, &to) == 2)
        add(f, &(struct segment){.by_server = true,
                                 .flags = ACK | (strchr(step, 'F') ? FIN : 0),
                                 .sequence = f->first + from,
                                 .acknowledged = 1,
                                 .data = {(other ? f->other : f->sent) + from, to - from},
                                 .lacks = lacks ? (uint32_t)atoi(lacks + 1) : 0});
    else
        fail_msg("%s", step);
}

static void run(struct fixture *f, const char *script)
{
    g_auto(GStrv) steps = g_strsplit(script, " ", 0);

    for (unsigned i = 0; steps[i]; i++)
        run_step(f, steps[i]);
}

TEST(streams_are_put_in_order)
{
    static const struct {
        const char *script, *expected;
        unsigned holes;
    } rows[] = {
        /* Segments that overlap queued bytes. */
        {"h 100-200 300-400 0-500", "0-500 ", 0},
        /* The first copy of a byte counts. */
        {"h 500-1000 ~400-1100 0-500", "0-400 ~400-500 500-1000 ~1000-1100 ", 0},
        /* A hole is given up if the other end has its bytes and 32 more segments do not. */
        {"h 0-100 300-400 a100*50", "0-100 ", 0},
        {"h 0-100 300-400 a400*32", "0-100 ", 0},
        {"h 0-100 300-400 a400*33 100-300 400-500", "0-100 (200 before 5) 300-500 ", 1},
        /* The capture has a segment behind its acknowledgement. */
        {"h 100-200 a200 0-100", "0-200 ", 0},
        {"h 0-500/200 500-600 .", "0-300 (200 cut before 5) 500-600 end ", 1},
        {"h 0-500/200 500-600 700-800 .",
         "0-300 (200 cut before 5) 500-600 (100 before 6) 700-800 end ", 2},
        {"a77 0-100 100-200", "0-200 ", 0}, /* the capture begins within the stream */
        {"h 100-200 .", "(100 before 4) 100-200 end ", 1},
        /* Segments after the end are ignored. */
        {"h 0-100 100-100F C101 a101 0-100 .", "0-100 end ", 0},
        {"h 0-100 300-300F C301 .", "0-100 (200 before 6) end ", 1},
        /* A FIN that was not captured counts in the acknowledgement: no byte is missing. */
        {"h 0-100 a101 .", "0-100 end ", 0},
        {"h 0-100 a102 .", "0-100 (2 before 5) end ", 1},
        {"h 100-200F C0 0-100", "0-200 end ", 0},
        {"h 0-100 100-200F/50 .", "0-150 (50 cut before 5) end ", 1},
        {"h 0-100 R 100-200", "0-100 end ", 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct fixture fixture = {0};

        print_message("%s\n", rows[i].script);
        set_up(&fixture);
        run(&fixture, rows[i].script);
        expect(&fixture, rows[i].expected);
        assert_int_equal(tcp_counts(fixture.tcp)->holes, rows[i].holes);
        tear_down(&fixture);
    }
}

FIXTURE_TEST(sequence_numbers_wrap_around)
{
    f->first = UINT32_MAX - 999;
    run(f, "h 0-900 1500-2000 900-1200 1000-1500 2000-4000");
    expect(f, "0-4000 ");
    assert_int_equal(tcp_counts(f->tcp)->holes, 0);
}

/* A SYN with the same number is a retransmission; one with another number begins a connection. */
FIXTURE_TEST(ports_may_be_used_again)
{
    run(f, "h 0-100");
    send_by_client(f, SYN, 0, 0);
    expect(f, "0-100 ");
    f->first = 900;
    shake_hands(f, 70000);
    expect(f, "end ");
    send_bytes(f, 0, 100);
    expect(f, "0-100 ");
}

FIXTURE_TEST(no_more_is_delivered_to_a_receiver_that_ignores_the_connection)
{
    f->refuses = true;
    run(f, "h 0-4 4-100 100-100F C101 .");
    expect(f, "0-4 ");
}

FIXTURE_TEST(no_bytes_of_an_ignored_connection_wait)
{
    for (f->refuses = true; f->port < 50000 + TCP_WAITING_TOTAL / TCP_WAITING_BYTES; f->port++) {
        static const uint8_t bytes[TCP_WAITING_BYTES / 100];
        struct segment early = {true, ACK, FIRST + 100, 1, {bytes, sizeof bytes}, 0};

        run(f, "h");
        for (; early.sequence < FIRST + TCP_WAITING_BYTES; early.sequence += early.data.size)
            add(f, &early);
        run(f, "0-4");
        expect(f, "0-4 ");
    }
    run(f, "h 100-200 0-100");
    expect(f, "0-100 "); /* no hole before the early bytes */
}

/* One more segment than may wait: the first hole is given up. */
FIXTURE_TEST(waiting_segments_are_limited)
{
    run(f, "h");
    for (uint32_t i = 0; i < TCP_WAITING_SEGMENTS; i++)
        send_bytes(f, 2 * i + 2, 2 * i + 3);
    expect(f, "");
    send_bytes(f, 3000, 3001);
    expect(f, "(2 before 4) 2-3 ");
}

FIXTURE_TEST(runts_are_no_segments)
{
    static const uint8_t bytes[40] = {[12] = 0xf0}; /* a header of 60 bytes */
    struct qs_packet packet = {.data = bytes, .number = 1};

    for (packet.size = 0; packet.size <= sizeof bytes; packet.size++) {
        packet.wire_size = packet.size;
        tcp_add_segment(f->tcp, &packet);
    }
    assert_int_equal(tcp_counts(f->tcp)->segments, 0);
}

FIXTURE_TEST(segments_cut_repeated_and_shuffled_at_random_are_put_in_order)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);

    for (unsigned round = 0; round < 200; round++) {
        f->port++;
        f->first = g_rand_int(random);
        shake_hands(f, 0);
        for (unsigned i = 0; i < 400; i++) {
            const uint32_t from = (uint32_t)g_rand_int_range(random, 0, SENT - 1);
            const uint32_t to = from + (uint32_t)g_rand_int_range(random, 1, 100);

            send_bytes(f, from, MIN(SENT, to));
        }
        for (uint32_t at = 0; at < SENT; at += 500) /* what was left out */
            send_bytes(f, at, at + 500);
        expect(f, "0-4000 ");
    }
    assert_int_equal(tcp_counts(f->tcp)->holes, 0);
}
