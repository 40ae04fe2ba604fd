/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pcap/dlt.h>
#include <stddef.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/link.h"

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_VLAN = 0x8100,
    ETHERTYPE_IPV6 = 0x86dd,
    ETHERTYPE_MPLS = 0x8847,
    ETHERTYPE_PPPOE = 0x8864,
    ETHERTYPE_QINQ = 0x88a8,
    ETHERTYPE_QINQ_OLD = 0x9100,

    PPP_IPV4 = 0x0021,
    PPP_IPV6 = 0x0057,

    VLAN_TAG = 4,
    MPLS_LABEL = 4,
    MPLS_BOTTOM = 0x01, /* bottom of stack, in the third byte of a label */
    PPPOE_HEADER = 6,
    ETHERNET_HEADER = 14,
    SLL_HEADER = 16,
    SLL2_HEADER = 20,
    LOOPBACK_HEADER = 4,
    TAGS_MAX = 8 /* VLAN tags or MPLS labels in a frame; frames with more are skipped */
};

static bool read_ip(struct qs_packet *frame)
{
    const unsigned version = frame->size ? frame->data[0] >> 4 : 0;

    return version == 4 || version == 6;
}

static bool read_mpls(struct qs_packet *frame)
{
    for (unsigned i = 0; i < TAGS_MAX; i++) {
        const uint8_t *label = frame->data;

        if (!packet_skip(frame, MPLS_LABEL))
            return false;
        if (label[2] & MPLS_BOTTOM)
            return read_ip(frame);
    }
    return false;
}

/* Skips HDLC's address and control bytes, if any; the protocol may be compressed to one byte. */
static bool read_ppp(struct qs_packet *frame)
{
    uint16_t protocol;

    if (frame->size >= 2 && frame->data[0] == 0xff && frame->data[1] == 0x03)
        packet_skip(frame, 2);
    if (frame->size < 2)
        return false;
    if (frame->data[0] & 1) {
        protocol = frame->data[0];
        packet_skip(frame, 1);
    } else {
        protocol = qs_be16(frame->data);
        packet_skip(frame, 2);
    }
    return (protocol == PPP_IPV4 || protocol == PPP_IPV6) && read_ip(frame);
}

/* Limits the packet by the length field, because Ethernet may have padded the frame. */
static bool read_pppoe(struct qs_packet *frame)
{
    uint16_t length;

    if (frame->size < PPPOE_HEADER)
        return false;
    length = qs_be16(frame->data + 4);
    packet_skip(frame, PPPOE_HEADER);
    packet_limit(frame, length);
    return read_ppp(frame);
}

/* Like a reader of a link layer, for a frame behind an Ethernet type field with this value. */
static bool read_ethertype(struct qs_packet *frame, uint16_t type)
{
    for (unsigned i = 0; i < TAGS_MAX; i++) {
        switch (type) {
        case ETHERTYPE_IPV4:
        case ETHERTYPE_IPV6:
            return read_ip(frame);
        case ETHERTYPE_PPPOE:
            return read_pppoe(frame);
        case ETHERTYPE_MPLS:
            return read_mpls(frame);
        case ETHERTYPE_VLAN:
        case ETHERTYPE_QINQ:
        case ETHERTYPE_QINQ_OLD:
            if (frame->size < VLAN_TAG)
                return false;
            type = qs_be16(frame->data + 2);
            packet_skip(frame, VLAN_TAG);
            break;
        default:
            return false;
        }
    }
    return false;
}

/* Reads a header of `header` bytes with an Ethernet type at `type_offset`. */
static bool read_typed(struct qs_packet *frame, uint32_t header, uint32_t type_offset)
{
    uint16_t type;

    if (frame->size < header)
        return false;
    type = qs_be16(frame->data + type_offset);
    packet_skip(frame, header);
    return read_ethertype(frame, type);
}

static bool read_ethernet(struct qs_packet *frame)
{
    return read_typed(frame, ETHERNET_HEADER, 12);
}

static bool read_sll(struct qs_packet *frame)
{
    return read_typed(frame, SLL_HEADER, 14);
}

static bool read_sll2(struct qs_packet *frame)
{
    return read_typed(frame, SLL2_HEADER, 0);
}

/*
 * Skips the header: an address family in the capturing host's byte order, with numbers that differ
 * between systems (IPv6 is 10, 24, 28 or 30). Instead, reads the IP packet's version.
 */
static bool read_loopback(struct qs_packet *frame)
{
    return packet_skip(frame, LOOPBACK_HEADER) && read_ip(frame);
}

