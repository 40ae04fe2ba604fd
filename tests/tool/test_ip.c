/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IPv4 and IPv6 down to UDP, and every way in which fragments may arrive. */
#include "tests/tool/frames.h"

#include <string.h>

#include "pcap2demo/capture/ip.h"

enum { SECOND = 1000000000, PAYLOAD = 2992, DATAGRAM = PAYLOAD + 8, PART = 1000 };

static const struct ipv4_part parts[] = {
    {.id = 7, .offset = 0, .size = PART, .more = true},
    {.id = 7, .offset = PART, .size = PART, .more = true},
    {.id = 7, .offset = 2 * PART, .size = PART, .more = false},
};

struct fixture {
    struct ip *ip;
    GByteArray *datagram; /* PAYLOAD bytes of payload */
    struct qs_packet packet;
    GPtrArray *made; /* GByteArray *, freed in the end */
};

static void set_up(struct fixture *f)
{
    f->ip = ip_new();
    f->made = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
    f->datagram = udp_datagram(27001, 27500, PAYLOAD);
}

static void tear_down(struct fixture *f)
{
    ip_free(f->ip);
    g_byte_array_unref(f->datagram);
    g_ptr_array_free(f->made, TRUE);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

/* Reads `packet`, of which only `size` bytes were captured. */
static bool read_cut(struct fixture *f, GByteArray *packet, uint32_t size, int64_t time)
{
    /* A copy of the exact size, so that reading beyond it is noticed. */
    g_autofree uint8_t *bytes = g_memdup2(packet->data, size);
    bool whole;

    f->packet.data = bytes;
    f->packet.size = size;
    f->packet.wire_size = packet->len;
    f->packet.time = time;
    whole = ip_read(f->ip, &f->packet) == IP_UDP;
    g_ptr_array_add(f->made, packet);
    /* What is not reassembled points into the frame. */
    if (whole && f->packet.data >= bytes && f->packet.data <= bytes + size)
        f->packet.data = packet->data + (f->packet.data - bytes);
    return whole;
}

static bool read_at(struct fixture *f, GByteArray *packet, int64_t time)
{
    return read_cut(f, packet, packet->len, time);
}

static bool read_ipv6(struct fixture *f, uint8_t next_header, GByteArray *payload)
{
    g_ptr_array_add(f->made, payload);
    return read_at(f, ipv6_packet(next_header, payload), 0);
}

static bool read_part(struct fixture *f, struct ipv4_part part)
{
    return read_at(f, ipv4_packet(f->datagram, part), 0);
}

/* That the packet was `read`, and has the datagram's bytes. */
static void assert_payload(const struct fixture *f, bool read, uint32_t size, uint32_t wire_size)
{
    assert_true(read);
    assert_int_equal(f->packet.size, size);
    assert_int_equal(f->packet.wire_size, wire_size);
    assert_memory_equal(f->packet.data, f->datagram->data + 8, size);
    assert_int_equal(f->packet.source.port, 27001);
    assert_int_equal(f->packet.destination.port, 27500);
}

/* --- Whole packets */

FIXTURE_TEST(reads_ipv4_options)
{
    GByteArray *packet = ipv4_whole(f->datagram);
    static const uint8_t options[8] = {0x94, 4};

    packet->data[0] = 0x47;
    packet->data[2] = (uint8_t)((packet->len + 8) >> 8);
    packet->data[3] = (uint8_t)(packet->len + 8);
    g_byte_array_set_size(packet, packet->len + 8);
    memmove(packet->data + 28, packet->data + 20, packet->len - 28);
    memcpy(packet->data + 20, options, 8);
    assert_payload(f, read_at(f, packet, 0), PAYLOAD, PAYLOAD);
}

/* Hop-by-hop, destination options, routing and authentication headers before UDP. */
FIXTURE_TEST(reads_ipv6_extensions)
{
    GByteArray *payload = g_byte_array_new();

    append_hex(payload, "3c 00 010400000000");
    append_hex(payload, "2b 01 010c000000000000000000000000");
    append_hex(payload, "33 00 040000000000");
    append_hex(payload, "11 04 0000 00000001 00000002 0000000000000000 00000000");
    g_byte_array_append(payload, f->datagram->data, f->datagram->len);
    assert_payload(f, read_ipv6(f, 0, payload), PAYLOAD, PAYLOAD);
}

/* Headers that lead to one another without end. */
FIXTURE_TEST(gives_up_long_chains)
{
    GByteArray *payload = g_byte_array_new();

    for (int i = 0; i < 100; i++)
        append_hex(payload, "3c 00 000000000000");
    assert_false(read_ipv6(f, 60, payload));
}

FIXTURE_TEST(leaves_other_protocols)
{
    GByteArray *packet = ipv4_whole(f->datagram);

    packet->data[9] = 6;
    assert_false(read_at(f, packet, 0));
    assert_false(read_at(f, ipv6_packet(58, f->datagram), 0));
}

/* The capture holds the first bytes of each packet only. */
FIXTURE_TEST(reads_cut_packets)
{
    for (uint32_t size = 0; size < 100; size++) {
        const bool found = read_cut(f, ipv4_whole(f->datagram), size, 0);

        assert_int_equal(found, size >= 28);
        if (found)
            assert_payload(f, true, size - 28, PAYLOAD);
    }
    for (uint32_t size = 0; size < 100; size++)
        assert_int_equal(read_cut(f, ipv6_packet(17, f->datagram), size, 0), size >= 48);
}

FIXTURE_TEST(trusts_the_smaller_length)
{
    GByteArray *packet = ipv4_whole(f->datagram);

    /* UDP says 20 bytes of payload: what is behind them is padding. */
    packet->data[24] = 0;
    packet->data[25] = 28;
    assert_payload(f, read_at(f, packet, 0), 20, 20);

    /* UDP says more than IP has: the rest is missing. */
    packet = ipv4_whole(f->datagram);
    packet->data[24] = 0x20;
    packet->data[25] = 8;
    assert_payload(f, read_at(f, packet, 0), PAYLOAD, 0x2000);

    /* UDP says less than its own header. */
    packet = ipv4_whole(f->datagram);
    packet->data[24] = 0;
    packet->data[25] = 7;
    assert_false(read_at(f, packet, 0));

    /* IP's length is left to the network card. */
    packet = ipv4_whole(f->datagram);
    packet->data[2] = packet->data[3] = 0;
    assert_payload(f, read_at(f, packet, 0), PAYLOAD, PAYLOAD);

    /* IP's own header is longer than the packet, or shorter than can be. */
    packet = ipv4_whole(f->datagram);
    packet->data[0] = 0x44;
    assert_false(read_at(f, packet, 0));
}

/* --- Fragments */

FIXTURE_TEST(joins_in_any_order)
{
    static const unsigned char orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                              {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

    for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
        assert_false(read_part(f, parts[orders[i][0]]));
        assert_false(read_part(f, parts[orders[i][1]]));
        assert_payload(f, read_part(f, parts[orders[i][2]]), PAYLOAD, PAYLOAD);
    }
    assert_int_equal(ip_counts(f->ip)->reassembled, G_N_ELEMENTS(orders));
}

/* A capture on all interfaces sees each fragment twice. */
FIXTURE_TEST(takes_equal_copies)
{
    assert_false(read_part(f, parts[0]));
    assert_false(read_part(f, parts[0]));
    assert_false(read_part(f, parts[2]));
    assert_false(read_part(f, parts[2]));
    assert_payload(f, read_part(f, parts[1]), PAYLOAD, PAYLOAD);
}

/* Fragments may overlap as long as they agree. */
FIXTURE_TEST(takes_agreeing_overlap)
{
    assert_false(read_part(f, (struct ipv4_part){.id = 7, .size = 1600, .more = true}));
    assert_false(read_part(f, parts[1]));
    assert_payload(f, read_part(f, parts[2]), PAYLOAD, PAYLOAD);
}

FIXTURE_TEST(refuses_contradicting_overlap)
{
    GByteArray *other = ipv4_packet(f->datagram, parts[1]);

    other->data[20 + 500] ^= 1;
    assert_false(read_part(f, parts[0]));
    assert_false(read_part(f, parts[1]));
    assert_false(read_at(f, other, 0));
    /* It stays refused, even if all the rest comes. */
    assert_false(read_part(f, parts[2]));
    assert_false(read_part(f, parts[1]));
    assert_int_equal(ip_counts(f->ip)->contradictory, 1);
    assert_int_equal(ip_counts(f->ip)->reassembled, 0);
}

FIXTURE_TEST(refuses_two_ends)
{
    assert_false(read_part(f, parts[2]));
    assert_false(read_part(f, (struct ipv4_part){.id = 7, .offset = 8, .size = 800}));
    assert_false(read_part(f, parts[0]));
    assert_false(read_part(f, parts[1]));
    assert_int_equal(ip_counts(f->ip)->contradictory, 1);
}

FIXTURE_TEST(refuses_bytes_behind_the_end)
{
    assert_false(read_part(f, (struct ipv4_part){.id = 7, .offset = 800, .size = 200}));
    assert_false(read_part(f, parts[1]));
    assert_int_equal(ip_counts(f->ip)->contradictory, 1);
}

/* An offset at the end of 64 KiB, with bytes beyond it. */
FIXTURE_TEST(refuses_too_large)
{
    GByteArray *packet = ipv4_packet(f->datagram, parts[0]);

    packet->data[6] = 0x3f;
    packet->data[7] = 0xff;
    assert_false(read_at(f, packet, 0));
    assert_int_equal(ip_counts(f->ip)->contradictory, 1);
}

FIXTURE_TEST(refuses_odd_middle)
{
    assert_false(read_part(f, (struct ipv4_part){.id = 7, .size = 1001, .more = true}));
    assert_int_equal(ip_counts(f->ip)->contradictory, 1);
}

FIXTURE_TEST(keeps_datagrams_apart)
{
    struct ipv4_part other = parts[1];

    other.id = 8;
    assert_false(read_part(f, parts[0]));
    assert_false(read_part(f, other));
    assert_false(read_part(f, parts[2]));
    assert_true(read_part(f, parts[1]));
}

/* One id at the same time in TCP and UDP, in both orders: two datagrams. */
FIXTURE_TEST(keeps_protocols_apart)
{
    for (int tcp_first = 0; tcp_first < 2; tcp_first++) {
        for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
            GByteArray *tcp = ipv4_packet(f->datagram, parts[i]);

            tcp->data[9] = 6;
            tcp->data[20 + 500] ^= 1;
            if (tcp_first)
                assert_false(read_at(f, tcp, 0));
            assert_int_equal(read_part(f, parts[i]), i == 2);
            if (i == 2)
                assert_payload(f, true, PAYLOAD, PAYLOAD);
            if (!tcp_first)
                assert_false(read_at(f, tcp, 0));
        }
    }
    assert_int_equal(ip_counts(f->ip)->contradictory, 0);
    assert_int_equal(ip_counts(f->ip)->reassembled, 4);
}

