/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol record of QuakeWorld, and its netchan: qw28-protocol, "Regular Packets". */
#include "common/quakeworld/quakeworld.h"

#include "common/core/text.h"
#include "common/quakeworld/parts.h"

const struct qs_field qw_fields[QW_FIELD_COUNT] = {
#include "common/core/rows_table.h"
#include "common/quakeworld/qw_fields.def"
#include "common/core/rows_end.h"
};

/* --- The netchan */

static void read_header(struct qs_decoder *d)
{
    const uint32_t start = d->in.pos;
    uint32_t sequence, ack;

    qs_open_at(d, QW_HEADER, start);
    sequence = qs_u32(d, QW_SEQUENCE_WORD);
    ack = qs_u32(d, QW_ACK_WORD);
    if (d->direction == QS_C2S)
        qw_session(d)->qport = qs_u16(d, QW_QPORT);
    d->sequence = sequence & QS_SEQUENCE_MASK;
    d->acknowledged = ack & QS_SEQUENCE_MASK;
    qs_label(d, ": seq %u%s, ack %u%s", d->sequence, sequence & QS_RELIABLE_BIT ? " reliable" : "",
             d->acknowledged, ack & QS_RELIABLE_BIT ? " reliable" : "");
    qs_close(d);
    qs_summary(d, "%s seq %u ack %u", d->direction == QS_S2C ? "S→C" : "C→S", d->sequence,
               d->acknowledged);
}

/*
 * A server's accept alone begins no connection: it is sent again when the client's connect was. The
 * connection begins when the client's numbers do.
 */
static void begin_connection(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);
    const struct qs_netchan *chan = &session->base.to_server;
    const bool expected = session->connecting || session->base.disconnected;

    if (d->direction != QS_C2S || !expected)
        return;
    if (chan->started && d->sequence >= chan->sequence)
        session->connecting = false;
    else if (session->connecting || d->sequence < 2)
        qw_session_connect(session);
}

static void note_gap(struct qs_decoder *d, uint32_t skipped)
{
    const unsigned choked = qw_session(d)->choked;

    if (!skipped)
        return;
    if (choked >= skipped)
        qs_note(d, QS_NOTE_SEQUENCE_GAP, 0, 4, "%u sequence numbers skipped, choked by the server",
                skipped);
    else if (choked)
        qs_note(d, QS_NOTE_SEQUENCE_GAP, 0, 4,
                "%u sequence numbers skipped, %u of them choked by the server", skipped, choked);
    else
        qs_note(d, QS_NOTE_SEQUENCE_GAP, 0, 4, "%u sequence numbers skipped", skipped);
}

/* Takes note of the numbers in the header. Returns how many were skipped before this packet. */
static uint32_t arrive(struct qs_decoder *d)
{
    struct qs_session *session = d->session;
    const bool to_client = d->direction == QS_S2C;
    struct qs_netchan *here = to_client ? &session->to_client : &session->to_server;
    struct qs_netchan *there = to_client ? &session->to_server : &session->to_client;
    uint32_t skipped;
    const enum qs_arrival arrival = qs_netchan_arrive(here, d->sequence, &skipped);

    d->accepted = qs_arrival_accepted(arrival);
    if (arrival == QS_ARRIVAL_DUPLICATE)
        qs_note(d, QS_NOTE_SEQUENCE_DUPLICATE, 0, 4, "Sequence number %u again", d->sequence);
    else if (arrival == QS_ARRIVAL_STALE)
        qs_note(d, QS_NOTE_SEQUENCE_STALE, 0, 4, "Sequence number %u after %u", d->sequence,
                here->sequence);
    if (d->accepted && qs_netchan_acknowledge(there, d->acknowledged))
        qs_note(d, QS_NOTE_NOT_CAPTURED, 4, 4,
                "Acknowledges sequence number %u, which the capture lacks", d->acknowledged);
    return skipped;
}

static void read_messages(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);

    session->moved = false;
    session->choked = 0;
    qw_apply_extensions(d);
    if (d->direction == QS_C2S)
        qs_read_messages(d, QW_CLC, qw_client_message);
    else
        qs_read_messages(d, QW_SVC, qw_server_message);
}

/* What a receiver drops is shown all the same, but teaches the session nothing. */
static void read_dropped_messages(struct qs_decoder *d)
{
    struct qs_session *session = d->session;
    struct qw_session copy;

    d->protocol->session_copy(&copy.base, session);
    d->session = &copy.base;
    read_messages(d);
    d->session = session;
    d->protocol->session_clear(&copy.base);
}

/* Both ends' words, and the qport that only clients send. */
static uint32_t header_size(enum qs_direction direction)
{
    return direction == QS_C2S ? 10 : 8;
}

/* STUNAWARE and FRAG change the header itself. */
static bool has_other_netchan(const struct qw_session *session)
{
    return session->connecting ? session->fte_netchan_asked : session->fte_netchan;
}

