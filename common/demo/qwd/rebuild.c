/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds QWD demos: every packet that the client accepted from the server, and a client block for
 * every move that it sent, with time stamps from the capture. Source:
 * common/quakeworld/PROTOCOL.md, sections 7 to 9.
 *
 * A demo begins with the connection, like a recording started before connecting. If the capture
 * starts later, the demo begins with a donor's sign-on, or with the next svc_serverdata, after
 * which everything that engines need follows. A dem_set then sets the sequence numbers.
 *
 * Demos have only the plain netchan, so packets with FTE's are converted to it.
 *
 * Engines drop a delta from another frame than the one that they requested, and then all later
 * deltas. Such an update is written in full, from the known states.
 */
#include <stdio.h>

#include "common/core/text.h"
#include "common/core/containers.h"
#include "common/core/writer.h"
#include "common/demo/qwd/blocks.h"
#include "common/demo/qwd/qwd.h"
#include "common/demo/qwd/late_join.h"
#include "common/quakeworld/constants.h"

enum {
    HEADER_SIZE = 8, /* size of the netchan's header in packets of the server */
    MOVES_PER_PACKET = 3,
    MOVES_LOST_MAX = 64,    /* maximum number of generated moves; longer gaps are pauses */
    DONOR_PACKET_MAX = 1400 /* maximum size of a packet of a donor's sign-on messages */
};

/* Represents a level whose svc_serverdata is missing. */
#define UNKNOWN_LEVEL UINT32_MAX

/* A level with an incomplete sign-on and no donor. It is left out if engines cannot show it. */
struct qwd_incomplete {
    uint32_t level; /* number of the level; 0: none */
    struct qs_sign_on_loss loss;
    char *map; /* name of the map; NULL while unknown */
};

struct qwd_rebuild {
    struct qs_demo_writer *out;
    bool begun;                         /* the demo is being written */
    bool ended;                         /* the client has left */
    bool has_next;                      /* `next` is known */
    bool has_packet;                    /* the demo has a packet of the server */
    bool moved;                         /* the client has moved */
    bool shown;                         /* the demo has something to show */
    bool signing_on;                    /* the client is still requesting parts of a sign-on */
    uint32_t next;                      /* number of the client's next packet */
    uint32_t incoming;                  /* number of the server's last packet in the demo */
    int64_t start;                      /* capture time that is the demo's time 0 */
    float time;                         /* time of the last block */
    uint32_t donor_level;               /* number of the level with a donor's sign-on; 0: none */
    const struct qs_donor_match *match; /* donor, until the demo begins; NULL: none */
    struct qwd_incomplete incomplete;   /* current level, if incomplete */
    uint32_t donor_packets;             /* packets generated from a donor's sign-on */
    GByteArray *packet;                 /* scratch: a packet without omitted messages */
    struct qwd_blocks blocks;
    struct qwd_entities entities;
    struct qw_filter filter;
};

static const struct qw_session *session_of(const struct qs_decoder *decoder)
{
    return (const struct qw_session *)decoder->session;
}

static void *qwd_new(struct qs_demo_writer *out)
{
    struct qwd_rebuild *qwd = g_new0(struct qwd_rebuild, 1);

    qwd->out = out;
    qwd_blocks_init(&qwd->blocks, out);
    qwd_entities_init(&qwd->entities, out, &qwd->blocks, &qwd->filter);
    qwd->packet = g_byte_array_new();
    qw_filter_init(&qwd->filter, out);
    return qwd;
}

static void qwd_free(void *state)
{
    struct qwd_rebuild *qwd = state;

    qwd_blocks_clear(&qwd->blocks);
    qwd_entities_clear(&qwd->entities);
    g_byte_array_free(qwd->packet, TRUE);
    g_free(qwd->incomplete.map);
    qw_filter_clear(&qwd->filter);
    g_free(qwd);
}

/* Returns the seconds since the demo's start. Capture times may decrease, demo times must not. */
static float clock_of(struct qwd_rebuild *qwd, const struct qs_packet *packet)
{
    const float now = (float)((double)(packet->time - qwd->start) / 1e9);

    if (now > qwd->time)
        qwd->time = now;
    return qwd->time;
}

/* --- Start of the demo --- */

