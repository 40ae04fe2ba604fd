/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of DEM demos. A demo does not record which messages were reliable. Messages that begin
 * with svc_time, as nearly all of a game do, are sent unreliably, and the others reliably, in
 * fragments that the client acknowledges. After each, the client moves with the block's view
 * angles. Source: common/quake/PROTOCOL.md, sections 1 to 5.
 */
#include "common/core/containers.h"
#include "common/demo/dem/dem.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"

enum {
    FRAGMENT_MAX = 1024,  /* MAX_DATAGRAM of id's engine */
    UNRELIABLE_MAX = 1400 /* limit of all engines; longer messages are sent in fragments */
};

struct dem_state {
    struct qs_demo_sender *out;
    uint32_t to_client, to_server; /* numbers of the next unreliable messages */
    uint32_t fragment;             /* number of the server's next fragment */
};

/* --- Datagrams --- */

/* Begins a packet; send_packet() writes its length. */
static void begin_packet(struct dem_state *state, uint32_t flags, uint32_t sequence)
{
    qs_bytes_empty(state->out->packet);
    qs_write_u32be(state->out->packet, flags);
    qs_write_u32be(state->out->packet, sequence);
}

static void send_packet(struct dem_state *state, enum qs_direction direction)
{
    const uint32_t size = state->out->packet->len;

    state->out->packet->data[2] = (uint8_t)(size >> 8);
    state->out->packet->data[3] = (uint8_t)size;
    state->out->datagram(state->out, direction, qs_view_of_bytes(state->out->packet));
}

static void acknowledge(struct dem_state *state, uint32_t fragment, enum qs_direction direction)
{
    begin_packet(state, NETFLAG_ACK, fragment);
    send_packet(state, direction);
}

static void begin_client_packet(struct dem_state *state)
{
    begin_packet(state, NETFLAG_UNRELIABLE, state->to_server++);
}

/* --- Beginning of the connection --- */

/* Begins the connection, with the client's first reliable message. */
static void begin(struct dem_state *state)
{
    static const uint8_t request[] = "\x80\x00\x00\x0c\x01QUAKE\0\x03";
    static const uint8_t accept[] = "\x80\x00\x00\x09\x81\x90\x65\x00\x00"; /* port 26000 */

    state->out->datagram(state->out, QS_C2S, (struct qs_view){request, sizeof request - 1});
    state->out->datagram(state->out, QS_S2C, (struct qs_view){accept, sizeof accept - 1});
    begin_packet(state, NETFLAG_DATA | NETFLAG_EOM, 0);
    qs_write_u8(state->out->packet, CLC_NOP);
    send_packet(state, QS_C2S);
    acknowledge(state, 0, QS_S2C);
}

/* --- Blocks --- */

static void send_unreliably(struct dem_state *state, struct qs_view messages)
{
    begin_packet(state, NETFLAG_UNRELIABLE, state->to_client++);
    qs_write_view(state->out->packet, messages);
    send_packet(state, QS_S2C);
}

static void send_reliably(struct dem_state *state, struct qs_view rest)
{
    bool last;

    do {
        const struct qs_view bytes = {rest.data, MIN(rest.size, (uint32_t)FRAGMENT_MAX)};

        last = bytes.size == rest.size;
        begin_packet(state, NETFLAG_DATA | (last ? NETFLAG_EOM : 0), state->fragment);
        qs_write_view(state->out->packet, bytes);
        send_packet(state, QS_S2C);
        acknowledge(state, state->fragment++, QS_C2S);
        rest.data += bytes.size;
        rest.size -= bytes.size;
    } while (!last);
}

static void send_to_client(struct dem_state *state, struct qs_view messages)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a block that was read has bytes */
    if (messages.size && messages.size <= UNRELIABLE_MAX && messages.data[0] == SVC_TIME)
        send_unreliably(state, messages);
    else
        send_reliably(state, messages);
}

/* --- Moves --- */

/* Returns the angle in units of 1/`turn` of a turn, possibly more than one turn. */
static int64_t angle_steps(float degrees, double turn)
{
    const double steps = (double)degrees * turn / 360;

    return steps > -1e9 && steps < 1e9 ? (int64_t)steps : 0;
}

static void append_angle(struct dem_state *state, const struct nq_session *session, float degrees)
{
    const enum qs_angle_format format = nq_move_angle_format(session);

    if (format == QS_ANGLE_FLOAT32)
        qs_write_float(state->out->packet, degrees);
    else if (format == QS_ANGLE_BYTE)
        qs_write_u8(state->out->packet, (uint8_t)angle_steps(degrees, 256));
    else
        qs_write_u16(state->out->packet, (uint16_t)angle_steps(degrees, 65536));
}

/* Sends a move of a player that stands still. */
static void send_move(struct dem_state *state, const struct nq_session *session,
                      const struct dem_angles *view)
{
    enum { SPEEDS = 3 * 2, IMPULSE = 1, CURSOR = 2 * 2 + 6 * 4 + 2 };
    static const uint8_t zeros[SPEEDS + 4 + IMPULSE + CURSOR];
    const unsigned darkplaces = nq_darkplaces_version(session);
    const uint32_t buttons = nq_has_wide_buttons(session) ? 4 : 1;
    const uint32_t still = SPEEDS + buttons + IMPULSE + (darkplaces >= 6 ? CURSOR : 0);

    if (session->signon < SIGNON_DONE || session->undecodable)
        return;
    begin_client_packet(state);
    qs_write_u8(state->out->packet, CLC_MOVE);
    if (darkplaces >= 7)
        qs_write_u32(state->out->packet, 0); /* the move's number */
    else if (session->ext.fte2 & FTE2_PREDINFO)
        qs_write_u16(state->out->packet, 0);
    qs_write_float(state->out->packet, session->time);
    append_angle(state, session, view->pitch);
    append_angle(state, session, view->yaw);
    append_angle(state, session, view->roll);
    qs_write_view(state->out->packet, (struct qs_view){zeros, still});
    send_packet(state, QS_C2S);
}

static void send_block(struct dem_state *state, const struct nq_session *session,
                       const struct qs_packet *packet)
{
    struct qs_reader in = qs_reader_over(packet->data, packet->size);
    struct dem_block block;

    if (dem_read_block(&in, &block) != QS_DEMO_BLOCK)
        return;
    if (block.from_client) { /* DarkPlaces records the client's messages, too */
        begin_client_packet(state);
        qs_write_view(state->out->packet, block.messages);
        send_packet(state, QS_C2S);
        return;
    }
    send_to_client(state, block.messages);
    send_move(state, session, &block.view);
}

static void block_to_packets(void *data, const struct qs_decoder *decoder,
                             const struct qs_packet *packet)
{
    if (packet->number == 0)
        begin(data);
    else
        send_block(data, (const struct nq_session *)decoder->session, packet);
}

const struct qs_demo_packet_maker dem_packets = {
    .port = 26000,
    .state_size = sizeof(struct dem_state),
    .block = block_to_packets,
};
