/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each link layer around the same IP packet: it must be found, and nothing else taken for one. */
#include "tests/tool/frames.h"

#include <pcap/dlt.h>

#include "pcap2demo/capture/link.h"

#define MACS "020000000001 020000000002 "

/* What stands before the IP packet. */
struct layer {
    const char *name;
    int link_type;
    const char *header;
};

static const struct layer ipv4_layers[] = {
    {"Ethernet", DLT_EN10MB, MACS "0800"},
    {"VLAN", DLT_EN10MB, MACS "8100 0007 0800"},
    {"QinQ", DLT_EN10MB, MACS "88a8 0007 8100 0008 0800"},
    {"QinQ, old type", DLT_EN10MB, MACS "9100 0007 8100 0008 0800"},
    {"PPPoE", DLT_EN10MB, MACS "8864 1100 0001 0032 0021"},
    {"PPPoE in a VLAN", DLT_EN10MB, MACS "8100 0007 8864 1100 0001 0032 0021"},
    {"MPLS", DLT_EN10MB, MACS "8847 00010040 00011140"},
    {"Linux cooked", DLT_LINUX_SLL, "0000 0001 0006 0200000000010000 0800"},
    {"Linux cooked 2", DLT_LINUX_SLL2, "0800 0000 00000001 0001 00 06 0200000000010000"},
    {"bare IP", DLT_RAW, ""},
    {"bare IPv4", DLT_IPV4, ""},
    {"BSD loopback, little-endian", DLT_NULL, "02000000"},
    {"BSD loopback, big-endian", DLT_NULL, "00000002"},
    {"OpenBSD loopback", DLT_LOOP, "00000002"},
    {"PPP", DLT_PPP, "0021"},
    {"PPP, protocol in a byte", DLT_PPP, "21"},
    {"PPP like HDLC", DLT_PPP_SERIAL, "ff03 0021"},
    {"PPPoE alone", DLT_PPP_ETHER, "1100 0001 0032 0021"},
};

static const struct layer ipv6_layers[] = {
    {"Ethernet", DLT_EN10MB, MACS "86dd"},
    {"VLAN", DLT_EN10MB, MACS "8100 0007 86dd"},
    {"Linux cooked", DLT_LINUX_SLL, "0000 0001 0006 0200000000010000 86dd"},
    {"Linux cooked 2", DLT_LINUX_SLL2, "86dd 0000 00000001 0001 00 06 0200000000010000"},
    {"bare IP", DLT_RAW, ""},
    {"bare IPv6", DLT_IPV6, ""},
    {"macOS loopback", DLT_NULL, "1e000000"},
    {"PPP", DLT_PPP, "0057"},
};

static GByteArray *wrap(const struct layer *layer, const GByteArray *packet)
{
    GByteArray *frame = g_byte_array_new();

    append_hex(frame, layer->header);
    g_byte_array_append(frame, packet->data, packet->len);
    return frame;
}

/* The packet is found in the whole frame; cut frames give less of it, or none, but never harm. */
static void check_layer(const struct layer *layer, const GByteArray *packet)
{
    GByteArray *frame = wrap(layer, packet);
    link_reader *read = link_find(layer->link_type);
    struct qs_packet found = frame_of(frame);

    print_message("%s\n", layer->name);
    assert_non_null(read);
    assert_true(read(&found));
    assert_int_equal(found.wire_size, packet->len);
    assert_int_equal(found.size, packet->len);
    assert_memory_equal(found.data, packet->data, packet->len);
    for (uint32_t size = 0; size < frame->len; size++) {
        g_autofree uint8_t *cut = g_memdup2(frame->data, size);
        const uint32_t header = frame->len - packet->len;

        found = (struct qs_packet){.data = cut, .size = size, .wire_size = frame->len};
        assert_int_equal(read(&found), size > header);
        if (size > header) {
            assert_int_equal(found.size, size - header);
            assert_int_equal(found.wire_size, packet->len);
        }
    }
    g_byte_array_unref(frame);
}

TEST(finds_ipv4)
{
    GByteArray *udp = udp_datagram(27001, 27500, 20);
    GByteArray *packet = ipv4_whole(udp);

    for (size_t i = 0; i < G_N_ELEMENTS(ipv4_layers); i++)
        check_layer(&ipv4_layers[i], packet);
    g_byte_array_unref(udp);
    g_byte_array_unref(packet);
}

TEST(finds_ipv6)
{
    GByteArray *udp = udp_datagram(27001, 27500, 20);
    GByteArray *packet = ipv6_packet(17, udp);

    for (size_t i = 0; i < G_N_ELEMENTS(ipv6_layers); i++)
        check_layer(&ipv6_layers[i], packet);
    g_byte_array_unref(udp);
    g_byte_array_unref(packet);
}

TEST(leaves_the_rest)
{
    static const struct layer others[] = {
        {"ARP", DLT_EN10MB, MACS "0806"},
        {"an IEEE 802.3 length", DLT_EN10MB, MACS "0040"},
        {"PPPoE discovery", DLT_EN10MB, MACS "8863 1100 0001 0032 0021"},
        {"PPP control", DLT_PPP, "c021"},
        {"Ethernet that is no IP after all", DLT_EN10MB, MACS "0800 ff"},
        {"too many tags", DLT_EN10MB,
         MACS "8100 0001 8100 0001 8100 0001 8100 0001 8100 0001 8100 0001 8100 0001 8100 0001 "
              "8100 0001 0800"},
    };
    GByteArray *udp = udp_datagram(27001, 27500, 20);
    GByteArray *packet = ipv4_whole(udp);

    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        GByteArray *frame = wrap(&others[i], packet);
        struct qs_packet found = frame_of(frame);

        print_message("%s\n", others[i].name);
        assert_false(link_find(others[i].link_type)(&found));
        g_byte_array_unref(frame);
    }
    g_byte_array_unref(udp);
    g_byte_array_unref(packet);
}

/* Ethernet pads short frames; PPPoE's own length says where the packet ends. */
TEST(leaves_out_padding)
{
    GByteArray *frame = g_byte_array_new();
    struct qs_packet found;

    append_hex(frame, MACS "8864 1100 0001 0003 0021 45 00000000000000");
    found = frame_of(frame);
    assert_true(link_find(DLT_EN10MB)(&found));
    assert_int_equal(found.size, 1);
    assert_int_equal(found.wire_size, 1);
    g_byte_array_unref(frame);
}

TEST(knows_what_it_does_not_know)
{
    assert_null(link_find(DLT_IEEE802_11));
    assert_null(link_find(-1));
}
