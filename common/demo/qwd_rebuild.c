/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds QWD demos: every packet that the client accepted from the server, a client block for
 * every move it sent, time stamps from the capture. Source:
 * common/quakeworld/PROTOCOL.md, sections 7 to 9.
 *
 * A demo begins with the connection, as a recording that was started before connecting does. A
 * capture that begins later can still give a demo from the first svc_serverdata on: all that
 * players need follows it. A frame block then tells the player where the sequence numbers stand.
 *
 * A demo knows the plain netchan only: what came over FTE's is written as if it had been plain.
 */
#include "common/demo/qwd.h"
#include "common/quakeworld/constants.h"
#include "common/demo/filter_qw.h"

enum {
    HEADER_SIZE = 8, /* of the netchan, from the server */
    MOVES_PER_PACKET = 3,
    MOVES_LOST_MAX = 64, /* no more are made up: a gap of more is not loss but a pause */
    HELD_BACK = 8 * 1024 /* bytes of blocks that are written together */
};

struct qwd {
    struct qs_demo_writer *out;
    bool begun;    /* the demo is being written */
    bool ended;    /* the client has left */
    uint32_t next; /* number of the client's next packet */
    bool has_next;
    int64_t start; /* capture time that is the demo's time 0 */
    float time;    /* of the last block */
    uint32_t not_captured;
    GByteArray *blocks; /* not yet written */
    GByteArray *packet; /* scratch: a packet without what is left out */
    struct filter_qw filter;
};

static void *qwd_new(struct qs_demo_writer *out)
{
    struct qwd *qwd = g_new0(struct qwd, 1);

    qwd->out = out;
    qwd->blocks = g_byte_array_new();
    qwd->packet = g_byte_array_new();
    filter_qw_init(&qwd->filter, out);
    return qwd;
}

static void qwd_free(void *state)
{
    struct qwd *qwd = state;

    g_byte_array_free(qwd->blocks, TRUE);
    g_byte_array_free(qwd->packet, TRUE);
    filter_qw_clear(&qwd->filter);
    g_free(qwd);
}

static void hand_on(struct qwd *qwd)
{
    qs_demo_write(qwd->out, qs_view_of_bytes(qwd->blocks));
    g_byte_array_set_size(qwd->blocks, 0);
}

/* A block was added. */
static void end_block(struct qwd *qwd)
{
    qwd->out->counts.blocks++;
    if (qwd->blocks->len >= HELD_BACK)
        hand_on(qwd);
}

/* Seconds since the demo's start. Captures may step back; players may not. */
static float clock_at(struct qwd *qwd, const struct qs_packet *packet)
{
    const float now = (float)((double)(packet->time - qwd->start) / 1e9);

    if (now > qwd->time)
        qwd->time = now;
    return qwd->time;
}

/* --- The beginning --- */

static void begin(struct qwd *qwd, const struct qs_packet *packet)
{
    qs_demo_begin(qwd->out);
    qwd->start = packet->time;
    qwd->begun = true;
}

/* In the middle of a connection: the numbers go on from where they are. */
static void begin_late(struct qwd *qwd, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    begin(qwd, packet);
    if (decoder->direction == QS_C2S)
        qwd_append_set(qwd->blocks, 0, decoder->sequence, decoder->acknowledged);
    else
        qwd_append_set(qwd->blocks, 0, qwd->has_next ? qwd->next : decoder->acknowledged + 1,
                       decoder->sequence - 1);
    end_block(qwd);
    qwd->out->counts.repaired++;
}

/* From the first packet, when the capture has it; from the first level, when it has not. */
static bool ready(struct qwd *qwd, const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    const struct qs_session *session = decoder->session;

    if (qwd->begun)
        return true;
    if (session->connection)
        begin(qwd, packet);
    else if ((session->level && decoder->direction == QS_S2C) ||
             qs_demo_start_missing(qwd->out, "the capture begins within the connection"))
        begin_late(qwd, decoder, packet);
    return qwd->begun;
}

/* --- What a packet holds --- */

/* The bytes that messages count their offsets in, and where the first of them begins. */
struct content {
    const uint8_t *data;
    uint32_t size, start;
};

static const struct qw_session *session_of(const struct qs_decoder *decoder)
{
    return (const struct qw_session *)decoder->session;
}

static struct content content_of(const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    const struct qw_session *session = session_of(decoder);
    gsize size;

    if (session->joined) {
        const uint8_t *data = g_bytes_get_data(session->joined, &size);

        return (struct content){.data = data, .size = (uint32_t)size};
    }
    return (struct content){
        .data = packet->data, .size = packet->size, .start = session->header_size};
}

static bool has_plain_header(const struct qs_decoder *decoder)
{
    const struct qw_netchan_format *format = &session_of(decoder)->format;

    return !format->stunaware && !format->fragments;
}

