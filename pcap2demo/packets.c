/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/packets.h"

#include <stdio.h>

#include "pcap2demo/output/message.h"
#include "pcap2demo/output/progress.h"
#include "pcap2demo/signals.h"

/* The progress bar and the state of standard output are looked at after so many frames. */
enum { LOOK_UP_EVERY = 1024 };

void packets_init(struct packets *packets)
{
    *packets = (struct packets){.ip = ip_new(), .tcp = tcp_new()};
}

void packets_clear(struct packets *packets)
{
    g_clear_pointer(&packets->order, qs_time_order_free);
    tcp_free(packets->tcp);
    ip_free(packets->ip);
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

/* `packet` is a frame; what is found in it takes its place. */
static void take_frame(struct packets *packets, struct qs_sessions *sessions, link_reader *link,
                       struct qs_packet *packet)
{
    struct span bytes = {packet->data, packet->size, packet->wire_size};

    packets->frames++;
    packets->number = packet->number;
    if (!link(&bytes))
        return;
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

static void take_sorted(struct packets *packets, struct qs_sessions *sessions, link_reader *link,
                        bool all)
{
    struct qs_packet packet;

    while (packets->order && qs_time_order_next(packets->order, all, &packet))
        take_frame(packets, sessions, link, &packet);
}

static void take_in_order(struct packets *packets, struct qs_sessions *sessions, link_reader *link,
                          const struct input_frame *frame)
{
    struct qs_packet packet = {.data = frame->bytes.data,
                               .size = frame->bytes.size,
                               .wire_size = frame->bytes.wire_size,
                               .number = frame->number,
                               .time = frame->time};

    if (!packets->order || qs_time_order_passes(packets->order, &packet))
        take_frame(packets, sessions, link, &packet);
    else
        take_sorted(packets, sessions, link, false);
}

static bool is_ip_already(struct span *frame)
{
    return frame->size != 0;
}

void packets_start(struct packets *packets, bool as_captured)
{
    packets->order = as_captured ? NULL : qs_time_order_new();
}

void packets_take(struct packets *packets, struct qs_sessions *sessions, struct input_frame *frame)
{
    take_in_order(packets, sessions, is_ip_already, frame);
}

void packets_settle(struct packets *packets, struct qs_sessions *sessions)
{
    take_sorted(packets, sessions, is_ip_already, true);
}

void packets_end(struct packets *packets, struct qs_sessions *sessions)
{
    ip_end(packets->ip);
    tcp_end(packets->tcp, packets->number);
    take_pieces(packets, sessions);
}

static enum input_status read_frames(struct packets *packets, struct input *input,
                                     link_reader *link, struct qs_sessions *sessions,
                                     uint64_t bytes_before)
{
    struct input_frame frame;
    enum input_status status = INPUT_FRAME;
    unsigned looks = 0;

    while (!signals_interrupted()) {
        status = input_next(input, &frame);
        if (status == INPUT_FRAME)
            take_in_order(packets, sessions, link, &frame);
        else if (status == INPUT_IDLE)
            take_sorted(packets, sessions, link, true);
        else
            break;
        if (++looks % LOOK_UP_EVERY)
            continue;
        progress_update(bytes_before + input_position(input));
        if (ferror(stdout))
            break;
    }
    take_sorted(packets, sessions, link, true);
    return status;
}

void packets_read(struct packets *packets, struct input *input, link_reader *link,
                  struct qs_sessions *sessions, bool as_captured, uint64_t bytes_before)
{
    enum input_status status;

    packets->order = as_captured ? NULL : qs_time_order_new();
    status = read_frames(packets, input, link, sessions, bytes_before);
    g_clear_pointer(&packets->order, qs_time_order_free);
    if (status == INPUT_BROKEN && !signals_interrupted())
        failure(EXIT_PROBLEMS,
                (struct qs_location){.file = input_name(input), .packet = input_frames(input) + 1},
                "%s", input_error(input));
}