/* One id from two senders. */
FIXTURE_TEST(keeps_senders_apart)
{
    GByteArray *other = ipv4_packet(f->datagram, parts[1]);

    other->data[15] = 9;
    assert_false(read_part(f, parts[0]));
    assert_false(read_at(f, other, 0));
    assert_false(read_part(f, parts[2]));
    other = ipv4_packet(f->datagram, parts[1]);
    other->data[19] = 9;
    assert_false(read_at(f, other, 0));
    assert_true(read_part(f, parts[1]));
}

FIXTURE_TEST(counts_missing_last)
{
    assert_false(read_part(f, parts[0]));
    assert_false(read_part(f, parts[1]));
    ip_end(f->ip);
    assert_int_equal(ip_counts(f->ip)->incomplete, 1);
    assert_false(read_part(f, parts[2]));
}

FIXTURE_TEST(gives_up_in_time)
{
    const int64_t late = IP_TIMEOUT;

    assert_false(read_at(f, ipv4_packet(f->datagram, parts[0]), 0));
    assert_false(read_at(f, ipv4_packet(f->datagram, parts[1]), late - SECOND));
    assert_int_equal(ip_counts(f->ip)->incomplete, 0);
    assert_false(read_at(f, ipv4_packet(f->datagram, parts[2]), late));
    assert_int_equal(ip_counts(f->ip)->incomplete, 1);
}

