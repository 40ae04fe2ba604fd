/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets from DEM demos. A demo does not say which messages were reliable: those that begin with
 * the time, as all but the rarest of a game do, are sent as unreliable ones; the rest reliably, in
 * fragments that the client acknowledges. Behind each, the client moves to where the block looks.
 * Source: common/quake/PROTOCOL.md, sections 1 to 5.
 */
#include "common/demo/dem.h"
#include "common/quake/constants.h"
#include "common/quake/quake.h"
#include "pcap2demo/aside.h"
#include "pcap2demo/export.h"

enum {
    HEADER_SIZE = 8,
    FRAGMENT_MAX = 1024,   /* MAX_DATAGRAM of id's engine */
    UNRELIABLE_MAX = 1400, /* of any engine; longer messages go in fragments */
    SIGNED_ON = 3
};

struct state {
    struct export *out;
    uint32_t to_client, to_server; /* numbers of the next unreliable messages */
    uint32_t fragment;             /* and of the next fragment from the server */
    struct dem_angles view;        /* as the last aside said it */
    bool view_said;
    GByteArray *packet;
};

static void *dem_new(struct export *out)
{
    struct state *state = g_new0(struct state, 1);

    state->out = out;
    state->packet = g_byte_array_new();
    return state;
}

static void dem_free(void *data)
{
    struct state *state = data;

    g_byte_array_free(state->packet, TRUE);
    g_free(state);
}

/* --- Datagrams ------------------------------------------------------------------------------- */

/* The length comes when the packet is complete. */
static void begin_packet(struct state *state, uint32_t flags, uint32_t sequence)
{
    g_byte_array_set_size(state->packet, 0);
    qs_write_u32be(state->packet, flags);
    qs_write_u32be(state->packet, sequence);
}

static struct qs_view finished_packet(struct state *state)
{
    const uint32_t size = state->packet->len;

    state->packet->data[2] = (uint8_t)(size >> 8);
    state->packet->data[3] = (uint8_t)size;
    return qs_view_of_bytes(state->packet);
}

static void acknowledge(struct state *state, uint32_t fragment, bool to_server)
{
    begin_packet(state, NETFLAG_ACK, fragment);
    if (to_server)
        export_to_server(state->out, finished_packet(state));
    else
        export_to_client(state->out, finished_packet(state));
}

static void begin_client_packet(struct state *state)
{
    begin_packet(state, NETFLAG_UNRELIABLE, state->to_server++);
}

static void send_client_packet(struct state *state)
{
    export_to_server(state->out, finished_packet(state));
}

/* --- The beginning --------------------------------------------------------------------------- */

static void shake_hands(struct state *state)
{
    static const uint8_t request[] = "\x80\x00\x00\x0c\x01QUAKE\0\x03";
    static const uint8_t accept[] = "\x80\x00\x00\x09\x81\x90\x65\x00\x00"; /* port 26000 */

    export_to_server(state->out, (struct qs_view){request, sizeof request - 1});
    export_to_client(state->out, (struct qs_view){accept, sizeof accept - 1});
}

/* A connection begins with the client's first reliable message. */
static void begin(struct state *state, struct qs_view line)
{
    char *track = g_strndup((const char *)line.data, line.size ? line.size - 1 : 0);

    shake_hands(state);
    begin_packet(state, NETFLAG_DATA | NETFLAG_EOM, 0);
    aside_append(state->packet, "DEM", track);
    send_client_packet(state);
    acknowledge(state, 0, false);
    g_free(track);
}

/* --- Blocks ---------------------------------------------------------------------------------- */

static void say_view(struct state *state, const uint8_t *angles)
{
    enum { VIEW_SIZE = 12 };

    begin_client_packet(state);
    aside_append_bytes(state->packet, "view", (struct qs_view){angles, VIEW_SIZE});
    send_client_packet(state);
}

