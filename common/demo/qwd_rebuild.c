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
#include "common/demo/qwd_lend.h"
#include "common/demo/qwd_replacement.h"
#include "common/core/writer.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/frames.h"

enum {
    HEADER_SIZE = 8, /* of the netchan, from the server */
    MOVES_PER_PACKET = 3,
    MOVES_LOST_MAX = 64,    /* no more are made up: a gap of more is not loss but a pause */
    PLAYED_MAX = 8192,      /* bytes of a packet: more ends the game in players */
    LENT_PACKET_MAX = 1400, /* bytes of a packet that is made of lent messages, if there are more */
    FILLED_MAX = 8192       /* packets of a gap over which replacement deltas can go on */
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
    struct qw_frames frames; /* that the client had */
    struct qwd_replacement replacement;
    const struct qs_borrower *borrower; /* until the demo begins; NULL: nothing is lent */
    uint32_t lent_level;                /* number of the level whose sign-on is lent; 0: none */
    uint32_t lent_packets;              /* that were made of it */
    uint32_t lent_until; /* updates that count from packets before this one get what was lent */
    bool late;           /* so it was said */
    GByteArray *packet;  /* scratch: a packet without what is left out */
    struct filter_qw filter;
};

static void *qwd_new(struct qs_demo_writer *out)
{
    struct qwd *qwd = g_new0(struct qwd, 1);

    qwd->out = out;
    qwd_blocks_init(&qwd->blocks, out);
    qw_frames_init(&qwd->frames);
    qwd->packet = g_byte_array_new();
    filter_qw_init(&qwd->filter, out);
    return qwd;
}

static void qwd_free(void *state)
{
    struct qwd *qwd = state;

    qwd_blocks_clear(&qwd->blocks);
    qw_frames_clear(&qwd->frames);
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
    qwd->frames.format = qw_delta_format(&session_of(decoder)->ext);
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
        qs_demo_late_start(qwd->out, "the capture begins in the middle of a level");
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
        qw_frames_baseline(&qwd->frames, body, false);
    else if (message.data[0] == SVC_FTE_SPAWNBASELINE2)
        qw_frames_baseline(&qwd->frames, body, true);
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
        qwd->lent_until = g_array_index(bases, uint32_t, i);
        qw_frames_add(&qwd->frames, qwd->lent_until, qwd_lent_states(qwd->borrower));
    }
}

