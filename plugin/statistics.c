/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/statistics.h"

#include <epan/tap.h>

#include "plugin/response_times.h"
#include "plugin/session_table.h"
#include "plugin/traffic_tree.h"

bool statistics_are_wanted(const struct dissector *dissector)
{
    return have_tap_listener(dissector->tap);
}

/* Taps run when all of the frame is dissected, which may hold more packets. */
static const GArray *copy_of(packet_info *pinfo, const GArray *counted)
{
    GArray *copy = wmem_new(pinfo->pool, GArray);

    copy->len = counted->len;
    copy->data = wmem_memdup(pinfo->pool, counted->data, counted->len * sizeof(struct qs_counted));
    return copy;
}

void statistics_queue(const struct dissector *dissector, packet_info *pinfo,
                      const struct packet_context *context)
{
    const struct qs_decoder *decoder = &dissector->decoder;
    struct packet_figures *figures = wmem_new0(pinfo->pool, struct packet_figures);
    struct qs_packet_links links = {.ack_rtt = -1};

    if (context->links)
        qs_links_find(context->links, decoder->packet, &links);
    figures->dissector = dissector;
    figures->session = context->session;
    figures->packet = *decoder->packet;
    figures->packet.data = NULL;
    figures->number = packet_session_going_on(context);
    figures->tally = (struct qs_tally_packet){.counted = copy_of(pinfo, dissector->counter.counted),
                                              .packet = &figures->packet,
                                              .direction = decoder->direction,
                                              .connectionless = decoder->connectionless,
                                              .ack_rtt = links.ack_rtt,
                                              .loss = qs_session_loss(context->session)};
    figures->response = links.response;
    tap_queue_packet(dissector->tap, pinfo, figures);
}

void statistics_register(struct dissector *dissector)
{
    dissector->tap = register_tap(dissector->protocol->name);
    traffic_tree_register(dissector);
    session_table_register(dissector);
    response_times_register(dissector);
}
