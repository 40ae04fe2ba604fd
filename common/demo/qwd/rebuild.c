/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds QWD demos: every packet that the client accepted from the server, a client block for
 * every move it sent, time stamps from the capture. Source:
 * common/quakeworld/PROTOCOL.md, sections 7 to 9.
 *
 * A demo begins with the connection, like a recording started before connecting. If the capture
 * starts later, the demo begins with a donor's sign-on, or with the next svc_serverdata, after
 * which everything that engines need follows. A dem_set then sets the sequence numbers.
 *
 * A demo has only the plain netchan: packets of FTE's are converted to it.
 *
 * Engines drop a delta from another frame than the one that they requested, and then all later
 * deltas: such an update is written in full, from the known states.
 */
#include "common/core/lists.h"
#include "common/demo/qwd/start.h"
#include "common/core/writer.h"
#include "common/quakeworld/constants.h"

enum {
    HEADER_SIZE = 8, /* of the netchan, from the server */
    MOVES_PER_PACKET = 3,
    MOVES_LOST_MAX = 64 /* at most these are generated: a longer gap is a pause, not loss */
};

static void *qwd_new(struct qs_demo_writer *out)
{
    struct qwd_rebuild *qwd = g_new0(struct qwd_rebuild, 1);

    qwd->out = out;
    qwd_blocks_init(&qwd->blocks, out);
    qwd_entities_init(&qwd->entities, out, &qwd->blocks, &qwd->filter);
    qwd->packet = g_byte_array_new();
    filter_qw_init(&qwd->filter, out);
    return qwd;
}

static void qwd_free(void *state)
{
    struct qwd_rebuild *qwd = state;

    qwd_blocks_clear(&qwd->blocks);
    qwd_entities_clear(&qwd->entities);
    g_byte_array_free(qwd->packet, TRUE);
    g_free(qwd->left_out.map);
    filter_qw_clear(&qwd->filter);
    g_free(qwd);
}

/* --- Contents of a packet --- */

/* The bytes that message offsets refer to, and where the first message begins. */
struct content {
    const uint8_t *data;
    uint32_t size, start;
};

static struct content content_of(const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    const struct qw_session *session = qwd_session_of(decoder);
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
    const struct qw_netchan_format *format = &qwd_session_of(decoder)->format;

    return !format->stunaware && !format->fragments;
}

/* --- Omitted messages --- */

/* A demo's header is the plain one; FTE's is replaced by one without reliable bits, as FTE does:
 * common/quakeworld/PROTOCOL.md, section 7. */
static void append_header(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                          const struct qs_packet *packet)
{
    const uint32_t words[] = {GUINT32_TO_LE(decoder->sequence),
                              GUINT32_TO_LE(decoder->acknowledged)};

    if (has_plain_header(decoder))
        g_byte_array_append(qwd->packet, packet->data, HEADER_SIZE);
    else
        g_byte_array_append(qwd->packet, (const uint8_t *)words, sizeof words);
}

/* The packet as written to the demo. */
static struct qs_view filter(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                             const struct qs_packet *packet, const struct content *content)
{
    if (!filter_qw_touches(&qwd->filter, decoder) && has_plain_header(decoder))
        return (struct qs_view){packet->data, packet->size};
    qs_bytes_empty(qwd->packet);
    append_header(qwd, decoder, packet);
    filter_qw_append(&qwd->filter, decoder, (struct qs_view){content->data, content->size},
                     content->start, qwd->packet);
    return (struct qs_view){qwd->packet->data, qwd->packet->len};
}

/* --- Client blocks --- */

static void add_cmd(struct qwd_rebuild *qwd, const struct qs_packet *packet,
                    const struct qw_usercmd *cmd, uint32_t after, bool made)
{
    qwd_blocks_command(&qwd->blocks, qwd_clock(qwd, packet), cmd, after, made);
    qwd->out->counts.repaired += made;
}

/*
 * An engine counts one client packet per client block, so missing packets need a block too. Each
 * move repeats the two commands before its own; for older ones the oldest of them is used.
 */
static void add_lost_moves(struct qwd_rebuild *qwd, const struct qw_session *session,
                           const struct qs_packet *packet, uint32_t lost, uint32_t after)
{
    for (; lost; lost--)
        add_cmd(qwd, packet,
                &session->cmds[lost < MOVES_PER_PACKET ? MOVES_PER_PACKET - 1 - lost : 0], after,
                true);
}

/* If the server had moves before the capture did, the next move still repeats two of them. */
static void correct_moves(struct qwd_rebuild *qwd, const struct qw_session *session,
                          uint32_t number)
{
    for (unsigned i = 0; i < MOVES_PER_PACKET; i++)
        qwd_blocks_correct(&qwd->blocks, number - i, &session->cmds[MOVES_PER_PACKET - 1 - i]);
}

/* A pause in the capture: the engine continues to count after it. */
static void skip_to(struct qwd_rebuild *qwd, const struct qs_packet *packet, uint32_t number)
{
    qwd_blocks_set(&qwd->blocks, qwd_clock(qwd, packet), number, qwd->incoming);
}