static void decode_netchan(struct qs_decoder *d)
{
    uint32_t skipped;

    if (has_other_netchan(qw_session(d))) {
        qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, 0, d->in.size,
                "Protocol extension STUNAWARE or FRAG (another netchan) not decoded");
        qs_undecoded(d);
        return;
    }
    if (d->direction == QS_DIRECTION_UNKNOWN && !d->probing)
        qs_learn_direction(d, qs_probe_direction(d));
    if (qs_reader_left(&d->in) < header_size(d->direction)) {
        qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "Shorter than a netchan header");
        qs_undecoded(d);
        return;
    }
    read_header(d);
    begin_connection(d);
    skipped = arrive(d);
    if (d->accepted)
        read_messages(d);
    else
        read_dropped_messages(d);
    note_gap(d, skipped);
}

static void decode(struct qs_decoder *d)
{
    if (d->in.size > 4 && qs_le32(d->in.data) == UINT32_MAX)
        qw_decode_connectionless(d);
    else if (qw_is_bare_text(d->packet))
        qw_decode_bare_text(d);
    else
        decode_netchan(d);
}

/* --- The record */

static void init(struct qs_session *session)
{
    struct qw_session *qw = (struct qw_session *)session;

    *qw = (struct qw_session){.connecting = false};
    qs_session_init(session);
}

static void copy(struct qs_session *to, const struct qs_session *from)
{
    struct qw_session *copy = (struct qw_session *)to;
    const struct qw_session *original = (const struct qw_session *)from;

    *copy = *original;
    qs_table_copy(&copy->models, &original->models);
    qs_table_copy(&copy->sounds, &original->sounds);
    qs_table_copy(&copy->userinfo, &original->userinfo);
    qs_table_copy(&copy->texts, &original->texts);
}

static void clear(struct qs_session *session)
{
    struct qw_session *qw = (struct qw_session *)session;

    qs_table_clear(&qw->models);
    qs_table_clear(&qw->sounds);
    qs_table_clear(&qw->userinfo);
    qs_table_clear(&qw->texts);
}

static char *version_text(const struct qw_session *session)
{
    GString *text;

    if (!session->base.version)
        return NULL;
    text = g_string_new(NULL);
    g_string_printf(text, "%d", session->base.version);
    if (session->fte)
        g_string_append_printf(text, " FTE 0x%x", session->fte);
    if (session->fte2)
        g_string_append_printf(text, " FTE2 0x%x", session->fte2);
    if (session->mvd1)
        g_string_append_printf(text, " MVD1 0x%x", session->mvd1);
    return g_string_free(text, FALSE);
}

/* The first model is the map: maps/dm4.bsp. */
static char *map_name(const struct qw_session *session)
{
    const char *model = qs_table_get(&session->models, 1);
    char *name, *dot;

    if (!model)
        return NULL;
    if (strrchr(model, '/'))
        model = strrchr(model, '/') + 1;
    name = qs_text_utf8(qs_view_of(model));
    dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    return name;
}

static char *player_name(const struct qw_session *session)
{
    struct qs_view name = {0};

    if (session->base.level)
        name = qw_player_name(session, session->player);
    if (!name.size)
        name = qs_info_value(qs_view_of(qs_table_get(&session->texts, QW_TEXT_CONNECT_USERINFO)),
                             "name");
    return name.size ? qs_text_utf8(name) : NULL;
}

static void describe(const struct qs_session *session, struct qs_description *description)
{
    const struct qw_session *qw = (const struct qw_session *)session;

    *description = (struct qs_description){
        .version = version_text(qw), .map = map_name(qw), .player = player_name(qw)};
}

const struct qs_protocol qw_protocol = {
    .name = "qw",
    .short_name = "QW",
    .title = "QuakeWorld",
    .ports = "27500,27000",
    .demo = "qwd",
    .fields = qw_fields,
    .field_count = QW_FIELD_COUNT,
    .undecoded = QW_UNDECODED,
    .notes = QS_NOTE_BIT(QS_NOTE_MALFORMED) | QS_NOTE_BIT(QS_NOTE_UNKNOWN_MESSAGE) |
             QS_NOTE_BIT(QS_NOTE_PROTOCOL_UNDECODED) | QS_NOTE_BIT(QS_NOTE_CUT) |
             QS_NOTE_BIT(QS_NOTE_CHECKSUM_BAD) | QS_NOTE_BIT(QS_NOTE_SEQUENCE_GAP) |
             QS_NOTE_BIT(QS_NOTE_SEQUENCE_STALE) | QS_NOTE_BIT(QS_NOTE_SEQUENCE_DUPLICATE) |
             QS_NOTE_BIT(QS_NOTE_NOT_CAPTURED) | QS_NOTE_BIT(QS_NOTE_UNUSUAL),
    .session_size = sizeof(struct qw_session),
    .session_init = init,
    .session_copy = copy,
    .session_clear = clear,
    .describe = describe,
    .recognise = qw_recognise,
    .decode = decode,
    .decode_server_messages = decode, /* QWD keeps whole packets */
};
