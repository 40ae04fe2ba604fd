/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds QWD demos: every packet that the client accepted from the server, a client block for
 * every move it sent, time stamps from the capture. Source:
 * common/quakeworld/PROTOCOL.md, sections 7 to 9.
 *
 * A demo begins with the connection, as a recording that was started before connecting does. A
 * capture that begins later gives one that begins with a sign-on that another session lends, or
 * with the next svc_serverdata: all that players need follows it. A dem_set then tells the player
 * where the sequence numbers stand.
 *
 * A demo knows the plain netchan only: what came over FTE's is written as if it had been plain.
 *
 * Players drop an update of entities that counts from another frame than the one they asked for,
 * and from then on all of them: such an update is written in full, from the states that are known.
 */
#include "common/demo/filter_qw.h"
#include "common/demo/qwd_blocks.h"
#include "common/demo/qwd_entities.h"
#include "common/demo/qwd_lend.h"
#include "common/core/writer.h"
#include "common/quakeworld/constants.h"

enum {
    HEADER_SIZE = 8, /* of the netchan, from the server */
    MOVES_PER_PACKET = 3,
    LENT_PACKET_MAX = 1400, /* bytes of a packet that is made of lent messages, if there are more */
    MOVES_LOST_MAX = 64     /* no more are made up: a gap of more is not loss but a pause */
};

struct qwd {
    struct qs_demo_writer *out;
    bool begun;    /* the demo is being written */
    bool ended;    /* the client has left */
    uint32_t next; /* number of the client's next packet */
    bool has_next;
    uint32_t incoming; /* number of the server's last packet in the demo */
    bool heard;        /* there is one */
    int64_t start;     /* capture time that is the demo's time 0 */
    float time;        /* of the last block */
    uint32_t not_captured;
    struct qwd_blocks blocks;
    struct qwd_entities entities;
    const struct qs_borrower *borrower; /* until the demo begins; NULL: nothing is lent */
    uint32_t lent_level;                /* number of the level whose sign-on is lent; 0: none */
    uint32_t lent_packets;              /* that were made of it */
    bool late;                          /* so it was said */
    GByteArray *packet;                 /* scratch: a packet without what is left out */
    struct filter_qw filter;
};

static void *qwd_new(struct qs_demo_writer *out)
{
    struct qwd *qwd = g_new0(struct qwd, 1);

    qwd->out = out;
    qwd_blocks_init(&qwd->blocks, out);
    qwd_entities_init(&qwd->entities, out, &qwd->blocks, &qwd->filter);
    qwd->packet = g_byte_array_new();
    filter_qw_init(&qwd->filter, out);
    return qwd;
}

