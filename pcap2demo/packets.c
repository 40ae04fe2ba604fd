/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/packets.h"

#include <pcap/pcap.h>
#include <stdio.h>

#include "pcap2demo/output/message.h"
#include "pcap2demo/output/progress.h"
#include "pcap2demo/signals.h"

/* The progress bar and the state of standard output are looked at after so many frames. */
enum { LOOK_UP_EVERY = 1024 };

/* Frames of a link type that is not known. */
struct unknown_link {
    int link_type;
    uint64_t frames;
};

void packets_init(struct packets *packets)
{
    *packets = (struct packets){
        .ip = ip_new(),
        .tcp = tcp_new(),
        .unknown = g_array_new(FALSE, FALSE, sizeof(struct unknown_link)),
    };
}

void packets_clear(struct packets *packets)
{
    g_clear_pointer(&packets->order, qs_reorder_free);
    tcp_free(packets->tcp);
    ip_free(packets->ip);
    g_array_free(packets->unknown, TRUE);
}

static void take_piece(struct qs_sessions *sessions, const struct tcp_piece *piece)
{
    struct tcp_connection *connection = piece->connection;

    if (piece->over)
        qs_sessions_end_bytes(sessions, connection->reader, piece->packet.number);
    else if (!qs_sessions_bytes(sessions, &connection->reader, &piece->packet))
        tcp_ignore(connection);
}

static void take_pieces(struct packets *packets, struct qs_sessions *sessions)
{
    struct tcp_piece piece;

    while (tcp_next(packets->tcp, &piece))
        take_piece(sessions, &piece);
}

/* `packet` is a frame without its link layer; what is found in it takes its place. */
static void take_packet(struct packets *packets, struct qs_sessions *sessions,
                        struct qs_packet *packet)
{
    const struct span bytes = {packet->data, packet->size, packet->wire_size};

    packets->number = packet->number;
    switch (ip_read(packets->ip, bytes, packet->time, packet)) {
    case IP_UDP:
        packets->datagrams++;
        qs_sessions_datagram(sessions, packet);
        break;
    case IP_TCP:
        tcp_take(packets->tcp, packet);
        take_pieces(packets, sessions);
        break;
    case IP_NOTHING:
        break;
    }
}

static void take_sorted(struct packets *packets, struct qs_sessions *sessions, bool all)
{
    struct qs_packet packet;

    while (packets->order && qs_reorder_next(packets->order, all, &packet))
        take_packet(packets, sessions, &packet);
}

static void take_in_order(struct packets *packets, struct qs_sessions *sessions,
                          struct qs_packet *packet)
{
    if (!packets->order || qs_reorder_passes(packets->order, packet))
        take_packet(packets, sessions, packet);
    else
        take_sorted(packets, sessions, false);
}

void packets_start(struct packets *packets, bool as_captured)
{
    packets->order = as_captured ? NULL : qs_reorder_new();
}

static struct qs_packet packet_of(const struct input_frame *frame)
{
    return (struct qs_packet){.data = frame->bytes.data,
                              .size = frame->bytes.size,
                              .wire_size = frame->bytes.wire_size,
                              .number = frame->number,
                              .time = frame->time};
}

void packets_take(struct packets *packets, struct qs_sessions *sessions, struct input_frame *frame)
{
    struct qs_packet packet = packet_of(frame);

    packets->frames++;
    take_in_order(packets, sessions, &packet);
}

void packets_settle(struct packets *packets, struct qs_sessions *sessions)
{
    take_sorted(packets, sessions, true);
}

/* --- Link layers ----------------------------------------------------------------------------- */

static void count_unknown(struct packets *packets, int link_type)
{
    const struct unknown_link first = {link_type, 1};

    for (guint i = 0; i < packets->unknown->len; i++) {
        struct unknown_link *unknown = &g_array_index(packets->unknown, struct unknown_link, i);

        if (unknown->link_type == link_type) {
            unknown->frames++;
            return;
        }
    }
    g_array_append_val(packets->unknown, first);
}

/* A file in which something can be read is usable. */
static void report_unknown(struct packets *packets, const struct input *input)
{
    for (guint i = 0; i < packets->unknown->len; i++) {
        const struct unknown_link *unknown =
            &g_array_index(packets->unknown, struct unknown_link, i);

        failure(EXIT_PROBLEMS, (struct qs_location){.file = input_name(input)},
                "%" G_GUINT64_FORMAT " packets of link type \"%s\" cannot be read", unknown->frames,
                pcap_datalink_val_to_description_or_dlt(unknown->link_type));
    }
    g_array_set_size(packets->unknown, 0);
}

static void take_frame(struct packets *packets, struct qs_sessions *sessions,
                       struct input_frame *frame)
{
    if (!packets->link || packets->link_type != frame->link_type) {
        packets->link_type = frame->link_type;
        packets->link = link_find(frame->link_type);
    }
    if (!packets->link)
        count_unknown(packets, frame->link_type);
    if (packets->link && packets->link(&frame->bytes))
        packets_take(packets, sessions, frame);
    else
        packets->frames++;
}

/* --- The input ------------------------------------------------------------------------------- */

void packets_end(struct packets *packets, struct qs_sessions *sessions)
{
    ip_end(packets->ip);
    tcp_end(packets->tcp, packets->number);
    take_pieces(packets, sessions);
}

/* Bytes of the file that were read. */
static uint64_t position_in(const struct packets *packets, const struct input *input)
{
    return packets->source && source_is_packed(packets->source) ? source_position(packets->source)
                                                                : input_position(input);
}

static enum input_status read_frames(struct packets *packets, struct input *input,
                                     struct qs_sessions *sessions, uint64_t bytes_before)
{
    struct input_frame frame;
    enum input_status status = INPUT_FRAME;
    unsigned looks = 0;

    while (!signals_interrupted()) {
        status = input_next(input, &frame);
        if (status == INPUT_FRAME && frame.comment.size && packets->comments)
            qs_comments_set(packets->comments, frame.number, frame.comment);
        if (status == INPUT_FRAME)
            take_frame(packets, sessions, &frame);
        else if (status == INPUT_IDLE)
            take_sorted(packets, sessions, true);
        else
            break;
        if (++looks % LOOK_UP_EVERY)
            continue;
        progress_update(bytes_before + position_in(packets, input));
        if (ferror(stdout))
            break;
    }
    take_sorted(packets, sessions, true);
    return status;
}

void packets_read(struct packets *packets, struct input *input, struct qs_sessions *sessions,
                  bool as_captured, uint64_t bytes_before)
{
    enum input_status status;

    packets->order = as_captured ? NULL : qs_reorder_new();
    status = read_frames(packets, input, sessions, bytes_before);
    g_clear_pointer(&packets->order, qs_reorder_free);
    if (status == INPUT_BROKEN && !signals_interrupted())
        failure(EXIT_PROBLEMS,
                (struct qs_location){.file = input_name(input), .packet = input_frames(input) + 1},
                "%s", input_error(input));
    report_unknown(packets, input);
}