/* True if the client is "ezQuake v3.7.0-dev" or later, which plays only the longer dem_cmd. */
static bool is_ezquake_37(const struct qw_session *session)
{
    static const char name[] = "ezQuake v";
    const char *connect = qs_table_get(&session->texts, QW_TEXT_CONNECT_USERINFO);
    const char *own = qs_table_get(&session->userinfo, session->player);
    const struct qs_view version = qs_info_value(qs_view_of(connect ? connect : own), "*ver");
    char text[16] = "", *dot;
    uint64_t major;

    if (version.data)
        memcpy(text, version.data, MIN(version.size, sizeof text - 1));
    if (!g_str_has_prefix(text, name))
        return false;
    major = g_ascii_strtoull(text + sizeof name - 1, &dot, 10);
    return major > 3 || (major == 3 && *dot == '.' && g_ascii_strtoull(dot + 1, NULL, 10) >= 7);
}

static void begin(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                  const struct qs_packet *packet)
{
    const enum qs_qwd_format format = qwd->out->qwd_format;

    if (format ? format == QS_QWD_EZQUAKE_37 : is_ezquake_37(session_of(decoder)))
        qwd->blocks.form = QWD_CMD_EZQUAKE_37;
    qwd->out->qwd_format =
        qwd->blocks.form == QWD_CMD_EZQUAKE_37 ? QS_QWD_EZQUAKE_37 : QS_QWD_CLASSIC;
    qs_demo_begin(qwd->out);
    qwd_entities_level(&qwd->entities, session_of(decoder));
    qwd->start = packet->time;
    qwd->begun = true;
}

static uint32_t next_number(const struct qwd_rebuild *qwd, const struct qs_decoder *decoder)
{
    if (decoder->found.direction == QS_C2S)
        return decoder->found.sequence;
    return qwd->has_next ? qwd->next : decoder->found.acknowledged + 1;
}

/* Begins with the connection. Engines count from 0, FTE's from 1: PROTOCOL.md, section 8. */
static void begin_early(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    const uint32_t next = next_number(qwd, decoder);

    begin(qwd, decoder, packet);
    if (next)
        qwd_blocks_set(&qwd->blocks, qwd->time, next, 0);
}

/* Begins in the middle of a connection, whose numbers continue. */
static void begin_late(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    begin(qwd, decoder, packet);
    qwd_blocks_set(&qwd->blocks, qwd->time, next_number(qwd, decoder),
                   decoder->found.direction == QS_C2S ? decoder->found.acknowledged
                                                      : decoder->found.sequence - 1);
    qwd->out->counts.repaired++;
}

/* --- Levels with an incomplete sign-on --- */

static void report_incomplete(struct qwd_rebuild *qwd)
{
    if (qwd->incomplete.level)
        qs_demo_level_lost(qwd->out, qwd->incomplete.map, &qwd->incomplete.loss);
    qwd->incomplete = (struct qwd_incomplete){0};
}

/* Stores the incomplete level. Its map may be known only later, and more may be lost. */
static void keep_incomplete(struct qwd_rebuild *qwd, const struct qw_session *session,
                            uint32_t level, struct qs_sign_on_loss loss)
{
    if (qwd->incomplete.level != level)
        report_incomplete(qwd);
    if (!qwd->incomplete.level || qwd->incomplete.loss.playable)
        qwd->incomplete.loss = loss;
    qwd->incomplete.level = level;
    if (!qwd->incomplete.map)
        qwd->incomplete.map = qs_map_of(&qw_protocol, &session->base);
}

/* True if the packet belongs to a level that engines cannot show, which is left out. The first
 * packet of the next level continues the demo. */
static bool leave_out_level(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                            const struct qs_packet *packet)
{
    const struct qw_session *session = session_of(decoder);
    const bool in_level = session->base.level && session->base.version;

    if (!in_level && qwd_needs_level(decoder))
        keep_incomplete(qwd, session, UNKNOWN_LEVEL,
                        (struct qs_sign_on_loss){.packet = packet->number, .before = true});
    else if (in_level && session->base.lost.packet)
        keep_incomplete(qwd, session, session->base.level, session->base.lost);
    else if (in_level && qwd->incomplete.level && decoder->found.direction == QS_S2C) {
        const bool was_shown = qwd->incomplete.loss.playable;

        report_incomplete(qwd);
        if (!was_shown)
            qwd_blocks_set(&qwd->blocks, clock_of(qwd, packet), next_number(qwd, decoder),
                           decoder->found.sequence - 1);
    }
    return qwd->incomplete.level && !qwd->incomplete.loss.playable;
}

