/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/summary.h"

#include <glib.h>

#include "pcap2demo/output/message.h"

void summary_print(const struct packets *packets)
{
    const struct ip_counts *ip = ip_counts(packets->ip);
    const struct tcp_counts *tcp = tcp_counts(packets->tcp);

    message((struct qs_location){0},
            "%" G_GUINT64_FORMAT " packets, %" G_GUINT64_FORMAT " of them UDP; "
            "%" G_GUINT64_FORMAT " IP fragments, %" G_GUINT64_FORMAT " datagrams made whole, "
            "%" G_GUINT64_FORMAT " incomplete, %" G_GUINT64_FORMAT " contradictory",
            packets->frames, packets->datagrams, ip->fragments, ip->reassembled, ip->incomplete,
            ip->contradictory);
    message((struct qs_location){0},
            "%" G_GUINT64_FORMAT " TCP segments, %" G_GUINT64_FORMAT " of them out of order, "
            "%" G_GUINT64_FORMAT " bytes repeated, %" G_GUINT64_FORMAT " missing in "
            "%" G_GUINT64_FORMAT " holes",
            tcp->segments, tcp->reordered, tcp->repeated, tcp->missing, tcp->holes);
}
