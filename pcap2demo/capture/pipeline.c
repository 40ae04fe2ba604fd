/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/pipeline.h"

#include <pcap/pcap.h>
#include <stdio.h>

#include "pcap2demo/output/message.h"
#include "pcap2demo/capture/signals.h"

/* Frames between checks of progress and standard output. */
enum { CHECK_EVERY = 1024 };

/* --- IP, UDP and TCP ------------------------------------------------------------------------- */

/* Decodes stream bytes that are in order. */
static void decode_bytes(void *user, struct tcp_connection *connection,
                         const struct qs_packet *packet)
{
    struct pipeline *pipeline = user;

    if (!packet)
        qs_sessions_end_bytes(pipeline->sessions, connection->reader, pipeline->number);
    else
        connection->ignored = !qs_sessions_bytes(pipeline->sessions, &connection->reader, packet);
}

void pipeline_init(struct pipeline *pipeline)
{
    *pipeline = (struct pipeline){
        .ip = ip_new(),
        .tcp = tcp_new(decode_bytes, pipeline),
        .unknown = g_array_new(FALSE, TRUE, sizeof(uint64_t)),
    };
}

void pipeline_clear(struct pipeline *pipeline)
{
    g_clear_pointer(&pipeline->reorder, qs_reorder_free);
    tcp_free(pipeline->tcp);
    ip_free(pipeline->ip);
    g_array_free(pipeline->unknown, TRUE);
}

/* `packet` begins with the IP header, which its payload replaces. */
static inline void decode_packet(struct pipeline *pipeline, struct qs_packet *packet)
{
    const enum ip_found found = ip_read(pipeline->ip, packet);

    pipeline->number = packet->number;
    if (found != IP_NOTHING && pipeline->on_packet)
        pipeline->on_packet(pipeline->user, packet, found == IP_TCP);
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

/* DLT_ values have 16 bits. */
static void count_unknown(GArray *unknown, int link_type)
{
    const guint index = (uint16_t)link_type;

    if (index >= unknown->len)
        g_array_set_size(unknown, index + 1);
    g_array_index(unknown, uint64_t, index)++;
}

/* A problem, not an unusable file: other frames are readable. */
static void report_unknown(GArray *unknown, const struct input *input)
{
    for (guint i = 0; i < unknown->len; i++)
        if (g_array_index(unknown, uint64_t, i))
            failure(EXIT_PROBLEMS, (struct qs_location){.file = input->name},
                    "link type \"%s\" cannot be read, packets: %" G_GUINT64_FORMAT,
                    pcap_datalink_val_to_description_or_dlt((int)i),
                    g_array_index(unknown, uint64_t, i));
    g_array_set_size(unknown, 0);
}

void pipeline_start(struct pipeline *pipeline, struct qs_sessions *sessions)
{
    pipeline->sessions = sessions;
    pipeline->reorder = qs_sessions_is_as_captured(sessions) ? NULL : qs_reorder_new();
}

void pipeline_add_frame(struct pipeline *pipeline, struct input_frame *frame)
{
    struct qs_packet *packet = &frame->packet;

    pipeline->frames++;
    if (!pipeline->link || pipeline->link_type != frame->link_type) {
        pipeline->link_type = frame->link_type;
        pipeline->link = link_find(frame->link_type);
    }
    if (!pipeline->link)
        count_unknown(pipeline->unknown, frame->link_type);
    else if (!pipeline->link(packet))
        return;
    else if (!pipeline->reorder || qs_reorder_passes(pipeline->reorder, packet))
        decode_packet(pipeline, packet);
    else
        while (qs_reorder_next(pipeline->reorder, false, packet))
            decode_packet(pipeline, packet);
}

/* --- A file ---------------------------------------------------------------------------------- */

void pipeline_read(struct pipeline *pipeline, struct input *input, struct qs_sessions *sessions)
{
    struct input_frame frame;
    enum input_status status = INPUT_FRAME;

    pipeline_start(pipeline, sessions);
    while (!signals_interrupted() && !qs_sessions_have_enough(sessions)) {
        status = input_next(input, &frame);
        if (status != INPUT_FRAME)
            break;
        pipeline_add_frame(pipeline, &frame);
        if (pipeline->frames % CHECK_EVERY == 0 && ferror(stdout))
            break;
    }
    pipeline_flush(pipeline);
    g_clear_pointer(&pipeline->reorder, qs_reorder_free);
    if ((status == INPUT_CUT || status == INPUT_BROKEN) && !signals_interrupted())
        failure(EXIT_PROBLEMS,
                (struct qs_location){.file = input->name, .packet = input->frames + 1}, "%s",
                input->error);
    report_unknown(pipeline->unknown, input);
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
