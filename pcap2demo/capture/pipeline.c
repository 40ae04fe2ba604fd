/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/pipeline.h"

#include <pcap/pcap.h>
#include <stdio.h>

#include "common/core/hash.h"
#include "common/core/reader.h"
#include "pcap2demo/output/message.h"

/* --- IP, UDP and TCP ------------------------------------------------------------------------- */

/* Passes stream bytes, which are in order, to the sessions. */
static void decode_bytes(void *user, struct tcp_connection *connection,
                         const struct qs_packet *packet)
{
    struct pipeline *pipeline = user;

    if (!packet)
        qs_sessions_end_bytes(pipeline->sessions, connection->reader, pipeline->number);
    else
        connection->ignored = !qs_sessions_bytes(pipeline->sessions, &connection->reader, packet);
}

void pipeline_init(struct pipeline *pipeline, int64_t idle)
{
    *pipeline = (struct pipeline){
        .ip = ip_new(),
        .tcp = tcp_new(idle, decode_bytes, pipeline),
    };
}

void pipeline_clear(struct pipeline *pipeline)
{
    g_clear_pointer(&pipeline->reorder, qs_reorder_free);
    tcp_free(pipeline->tcp);
    ip_free(pipeline->ip);
}

/* Decodes a packet that begins with the IP header. */
static inline void decode_packet(struct pipeline *pipeline, struct qs_packet *packet)
{
    const enum ip_found found = ip_read(pipeline->ip, packet);

    pipeline->number = packet->number;
    switch (found) {
    case IP_UDP:
        pipeline->datagrams++;
        qs_sessions_datagram(pipeline->sessions, packet);
        break;
    case IP_TCP:
        tcp_add_segment(pipeline->tcp, packet);
        break;
    case IP_NOTHING:
        break;
    }
}

void pipeline_flush(struct pipeline *pipeline)
{
    struct qs_packet packet;

    while (pipeline->reorder && qs_reorder_next(pipeline->reorder, true, &packet))
        decode_packet(pipeline, &packet);
}

void pipeline_end(struct pipeline *pipeline)
{
    ip_end(pipeline->ip);
    tcp_end(pipeline->tcp, pipeline->number);
}

/* --- Link layers ----------------------------------------------------------------------------- */

void pipeline_start(struct pipeline *pipeline, struct qs_sessions *sessions)
{
    g_clear_pointer(&pipeline->reorder, qs_reorder_free);
    pipeline->sessions = sessions;
    pipeline->reorder = qs_sessions_is_as_captured(sessions) ? NULL : qs_reorder_new();
}

/*
 * Returns the point where a frame was captured: a hash of its file, interface, link layer header
 * and TTL. Returns 0 if the packet has an IP identification, which makes the hash unnecessary.
 */
static uint64_t capture_point_of(const struct input_frame *frame, const uint8_t *header)
{
    const struct qs_packet *packet = &frame->packet;
    const uint8_t *ip = packet->data;
    bool is_ipv6;
    guint point;

    if (packet->size < 10)
        return 0;
    is_ipv6 = ip[0] >> 4 == 6;
    if (!is_ipv6 && qs_be16(ip + 4))
        return 0;
    point = qs_hash_number((uintptr_t)packet->file);
    point = qs_hash_number((uint64_t)point << 32 | frame->interface);
    point = qs_hash_number((uint64_t)point << 32 | ip[is_ipv6 ? 7 : 8]);
    return point ^ qs_view_hash((struct qs_view){header, (uint32_t)(ip - header)});
}

bool pipeline_add_frame(struct pipeline *pipeline, struct input_frame *frame)
{
    struct qs_packet *packet = &frame->packet;
    const uint8_t *header;

    pipeline->frames++;
    pipeline->cut += qs_packet_is_cut(packet);
    if (!pipeline->link || pipeline->link_type != frame->link_type) {
        pipeline->link_type = frame->link_type;
        pipeline->link = link_find(frame->link_type);
    }
    if (!pipeline->link)
        return false;
    header = packet->data;
    if (!pipeline->link(packet))
        return true;
    packet->capture_point = capture_point_of(frame, header);
    if (!pipeline->reorder || qs_reorder_passes(pipeline->reorder, packet))
        decode_packet(pipeline, packet);
    else
        while (qs_reorder_next(pipeline->reorder, false, packet))
            decode_packet(pipeline, packet);
    return true;
}

void pipeline_print_counts(const struct pipeline *pipeline)
{
    const struct ip_counts *ip = ip_counts(pipeline->ip);
    const struct tcp_counts *tcp = tcp_counts(pipeline->tcp);

    message((struct qs_location){0},
            "%" G_GUINT64_FORMAT " packets, %" G_GUINT64_FORMAT " of them UDP; "
            "%" G_GUINT64_FORMAT " IP fragments, %" G_GUINT64_FORMAT " datagrams made whole, "
            "%" G_GUINT64_FORMAT " incomplete, %" G_GUINT64_FORMAT " contradictory",
            pipeline->frames, pipeline->datagrams, ip->fragments, ip->reassembled, ip->incomplete,
            ip->contradictory);
    message((struct qs_location){0},
            "%" G_GUINT64_FORMAT " TCP segments, %" G_GUINT64_FORMAT " of them out of order, "
            "%" G_GUINT64_FORMAT " bytes repeated, %" G_GUINT64_FORMAT " missing in "
            "%" G_GUINT64_FORMAT " holes",
            tcp->segments, tcp->reordered, tcp->repeated, tcp->missing, tcp->holes);
}
