/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IPv4 and IPv6 down to UDP, and every way in which fragments may arrive. */
#include <string.h>

#include "common/core/writer.h"
#include "pcap2demo/capture/ip.h"
#include "tests/unit/unit.h"

enum { SECOND = 1000000000, PAYLOAD = 2992, DATAGRAM = 8 + PAYLOAD, UDP = 17 };

struct fixture {
    struct ip *ip;
    GByteArray *datagram; /* UDP from port 27001 to 27500: header, and PAYLOAD bytes */
    GByteArray *made;     /* IP packet that is read next */
    uint8_t *captured;    /* copy of its captured bytes */
    struct qs_packet packet;
};

static void make_datagram(GByteArray *datagram, uint32_t payload)
{
    g_byte_array_set_size(datagram, 0);
    qs_write_u16be(datagram, 27001);
    qs_write_u16be(datagram, 27500);
    qs_write_u16be(datagram, (uint16_t)(8 + payload));
    qs_write_u16be(datagram, 0xbad0); /* the checksum is not verified */
    for (uint32_t i = 0; i < payload; i++)
        qs_write_u8(datagram, (uint8_t)(i % 251));
}

static void set_up(struct fixture *f)
{
    f->ip = ip_new();
    f->made = g_byte_array_new();
    f->datagram = g_byte_array_new();
    make_datagram(f->datagram, PAYLOAD);
}