/* --- A donor's sign-on --- */

/* Writes the donor's messages as a packet, as mid-game recordings do: PROTOCOL.md, section 7. */
static void end_donor_packet(struct qwd_rebuild *qwd)
{
    if (qwd->packet->len > HEADER_SIZE)
        qwd_blocks_packet(&qwd->blocks, qwd->time, qwd->donor_packets,
                          qs_view_of_bytes(qwd->packet));
    qs_bytes_empty(qwd->packet);
}

static void add_donor_message(void *user, struct qs_view message)
{
    struct qwd_rebuild *qwd = user;
    const uint8_t id = message.data[0];

    if (qwd->packet->len && qwd->packet->len + message.size > DONOR_PACKET_MAX)
        end_donor_packet(qwd);
    if (!qwd->packet->len) {
        qwd->donor_packets++;
        qs_write_u32(qwd->packet, qwd->donor_packets);
        qs_write_u32(qwd->packet, qwd->donor_packets);
    }
    if (id == SVC_SPAWNBASELINE || id == SVC_FTE_SPAWNBASELINE2)
        qw_frames_baseline(&qwd->entities.frames,
                           (struct qs_view){message.data + 1, message.size - 1},
                           id == SVC_FTE_SPAWNBASELINE2);
    qs_write_view(qwd->packet, message);
}

/* Adds the base frames of the first updates. */
static void add_donor_frames(struct qwd_rebuild *qwd)
{
    const struct qwd_match *match = (const struct qwd_match *)qwd->match;
    const GArray *bases = match->bases;

    for (guint i = 0; i < bases->len; i++) {
        qwd->entities.donor_until = g_array_index(bases, uint32_t, i);
        qw_frames_add(&qwd->entities.frames, qwd->entities.donor_until, match->states);
    }
}

/* Begins or continues the demo with the donor's sign-on, whose packets count from 1 again. */
static G_GNUC_NO_INLINE void begin_with_donor(struct qwd_rebuild *qwd,
                                              const struct qs_decoder *decoder,
                                              const struct qs_packet *packet)
{
    const bool continues = qwd->begun;
    uint32_t incoming;

    if (!continues)
        begin(qwd, decoder, packet);
    if (continues)
        qwd_blocks_set(&qwd->blocks, clock_of(qwd, packet), 0, 0);
    qwd_entities_level(&qwd->entities, session_of(decoder));
    qwd->entities.donor_level = qwd->donor_level;
    qs_bytes_empty(qwd->packet);
    qwd_match_messages(qwd->match, add_donor_message, qwd);
    end_donor_packet(qwd);
    add_donor_frames(qwd);
    incoming = decoder->found.direction == QS_C2S ? decoder->found.acknowledged
                                                  : decoder->found.sequence - 1;
    if (qwd_match_updates(qwd->match, qwd->entities.donor_updates) && incoming)
        incoming--; /* the number before the first update's is that of its base */
    qwd_blocks_set(&qwd->blocks, qwd->time, next_number(qwd, decoder), incoming);
    qwd->match = NULL;
}

static void qwd_join_late(void *state, const struct qs_donor_match *match,
                          struct qs_session *session)
{
    struct qwd_rebuild *qwd = state;

    qs_demo_join_late(qwd->out, match, &qw_protocol, session);
    g_free(qwd->incomplete.map);
    qwd->incomplete = (struct qwd_incomplete){0};
    qwd->match = match;
    qwd->donor_level = session->level;
}

/* --- First packet of the demo --- */

/*
 * Begins the demo with the connection's first packet if captured, otherwise with the first level or
 * a donor's sign-on. Returns true if the packet goes into the demo. Messages misread because the
 * extensions are unknown may look like a level, but have no valid version.
 */
