/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a QWD demo begins: with the connection, with a level, or with a donor's sign-on; and where
 * it continues after a level with an incomplete sign-on. Source: common/quakeworld/PROTOCOL.md,
 * sections 7 to 9.
 */
#include "common/core/lists.h"
#include "common/core/writer.h"
#include "common/demo/qwd/start.h"
#include "common/quakeworld/constants.h"

enum {
    HEADER_SIZE = 8,       /* of the netchan, from the server */
    LENT_PACKET_MAX = 1400 /* bytes of a packet of several sign-on messages from a donor */
};

/* Represents a level whose svc_serverdata is missing. */
#define UNKNOWN_LEVEL UINT32_MAX

float qwd_clock(struct qwd_rebuild *qwd, const struct qs_packet *packet)
{
    const float now = (float)((double)(packet->time - qwd->start) / 1e9);

    if (now > qwd->time)
        qwd->time = now;
    return qwd->time;
}

/* --- The beginning --- */

static void begin(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                  const struct qs_packet *packet)
{
    qs_demo_begin(qwd->out);
    filter_qw_begin(&qwd->filter, 0);
    qwd_entities_level(&qwd->entities, qwd_session_of(decoder));
    qwd->start = packet->time;
    if (qwd->out->sanitize)
        qwd->time = qwd_blocks_guard(&qwd->blocks);
    qwd->begun = true;
}

/* The number of the client's next packet. */
static uint32_t next_number(const struct qwd_rebuild *qwd, const struct qs_decoder *decoder)
{
    if (decoder->direction == QS_C2S)
        return decoder->sequence;
    return qwd->has_next ? qwd->next : decoder->acknowledged + 1;
}

/* Engines count from 0, FTE's clients from 1: PROTOCOL.md, section 8. */
static void begin_early(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    const uint32_t next = next_number(qwd, decoder);

    begin(qwd, decoder, packet);
    if (next || qwd->out->sanitize)
        qwd_blocks_set(&qwd->blocks, qwd->time, next, 0);
}

/* In mid-connection: the numbers continue. */
static void begin_late(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    begin(qwd, decoder, packet);
    qwd_blocks_set(&qwd->blocks, qwd->time, next_number(qwd, decoder),
                   decoder->direction == QS_C2S ? decoder->acknowledged : decoder->sequence - 1);
    qwd->out->counts.repaired++;
}

static void note_late(struct qwd_rebuild *qwd, const char *what)
{
    if (!qwd->late)
        qs_demo_start_missing(qwd->out, what);
    qwd->late = true;
}

/* --- A level that cannot be shown --- */

/* The map's name may arrive after the lost part. */
static void leave_out(struct qwd_rebuild *qwd, const struct qw_session *session, uint32_t level,
                      uint64_t packet)
{
    if (qwd->left_out.level == level)
        packet = qwd->left_out.packet;
    else
        qwd_say_left_out(qwd);
    qwd->left_out.level = level;
    qwd->left_out.packet = packet;
    if (!qwd->left_out.map)
        qwd->left_out.map = qs_map_of(&qw_protocol, &session->base);
}

void qwd_say_left_out(struct qwd_rebuild *qwd)
{
    const struct qs_sign_on_loss loss = {qwd->left_out.packet, true};

    if (qwd->left_out.level)
        qs_demo_level_lost(qwd->out, qwd->left_out.map, &loss);
    g_free(qwd->left_out.map);
    qwd->left_out = (struct qwd_left_out){0};
}

/* The next level: the numbers continue. */
static void go_on(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                  const struct qs_packet *packet)
{
    qwd_say_left_out(qwd);
    qwd_blocks_set(&qwd->blocks, qwd_clock(qwd, packet), next_number(qwd, decoder),
                   decoder->sequence - 1);
}

/* Whether the packet is of such a level. */
static bool is_left_out(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    const struct qw_session *session = qwd_session_of(decoder);
    const bool in_level = session->base.level && session->base.version;

    if (!in_level && qwd_needs_level(decoder))
        leave_out(qwd, session, UNKNOWN_LEVEL, packet->number);
    else if (in_level && session->sign_on.lost)
        leave_out(qwd, session, session->base.level, session->sign_on.lost);
    else if (in_level && qwd->left_out.level && decoder->direction == QS_S2C)
        go_on(qwd, decoder, packet);
    return qwd->left_out.level;
}

/* --- A donor's sign-on --- */

/* Like recordings that start mid-game: PROTOCOL.md, section 7. */
static void end_lent_packet(struct qwd_rebuild *qwd)
{
    if (qwd->packet->len > HEADER_SIZE)
        qwd_blocks_packet(&qwd->blocks, qwd->time, qwd->lent_packets, 0,
                          qs_view_of_bytes(qwd->packet));
    qs_bytes_empty(qwd->packet);
}

