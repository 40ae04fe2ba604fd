/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet's links as fields. */
#include "common/core/emit.h"
#include "common/netchan/links.h"

bool qs_link_is_ahead(enum qs_link link)
{
    static const bool ahead[] = {
#define LINK(id, name, title, type, unit, blurb) false,
#define LINK_AHEAD(id, name, title, type, unit, blurb) true,
#include "common/netchan/links.def"
    };
    return ahead[link];
}

static void show(struct qs_decoder *d, enum qs_link link, uint64_t value)
{
    qs_emit_generated_uint(d, d->protocol->links + link, 0, 0, value);
}

static void show_packet(struct qs_decoder *d, enum qs_link link, uint64_t number)
{
    if (number)
        show(d, link, number);
}

static void show_time(struct qs_decoder *d, enum qs_link link, int64_t time)
{
    if (time >= 0)
        show(d, link, (uint64_t)time);
}

static void show_ack_time(struct qs_decoder *d, int64_t time)
{
    show_time(d, QS_LINK_ACK_RTT, time);
    if (time >= 0)
        qs_emit_generated_double(d, d->protocol->links + QS_LINK_RTT, 0, 0, (double)time / 1e6);
}

static void show_fields(struct qs_decoder *d, const struct qs_packet_links *links)
{
    show_packet(d, QS_LINK_ACKS_FRAME, links->acks);
    show_ack_time(d, links->ack_rtt);
    show_packet(d, QS_LINK_ACKED_IN, links->acked_in);
    show_packet(d, QS_LINK_RELIABLE_FIRST_IN, links->reliable_first_in);
    show_packet(d, QS_LINK_RELIABLE_AGAIN_IN, links->reliable_again_in);
    show_packet(d, QS_LINK_RELIABLE_CONFIRMED_IN, links->reliable_confirmed_in);
    show_packet(d, QS_LINK_RELIABLE_CONFIRMS, links->reliable_confirms);
    show_time(d, QS_LINK_RELIABLE_TIME, links->reliable_time);
    show_packet(d, QS_LINK_REASSEMBLED_IN, links->reassembled_in);
    show_packet(d, QS_LINK_RESPONSE_IN, links->response_in);
    show_packet(d, QS_LINK_RESPONSE_TO, links->response.request);
    if (links->response.known)
        show_time(d, QS_LINK_RESPONSE_TIME, links->response.time);
    show_packet(d, QS_LINK_DOWNLOAD_FROM, links->download_request);
    if (links->lost)
        show(d, QS_LINK_LOST, links->lost);
    if (links->has_rate)
        show(d, QS_LINK_RATE, links->rate);
}

static void summarise(struct qs_decoder *d, const struct qs_packet_links *links)
{
    if (!d->want_summary || !links->fragment)
        return;
    if (links->fragments)
        g_string_append_printf(d->summary, " [fragment %u of %u]", links->fragment,
                               links->fragments);
    else
        g_string_append_printf(d->summary, " [fragment %u]", links->fragment);
}

void qs_links_show(const struct qs_links *links, struct qs_decoder *d)
{
    struct qs_packet_links found;

    if (d->packet->unit || !qs_links_find(links, d->packet, &found))
        return;
    d->in.overrun = false; /* of the packet's messages: these fields are not read from it */
    show_fields(d, &found);
    summarise(d, &found);
}
