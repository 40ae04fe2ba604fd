/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/tunnel.h"

#include <pcap/dlt.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/link.h"

enum {
    GRE_HEADER = 4,
    GRE_WORD = 4,
    GRE_CHECKSUM = 0x8000,
    GRE_ROUTING = 0x4000,
    GRE_KEY = 0x2000,
    GRE_SEQUENCE = 0x1000,
    GRE_ACKNOWLEDGED = 0x0080, /* of version 1 */
    GRE_VERSION = 0x0007,
    GRE_ROUTES_MAX = 16,

    GRE_PPP = 0x880b,
    GRE_ETHERNET = 0x6558,
    GRE_ETHERNET_OLD = 0x6400,
    GRE_ERSPAN = 0x88be, /* I, without a sequence number, and II */
    GRE_ERSPAN_III = 0x22eb,

    ERSPAN_II_HEADER = 8,
    ERSPAN_III_HEADER = 12,
    ERSPAN_III_MORE = 8, /* bytes that follow the header if its last bit is set */
    ERSPAN_FRAME_TYPE = 0x7c00,
    ERSPAN_FRAME_IP = 2 << 10,

    VXLAN_HEADER = 8,
    VXLAN_VALID = 0x08 /* the header has a network's number, as it must */
};

static bool read_ethernet(struct qs_packet *packet)
{
    return link_find(DLT_EN10MB)(packet);
}

/* The list of source routes ends with an empty one. */
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
        return link_read_ethertype(packet, protocol);
    }
}

bool tunnel_read_vxlan(struct qs_packet *packet)
{
    const uint8_t *header = packet->data;

    return packet_skip(packet, VXLAN_HEADER) && header[0] & VXLAN_VALID && read_ethernet(packet);
}