static void begin_lent_packet(struct qwd_rebuild *qwd)
{
    qwd->lent_packets++;
    qs_write_u32(qwd->packet, qwd->lent_packets);
    qs_write_u32(qwd->packet, qwd->lent_packets);
}

static void follow_lent(struct qwd_rebuild *qwd, struct qs_view message)
{
    const struct qs_view body = {message.data + 1, message.size - 1};

    if (message.data[0] == SVC_SPAWNBASELINE)
        qw_frames_baseline(&qwd->entities.frames, body, false);
    else if (message.data[0] == SVC_FTE_SPAWNBASELINE2)
        qw_frames_baseline(&qwd->entities.frames, body, true);
}

struct lent {
    struct qwd_rebuild *qwd;
    const struct qw_session *session; /* the late join */
};

static void add_lent(void *user, uint32_t block, struct qs_view message)
{
    const struct lent *lent = user;
    struct qwd_rebuild *qwd = lent->qwd;

    (void)block;
    if (qwd->packet->len && qwd->packet->len + message.size > LENT_PACKET_MAX)
        end_lent_packet(qwd);
    if (!qwd->packet->len)
        begin_lent_packet(qwd);
    follow_lent(qwd, message);
    if (message.data[0] == SVC_STUFFTEXT && qwd->out->sanitize)
        stufftext_filter(&qwd->filter.stufftext, message, qwd->packet);
    else if (message.data[0] == SVC_SERVERDATA && qwd->out->sanitize)
        filter_qw_append_serverdata(lent->session, message, qwd->packet);
    else
        qs_write_view(qwd->packet, message);
}

/* The base frames of the first updates. */
static void add_lent_frames(struct qwd_rebuild *qwd)
{
    const GArray *bases = qwd_match_bases(qwd->match);

    for (guint i = 0; i < bases->len; i++) {
        qwd->entities.lent_until = g_array_index(bases, uint32_t, i);
        qw_frames_add(&qwd->entities.frames, qwd->entities.lent_until,
                      qwd_match_states(qwd->match));
    }
}

/* The demo begins or continues with it; the generated packets count from 1 again. */
static void begin_lent(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    struct lent lent = {qwd, qwd_session_of(decoder)};
    const bool goes_on = qwd->begun;
    uint32_t incoming;

    if (!goes_on)
        begin(qwd, decoder, packet);
    if (goes_on || qwd->out->sanitize)
        qwd_blocks_set(&qwd->blocks, qwd_clock(qwd, packet), 0, 0);
    filter_qw_begin(&qwd->filter, qwd->lent_level);
    qwd_entities_level(&qwd->entities, qwd_session_of(decoder));
    qwd->entities.lent_level = qwd->lent_level;
    qs_bytes_empty(qwd->packet);
    qwd_match_messages(qwd->match, add_lent, &lent);
    end_lent_packet(qwd);
    add_lent_frames(qwd);
    incoming = decoder->direction == QS_C2S ? decoder->acknowledged : decoder->sequence - 1;
    if (qwd_match_updates(qwd->match, qwd->entities.lent) && incoming)
        incoming--; /* the number before the first update's belongs to its base */
    qwd_blocks_set(&qwd->blocks, qwd->time, next_number(qwd, decoder), incoming);
    qwd->match = NULL;
}

void qwd_join_late(void *state, const struct qs_donor_match *match, struct qs_session *session)
{
    struct qwd_rebuild *qwd = state;
    char *map = qs_map_of(&qw_protocol, session);
    char *because = qwd_late_reason(match, map);

    note_late(qwd, because);
    g_free(because);
    g_free(map);
    g_free(qwd->left_out.map);
    qwd->left_out = (struct qwd_left_out){0};
    qwd->match = match;
    qwd->lent_level = session->level;
}

/* --- When it begins --- */

/*
 * From the first packet if captured, otherwise from the first level. Messages misread because the
 * extensions are unknown may look like a level, but have no valid version.
 */
bool qwd_ready(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
               const struct qs_packet *packet)
{
    const struct qs_session *session = decoder->session;

    if (qwd->match && session->level == qwd->lent_level) {
        begin_lent(qwd, decoder, packet);
        return true;
    }
    if (qwd->begun)
        return !is_left_out(qwd, decoder, packet);
    if (session->connection && !qwd->out->goes_on)
        begin_early(qwd, decoder, packet);
    else if (session->level && session->version && decoder->direction == QS_S2C)
        begin_late(qwd, decoder, packet);
    else if (qwd_needs_level(decoder))
        note_late(qwd, "the capture begins in the middle of a level");
    return qwd->begun;
}