static void add_client_packet(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet)
{
    const struct qw_session *session = qwd_session_of(decoder);
    const uint32_t number = decoder->sequence;
    uint32_t lost;

    qwd->next = number + 1;
    qwd->has_next = true;
    if (!session->moved || !qwd_ready(qwd, decoder, packet))
        return;
    qwd->moved = true;
    if (number - qwd->blocks.last_made < MOVES_PER_PACKET || number < qwd->blocks.last_made)
        correct_moves(qwd, session, number);
    if (number < qwd->blocks.player.out)
        return;
    lost = number - qwd->blocks.player.out;
    if (lost > MOVES_LOST_MAX)
        skip_to(qwd, packet, number);
    else
        add_lost_moves(qwd, session, packet, lost, decoder->acknowledged);
    add_cmd(qwd, packet, &session->cmds[MOVES_PER_PACKET - 1], decoder->acknowledged, false);
}

/*
 * The server has the client's packet `number`, which the capture lacks: its block must come before
 * the server's answer. The client sent it when `after` was the last of the server's packets that it
 * had.
 */
static void add_acknowledged(struct qwd_rebuild *qwd, const struct qw_session *session,
                             const struct qs_packet *packet, uint32_t number, uint32_t after)
{
    struct qw_usercmd again = session->cmds[MOVES_PER_PACKET - 1];

    if (number - qwd->blocks.player.out > MOVES_LOST_MAX)
        skip_to(qwd, packet, number);
    again.impulse = 0;
    while (qwd->blocks.player.out <= number)
        add_cmd(qwd, packet, &again, after, true);
}

static bool lacks_block_of(const struct qwd_rebuild *qwd, uint32_t number)
{
    return number >= qwd->blocks.player.out && (!qwd->has_next || number >= qwd->next);
}

/* The client packets that the server's packet answers have their blocks before it. */
static void settle_blocks(struct qwd_rebuild *qwd, const struct qwd_entities_packet *server_packet)
{
    const struct qs_decoder *decoder = server_packet->decoder;
    uint32_t base = decoder->sequence;
    const bool has_delta = qwd_entities_base(server_packet, &base);

    if (lacks_block_of(qwd, decoder->acknowledged))
        add_acknowledged(qwd, qwd_session_of(decoder), server_packet->packet, decoder->acknowledged,
                         base);
    else if (has_delta && qwd_player_base(&qwd->blocks.player, decoder->sequence) != base)
        qwd_blocks_place(&qwd->blocks, decoder->sequence, base);
}

/* --- Packets --- */

static void add_server_packet(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet)
{
    const struct content content = content_of(decoder, packet);
    const struct qwd_entities_packet server_packet = {.decoder = decoder,
                                                      .packet = packet,
                                                      .content = content.data,
                                                      .time = qwd_clock(qwd, packet)};
    struct qwd_entities_outcome outcome;

    /* Recorders omit packets with only a header: PROTOCOL.md, section 7. */
    if (content.size <= content.start)
        return;
    if (qs_decoder_problems(decoder))
        qs_demo_not_decoded(qwd->out, packet, qwd->out->sanitize);
    settle_blocks(qwd, &server_packet);
    outcome = qwd_entities_follow(&qwd->entities, &server_packet);
    qwd_blocks_packet(&qwd->blocks, server_packet.time, decoder->sequence, outcome.base,
                      filter(qwd, decoder, packet, &content));
    qwd->shown |= outcome.took || qwd_session_of(decoder)->sign_on.done;
    if (outcome.took)
        qwd_player_took(&qwd->blocks.player, decoder->sequence);
    qwd->incoming = decoder->sequence;
    qwd->heard = true;
}

static void note_losses(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
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

/* The session may stay for long. */
static void end(struct qwd_rebuild *qwd, const struct qs_decoder *decoder)
{
    qwd->ended = true;
    qwd_entities_level(&qwd->entities, qwd_session_of(decoder));
    qwd_blocks_flush(&qwd->blocks);
}

static void qwd_packet(void *state, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    struct qwd_rebuild *qwd = state;

    if (qwd->ended || decoder->connectionless || !decoder->accepted)
        return;
    if (decoder->direction == QS_C2S) {
        note_losses(qwd, decoder, packet);
        add_client_packet(qwd, decoder, packet);
    } else if (qwd_ready(qwd, decoder, packet)) {
        add_server_packet(qwd, decoder, packet);
    }
    /* No recorder writes what the server still sends after the client has left. */
    if (decoder->session->disconnected)
        end(qwd, decoder);
}

static void qwd_settle(void *state)
{
    qwd_blocks_settle(&((struct qwd_rebuild *)state)->blocks);
}

static void qwd_finish(void *state)
{
    struct qwd_rebuild *qwd = state;

    if (!qwd->begun) {
        if (qwd->has_next && !qwd->late)
            qs_demo_start_missing(qwd->out, "no svc_serverdata was captured");
        return;
    }
    if (!qwd->heard) {
        qs_demo_discard(qwd->out);
        qs_demo_start_missing(qwd->out, "no svc_serverdata was captured");
        return;
    }
    if (qwd->left_out.level && !qwd->shown) {
        qs_demo_discard(qwd->out);
        qwd_say_left_out(qwd);
        return;
    }
    qwd_say_left_out(qwd);
    if (!qwd->moved && qwd->shown)
        qs_demo_problem(qwd->out, NULL,
                        "the capture has no move of the client: the view does not turn");
    qwd_blocks_end(&qwd->blocks, qwd->time);
}

const struct qs_demo_rebuilder qwd_rebuilder = {
    .create = qwd_new,
    .join_late = qwd_join_late,
    .packet = qwd_packet,
    .settle = qwd_settle,
    .finish = qwd_finish,
    .free = qwd_free,
};