static bool open_demo(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                      const struct qs_packet *packet)
{
    const struct qs_session *session = decoder->session;

    if (qwd->match && session->level == qwd->donor_level) {
        begin_with_donor(qwd, decoder, packet);
        return true;
    }
    if (qwd->begun)
        return !leave_out_level(qwd, decoder, packet);
    if (session->connection && !qwd->out->is_continuation)
        begin_early(qwd, decoder, packet);
    else if (session->level && session->version && decoder->found.direction == QS_S2C)
        begin_late(qwd, decoder, packet);
    else if (qwd_needs_level(decoder))
        qs_demo_start_missing(qwd->out, NULL);
    return qwd->begun;
}

/* --- Contents of a packet --- */

/* Returns the start of the first message in the bytes that message offsets refer to. */
static uint32_t messages_start(const struct qw_session *session)
{
    return session->joined ? 0 : session->header_size;
}

static bool has_plain_header(const struct qs_decoder *decoder)
{
    const struct qw_netchan_format *format = &session_of(decoder)->format;

    return !format->stunaware && !format->fragments;
}

/* --- Omitted messages --- */

/* Appends a plain header. FTE's is replaced by one without reliable bits, as FTE does:
 * common/quakeworld/PROTOCOL.md, section 7. */
static void append_header(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                          const struct qs_packet *packet)
{
    const uint32_t words[] = {GUINT32_TO_LE(decoder->found.sequence),
                              GUINT32_TO_LE(decoder->found.acknowledged)};

    if (has_plain_header(decoder))
        g_byte_array_append(qwd->packet, packet->data, HEADER_SIZE);
    else
        g_byte_array_append(qwd->packet, (const uint8_t *)words, sizeof words);
}

/* Returns the packet as written to the demo. */
static struct qs_view filter(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                             const struct qs_packet *packet)
{
    const struct qw_session *session = session_of(decoder);

    if (!qw_filter_touches(&qwd->filter, decoder) && has_plain_header(decoder))
        return (struct qs_view){packet->data, packet->size};
    qs_bytes_empty(qwd->packet);
    append_header(qwd, decoder, packet);
    qw_filter_append(&qwd->filter, decoder, session->content, messages_start(session), qwd->packet);
    return (struct qs_view){qwd->packet->data, qwd->packet->len};
}

/* --- Client blocks --- */

static void add_cmd(struct qwd_rebuild *qwd, const struct qs_packet *packet,
                    const struct qw_usercmd *cmd, uint32_t after, bool generated)
{
    qwd_blocks_command(&qwd->blocks, clock_of(qwd, packet), cmd, after, generated);
    qwd->out->counts.repaired += generated;
}

/*
 * Adds client blocks for missing packets, because an engine counts one client packet per block.
 * Each move repeats the two commands before its own; earlier blocks get the oldest of them.
 */
static void add_lost_moves(struct qwd_rebuild *qwd, const struct qw_session *session,
                           const struct qs_packet *packet, uint32_t lost, uint32_t after)
{
    for (; lost; lost--)
        add_cmd(qwd, packet,
                &session->cmds[lost < MOVES_PER_PACKET ? MOVES_PER_PACKET - 1 - lost : 0], after,
                true);
}

static void add_client_packet(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet)
{
    const struct qw_session *session = session_of(decoder);
    const uint32_t number = decoder->found.sequence;
    uint32_t lost;

    qwd->next = number + 1;
    qwd->has_next = true;
    if (!session->moved || !open_demo(qwd, decoder, packet))
        return;
    qwd->moved = true;
    /* Corrects generated blocks: this move repeats two moves that only the server received. */
    if (number - qwd->blocks.last_generated < MOVES_PER_PACKET ||
        number < qwd->blocks.last_generated)
        for (unsigned i = 0; i < MOVES_PER_PACKET; i++)
            qwd_blocks_correct(&qwd->blocks, number - i, &session->cmds[MOVES_PER_PACKET - 1 - i]);
    if (number < qwd->blocks.engine.out)
        return;
    lost = number - qwd->blocks.engine.out;
    if (lost > MOVES_LOST_MAX)
        qwd_blocks_set(&qwd->blocks, clock_of(qwd, packet), number, qwd->incoming);
    else
        add_lost_moves(qwd, session, packet, lost, decoder->found.acknowledged);
    add_cmd(qwd, packet, &session->cmds[MOVES_PER_PACKET - 1], decoder->found.acknowledged, false);
}