static void qwd_free(void *state)
{
    struct qwd *qwd = state;

    qwd_blocks_clear(&qwd->blocks);
    qwd_entities_clear(&qwd->entities);
    g_byte_array_free(qwd->packet, TRUE);
    filter_qw_clear(&qwd->filter);
    g_free(qwd);
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

static const struct qw_session *session_of(const struct qs_decoder *decoder)
{
    return (const struct qw_session *)decoder->session;
}

static void begin(struct qwd *qwd, const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    qs_demo_begin(qwd->out);
    qwd_entities_level(&qwd->entities, session_of(decoder));
    qwd->start = packet->time;
    qwd->begun = true;
}

/* The number of the client's next packet. */
static uint32_t next_number(const struct qwd *qwd, const struct qs_decoder *decoder)
{
    if (decoder->direction == QS_C2S)
        return decoder->sequence;
    return qwd->has_next ? qwd->next : decoder->acknowledged + 1;
}

/* Players count from 0, FTE's clients from 1: PROTOCOL.md, section 8. */
static void begin_early(struct qwd *qwd, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    const uint32_t next = next_number(qwd, decoder);

    begin(qwd, decoder, packet);
    if (next)
        qwd_blocks_set(&qwd->blocks, 0, next, 0);
}

/* In the middle of a connection: the numbers go on from where they are. */
static void begin_late(struct qwd *qwd, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    begin(qwd, decoder, packet);
    qwd_blocks_set(&qwd->blocks, 0, next_number(qwd, decoder),
                   decoder->direction == QS_C2S ? decoder->acknowledged : decoder->sequence - 1);
    qwd->out->counts.repaired++;
}

static void note_late(struct qwd *qwd)
{
    if (!qwd->late)
        qs_demo_start_missing(qwd->out, "the capture begins in the middle of a level");
    qwd->late = true;
}

/* --- A lent sign-on --- */

/* As recorders do that begin in a game: PROTOCOL.md, section 7. */
static void end_lent_packet(struct qwd *qwd)
{
    if (qwd->packet->len > HEADER_SIZE)
        qwd_blocks_packet(&qwd->blocks, 0, qwd->lent_packets, 0, qs_view_of_bytes(qwd->packet));
    g_byte_array_set_size(qwd->packet, 0);
}

static void begin_lent_packet(struct qwd *qwd)
{
    qwd->lent_packets++;
    qs_write_u32(qwd->packet, qwd->lent_packets);
    qs_write_u32(qwd->packet, qwd->lent_packets);
}

static void follow_lent(struct qwd *qwd, struct qs_view message)
{
    const struct qs_view body = {message.data + 1, message.size - 1};

    if (message.data[0] == SVC_SPAWNBASELINE)
        qw_frames_baseline(&qwd->entities.frames, body, false);
    else if (message.data[0] == SVC_FTE_SPAWNBASELINE2)
        qw_frames_baseline(&qwd->entities.frames, body, true);
}

static void add_lent(void *user, uint32_t block, struct qs_view message)
{
    struct qwd *qwd = user;

    (void)block;
    if (qwd->packet->len && qwd->packet->len + message.size > LENT_PACKET_MAX)
        end_lent_packet(qwd);
    if (!qwd->packet->len)
        begin_lent_packet(qwd);
    follow_lent(qwd, message);
    if (message.data[0] == SVC_STUFFTEXT && qwd->out->sanitize)
        stufftext_filter(&qwd->filter.stufftext, message, qwd->packet);
    else
        qs_write_view(qwd->packet, message);
}

/* The frames that the first updates count from. */
static void add_lent_frames(struct qwd *qwd)
{
    const GArray *bases = qwd_lent_bases(qwd->borrower);

    for (guint i = 0; i < bases->len; i++) {
        qwd->entities.lent_until = g_array_index(bases, uint32_t, i);
        qw_frames_add(&qwd->entities.frames, qwd->entities.lent_until,
                      qwd_lent_states(qwd->borrower));
    }
}

static void begin_lent(struct qwd *qwd, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    begin(qwd, decoder, packet);
    qwd->entities.lent_level = qwd->lent_level;
    g_byte_array_set_size(qwd->packet, 0);
    qwd_lent_messages(qwd->borrower, add_lent, qwd);
    end_lent_packet(qwd);
    add_lent_frames(qwd);
    qwd_blocks_set(&qwd->blocks, 0, next_number(qwd, decoder),
                   decoder->direction == QS_C2S ? decoder->acknowledged : decoder->sequence - 1);
    qwd->borrower = NULL;
}

static void qwd_lend(void *state, const struct qs_borrower *borrower, struct qs_session *session)
{
    struct qwd *qwd = state;

    note_late(qwd);
    qwd->borrower = borrower;
    qwd->lent_level = session->level;
}

/* --- When it begins --- */

/*
 * From the first packet, when the capture has it; from the first level, when it has not. What was
 * not read right, since the extensions are not known, may look like a level, but of no version.
 */
static bool ready(struct qwd *qwd, const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    const struct qs_session *session = decoder->session;

    if (qwd->begun)
        return true;
    if (session->connection && !qwd->out->goes_on)
        begin_early(qwd, decoder, packet);
    else if (qwd->borrower && session->level == qwd->lent_level)
        begin_lent(qwd, decoder, packet);
    else if (session->level && session->version && decoder->direction == QS_S2C)
        begin_late(qwd, decoder, packet);
    else if (qwd_needs_level(decoder))
        note_late(qwd);
    return qwd->begun;
}

/* --- What a packet holds --- */

/* The bytes that messages count their offsets in, and where the first of them begins. */
struct content {
    const uint8_t *data;
    uint32_t size, start;
};

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

/* --- Client blocks --- */

static void add_cmd(struct qwd *qwd, const struct qs_packet *packet, const struct qw_usercmd *cmd,
                    uint32_t after, bool made)
{
    qwd_blocks_command(&qwd->blocks, clock_at(qwd, packet), cmd, after, made);
    qwd->out->counts.repaired += made;
}

/*
 * A player counts one packet of the client for each client block, so packets that the capture lacks
 * need theirs. Each move repeats the two commands before its own; beyond them the oldest stands in.
 */
static void add_lost_moves(struct qwd *qwd, const struct qw_session *session,
                           const struct qs_packet *packet, uint32_t lost, uint32_t after)
{
    for (; lost; lost--)
        add_cmd(qwd, packet,
                &session->cmds[lost < MOVES_PER_PACKET ? MOVES_PER_PACKET - 1 - lost : 0], after,
                true);
}

/* Of moves that the server had before the capture did, the next one still repeats two. */
static void correct_moves(struct qwd *qwd, const struct qw_session *session, uint32_t number)
{
    for (unsigned i = 0; i < MOVES_PER_PACKET; i++)
        qwd_blocks_correct(&qwd->blocks, number - i, &session->cmds[MOVES_PER_PACKET - 1 - i]);
}

/* A pause in the capture: the player goes on counting behind it. */
static void skip_to(struct qwd *qwd, const struct qs_packet *packet, uint32_t number)
{
    qwd_blocks_set(&qwd->blocks, clock_at(qwd, packet), number, qwd->incoming);
}

static void add_client_packet(struct qwd *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet)
{
    const struct qw_session *session = session_of(decoder);
    const uint32_t number = decoder->sequence;
    uint32_t lost;

    qwd->next = number + 1;
    qwd->has_next = true;
    if (!session->moved || !ready(qwd, decoder, packet))
        return;
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
static void add_acknowledged(struct qwd *qwd, const struct qw_session *session,
                             const struct qs_packet *packet, uint32_t number, uint32_t after)
{
    struct qw_usercmd again = session->cmds[MOVES_PER_PACKET - 1];

    if (number - qwd->blocks.player.out > MOVES_LOST_MAX)
        skip_to(qwd, packet, number);
    again.impulse = 0;
    while (qwd->blocks.player.out <= number)
        add_cmd(qwd, packet, &again, after, true);
}

static bool lacks_block_of(const struct qwd *qwd, uint32_t number)
{
    return number >= qwd->blocks.player.out && (!qwd->has_next || number >= qwd->next);
}

/* Before the server's packet those of the client have their blocks that it answers. */
static void settle_blocks(struct qwd *qwd, const struct qwd_entities_packet *server_packet)
{
    const struct qs_decoder *decoder = server_packet->decoder;
    uint32_t base = decoder->sequence;
    const bool has_delta = qwd_entities_base(server_packet, &base);

    if (lacks_block_of(qwd, decoder->acknowledged))
        add_acknowledged(qwd, session_of(decoder), server_packet->packet, decoder->acknowledged,
                         base);
    else if (has_delta && qwd_player_base(&qwd->blocks.player, decoder->sequence) != base)
        qwd_blocks_place(&qwd->blocks, decoder->sequence, base);
}

/* --- Packets --- */

static void add_server_packet(struct qwd *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet)
{
    const struct content content = content_of(decoder, packet);
    const struct qwd_entities_packet server_packet = {.decoder = decoder,
                                                      .packet = packet,
                                                      .content = content.data,
                                                      .time = clock_at(qwd, packet)};
    struct qwd_entities_outcome outcome;

    /* Recorders leave out packets that are nothing but a header: PROTOCOL.md, section 7. */
    if (content.size <= content.start)
        return;
    if (qs_decoder_problems(decoder))
        qs_demo_not_decoded(qwd->out, packet, qwd->out->sanitize);
    settle_blocks(qwd, &server_packet);
    outcome = qwd_entities_follow(&qwd->entities, &server_packet);
    qwd_blocks_packet(&qwd->blocks, server_packet.time, decoder->sequence, outcome.base,
                      filter(qwd, decoder, packet, &content));
    if (outcome.took)
        qwd_player_took(&qwd->blocks.player, decoder->sequence);
    qwd->incoming = decoder->sequence;
    qwd->heard = true;
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

/* The session may stay for long. */
static void end(struct qwd *qwd, const struct qs_decoder *decoder)
{
    qwd->ended = true;
    qwd_entities_level(&qwd->entities, session_of(decoder));
    qwd_blocks_flush(&qwd->blocks);
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
    if (decoder->session->disconnected)
        end(qwd, decoder);
}

static void qwd_finish(void *state)
{
    struct qwd *qwd = state;

    if (!qwd->begun) {
        if (qwd->has_next && !qwd->late)
            qs_demo_start_missing(qwd->out, "the capture has nothing that the server sent");
        return;
    }
    if (!qwd->heard) {
        qs_demo_discard(qwd->out);
        qs_demo_start_missing(qwd->out, "the capture has nothing that the server sent");
        return;
    }
    qwd_blocks_end(&qwd->blocks, qwd->time);
}

const struct qs_demo_rebuilder qwd_rebuilder = {
    .create = qwd_new,
    .lend = qwd_lend,
    .packet = qwd_packet,
    .finish = qwd_finish,
    .free = qwd_free,
};