link_reader *link_find(int link_type)
{
    switch (link_type) {
    case DLT_EN10MB:
        return read_ethernet;
    case DLT_LINUX_SLL:
        return read_sll;
    case DLT_LINUX_SLL2:
        return read_sll2;
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
        return read_ip;
    case DLT_NULL:
    case DLT_LOOP:
        return read_loopback;
    case DLT_PPP:
    case DLT_PPP_SERIAL:
        return read_ppp;
    case DLT_PPP_ETHER:
        return read_pppoe;
    default:
        return NULL;
    }
}

int link_type_of_file(uint16_t number)
{
    return number == LINKTYPE_RAW ? DLT_RAW : number;
}

uint16_t link_type_to_file(int link_type)
{
    return link_type == DLT_RAW ? LINKTYPE_RAW : (uint16_t)link_type;
}

/* --- Tunnels ---------------------------------------------------------------------------------- */

enum {
    GRE_HEADER = 4,
    GRE_WORD = 4,
    GRE_CHECKSUM = 0x8000,
    GRE_ROUTING = 0x4000,
    GRE_KEY = 0x2000,
    GRE_SEQUENCE = 0x1000,
    GRE_ACKNOWLEDGED = 0x0080, /* version 1 only */
    GRE_VERSION = 0x0007,
    GRE_ROUTES_MAX = 16,

    GRE_PPP = 0x880b,
    GRE_ETHERNET = 0x6558,
    GRE_ETHERNET_OLD = 0x6400,
    GRE_ERSPAN = 0x88be, /* ERSPAN I, without a sequence number, and II */
    GRE_ERSPAN_III = 0x22eb,

    ERSPAN_II_HEADER = 8,
    ERSPAN_III_HEADER = 12,
    ERSPAN_III_MORE = 8, /* size of what follows the header if its last bit is set */
    ERSPAN_FRAME_TYPE = 0x7c00,
    ERSPAN_FRAME_IP = 2 << 10,

    VXLAN_HEADER = 8,
    VXLAN_VALID = 0x08 /* the header has the network's number, as required */
};

/* Skips the list of source routes, which ends with an empty one. */
static bool skip_routes(struct qs_packet *packet)
{
    for (unsigned i = 0; i < GRE_ROUTES_MAX; i++) {
        const uint8_t *route = packet->data;

        if (!packet_skip(packet, GRE_WORD))
            return false;
        if (!route[3])
            return true;
        if (!packet_skip(packet, route[3]))
            return false;
    }
    return false;
}

static bool skip_options(struct qs_packet *packet, uint16_t flags)
{
    if (flags & (GRE_CHECKSUM | GRE_ROUTING) && !packet_skip(packet, GRE_WORD))
        return false;
    if (flags & GRE_KEY && !packet_skip(packet, GRE_WORD))
        return false;
    if (flags & GRE_SEQUENCE && !packet_skip(packet, GRE_WORD))
        return false;
    if (flags & GRE_VERSION)
        return !(flags & GRE_ACKNOWLEDGED) || packet_skip(packet, GRE_WORD);
    return !(flags & GRE_ROUTING) || skip_routes(packet);
}

static bool read_erspan_iii(struct qs_packet *packet)
{
    const uint8_t *header = packet->data;
    uint16_t flags;

    if (!packet_skip(packet, ERSPAN_III_HEADER))
        return false;
    flags = qs_be16(header + ERSPAN_III_HEADER - 2);
    if (flags & 1 && !packet_skip(packet, ERSPAN_III_MORE))
        return false;
    return (flags & ERSPAN_FRAME_TYPE) == ERSPAN_FRAME_IP ? link_find(DLT_RAW)(packet)
                                                          : read_ethernet(packet);
}

bool tunnel_read_gre(struct qs_packet *packet)
{
    const uint8_t *header = packet->data;
    uint16_t flags, protocol;

    if (!packet_skip(packet, GRE_HEADER))
        return false;
    flags = qs_be16(header);
    protocol = qs_be16(header + 2);
    if ((flags & GRE_VERSION) > 1 || !skip_options(packet, flags))
        return false;
    switch (protocol) {
    case GRE_ETHERNET:
    case GRE_ETHERNET_OLD:
        return read_ethernet(packet);
    case GRE_ERSPAN:
        return (!(flags & GRE_SEQUENCE) || packet_skip(packet, ERSPAN_II_HEADER)) &&
               read_ethernet(packet);
    case GRE_ERSPAN_III:
        return read_erspan_iii(packet);
    case GRE_PPP:
        return link_find(DLT_PPP)(packet);
    default:
        return read_ethertype(packet, protocol);
    }
}

bool tunnel_read_vxlan(struct qs_packet *packet)
{
    const uint8_t *header = packet->data;

    return packet_skip(packet, VXLAN_HEADER) && header[0] & VXLAN_VALID && read_ethernet(packet);
}
