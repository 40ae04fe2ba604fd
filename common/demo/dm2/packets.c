/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of DM2 demos: each block behind a netchan header, numbered from 1, and a packet of the
 * client that acknowledges it.
 */
#include "common/core/lists.h"
#include "common/demo/dm2/dm2.h"
#include "common/quake2/quake2.h"

enum { NETCHAN_HEADER = 8, QPORT = 1 };

struct state {
    struct qs_demo_sender *out;
    uint32_t from_client, from_server; /* numbers of the last packets */
    bool begun;
};

static void begin_packet(struct state *state, uint32_t sequence, uint32_t acknowledged)
{
    qs_bytes_empty(state->out->packet);
    qs_write_u32(state->out->packet, sequence);
    qs_write_u32(state->out->packet, acknowledged);
}

/* Acknowledges what came. */
static void send_client_packet(struct state *state, const struct qs_demo_piece *piece)
{
    begin_packet(state, ++state->from_client, state->from_server);
    qs_write_u16(state->out->packet, QPORT);
    qs_demo_send(state->out, QS_C2S, qs_view_of_bytes(state->out->packet), piece);
}

static void begin(struct state *state)
{
    qs_demo_send_text(state->out, QS_C2S, "getchallenge\n");
    qs_demo_send_text(state->out, QS_S2C, "challenge 1");
    qs_demo_send_text(state->out, QS_C2S, "connect 34 1 1 \"\"\n");
    qs_demo_send_text(state->out, QS_S2C, "client_connect");
    send_client_packet(state, &qs_demo_start);
    state->begun = true;
}

static void send_block(struct state *state, struct qs_view block)
{
    const struct qs_demo_piece piece = qs_demo_block_in(block, DM2_HEADER, NETCHAN_HEADER);

    begin_packet(state, ++state->from_server, state->from_client);
    qs_write_view(state->out->packet,
                  (struct qs_view){block.data + DM2_HEADER, block.size - DM2_HEADER});
    qs_demo_send(state->out, QS_S2C, qs_view_of_bytes(state->out->packet), &piece);
    send_client_packet(state, NULL);
}

static void take_block(void *data, const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    const struct qs_view block = {packet->data, packet->size};
    const struct qs_demo_piece apart = qs_demo_block_apart(block);
    struct state *state = data;

    (void)decoder;
    if (!state->begun)
        begin(state);
    if (qs_le32(block.data) == UINT32_MAX)
        send_client_packet(state, &apart);
    else
        send_block(state, block);
}

const struct qs_demo_packet_maker dm2_packets = {
    .port = 27910,
    .state_size = sizeof(struct state),
    .block = take_block,
};