static void send_unreliably(struct state *state, struct qs_view message)
{
    begin_packet(state, NETFLAG_UNRELIABLE, state->to_client++);
    qs_write_view(state->packet, message);
    export_to_client(state->out, finished_packet(state));
}

static void send_fragment(struct state *state, struct qs_view piece, bool last)
{
    begin_packet(state, NETFLAG_DATA | (last ? NETFLAG_EOM : 0), state->fragment);
    qs_write_view(state->packet, piece);
    export_to_client(state->out, finished_packet(state));
    acknowledge(state, state->fragment++, true);
}

static void send_reliably(struct state *state, struct qs_view message)
{
    while (message.size > FRAGMENT_MAX) {
        send_fragment(state, (struct qs_view){message.data, FRAGMENT_MAX}, false);
        message.data += FRAGMENT_MAX;
        message.size -= FRAGMENT_MAX;
    }
    send_fragment(state, message, true);
}

static void send_to_client(struct state *state, struct qs_view message)
{
    if (message.size && message.size <= UNRELIABLE_MAX && message.data[0] == SVC_TIME)
        send_unreliably(state, message);
    else
        send_reliably(state, message);
}

/* What DarkPlaces recorded of the client. */
static void send_to_server(struct state *state, struct qs_view message)
{
    begin_client_packet(state);
    aside_append(state->packet, "client", NULL);
    send_client_packet(state);
    begin_client_packet(state);
    qs_write_view(state->packet, message);
    send_client_packet(state);
}

/* --- Moves ----------------------------------------------------------------------------------- */

/* In 1/`turn` of a turn; whole turns mean nothing. */
static int64_t angle_steps(float degrees, double turn)
{
    const double steps = (double)degrees * turn / 360;

    return steps > -1e9 && steps < 1e9 ? (int64_t)steps : 0;
}

static void append_angle(struct state *state, const struct nq_session *session, float degrees)
{
    if (session->flags & PRFL_FLOATANGLE)
        qs_write_float(state->packet, degrees);
    else if (session->base.version == PROTOCOL_NETQUAKE)
        qs_write_u8(state->packet, (uint8_t)angle_steps(degrees, 256));
    else
        qs_write_u16(state->packet, (uint16_t)angle_steps(degrees, 65536));
}

/* Time, angles, and a player that stands still. */
static void send_move(struct state *state, const struct nq_session *session,
                      const struct dem_angles *view, float time)
{
    static const uint8_t still[3 * 2 + 2];

    if (session->signon < SIGNED_ON || session->undecodable)
        return;
    begin_client_packet(state);
    qs_write_u8(state->packet, CLC_MOVE);
    qs_write_float(state->packet, time);
    append_angle(state, session, view->pitch);
    append_angle(state, session, view->yaw);
    append_angle(state, session, view->roll);
    qs_write_view(state->packet, (struct qs_view){still, sizeof still});
    send_client_packet(state);
}

static void send_block(struct state *state, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    const uint8_t *angles = packet->data + 4;
    struct qs_reader in = qs_reader_over(packet->data, packet->size);
    struct dem_block block;

    if (dem_read_block(&in, &block) != DEM_OK)
        return;
    if (!state->view_said || memcmp(&state->view, &block.view, sizeof block.view) != 0)
        say_view(state, angles);
    state->view = block.view;
    state->view_said = true;
    if (block.from_client) {
        send_to_server(state, block.messages);
        return;
    }
    send_to_client(state, block.messages);
    send_move(state, (const struct nq_session *)decoder->session, &block.view,
              (float)((double)packet->time / 1e9));
}

static void dem_block(void *data, const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    if (packet->number == 0)
        begin(data, (struct qs_view){packet->data, packet->size});
    else
        send_block(data, decoder, packet);
}

const struct exporter export_dem = {
    .format = &nq_dem,
    .port = 26000,
    .create = dem_new,
    .block = dem_block,
    .free = dem_free,
};
