/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognizes sessions that started before the capture. On unknown ports: with heuristics that are
 * off by default ("qw_late_udp" …, in Analyze > Enabled Protocols), since they store the first
 * packets of all conversations to judge by several. On servers' ports: if no single packet can be
 * decoded. The evidence is that of common/sessions/heuristic.h, as in pcap2demo.
 */
#include "plugin/dissector.h"

#include <epan/proto_data.h>

#include "common/sessions/heuristic.h"
#include "common/protocols.h"

static struct qs_heuristic *heuristic; /* NULL until the first call in this capture */
static int proto;                      /* protocol id for data of frames: the first protocol's */

/* Keys of a frame's data, different from those of datagrams and PDUs. */
#define KEY_ASKED UINT32_C(0xfffffffe)
#define KEY_COMPLETION UINT32_C(0xffffffff)

void heuristics_end(void)
{
    g_clear_pointer(&heuristic, qs_heuristic_free);
}

/* Counts the packet, once for all dissectors that ask about it. Frees the conversation's stored
 * packets if the evidence is complete. */
static void count(packet_info *pinfo, const struct qs_packet *packet, int by_port)
{
    struct qs_heuristic_found found;

    p_add_proto_data(pinfo->pool, pinfo, proto, KEY_ASKED, heuristic);
    if (!qs_heuristic_add(heuristic, packet, by_port, &found))
        return;
    p_add_proto_data(wmem_file_scope(), pinfo, proto, KEY_COMPLETION,
                     wmem_memdup(wmem_file_scope(), &found, sizeof found));
    qs_heuristic_remove(heuristic, &packet->source, &packet->destination);
}

/* Returns the evidence that the frame completed, or NULL. */
static const struct qs_heuristic_found *completed_by(packet_info *pinfo)
{
    return p_get_proto_data(wmem_file_scope(), pinfo, proto, KEY_COMPLETION);
}

bool heuristics_recognize(const struct dissector *dissector, packet_info *pinfo,
                          const struct qs_packet *packet)
{
    const bool by_port = packet->source_is_server_port || packet->destination_is_server_port;
    const int protocol = qs_protocol_number(dissector->protocol->name);
    const struct qs_heuristic_found *found;

    if (pinfo->flags.in_error_pkt)
        return false;
    if (!heuristic) {
        proto = proto_get_id_by_filter_name(qs_protocols[0]->name);
        heuristic = qs_heuristic_new(dissectors_options());
    }
    if (!PINFO_FD_VISITED(pinfo) && !p_get_proto_data(pinfo->pool, pinfo, proto, KEY_ASKED))
        count(pinfo, packet, by_port ? protocol : QS_PROTOCOL_NONE);
    found = completed_by(pinfo);
    return found && found->protocol == protocol;
}

void heuristics_show(struct dissector *dissector, packet_info *pinfo, proto_item *top)
{
    const struct qs_heuristic_found *found = heuristic ? completed_by(pinfo) : NULL;
    expert_field *unusual = &dissector->expert_infos[QS_NOTE_UNUSUAL];
    const char *title = dissector->protocol->title;

    if (!found || pinfo->flags.in_error_pkt)
        return;
    if (found->moves)
        expert_add_info_format(pinfo, top, unusual,
                               "Recognized as %s from here on: %u packets have consistent numbers "
                               "and acknowledgements, and %u of them are readable client moves",
                               title, found->packets, found->moves);
    else
        expert_add_info_format(pinfo, top, unusual,
                               "Recognized as %s from here on: one end has a server port, and %u "
                               "packets have consistent numbers",
                               title, found->packets);
}