/* --- What is left out --- */

/* A demo's header is the plain one; for FTE's it is made anew, without reliable bits, as FTE does:
 * common/quakeworld/PROTOCOL.md, section 7. */
static void append_header(struct qwd *qwd, const struct qs_decoder *decoder,
                          const struct qs_packet *packet)
{
    const uint32_t words[] = {GUINT32_TO_LE(decoder->sequence),
                              GUINT32_TO_LE(decoder->acknowledged)};

    if (has_plain_header(decoder))
        g_byte_array_append(qwd->packet, packet->data, HEADER_SIZE);
    else
        g_byte_array_append(qwd->packet, (const uint8_t *)words, sizeof words);
}

/* The packet as the demo shall have it. */
static struct qs_view filter(struct qwd *qwd, const struct qs_decoder *decoder,
                             const struct qs_packet *packet, const struct content *content)
{
    if (!filter_qw_touches(&qwd->filter, decoder) && has_plain_header(decoder))
        return (struct qs_view){packet->data, packet->size};
    g_byte_array_set_size(qwd->packet, 0);
    append_header(qwd, decoder, packet);
    filter_qw_append(&qwd->filter, decoder, (struct qs_view){content->data, content->size},
                     content->start, qwd->packet);
    return (struct qs_view){qwd->packet->data, qwd->packet->len};
}

/* --- Packets --- */

static void add_server_packet(struct qwd *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet)
{
    const struct content content = content_of(decoder, packet);

    /* Recorders leave out packets that are nothing but a header: PROTOCOL.md, section 7. */
    if (content.size <= content.start)
        return;
    if (qs_decoder_problems(decoder))
        qs_demo_problem(qwd->out, packet, "not decoded to its end; copied as it is");
    qwd_append_packet(qwd->blocks, clock_at(qwd, packet), filter(qwd, decoder, packet, &content));
    end_block(qwd);
}

static void add_cmd(struct qwd *qwd, const struct qs_packet *packet, const struct qw_usercmd *cmd)
{
    qwd_append_cmd(qwd->blocks, clock_at(qwd, packet), cmd,
                   qwd->out->ezquake_37 ? QWD_CMD_EZQUAKE_37 : QWD_CMD_CLASSIC);
    end_block(qwd);
}

/*
 * A player counts one packet of the client for each client block, so packets that the capture lacks
 * need theirs. Each move repeats the two commands before its own; beyond them the oldest stands in.
 */
static void add_lost_moves(struct qwd *qwd, const struct qw_session *session,
                           const struct qs_packet *packet, uint32_t lost)
{
    if (lost > MOVES_LOST_MAX)
        return;
    for (; lost; lost--)
        add_cmd(qwd, packet,
                &session->cmds[lost < MOVES_PER_PACKET ? MOVES_PER_PACKET - 1 - lost : 0]);
}

static void add_client_packet(struct qwd *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet)
{
    const struct qw_session *session = session_of(decoder);
    const uint32_t lost = qwd->has_next ? decoder->sequence - qwd->next : 0;

    qwd->next = decoder->sequence + 1;
    qwd->has_next = true;
    if (!session->moved || !ready(qwd, decoder, packet))
        return;
    if (lost) {
        add_lost_moves(qwd, session, packet, lost);
        qwd->out->counts.repaired += lost;
    }
    add_cmd(qwd, packet, &session->cmds[MOVES_PER_PACKET - 1]);
}

static void note_losses(struct qwd *qwd, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    const uint32_t lost = decoder->session->to_client.not_captured;

    if (lost > qwd->not_captured) {
        qwd->out->counts.missing += lost - qwd->not_captured;
        qs_demo_problem(qwd->out, packet,
                        "the client acknowledges server packet %u, which the capture lacks",
                        decoder->acknowledged);
    }
    qwd->not_captured = lost;
}

static void qwd_packet(void *state, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    struct qwd *qwd = state;

    if (qwd->ended || decoder->connectionless || !decoder->accepted)
        return;
    if (decoder->direction == QS_C2S) {
        note_losses(qwd, decoder, packet);
        add_client_packet(qwd, decoder, packet);
    } else if (ready(qwd, decoder, packet)) {
        add_server_packet(qwd, decoder, packet);
    }
    /* What the server still sends to a client that has left is recorded by nobody. */
    qwd->ended = decoder->session->disconnected;
}

static void qwd_finish(void *state)
{
    struct qwd *qwd = state;

    if (!qwd->begun)
        return;
    qwd_append_end(qwd->blocks, qwd->time);
    end_block(qwd);
    hand_on(qwd);
}

const struct qs_demo_rebuilder qwd_rebuilder = {
    .create = qwd_new,
    .packet = qwd_packet,
    .finish = qwd_finish,
    .free = qwd_free,
};
