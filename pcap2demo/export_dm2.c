/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets from DM2 demos: each block behind a netchan header, numbered from 1, and a packet of the
 * client that acknowledges it. Source: common/quake2/PROTOCOL.md, section
 * 4.
 */
#include "common/quake2/quake2.h"
#include "pcap2demo/aside.h"
#include "pcap2demo/export.h"

enum { LENGTH_SIZE = 4, QPORT = 1 };

struct state {
    struct export *out;
    uint32_t from_client, from_server; /* numbers of the last packets */
    bool begun;
    GByteArray *packet;
};

static void *dm2_new(struct export *out)
{
    struct state *state = g_new0(struct state, 1);

    state->out = out;
    state->packet = g_byte_array_new();
    return state;
}

static void dm2_free(void *data)
{
    struct state *state = data;

    g_byte_array_free(state->packet, TRUE);
    g_free(state);
}

static void begin_packet(struct state *state, uint32_t sequence, uint32_t acknowledged)
{
    g_byte_array_set_size(state->packet, 0);
    qs_write_u32(state->packet, sequence);
    qs_write_u32(state->packet, acknowledged);
}

static void begin_client_packet(struct state *state)
{
    begin_packet(state, ++state->from_client, state->from_server);
    qs_write_u16(state->packet, QPORT);
}

static void send_aside(struct state *state, const char *word)
{
    begin_client_packet(state);
    aside_append(state->packet, word, NULL);
    export_to_server(state->out, qs_view_of_bytes(state->packet));
}

static void begin(struct state *state)
{
    export_text_to_server(state->out, "getchallenge\n");
    export_text_to_client(state->out, "challenge 1");
    export_text_to_server(state->out, "connect 34 1 1 \"\"\n");
    export_text_to_client(state->out, "client_connect");
    send_aside(state, "DM2");
    state->begun = true;
}

static void send_block(struct state *state, struct qs_view messages)
{
    begin_packet(state, ++state->from_server, state->from_client);
    qs_write_view(state->packet, messages);
    export_to_client(state->out, qs_view_of_bytes(state->packet));
    begin_client_packet(state);
    export_to_server(state->out, qs_view_of_bytes(state->packet));
}

static void dm2_block(void *data, const struct qs_decoder *decoder, const struct qs_packet *block)
{
    struct state *state = data;

    (void)decoder;
    if (!state->begun)
        begin(state);
    if (qs_le32(block->data) == UINT32_MAX)
        send_aside(state, "end");
    else
        send_block(state, (struct qs_view){block->data + LENGTH_SIZE, block->size - LENGTH_SIZE});
}

const struct exporter export_dm2 = {
    .format = &q2_dm2,
    .port = 27910,
    .create = dm2_new,
    .block = dm2_block,
    .free = dm2_free,
};
