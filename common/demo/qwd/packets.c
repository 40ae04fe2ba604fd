/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts QWD demos to packets: those of the server are in the demo unchanged, and each client
 * block becomes a packet with a clc_move.
 */
#include "common/core/containers.h"
#include "common/demo/zip_archive.h"
#include "common/netchan/netchan.h"
#include "common/demo/qwd/qwd.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/session.h"

enum { NETCHAN_HEADER = 8, QPORT = 1 };

struct qwd_state {
    struct qs_demo_sender *out;
    bool begun;                /* packets have their numbers */
    GPtrArray *held;           /* GByteArray: packets that wait for their numbers; or NULL */
    uint32_t next;             /* number of the client's next packet */
    uint32_t acknowledged;     /* last number from the server */
    struct qw_usercmd cmds[3]; /* last three commands, the newest last: each move repeats them */
};

/* --- The client's packets --- */

static void begin(struct qwd_state *state)
{
    qs_demo_send_text(state->out, QS_C2S, "getchallenge\n");
    qs_demo_send_text(state->out, QS_S2C, "c1");
    qs_demo_send_text(state->out, QS_C2S, "connect 28 1 1 \"\"\n");
    qs_demo_send_text(state->out, QS_S2C, "j");
    state->begun = true;
}

/* --- Blocks --- */

static void send_cmd(struct qwd_state *state, const struct qwd_block *block,
                     const struct qs_decoder *decoder)
{
    const int32_t version =
        decoder->session->version ? decoder->session->version : QW_PROTOCOL_LAST;

    state->cmds[0] = state->cmds[1];
    state->cmds[1] = state->cmds[2];
    state->cmds[2] = block->cmd;
    qs_bytes_empty(state->out->packet);
    qs_write_u32(state->out->packet, state->next);
    qs_write_u32(state->out->packet, state->acknowledged);
    qs_write_u16(state->out->packet, QPORT);
    qw_append_move(state->out->packet, version, state->cmds, state->next);
    state->out->datagram(state->out, QS_C2S, qs_view_of_bytes(state->out->packet));
    state->next = (state->next + 1) & QS_SEQUENCE_MASK;
}

/*
 * Holds a packet whose number is not known yet. Returns false for packets to send at once. A client
 * that begins to record mid-game writes the sign-on in packets numbered from 1, and then a block
 * with the numbers of the connection: PROTOCOL.md, section 7. The packets get the numbers before
 * those, because 1 would be another connection on the wire; there is no handshake then. A donor's
 * sign-on in the middle of a demo is the same, behind a block with the numbers 0.
 */
static bool hold(struct qwd_state *state, struct qs_view packet)
{
    if (state->begun || packet.size < NETCHAN_HEADER)
        return false;
    if (!state->held)
        state->held = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
    if (qs_le32(packet.data) != state->held->len + 1 ||
        qs_le32(packet.data + 4) != state->held->len + 1)
        return false;
    g_ptr_array_add(state->held, g_byte_array_append(g_byte_array_new(), packet.data, packet.size));
    return true;
}

static void send_server_packet(struct qwd_state *state, struct qs_view packet)
{
    state->out->datagram(state->out, QS_S2C, packet);
    if (packet.size >= NETCHAN_HEADER && qs_le32(packet.data) != UINT32_MAX)
        state->acknowledged = qs_le32(packet.data) & QS_SEQUENCE_MASK;
}

/* Sends the held packets. `incoming`: the last one's number, which is larger if its predecessors'
 * were sent already; 0: unchanged, after a handshake. */
static void release(struct qwd_state *state, uint32_t incoming)
{
    const guint count = state->held ? state->held->len : 0;

    incoming = MAX(incoming, state->acknowledged + count);
    if (!state->begun && incoming <= count)
        begin(state);
    state->begun = true;
    for (guint i = 0; i < count; i++) {
        GByteArray *packet = g_ptr_array_index(state->held, i);

        if (incoming > count) {
            const uint32_t number = incoming - count + 1 + i;
            const uint32_t last = MAX(state->next, 1) - 1;

            for (int k = 0; k < 4; k++) {
                packet->data[k] = (uint8_t)(number >> 8 * k);
                packet->data[4 + k] = (uint8_t)(last >> 8 * k);
            }
        }
        send_server_packet(state, qs_view_of_bytes(packet));
    }
    g_clear_pointer(&state->held, g_ptr_array_unref);
}

static void finish(void *data)
{
    release(data, 0);
}

static void block_to_packets(void *data, const struct qs_decoder *decoder,
                             const struct qs_packet *packet)
{
    const struct qs_view bytes = {packet->data, packet->size};
    struct qs_reader in = qs_reader_over(packet->data, packet->size);
    struct qwd_state *state = data;
    struct qwd_block block;

    if (qs_zip_is_whole(bytes) ||
        qwd_read_block(&in, &block, qwd_form_of_block(bytes)) != QS_DEMO_BLOCK)
        return;
    if (block.type == QWD_READ && hold(state, block.packet))
        return;
    if (!state->begun)
        release(state, block.type == QWD_SET ? block.incoming & QS_SEQUENCE_MASK : 0);
    switch (block.type) {
    case QWD_CMD:
        send_cmd(state, &block, decoder);
        break;
    case QWD_READ:
        send_server_packet(state, block.packet);
        break;
    case QWD_SET:
        if (block.outgoing > state->next && block.outgoing <= QS_SEQUENCE_MASK)
            state->next = block.outgoing;
        state->begun = block.outgoing || block.incoming || !state->acknowledged;
        break;
    }
}

const struct qs_demo_packet_maker qwd_packets = {
    .port = 27500,
    .state_size = sizeof(struct qwd_state),
    .block = block_to_packets,
    .finish = finish,
};
