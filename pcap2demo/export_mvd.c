/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments from MVD demos: a QTV stream over TCP that carries the blocks as they are. Source: RFC
 * 9293; common/quakeworld/qtv.c.
 */
#include "common/core/text.h"
#include "common/quakeworld/quakeworld.h"
#include "pcap2demo/aside.h"
#include "pcap2demo/export.h"

enum {
    WINDOW = 32 * 1024, /* of the client: so many bytes go unacknowledged */
    CLIENT_START = 1000,
    SERVER_START = 2000
};

static const char request[] = "QTV\nVERSION: 1\nRECEIVE\n\n";
static const char reply[] = "QTVSV 1\nBEGIN\n\n";

struct state {
    struct export *out;
    bool begun;
    uint32_t client, server; /* numbers of the bytes that either sends next */
    uint32_t acknowledged;   /* by the client */
};

static void *mvd_new(struct export *out)
{
    struct state *state = g_new0(struct state, 1);

    state->out = out;
    return state;
}

/* --- Segments */

static void client_sends(struct state *state, uint8_t flags, struct qs_view bytes)
{
    const struct pcap_out_segment segment = {.sequence = state->client,
                                             .acknowledged =
                                                 flags & PCAP_OUT_ACK ? state->server : 0,
                                             .flags = flags,
                                             .payload = bytes};

    export_segment_to_server(state->out, &segment);
    state->client += bytes.size + (flags & (PCAP_OUT_SYN | PCAP_OUT_FIN) ? 1 : 0);
    state->acknowledged = state->server;
}

static void server_sends(struct state *state, uint8_t flags, struct qs_view bytes)
{
    const struct pcap_out_segment segment = {
        .sequence = state->server, .acknowledged = state->client, .flags = flags, .payload = bytes};

    export_segment_to_client(state->out, &segment);
    state->server += bytes.size + (flags & (PCAP_OUT_SYN | PCAP_OUT_FIN) ? 1 : 0);
}

static void client_acknowledges(struct state *state)
{
    client_sends(state, PCAP_OUT_ACK, (struct qs_view){0});
}

static void begin(struct state *state)
{
    const struct qs_view nothing = {0};

    state->client = CLIENT_START;
    state->server = SERVER_START;
    client_sends(state, PCAP_OUT_SYN, nothing);
    server_sends(state, PCAP_OUT_SYN | PCAP_OUT_ACK, nothing);
    client_sends(state, PCAP_OUT_ACK, qs_view_of(request));
    server_sends(state, PCAP_OUT_ACK, qs_view_of(reply));
    client_sends(state, PCAP_OUT_ACK, aside_of_mvd());
    state->begun = true;
}

/* --- Blocks */

static void mvd_block(void *data, const struct qs_decoder *decoder, const struct qs_packet *block)
{
    struct state *state = data;

    (void)decoder;
    if (!state->begun)
        begin(state);
    for (uint32_t at = 0; at < block->size;) {
        const uint32_t size = MIN(block->size - at, PCAP_OUT_SEGMENT_MAX);

        server_sends(state, PCAP_OUT_ACK, (struct qs_view){block->data + at, size});
        at += size;
        if (state->server - state->acknowledged > WINDOW)
            client_acknowledges(state);
    }
}

static void mvd_finish(void *data)
{
    struct state *state = data;
    const struct qs_view nothing = {0};

    if (!state->begun)
        return;
    server_sends(state, PCAP_OUT_FIN | PCAP_OUT_ACK, nothing);
    client_sends(state, PCAP_OUT_FIN | PCAP_OUT_ACK, nothing);
    server_sends(state, PCAP_OUT_ACK, nothing);
}

const struct exporter export_mvd = {
    .format = &qw_mvd,
    .port = 28000,
    .create = mvd_new,
    .block = mvd_block,
    .finish = mvd_finish,
    .free = g_free,
};
