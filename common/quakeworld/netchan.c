/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets with sequence numbers: qw28-protocol, "Regular Packets". What FTE changes about them is
 * in fte_netchan.c.
 */

#include "common/netchan/netchan.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/extensions.h"
#include "common/quakeworld/fte_netchan.h"
#include "common/quakeworld/messages.h"
#include "common/quakeworld/session.h"
#include "common/quakeworld/sign_on.h"

/* What a header holds beyond its numbers. */
struct header {
    uint32_t sequence_word, ack_word;
    uint16_t fragment_word; /* 0: the packet is a whole message */
};

static void read_words(struct qs_decoder *d, const struct qw_netchan_format *format,
                       struct header *header)
{
    if (format->stunaware) {
        qw_read_biased_words(d, &header->sequence_word, &header->ack_word);
    } else {
        header->sequence_word = qs_u32(d, QW_SEQUENCE_WORD);
        header->ack_word = qs_u32(d, QW_ACK_WORD);
    }
}

static void describe_header(struct qs_decoder *d, const struct header *header)
{
    if (qs_label_wanted(d))
        qs_label(d, ": seq %u%s, ack %u%s", d->sequence,
                 header->sequence_word & QS_RELIABLE_BIT ? " reliable" : "", d->acknowledged,
                 header->ack_word & QS_RELIABLE_BIT ? " reliable" : "");
}

static void read_header(struct qs_decoder *d, const struct qw_netchan_format *format,
                        struct header *header)
{
    qs_open(d, QW_HEADER);
    read_words(d, format, header);
    if (d->direction == QS_C2S)
        qw_session(d)->qport = qs_u16(d, QW_QPORT);
    if (format->fragments)
        header->fragment_word = qw_read_fragment_word(d);
    d->sequence = header->sequence_word & QS_SEQUENCE_MASK;
    d->acknowledged = header->ack_word & QS_SEQUENCE_MASK;
    qw_session(d)->header_size = d->in.pos;
    describe_header(d, header);
    qs_close(d);
    if (d->want_summary)
        qs_summary(d, "seq %u ack %u", d->sequence, d->acknowledged);
}

/* The capture has the client's first packet before the accept that it answers, or instead of it. */
static bool overtakes_answer(const struct qw_session *session)
{
    return session->asked.known && !session->base.connection && !session->base.to_server.started &&
           !session->base.to_client.started;
}

/* The server's first packet of a connection, where the capture lacks those of the client before it.
 */
static bool server_begins(const struct qw_session *session, uint32_t sequence)
{
    const struct qs_netchan *chan = &session->base.to_client;

    if (!chan->started)
        return !session->base.to_server.started;
    return qs_netchan_starts_over(chan, sequence);
}

/*
 * A server's accept alone begins no connection: it is sent again when the client's connect was. The
 * connection begins when the client's numbers do, or the server's.
 */
static void begin_connection(struct qs_decoder *d, const struct qw_netchan_format *format)
{
    struct qw_session *session = qw_session(d);
    const struct qs_netchan *chan = &session->base.to_server;
    const bool expected =
        session->connecting || session->base.disconnected || overtakes_answer(session);

    if (d->direction == QS_S2C && session->connecting && server_begins(session, d->sequence)) {
        qw_session_connect(session);
        session->format = *format; /* the client's request may not be there */
    }
    if (d->direction != QS_C2S || !expected)
        return;
    if (chan->started && d->sequence >= chan->sequence)
        session->connecting = false;
    else if (session->connecting || d->sequence < 2)
        qw_session_connect(session);
}

static void read_messages(struct qs_decoder *d)
{
    qw_session(d)->content = (struct qs_view){d->in.data, d->in.size};
    qw_apply_extensions(d);
    if (d->direction == QS_C2S)
        qs_read_messages(d, QW_CLC, qw_client_message);
    else
        qs_read_messages(d, QW_SVC, qw_server_message);
}

/*
 * A connection whose accept the capture lacks, in the conversation of an older one: its numbers are
 * far below. That is settled before the header is read, whose form the client asked for.
 */
static void settle_connect(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);
    uint32_t sequence;

    if (!session->asked.known || session->connecting || d->direction == QS_DIRECTION_UNKNOWN ||
        qs_reader_left(&d->in) < 4)
        return;
    sequence = session->asked.stunaware ? qs_be32(d->in.data) - QW_STUN_BIAS : qs_le32(d->in.data);
    if (qs_netchan_starts_over(qs_netchan_forth(d), sequence & QS_SEQUENCE_MASK))
        qw_session_connect(session);
}

/* Both ends' words, the qport that only clients send, and FTE's word for fragments. */
static uint32_t header_size(enum qs_direction direction, const struct qw_netchan_format *format)
{
    return 8u + (direction == QS_C2S ? 2 : 0) + (format->fragments ? 2 : 0);
}

static void read_joined(struct qs_decoder *d)
{
    qs_read_joined(d, qw_session(d)->joined, read_messages);
}

/* A whole message arrives. How many numbers before it the server skipped on purpose, svc_chokecount
 * in it tells. */
static void take_message(struct qs_decoder *d, const struct header *header,
                         void (*read)(struct qs_decoder *))
{
    static const struct qs_span sequence = {0, 4}, ack = {4, 4};
    const uint32_t skipped = qs_receive(d, qs_netchan_forth(d), sequence);

    if (d->accepted)
        qs_receive_acknowledgement(d, qs_netchan_back(d), ack);
    qw_sign_on_bits(d, header->sequence_word & QS_RELIABLE_BIT, header->ack_word & QS_RELIABLE_BIT);
    qs_read_received(d, read);
    qw_sign_on_packet(d);
    qs_note_gap(d, sequence, skipped, qw_session(d)->choked);
}

static void begin_packet(struct qw_session *session)
{
    session->moved = false;
    session->choked = 0;
    session->content = (struct qs_view){0};
    g_clear_pointer(&session->joined, g_bytes_unref);
}

static void decode_as(struct qs_decoder *d, const struct qw_netchan_format *format)
{
    struct header header = {0};

    begin_packet(qw_session(d));
    if (qs_reader_left(&d->in) < header_size(d->direction, format)) {
        qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "Shorter than a netchan header");
        qs_undecoded(d);
        return;
    }
    if (format->stunaware && !qw_is_biased(d)) {
        qs_note(d, QS_NOTE_UNUSUAL, 0, d->in.size, "Without STUNAWARE's bias: engines ignore it");
        qs_bytes(d, QW_STRAY, d->in.size);
        return;
    }
    read_header(d, format, &header);
    begin_connection(d, format);
    if (format->huffman) {
        qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, qs_reader_left(&d->in),
                "Protocol extension HUFF (compressed packets) not decoded");
        qs_undecoded(d);
    } else if (!header.fragment_word) {
        take_message(d, &header, read_messages);
    } else if (qw_read_fragment(d, header.fragment_word)) {
        take_message(d, &header, read_joined);
    }
}

void qw_decode_netchan(struct qs_decoder *d)
{
    struct qw_netchan_format format;

    if (d->direction == QS_DIRECTION_UNKNOWN && !d->probing)
        qs_learn_direction(d, qs_probe_direction(d));
    settle_connect(d);
    /* A copy: a connection that begins with this packet has its own. */
    format = *qw_netchan_format(d);
    decode_as(d, &format);
}

void qw_decode_plain_netchan(struct qs_decoder *d)
{
    static const struct qw_netchan_format plain;

    decode_as(d, &plain);
}