static void begin_lent(struct qwd *qwd, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    begin(qwd, decoder, packet);
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

/* From the first packet, when the capture has it; from the first level, when it has not. */
static bool ready(struct qwd *qwd, const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    const struct qs_session *session = decoder->session;

    if (qwd->begun)
        return true;
    if (session->connection)
        begin_early(qwd, decoder, packet);
    else if (qwd->borrower && session->level == qwd->lent_level)
        begin_lent(qwd, decoder, packet);
    else if (session->level && decoder->direction == QS_S2C)
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

/* --- Entities --- */

/* Before an update that counts from `base`, the client's packet that asked for it has its block. */
static void settle_block(struct qwd *qwd, const struct qs_decoder *decoder,
                         const struct qs_packet *packet, uint32_t base)
{
    if (lacks_block_of(qwd, decoder->acknowledged))
        add_acknowledged(qwd, session_of(decoder), packet, decoder->acknowledged, base);
    else if (qwd_player_base(&qwd->blocks.player, decoder->sequence) != base)
        qwd_blocks_place(&qwd->blocks, decoder->sequence, base);
}

static void note_repair(struct qwd *qwd, const struct qw_update *update, uint32_t sequence,
                        const struct qs_packet *packet)
{
    qwd->out->counts.repaired++;
    if (update->base_known && update->base <= qwd->lent_until)
        return; /* that is what was lent for */
    qs_demo_problem(qwd->out, packet,
                    update->base_known
                        ? "players would drop the entities of packet %u, a delta from packet %u; "
                          "written in full"
                        : "the entities of packet %u are a delta from packet %u, which is not "
                          "there; written in full from what is known",
                    sequence, update->base);
}

/* Whether a player would do with the update what the client did. */
static bool plays(const struct qwd *qwd, const struct qw_update *update, uint32_t sequence)
{
    return !update->is_delta ||
           (update->base_known && qwd_player_takes(&qwd->blocks.player, sequence, update->base));
}

/* The frame that was just made takes the place of the update. */
static void write_in_full(struct qwd *qwd, const struct qw_update *update, uint32_t sequence,
                          const struct qs_packet *packet, guint index)
{
    g_byte_array_set_size(qwd->packet, 0);
    qw_frames_append(qwd->packet, &qwd->frames);
    if (packet->size + qwd->packet->len > PLAYED_MAX) {
        qwd->out->counts.missing++;
        qs_demo_problem(qwd->out, packet, "the entities of packet %u are more than players read",
                        sequence);
        return;
    }
    g_byte_array_append(filter_qw_replace(&qwd->filter, index), qwd->packet->data,
                        qwd->packet->len);
    note_repair(qwd, update, sequence, packet);
}

/* The body of a message, behind its id. */
static struct qs_view body_of(const struct content *content, const struct qs_message *message)
{
    return (struct qs_view){content->data + message->offset + 1, message->length - 1};
}

/* Returns the frame that a player needs for the update; 0: none. */
static uint32_t follow_update(struct qwd *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet, struct qs_view body, guint index)
{
    const bool is_delta =
        g_array_index(decoder->messages, struct qs_message, index).id == SVC_DELTAPACKETENTITIES;
    struct qw_update update;

    qw_frames_update(&qwd->frames, decoder->sequence, body, is_delta, &update);
    if (is_delta)
        settle_block(qwd, decoder, packet, update.base);
    if (plays(qwd, &update, decoder->sequence))
        return update.base;
    write_in_full(qwd, &update, decoder->sequence, packet, index);
    return 0;
}

static void begin_level(struct qwd *qwd, const struct qw_session *session)
{
    qwd->lent_until = 0;
    qw_frames_level(&qwd->frames);
    qwd->frames.format = qw_delta_format(&session->ext);
    qwd_replacement_level(&qwd->replacement);
    qwd_blocks_level(&qwd->blocks);
}

/* --- FTE's replacement deltas --- */

/* A packet that the capture lacks, without anything in it but an empty update. */
static void add_filler(struct qwd *qwd, const struct qs_decoder *decoder,
                       const struct qs_packet *packet, struct qs_view body)
{
    const uint32_t sequence = qwd_replacement_filler(&qwd->replacement);

    g_byte_array_set_size(qwd->packet, 0);
    qs_write_u32(qwd->packet, sequence);
    qs_write_u32(qwd->packet, MIN(sequence, decoder->acknowledged));
    qwd_replacement_append_empty(qwd->packet, body);
    qwd_blocks_packet(&qwd->blocks, clock_at(qwd, packet), sequence, 0,
                      qs_view_of_bytes(qwd->packet));
    qwd_replacement_took(&qwd->replacement, sequence);
}

static void reset_entities(struct qwd *qwd, const struct qs_packet *packet, uint32_t sequence,
                           struct qs_view body, guint index)
{
    qwd_replacement_append_reset(filter_qw_replace(&qwd->filter, index), body);
    qwd->out->counts.repaired++;
    qs_demo_problem(qwd->out, packet,
                    "the entities of packet %u count from packets that are not there; what was "
                    "in view before is not known",
                    sequence);
}

static void follow_replacement(struct qwd *qwd, const struct qs_decoder *decoder,
                               const struct qs_packet *packet, struct qs_view body, guint index)
{
    const uint32_t sequence = decoder->sequence;
    enum qwd_replacement_need need;

    while ((need = qwd_replacement_needs(&qwd->replacement, sequence, body)) ==
           QWD_REPLACEMENT_FILLER) {
        if (sequence - qwd->replacement.valid > FILLED_MAX) {
            need = QWD_REPLACEMENT_RESET;
            break;
        }
        add_filler(qwd, decoder, packet, body);
        qwd->out->counts.repaired++;
    }
    if (need == QWD_REPLACEMENT_RESET)
        reset_entities(qwd, packet, sequence, body, index);
    qwd_replacement_took(&qwd->replacement, sequence);
}

/* --- The messages of a packet --- */

/* What the messages of a packet say of entities. */
struct followed {
    bool updated;
    uint32_t base; /* that its updates need; 0: none */
};

static void follow_message(struct qwd *qwd, const struct qs_decoder *decoder,
                           const struct qs_packet *packet, struct qs_view body, guint index,
                           struct followed *followed)
{
    switch (g_array_index(decoder->messages, struct qs_message, index).id) {
    case SVC_DISCONNECT: /* not recorded, and an error in players */
        filter_qw_replace(&qwd->filter, index);
        qwd->out->counts.stripped++;
        break;
    case SVC_SERVERDATA:
        begin_level(qwd, session_of(decoder));
        break;
    case SVC_SOUNDLIST:
    case SVC_FTE_SOUNDLISTSHORT:
    case SVC_MODELLIST:
    case SVC_FTE_MODELLISTSHORT:
    case SVC_SPAWNSTATIC:
    case SVC_FTE_SPAWNSTATIC2:
    case SVC_SPAWNSTATICSOUND:
        if (decoder->session->level == qwd->lent_level)
            filter_qw_replace(&qwd->filter, index); /* it is lent: twice is once too often */
        break;
    case SVC_SPAWNBASELINE:
        qw_frames_baseline(&qwd->frames, body, false);
        break;
    case SVC_FTE_SPAWNBASELINE2:
        if (!(session_of(decoder)->ext.fte2 & FTE2_REPLACEMENTDELTAS))
            qw_frames_baseline(&qwd->frames, body, true);
        break;
    case SVC_PACKETENTITIES:
    case SVC_DELTAPACKETENTITIES:
        followed->base = follow_update(qwd, decoder, packet, body, index);
        followed->updated = true;
        break;
    case SVC_FTE_UPDATEENTITIES:
        follow_replacement(qwd, decoder, packet, body, index);
        break;
    }
}

static struct followed follow(struct qwd *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet, const struct content *content)
{
    struct followed followed = {0};

    for (guint i = 0; i < decoder->messages->len; i++) {
        const struct qs_message *message = &g_array_index(decoder->messages, struct qs_message, i);

        follow_message(qwd, decoder, packet, body_of(content, message), i, &followed);
    }
    return followed;
}

/* --- Packets --- */

static void add_server_packet(struct qwd *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet)
{
    const struct content content = content_of(decoder, packet);
    struct followed followed;

    /* Recorders leave out packets that are nothing but a header: PROTOCOL.md, section 7. */
    if (content.size <= content.start)
        return;
    if (qs_decoder_problems(decoder))
        qs_demo_not_decoded(qwd->out, packet);
    followed = follow(qwd, decoder, packet, &content);
    if (lacks_block_of(qwd, decoder->acknowledged))
        add_acknowledged(qwd, session_of(decoder), packet, decoder->acknowledged,
                         decoder->sequence);
    qwd_blocks_packet(&qwd->blocks, clock_at(qwd, packet), decoder->sequence, followed.base,
                      filter(qwd, decoder, packet, &content));
    if (followed.updated)
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
static void end(struct qwd *qwd)
{
    qwd->ended = true;
    qw_frames_level(&qwd->frames);
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
        end(qwd);
}

static void qwd_finish(void *state)
{
    struct qwd *qwd = state;

    if (!qwd->begun) {
        if (qwd->has_next && !qwd->late)
            qs_demo_late_start(qwd->out, "the capture has nothing that the server sent");
        return;
    }
    if (!qwd->heard) {
        qs_demo_discard(qwd->out);
        qs_demo_late_start(qwd->out, "the capture has nothing that the server sent");
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