static void tear_down(struct fixture *f)
{
    ip_free(f->ip);
    g_byte_array_unref(f->datagram);
    g_byte_array_unref(f->made);
    g_free(f->captured);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

/* Some of the datagram's bytes, as the payload of one IP packet. */
struct part {
    uint16_t offset, size;
    bool more;
};

static const struct part all = {0, DATAGRAM, false};

/* Fragments by their letters in the rows below. The first three are the whole datagram. */
static const struct fragment {
    char letter;
    struct part part;
    uint16_t at, value; /* two bytes of the packet that are changed; at 0: none */
} fragments[] = {
    {'1', {0, 1000, true}, 0, 0},           /* the first third */
    {'2', {1000, 1000, true}, 0, 0},        /* the second third */
    {'3', {2000, 1000, false}, 0, 0},       /* the last third */
    {'w', {0, 1600, true}, 0, 0},           /* overlaps 2 */
    {'m', {0, 1001, true}, 0, 0},           /* no multiple of 8, though more follows */
    {'e', {8, 800, false}, 0, 0},           /* another end */
    {'s', {800, 200, false}, 0, 0},         /* an end where 2 begins */
    {'f', {0, 1000, true}, 6, 0x3fff},      /* begins at 65,528 */
    {'x', {1000, 1000, true}, 520, 0xdead}, /* other bytes than 2 */
    {'i', {1000, 1000, true}, 4, 8},        /* another identification */
    {'a', {1000, 1000, true}, 14, 9},       /* another sender */
    {'b', {1000, 1000, true}, 18, 9},       /* another receiver */
    {'t', {0, 1000, true}, 8, 0x4006},      /* 1 of TCP */
    {'u', {1000, 1000, true}, 8, 0x4006},   /* 2 of TCP */
    {'v', {2000, 1000, false}, 8, 0x4006},  /* 3 of TCP */
};

/* Makes an IPv4 packet from 10.0.0.1 to 10.0.0.2. */
static void make_ipv4(struct fixture *f, struct part part, uint16_t id)
{
    g_byte_array_set_size(f->made, 0);
    qs_write_u16be(f->made, 0x4500);
    qs_write_u16be(f->made, (uint16_t)(20 + part.size));
    qs_write_u16be(f->made, id);
    qs_write_u16be(f->made, (uint16_t)((part.more ? 0x2000 : 0) | part.offset / 8));
    qs_write_u16be(f->made, 0x4000 | UDP);
    qs_write_u16be(f->made, 0xbad0);
    qs_write_u32be(f->made, 0x0a000001);
    qs_write_u32be(f->made, 0x0a000002);
    g_byte_array_append(f->made, f->datagram->data + part.offset, part.size);
}

/* Makes an IPv6 packet with extension headers, the first of the type `next`, and a part. */
static void make_ipv6(struct fixture *f, uint8_t next, struct qs_view extensions, struct part part)
{
    static const uint8_t addresses[32] = {[0] = 0xfd, [15] = 1, [16] = 0xfd, [31] = 2};

    g_byte_array_set_size(f->made, 0);
    qs_write_u32be(f->made, 0x60000000);
    qs_write_u16be(f->made, (uint16_t)(extensions.size + part.size));
    qs_write_u8(f->made, next);
    qs_write_u8(f->made, 0x40);
    g_byte_array_append(f->made, addresses, sizeof addresses);
    g_byte_array_append(f->made, extensions.data, extensions.size);
    g_byte_array_append(f->made, f->datagram->data + part.offset, part.size);
}

/* Changes two bytes of the packet. */
static void patch(struct fixture *f, uint16_t at, uint16_t value)
{
    f->made->data[at] = (uint8_t)(value >> 8);
    f->made->data[at + 1] = (uint8_t)value;
}

/* Reads the first `size` bytes of the packet. True if it is, or completes, a UDP datagram. */
static bool read_cut(struct fixture *f, uint32_t size, int64_t time)
{
    g_free(f->captured);
    /* A copy of the exact size: sanitizers notice a read beyond it. */
    f->captured = g_memdup2(f->made->data, size);
    f->packet = (struct qs_packet){
        .data = f->captured, .size = size, .wire_size = f->made->len, .time = time};
    return ip_read(f->ip, &f->packet) == IP_UDP;
}

static bool read_whole(struct fixture *f)
{
    return read_cut(f, f->made->len, 0);
}

static bool read_part(struct fixture *f, struct part part, uint16_t id)
{
    make_ipv4(f, part, id);
    return read_whole(f);
}

static void assert_payload(const struct fixture *f, uint32_t size, uint32_t wire_size)
{
    assert_int_equal(f->packet.size, size);
    assert_int_equal(f->packet.wire_size, wire_size);
    assert_memory_equal(f->packet.data, f->datagram->data + 8, size);
    assert_int_equal(f->packet.source.port, 27001);
    assert_int_equal(f->packet.destination.port, 27500);
}

/* --- Whole packets */

FIXTURE_TEST(ipv4_options_are_skipped)
{
    static const uint8_t options[8] = {0x94, 4};

    make_ipv4(f, all, 0);
    patch(f, 0, 0x4700);
    patch(f, 2, 28 + DATAGRAM);
    g_byte_array_set_size(f->made, 28 + DATAGRAM);
    memmove(f->made->data + 28, f->made->data + 20, DATAGRAM);
    memcpy(f->made->data + 20, options, 8);
    assert_true(read_whole(f));
    assert_payload(f, PAYLOAD, PAYLOAD);
}

/* Hop-by-hop, destination options, routing and authentication headers before UDP. */
FIXTURE_TEST(ipv6_extensions_are_skipped)
{
    make_ipv6(f, 0,
              VIEW("\x3c\0\1\4\0\0\0\0"
                   "\x2b\1\1\x0c\0\0\0\0\0\0\0\0\0\0\0\0"
                   "\x33\0\4\0\0\0\0\0"
                   "\x11\4\0\0\0\0\0\1\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0"),
              all);
    assert_true(read_whole(f));
    assert_payload(f, PAYLOAD, PAYLOAD);
}

FIXTURE_TEST(endless_ipv6_extensions_are_no_datagram)
{
    uint8_t chain[100][8] = {{0}};

    for (unsigned i = 0; i < G_N_ELEMENTS(chain); i++)
        chain[i][0] = 60;
    make_ipv6(f, 60, (struct qs_view){chain[0], sizeof chain}, (struct part){0, 0, false});
    assert_false(read_whole(f));
}

/* A capture that holds the first bytes of each packet only. */
FIXTURE_TEST(cut_packets_are_read_from_their_first_payload_byte_on)
{
    for (uint32_t size = 0; size < 100; size++) {
        make_ipv4(f, all, 0);
        assert_int_equal(read_cut(f, size, 0), size >= 28);
        if (size >= 28)
            assert_payload(f, size - 28, PAYLOAD);
        make_ipv6(f, UDP, VIEW(""), all);
        assert_int_equal(read_cut(f, size, 0), size >= 48);
    }
}

/* If lengths contradict each other, the smaller one counts. */
FIXTURE_TEST(header_fields_of_ipv4_are_checked)
{
    enum { VERSION = 0, LENGTH = 2, PROTOCOL = 8, UDP_LENGTH = 24, NONE = -1 };
    static const struct {
        uint16_t at, value;
        int size, wire_size; /* of the payload */
    } rows[] = {
        {UDP_LENGTH, 8 + 20, 20, 20},          /* padding follows the datagram */
        {UDP_LENGTH, 0x2008, PAYLOAD, 0x2000}, /* the IP packet has less: the rest is missing */
        {UDP_LENGTH, 7, NONE, NONE},           /* less than its own header */
        {LENGTH, 0, PAYLOAD, PAYLOAD},         /* the network card sets it */
        {VERSION, 0x4400, NONE, NONE},         /* a header shorter than possible */
        {PROTOCOL, 0x4000 | 6, NONE, NONE},    /* TCP */
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        make_ipv4(f, all, 0);
        patch(f, rows[i].at, rows[i].value);
        assert_int_equal(read_whole(f), rows[i].size != NONE);
        if (rows[i].size != NONE)
            assert_payload(f, (uint32_t)rows[i].size, (uint32_t)rows[i].wire_size);
    }
    make_ipv6(f, 58, VIEW(""), all); /* ICMP */
    assert_false(read_whole(f));
}

/* --- Fragments */

static void make_fragment(struct fixture *f, char letter)
{
    const struct fragment *fragment = fragments;

    while (fragment->letter != letter)
        fragment++;
    make_ipv4(f, fragment->part, 7);
    if (fragment->at)
        patch(f, fragment->at, fragment->value);
}

/* Each row begins anew. "!": the fragment completed the UDP datagram. ".": the capture ends. */
TEST(fragments_are_joined_unless_they_contradict_each_other)
{
    static const struct {
        const char *fragments;
        struct ip_counts counts;
    } rows[] = {
        /* fragments, reassembled, incomplete, contradictory */
        {"123! 132! 213! 231! 312! 321!", {18, 6, 0, 0}},
        {"11332!", {5, 1, 0, 0}}, /* a capture on all interfaces has each twice */
        {"w23!", {3, 1, 0, 0}},
        {"12x32", {5, 0, 0, 1}}, /* is not joined, even if all fragments follow */
        {"3e12", {4, 0, 0, 1}},
        {"s2", {2, 0, 0, 1}},
        {"f", {1, 0, 0, 1}},
        {"m", {1, 0, 0, 1}},
        {"1i32!", {4, 1, 0, 0}},
        {"1a3b2!", {5, 1, 0, 0}},
        {"t1u2v3!", {6, 2, 0, 0}}, /* TCP and UDP with the same identification */
        {"1t2u3!v", {6, 2, 0, 0}},
        {"12.3", {3, 0, 1, 0}},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct fixture fixture = {0}, *f = &fixture;

        set_up(f);
        for (const char *letter = rows[i].fragments; *letter; letter++) {
            bool complete;

            if (*letter == '!' || *letter == ' ')
                continue;
            if (*letter == '.') {
                ip_end(f->ip);
                continue;
            }
            make_fragment(f, *letter);
            complete = read_whole(f);
            if (complete != (letter[1] == '!'))
                fail_msg("%s: %s", rows[i].fragments, letter);
            if (complete)
                assert_payload(f, PAYLOAD, PAYLOAD);
        }
        assert_memory_equal(ip_counts(f->ip), &rows[i].counts, sizeof rows[i].counts);
        tear_down(f);
    }
}

FIXTURE_TEST(fragments_wait_for_30_seconds)
{
    for (size_t i = 0; i < 3; i++) {
        static const int64_t times[] = {0, IP_TIMEOUT - SECOND, IP_TIMEOUT};

        make_ipv4(f, fragments[i].part, 7);
        assert_false(read_cut(f, f->made->len, times[i]));
        assert_int_equal(ip_counts(f->ip)->incomplete, i == 2);
    }
}

/* One more than may wait: the oldest is dropped, the newest lives. */
FIXTURE_TEST(the_oldest_datagram_is_dropped)
{
    for (uint16_t id = 0; id <= IP_DATAGRAMS_MAX; id++)
        assert_false(read_part(f, fragments[0].part, id));
    assert_int_equal(ip_counts(f->ip)->incomplete, 1);
    assert_false(read_part(f, fragments[1].part, 0));
    assert_false(read_part(f, fragments[2].part, 0));
    assert_false(read_part(f, fragments[1].part, IP_DATAGRAMS_MAX));
    assert_true(read_part(f, fragments[2].part, IP_DATAGRAMS_MAX));
}

/* The capture holds only the first 500 bytes of each packet: the datagram ends there. */
FIXTURE_TEST(cut_fragments_are_joined)
{
    static const int order[] = {0, 2, 1};

    for (int i = 0; i < 3; i++) {
        make_ipv4(f, fragments[order[i]].part, 7);
        assert_int_equal(read_cut(f, 500, 0), i == 2);
    }
    assert_payload(f, 500 - 28, PAYLOAD);
}

FIXTURE_TEST(ipv6_fragments_are_joined)
{
    static const uint8_t headers[][8] = {{UDP, 0, 2000 >> 8, 2000 & 0xff, 0, 0, 0, 7},
                                         {UDP, 0, 0, 1, 0, 0, 0, 7},
                                         {UDP, 0, 1000 >> 8, 1001 & 0xff, 0, 0, 0, 7}};
    static const int order[] = {2, 0, 1};

    for (int i = 0; i < 3; i++) {
        make_ipv6(f, 44, (struct qs_view){headers[i], 8}, fragments[order[i]].part);
        assert_int_equal(read_whole(f), i == 2);
    }
    assert_payload(f, PAYLOAD, PAYLOAD);
    assert_int_equal(f->packet.source.family, 6);
}

/* "Fragmented" into a single piece, RFC 6946. */
FIXTURE_TEST(atomic_ipv6_fragments_are_read)
{
    make_ipv6(f, 44, VIEW("\x11\0\0\0\0\0\0\0"), all);
    assert_true(read_whole(f));
    assert_payload(f, PAYLOAD, PAYLOAD);
    assert_int_equal(ip_counts(f->ip)->fragments, 0);
}

FIXTURE_TEST(the_largest_datagram_is_joined)
{
    enum { LARGEST = 65507, END = 8 + LARGEST, SIZE = 1480 };

    make_datagram(f->datagram, LARGEST);
    for (uint32_t offset = 0; offset < END; offset += SIZE) {
        const bool more = offset + SIZE < END;
        const uint32_t size = MIN(SIZE, END - offset);

        assert_int_equal(read_part(f, (struct part){(uint16_t)offset, (uint16_t)size, more}, 9),
                         !more);
    }
    assert_payload(f, LARGEST, LARGEST);
}
