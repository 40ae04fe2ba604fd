/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads frames of a link layer or of a pcapng file, through IP and its reassembly, up to UDP
 * datagrams.
 */
#include <glib.h>
#include <stdlib.h>

#include "pcap2demo/capture/ip.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/frame_reader.h"
#include "tests/fuzz/fuzz.h"

enum { FRAME_MAX = 65535, INTERVAL = 1000000 };

static void check_datagram(const struct qs_packet *packet)
{
    unsigned sum = 0;

    if (packet->wire_size < packet->size)
        fuzz_broken("a datagram", "more captured than sent");
    if (packet->wire_size > UINT16_MAX)
        fuzz_broken("a datagram", "larger than UDP allows");
    if (packet->source.family != packet->destination.family ||
        (packet->source.family != 4 && packet->source.family != 6))
        fuzz_broken("a datagram", "addresses of no family");
    /* Sanitizers notice a datagram that reaches beyond its bytes. */
    for (uint32_t i = 0; i < packet->size; i++)
        sum += packet->data[i];
    if (packet->size && sum > packet->size * 255u)
        fuzz_broken("a datagram", "impossible sum");
}

/* --- pcapng files --- */

static void check_frame(const struct input_frame *frame)
{
    unsigned sum = 0;

    if (frame->packet.wire_size < frame->packet.size || frame->packet.time < 0)
        abort();
    for (uint32_t i = 0; i < frame->packet.size; i++)
        sum += frame->packet.data[i];
    for (uint32_t i = 0; i < frame->comment.size; i++)
        sum += frame->comment.data[i];
    if (sum && !frame->packet.size && !frame->comment.size)
        abort();
}

static void read_frame(struct ip *ip, struct input_frame *frame)
{
    link_reader *link = link_find(frame->link_type);

    check_frame(frame);
    if (link && link(&frame->packet) && ip_read(ip, &frame->packet) == IP_UDP)
        check_datagram(&frame->packet);
}

static void read_pcapng(const uint8_t *data, size_t size)
{
    FILE *stream = fmemopen((void *)data, size, "rb");
    g_autofree char *error = NULL;
    struct frame_reader *in = stream ? pcapng_reader_open(stream, &error) : NULL;
    struct ip *ip = ip_new();
    struct input_frame frame;

    while (in && in->next(in, &frame) == INPUT_FRAME)
        read_frame(ip, &frame);
    if (in && in->position > size)
        abort();
    if (in)
        frame_reader_close(in);
    else if (!error)
        abort();
    ip_end(ip);
    ip_free(ip);
}

/* --- Frames --- */

static void read_frames(const uint8_t *data, size_t size)
{
    struct fuzz_piece piece;
    link_reader *link;
    struct ip *ip;
    int64_t time = 0;
    size_t at = 1;

    link = link_find(fuzz_links[data[0] % FUZZ_LINKS]);
    if (!link)
        abort();
    ip = ip_new();
    while (fuzz_next(data, size, &at, &piece)) {
        struct qs_packet packet = {
            .data = piece.bytes, .size = piece.size, .wire_size = piece.size};

        if (piece.bits & FUZZ_FRAME_CUT && packet.size < FRAME_MAX)
            packet.wire_size = FRAME_MAX;
        time += piece.bits & FUZZ_FRAME_LATE ? IP_TIMEOUT + 1 : INTERVAL;
        packet.time = time;
        if (link(&packet) && ip_read(ip, &packet) == IP_UDP)
            check_datagram(&packet);
        g_free(piece.bytes);
    }
    ip_end(ip);
    ip_free(ip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_cost started = fuzz_begin();

    if (size >= 4 && qs_le32(data) == PCAPNG_SECTION)
        read_pcapng(data, size);
    else if (size)
        read_frames(data, size);
    fuzz_check_cost(started, size);
    return 0;
}
