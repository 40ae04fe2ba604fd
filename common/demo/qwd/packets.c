/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of QWD demos: the server's are in the demo unchanged, and each client block becomes a
 * packet with a clc_move.
 */
#include "common/core/lists.h"
#include "common/demo/zip_archive.h"
#include "common/netchan/netchan.h"
#include "common/demo/qwd/qwd.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/session.h"

enum { NETCHAN_HEADER = 8, QPORT = 1 };

struct state {
    struct qs_demo_sender *out;
    bool begun;
    uint32_t next;             /* number of the client's next packet */
    uint32_t acknowledged;     /* the last number from the server */
    struct qw_usercmd cmds[3]; /* the newest last: a move repeats them */
};

/* --- The client's packets --- */

static void begin_packet(struct state *state)
{
    qs_bytes_empty(state->out->packet);
    qs_write_u32(state->out->packet, state->next);
    qs_write_u32(state->out->packet, state->acknowledged);
    qs_write_u16(state->out->packet, QPORT);
}

static void send_packet(struct state *state, const struct qs_demo_part *part)
{
    qs_demo_send(state->out, QS_C2S, qs_view_of_bytes(state->out->packet), part);
    state->next = (state->next + 1) & QS_SEQUENCE_MASK;
}

/* An empty packet. */
static void send_nop(struct state *state, const struct qs_demo_part *part)
{
    begin_packet(state);
    qs_write_u8(state->out->packet, CLC_NOP);
    send_packet(state, part);
}

static void begin(struct state *state)
{
    qs_demo_send_text(state->out, QS_C2S, "getchallenge\n");
    qs_demo_send_text(state->out, QS_S2C, "c1");
    qs_demo_send_text(state->out, QS_C2S, "connect 28 1 1 \"\"\n");
    qs_demo_send_text(state->out, QS_S2C, "j");
    send_nop(state, &qs_demo_start);
    state->begun = true;
}

/* --- Blocks --- */

static void send_cmd(struct state *state, const struct qwd_block *block,
                     const struct qs_decoder *decoder, const struct qs_demo_part *part)
{
    const int32_t version =
        decoder->session->version ? decoder->session->version : QW_PROTOCOL_LAST;

    state->cmds[0] = state->cmds[1];
    state->cmds[1] = state->cmds[2];
    state->cmds[2] = block->cmd;
    begin_packet(state);
    qw_append_move(state->out->packet, version, state->cmds, state->next);
    send_packet(state, part);
}

static void send_read(struct state *state, const struct qwd_block *block, struct qs_view bytes)
{
    const struct qs_demo_part part = qs_demo_block_in(bytes, QWD_PACKET_HEADER, 0);

    qs_demo_send(state->out, QS_S2C, block->packet, &part);
    if (block->packet.size >= NETCHAN_HEADER && qs_le32(block->packet.data) != UINT32_MAX)
        state->acknowledged = qs_le32(block->packet.data) & QS_SEQUENCE_MASK;
}

/* The client's numbers continue at the number in the block. */
static void send_set(struct state *state, const struct qwd_block *block,
                     const struct qs_demo_part *part)
{
    send_nop(state, part);
    if (block->outgoing > state->next && block->outgoing <= QS_SEQUENCE_MASK)
        state->next = block->outgoing;
}

/* It has no packet: its bytes go into comments. */
static void send_appendix(struct state *state, struct qs_view appendix)
{
    for (uint32_t offset = 0; offset < appendix.size; offset += APPENDIX_PART_MAX) {
        const struct qs_demo_part part = appendix_part(appendix, offset);

        send_nop(state, &part);
    }
}

static void block_to_packets(void *data, const struct qs_decoder *decoder,
                             const struct qs_packet *packet)
{
    const struct qs_view bytes = {packet->data, packet->size};
    const struct qs_demo_part apart = qs_demo_block_apart(bytes);
    struct qs_reader in = qs_reader_over(packet->data, packet->size);
    struct state *state = data;
    struct qwd_block block;

    if (!state->begun)
        begin(state);
    if (appendix_is_whole(bytes)) {
        send_appendix(state, bytes);
        return;
    }
    if (qwd_read_block(&in, &block, qwd_form_of_block(bytes)) != QS_DEMO_BLOCK)
        return;
    switch (block.type) {
    case QWD_CMD:
        send_cmd(state, &block, decoder, &apart);
        break;
    case QWD_READ:
        send_read(state, &block, bytes);
        break;
    case QWD_SET:
        send_set(state, &block, &apart);
        break;
    }
}

const struct qs_demo_packet_maker qwd_packets = {
    .port = 27500,
    .state_size = sizeof(struct state),
    .block = block_to_packets,
};
