/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/frame.h"

#include "pcap2demo/capture/link.h"

/* The ports of a TCP segment are not filled in by ip_read(). */
static void set_ports(struct qs_packet *packet)
{
    enum { PORTS = 4 };

    if (packet->size < PORTS)
        return;
    packet->source.port = qs_be16(packet->data);
    packet->destination.port = qs_be16(packet->data + 2);
}

enum ip_found frame_read(struct ip *ip, const struct input_frame *frame, struct qs_packet *packet)
{
    link_reader *link = link_find(frame->link_type);
    struct span bytes = frame->bytes;
    enum ip_found found;

    *packet = (struct qs_packet){.number = frame->number, .time = frame->time};
    found = link && link(&bytes) ? ip_read(ip, bytes, frame->time, packet) : IP_NOTHING;
    if (found == IP_TCP)
        set_ports(packet);
    return found;
}