/* More than may wait: the oldest is given up, the newest lives. */
FIXTURE_TEST(gives_up_the_oldest)
{
    struct ipv4_part part = parts[0];

    for (unsigned i = 0; i <= IP_DATAGRAMS_MAX; i++) {
        part.id = (uint16_t)i;
        assert_false(read_part(f, part));
    }
    assert_int_equal(ip_counts(f->ip)->incomplete, 1);
    for (int i = 1; i < 3; i++) {
        part = parts[i];
        part.id = 0;
        assert_false(read_part(f, part));
    }
    for (int i = 1; i < 3; i++) {
        part = parts[i];
        part.id = IP_DATAGRAMS_MAX;
        assert_int_equal(read_part(f, part), i == 2);
    }
}

/* The capture holds only the first 500 bytes of each packet. */
FIXTURE_TEST(joins_cut_fragments)
{
    assert_false(read_cut(f, ipv4_packet(f->datagram, parts[0]), 500, 0));
    assert_false(read_cut(f, ipv4_packet(f->datagram, parts[2]), 500, 0));
    assert_payload(f, read_cut(f, ipv4_packet(f->datagram, parts[1]), 500, 0), 500 - 28, PAYLOAD);
}

FIXTURE_TEST(joins_ipv6)
{
    static const int order[3] = {2, 0, 1};

    for (int i = 0; i < 3; i++) {
        GByteArray *payload = ipv6_fragment(f->datagram, parts[order[i]]);

        assert_int_equal(read_ipv6(f, 44, payload), i == 2);
    }
    assert_payload(f, true, PAYLOAD, PAYLOAD);
    assert_int_equal(f->packet.source.family, 6);
}

/* "Fragmented" into a single piece, RFC 6946. */
FIXTURE_TEST(reads_atomic_ipv6)
{
    GByteArray *payload = ipv6_fragment(f->datagram, (struct ipv4_part){.size = DATAGRAM});

    assert_payload(f, read_ipv6(f, 44, payload), PAYLOAD, PAYLOAD);
    assert_int_equal(ip_counts(f->ip)->fragments, 0);
}

/* The largest datagram that there is, in pieces. */
FIXTURE_TEST(joins_the_largest)
{
    bool whole = false;

    g_byte_array_unref(f->datagram);
    f->datagram = udp_datagram(27001, 27500, 65507);
    for (uint32_t offset = 0; offset < f->datagram->len; offset += 1480) {
        const uint32_t size = MIN(1480, f->datagram->len - offset);
        const struct ipv4_part part = {.id = 9,
                                       .offset = (uint16_t)offset,
                                       .size = (uint16_t)size,
                                       .more = offset + size < f->datagram->len};

        assert_false(whole);
        whole = read_part(f, part);
    }
    assert_payload(f, whole, 65507, 65507);
}
