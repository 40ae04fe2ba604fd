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
    struct span span = span_of(frame);

    print_message("%s\n", layer->name);
    assert_non_null(read);
    assert_true(read(&span));
    assert_int_equal(span.wire_size, packet->len);
    assert_int_equal(span.size, packet->len);
    assert_memory_equal(span.data, packet->data, packet->len);
    for (uint32_t size = 0; size < frame->len; size++) {
        uint8_t *cut = g_memdup2(frame->data, size);
        const uint32_t header = frame->len - packet->len;

        span = (struct span){cut, size, frame->len};
        assert_int_equal(read(&span), size > header);
        if (size > header) {
            assert_int_equal(span.size, size - header);
            assert_int_equal(span.wire_size, packet->len);
        }
        g_free(cut);
    }
    g_byte_array_unref(frame);
}

static void finds_ipv4(void **state)
{
    GByteArray *udp = udp_datagram(27001, 27500, 20);
    GByteArray *packet = ipv4_whole(udp);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(ipv4_layers); i++)
        check_layer(&ipv4_layers[i], packet);
    g_byte_array_unref(udp);
    g_byte_array_unref(packet);
}

static void finds_ipv6(void **state)
{
    GByteArray *udp = udp_datagram(27001, 27500, 20);
    GByteArray *packet = ipv6_packet(17, udp);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(ipv6_layers); i++)
        check_layer(&ipv6_layers[i], packet);
    g_byte_array_unref(udp);
    g_byte_array_unref(packet);
}

static void leaves_the_rest(void **state)
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

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        GByteArray *frame = wrap(&others[i], packet);
        struct span span = span_of(frame);

        print_message("%s\n", others[i].name);
        assert_false(link_find(others[i].link_type)(&span));
        g_byte_array_unref(frame);
    }
    g_byte_array_unref(udp);
    g_byte_array_unref(packet);
}

/* Ethernet pads short frames; PPPoE's own length says where the packet ends. */
static void leaves_out_padding(void **state)
{
    GByteArray *frame = g_byte_array_new();
    struct span span;

    (void)state;
    append_hex(frame, MACS "8864 1100 0001 0003 0021 45 00000000000000");
    span = span_of(frame);
    assert_true(link_find(DLT_EN10MB)(&span));
    assert_int_equal(span.size, 1);
    assert_int_equal(span.wire_size, 1);
    g_byte_array_unref(frame);
}

static void knows_what_it_does_not_know(void **state)
{
    (void)state;
    assert_null(link_find(DLT_IEEE802_11));
    assert_null(link_find(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_ipv4),
        cmocka_unit_test(finds_ipv6),
        cmocka_unit_test(leaves_the_rest),
        cmocka_unit_test(leaves_out_padding),
        cmocka_unit_test(knows_what_it_does_not_know),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
