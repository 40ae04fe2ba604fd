/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets from QWD demos: the server's are in the demo as they came, and each client block becomes
 * a packet with a clc_move. Source: quakeworld-and-qwd facts, sections 1 to 4.
 */
#include "common/demo/qwd.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/encode.h"
#include "pcap2demo/aside.h"
#include "pcap2demo/export.h"

enum { HEAD_SIZE = 5, NETCHAN_HEADER = 8, QPORT = 1 };

struct state {
    struct export *out;
    bool begun;
    uint32_t next;             /* number of the client's next packet */
    uint32_t acknowledged;     /* the last number from the server */
    struct qw_usercmd cmds[3]; /* the newest last: what a move repeats */
    GByteArray *packet;
    GByteArray *rebuilt; /* scratch: the block that the packet gives by itself */
};

static void *qwd_new(struct export *out)
{
    struct state *state = g_new0(struct state, 1);

    state->out = out;
    state->packet = g_byte_array_new();
    state->rebuilt = g_byte_array_new();
    return state;
}

static void qwd_free(void *data)
{
    struct state *state = data;

    g_byte_array_free(state->packet, TRUE);
    g_byte_array_free(state->rebuilt, TRUE);
    g_free(state);
}

/* --- The client's packets -------------------------------------------------------------------- */

static void begin_packet(struct state *state)
{
    g_byte_array_set_size(state->packet, 0);
    qs_write_u32(state->packet, state->next);
    qs_write_u32(state->packet, state->acknowledged);
    qs_write_u16(state->packet, QPORT);
}

static void send_packet(struct state *state)
{
    export_to_server(state->out, qs_view_of_bytes(state->packet));
    state->next = (state->next + 1) & QS_SEQUENCE_MASK;
}

static void send_aside(struct state *state, const char *word, struct qs_view value)
{
    begin_packet(state);
    aside_append_bytes(state->packet, word, value);
    send_packet(state);
}

static void begin(struct state *state)
{
    export_text_to_server(state->out, "getchallenge\n");
    export_text_to_client(state->out, "c1");
    export_text_to_server(state->out, "connect 28 1 1 \"\"\n");
    export_text_to_client(state->out, "j");
    begin_packet(state);
    aside_append(state->packet, "QWD", NULL);
    send_packet(state);
    state->begun = true;
}

/* --- Blocks ---------------------------------------------------------------------------------- */

/* Seconds as the packet's time gives them. */
static float seconds_of(const struct qs_packet *packet)
{
    return (float)((double)packet->time / 1e9);
}

/* The block as it would be written for the move alone; else the packet has to say it. */
static bool move_is_enough(struct state *state, const struct qwd_block *block,
                           const struct qs_packet *packet)
{
    g_byte_array_set_size(state->rebuilt, 0);
    qwd_append_cmd(state->rebuilt, seconds_of(packet), &block->cmd);
    return state->rebuilt->len == packet->size &&
           memcmp(state->rebuilt->data, packet->data, packet->size) == 0;
}

/* In old protocols the wire rounds moves. */
static bool move_is_exact(const struct qw_usercmd *cmd, int32_t version)
{
    return version >= QW_PROTOCOL_WIDE_MOVES ||
           (cmd->forward % 8 == 0 && cmd->side % 8 == 0 && cmd->up % 8 == 0);
}

static void send_cmd(struct state *state, const struct qwd_block *block,
                     const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    const int32_t version =
        decoder->session->version ? decoder->session->version : QW_PROTOCOL_LAST;

    state->cmds[0] = state->cmds[1];
    state->cmds[1] = state->cmds[2];
    state->cmds[2] = block->cmd;
    begin_packet(state);
    qw_append_move(state->packet, version, state->cmds, state->next);
    if (!move_is_exact(&block->cmd, version) || !move_is_enough(state, block, packet))
        aside_append_bytes(state->packet, "block", (struct qs_view){packet->data, packet->size});
    send_packet(state);
}

static void send_read(struct state *state, const struct qwd_block *block,
                      const struct qs_packet *packet)
{
    const float time = seconds_of(packet);
    const uint8_t type = packet->data[HEAD_SIZE - 1];

    if (type != QWD_READ || qs_bits_of_float(time) != qs_le32(packet->data))
        send_aside(state, "head", (struct qs_view){packet->data, HEAD_SIZE});
    export_to_client(state->out, block->packet);
    if (block->packet.size >= NETCHAN_HEADER && qs_le32(block->packet.data) != UINT32_MAX)
        state->acknowledged = qs_le32(block->packet.data) & QS_SEQUENCE_MASK;
}

/* The client's numbers go on from where the block says. */
static void send_set(struct state *state, const struct qwd_block *block,
                     const struct qs_packet *packet)
{
    send_aside(state, "block", (struct qs_view){packet->data, packet->size});
    if (block->outgoing > state->next && block->outgoing <= QS_SEQUENCE_MASK)
        state->next = block->outgoing;
}

static void qwd_block(void *data, const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    struct qs_reader in = qs_reader_over(packet->data, packet->size);
    struct state *state = data;
    struct qwd_block block;

    if (!state->begun)
        begin(state);
    if (qwd_read_block(&in, &block) != QWD_OK)
        return;
    switch (block.type) {
    case QWD_CMD:
        send_cmd(state, &block, decoder, packet);
        break;
    case QWD_READ:
        send_read(state, &block, packet);
        break;
    case QWD_SET:
        send_set(state, &block, packet);
        break;
    }
}

const struct exporter export_qwd = {
    .format = &qw_qwd,
    .port = 27500,
    .create = qwd_new,
    .block = qwd_block,
    .free = qwd_free,
};