/*
 * Adds client blocks up to packet `number`, which the server acknowledges and the capture lacks:
 * its block must come before the server's answer. `after` is the last server packet before it.
 */
static void add_acknowledged(struct qwd_rebuild *qwd, const struct qw_session *session,
                             const struct qs_packet *packet, uint32_t number, uint32_t after)
{
    struct qw_usercmd again = session->cmds[MOVES_PER_PACKET - 1];

    if (number - qwd->blocks.engine.out > MOVES_LOST_MAX)
        qwd_blocks_set(&qwd->blocks, clock_of(qwd, packet), number, qwd->incoming);
    again.impulse = 0;
    while (qwd->blocks.engine.out <= number)
        add_cmd(qwd, packet, &again, after, true);
}

/* --- Packets --- */

static void add_server_packet(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                              const struct qs_packet *packet)
{
    const struct qw_session *session = session_of(decoder);
    const struct qwd_entities_packet server_packet = {
        .decoder = decoder, .packet = packet, .time = clock_of(qwd, packet)};
    bool accepted;

    /* Recorders skip packets that consist of a header: PROTOCOL.md, section 7. */
    if (session->content.size <= messages_start(session) || qw_level_ignores_packet(decoder))
        return;
    if (qs_decoder_problems(decoder))
        qs_demo_not_decoded(qwd->out, packet, false);
    if (decoder->found.acknowledged >= qwd->blocks.engine.out &&
        (!qwd->has_next || decoder->found.acknowledged >= qwd->next))
        add_acknowledged(qwd, session_of(decoder), packet, decoder->found.acknowledged,
                         qwd_entities_base(&server_packet));
    accepted = qwd_entities_follow(&qwd->entities, &server_packet);
    qwd_blocks_packet(&qwd->blocks, server_packet.time, decoder->found.sequence,
                      filter(qwd, decoder, packet));
    qwd->shown |= accepted || session->base.level_state >= QS_LEVEL_PLAYING;
    if (accepted)
        qwd->blocks.engine.valid = decoder->found.sequence;
    qwd->incoming = decoder->found.sequence;
    qwd->has_packet = true;
}

static void qwd_packet(void *state, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    struct qwd_rebuild *qwd = state;

    if (qwd->ended || decoder->found.connectionless || !decoder->found.accepted)
        return;
    qwd->signing_on = session_of(decoder)->sign_on.request;
    qs_demo_count_losses(qwd->out, decoder, packet);
    if (decoder->found.direction == QS_C2S) {
        add_client_packet(qwd, decoder, packet);
    } else if (open_demo(qwd, decoder, packet)) {
        add_server_packet(qwd, decoder, packet);
    }
    /* Recorders write nothing after the client has left. The session may last for long. */
    if (decoder->session->disconnected) {
        qwd->ended = true;
        qwd_entities_level(&qwd->entities, session_of(decoder));
        qwd_blocks_flush(&qwd->blocks);
    }
}

static void qwd_finish(void *state)
{
    struct qwd_rebuild *qwd = state;

    if (!qwd->has_packet) {
        if (qwd->begun)
            qs_demo_discard(qwd->out);
        if (qwd->begun || qwd->has_next)
            qs_demo_start_missing(qwd->out, NULL);
        return;
    }
    if (!qwd->shown && (qwd->incomplete.level || qwd->signing_on)) {
        if (!qwd->incomplete.level)
            qs_demo_nothing_shown(qwd->out);
        else
            qs_demo_discard(qwd->out);
        report_incomplete(qwd);
        return;
    }
    report_incomplete(qwd);
    if (!qwd->moved && qwd->shown)
        qs_demo_never_moved(qwd->out);
    qwd->out->duration = (int64_t)((double)qwd->time * 1e9);
    qwd_blocks_end(&qwd->blocks, qwd->time);
}

const struct qs_demo_rebuilder qwd_rebuilder = {
    .create = qwd_new,
    .join_late = qwd_join_late,
    .packet = qwd_packet,
    .finish = qwd_finish,
    .free = qwd_free,
};
