/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets with sequence numbers. Source: qw28-protocol, "Regular Packets". */
#include "common/core/reader.h"
#include "common/netchan/netchan.h"
#include "common/netchan/seqinfo.h"
#include "common/quakeworld/decode.h"

/* --- FTE's words and fragments --- */

/*
 * FTE's changes to the netchan: STUNAWARE makes the two words big-endian and adds a bias to the
 * first, so that no packet looks like STUN; FRAG adds a word after them and splits long messages
 * into several packets with the same number. Only connect announces both. Source:
 * common/fte/PROTOCOL.md, section 2; fteqw net_chan.c Netchan_Process.
 */

#define STUN_BIAS UINT32_C(0x40000000) /* added to the sequence word */

enum {
    WORDS_SIZE = 8,
    QPORT_SIZE = 2,
    MESSAGE_MAX = 65536, /* maximum size of a joined message (bytes), as in engines */
    MORE_FRAGMENTS = 1   /* bit of FRAG's word; the other bits are the offset in units of 8 bytes */
};

static uint32_t fragment_offset(uint16_t word)
{
    return (uint32_t)(word & ~MORE_FRAGMENTS) << 2;
}

/* True if `byte` can be the most significant one of a sequence or acknowledgement word. */
static bool is_top_byte(uint8_t byte, uint8_t bias)
{
    return (byte & ~0x80) == bias;
}

/* True if the words can be big-endian and biased: numbers of packets stay far below 2^24. */
static bool may_be_biased(const struct qs_reader *in)
{
    return is_top_byte(in->data[0], STUN_BIAS >> 24) && is_top_byte(in->data[4], 0);
}

/* True if the words can only be biased: as plain ones, both numbers would be too large. */
static bool looks_biased(const struct qs_reader *in)
{
    return may_be_biased(in) && !(is_top_byte(in->data[3], 0) && is_top_byte(in->data[7], 0));
}

/*
 * True if a word for fragments seems to follow the header: no message has the id 0, so the bytes 0
 * 0 or 1 0 before anything else are the word of a whole message or of its first fragment.
 */
static bool looks_fragmentable(const struct qs_reader *in, uint32_t header_size)
{
    const uint8_t *b = in->data + header_size;

    return in->size >= header_size + 2 && b[0] <= MORE_FRAGMENTS && b[1] == 0;
}

/*
 * If the capture lacks svc_serverdata, assumes the extensions that FTE's servers and clients
 * usually agree on: common/fte/PROTOCOL.md, section 1.
 */
static void assume_extensions(struct qw_session *session)
{
    if (session->base.level || session->ext.fte || session->ext.fte2)
        return;
    session->ext.fte = UINT32_C(0xedeeffdf);
    session->ext.fte2 = UINT32_C(0x7f);
}

/* Guesses the header's format from a packet. Needs bytes after the words, because only they show
 * whether there is a word for fragments. */
static void guess_format(struct qs_decoder *d)
{
    struct qw_session *session = qw_session_of(d);
    const uint32_t size = d->found.direction == QS_C2S ? WORDS_SIZE + 2 : WORDS_SIZE;

    if (d->found.direction == QS_DIRECTION_UNKNOWN || d->in.size <= size)
        return;
    session->format.stunaware = looks_biased(&d->in);
    session->format.fragments = looks_fragmentable(&d->in, size);
    /* FTE's programs agree on both: STUNAWARE alone may be a message's later fragment. */
    session->format.known =
        session->format.stunaware ? session->format.fragments : !may_be_biased(&d->in);
    if (session->format.stunaware && session->format.fragments)
        assume_extensions(session);
}

/* Returns the header's format, from the handshake or else from the packet's contents. */
static const struct qw_netchan_format *format_of(struct qs_decoder *d)
{
    struct qw_session *session = qw_session_of(d);

    if (session->connecting && session->asked.known)
        return &session->asked;
    if (!session->format.known)
        guess_format(d);
    return &session->format;
}

/* True if the packet has STUNAWARE's bias; others are not of this protocol. */
static bool is_biased(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) >= 4 && (qs_be32(d->in.data + d->in.pos) & STUN_BIAS);
}

static struct qs_fragments *fragments_of(struct qs_decoder *d)
{
    struct qw_session *session = qw_session_of(d);

    return d->found.direction == QS_S2C ? &session->to_client : &session->to_server;
}

/* Reads the rest of the packet as a fragment. Returns true if the message is complete; it is then
 * in the session's `joined`. */
static bool read_fragment(struct qs_decoder *d, uint16_t word)
{
    static const struct qs_fragment_format format = {
        {0, 4}, QW_FRAGMENT_DATA, QW_FRAGMENTS, MESSAGE_MAX};
    const uint32_t offset = fragment_offset(word);

    qs_summary(d, " fragment at %u", offset);
    qw_session_of(d)->joined =
        qs_receive_fragment(d, fragments_of(d), &format, offset, word & MORE_FRAGMENTS);
    return qw_session_of(d)->joined;
}

/* --- The header --- */

/* Contents of a header. */
struct qw_header {
    uint32_t sequence_word, ack_word;
    uint16_t qport;
    uint16_t fragment_word; /* 0: the packet is a whole message */
};

static void read_header(struct qs_decoder *d, const struct qw_netchan_format *format,
                        struct qw_header *header)
{
    qs_open(d, QW_HEADER);
    if (format->stunaware) {
        header->sequence_word = qs_u32be(d, QW_SEQUENCE_BIASED) - STUN_BIAS;
        qs_emit_generated_uint(d, QW_SEQUENCE_WORD, d->in.pos - 4, 4, header->sequence_word);
        header->ack_word = qs_u32be(d, QW_ACK_WORD);
    } else {
        header->sequence_word = qs_u32(d, QW_SEQUENCE_WORD);
        header->ack_word = qs_u32(d, QW_ACK_WORD);
    }
    if (d->found.direction == QS_C2S)
        header->qport = qs_u16(d, QW_QPORT);
    if (format->fragments) {
        header->fragment_word = qs_u16(d, QW_FRAGMENT_WORD);
        qs_emit_generated_uint(d, QW_FRAGMENT_OFFSET, d->in.pos - 2, 2,
                               fragment_offset(header->fragment_word));
    }
    d->found.sequence = header->sequence_word & QS_SEQUENCE_MASK;
    d->found.acknowledged = header->ack_word & QS_SEQUENCE_MASK;
    qw_session_of(d)->header_size = d->in.pos;
    if (qs_label_wanted(d))
        qs_label(d, ": seq %u%s, ack %u%s", d->found.sequence,
                 header->sequence_word & QS_RELIABLE_BIT ? " reliable" : "", d->found.acknowledged,
                 header->ack_word & QS_RELIABLE_BIT ? " reliable" : "");
    qs_close(d);
    if (d->want_summary)
        qs_summary(d, "seq %u ack %u", d->found.sequence, d->found.acknowledged);
}

/* True if the client's first packet is captured before the server's accept, or without it. */
static bool overtakes_answer(const struct qw_session *session)
{
    return session->asked.known && !session->base.connection && !session->base.to_server.started &&
           !session->base.to_client.started;
}

/* True for the server's first packet of a connection if the capture lacks the client's packets
 * before it. */
static bool server_begins(const struct qw_session *session, uint32_t sequence)
{
    const struct qs_netchan *chan = &session->base.to_client;

    if (!chan->started)
        return !session->base.to_server.started;
    return qs_netchan_starts_over(chan, sequence);
}

/*
 * Begins a connection when the client's or the server's numbers begin. The server's accept alone is
 * not enough: the server repeats it when the client repeats connect.
 */
static void begin_connection(struct qs_decoder *d, const struct qw_netchan_format *format)
{
    struct qw_session *session = qw_session_of(d);
    const struct qs_netchan *chan = &session->base.to_server;
    const bool expected =
        session->connecting || session->base.disconnected || overtakes_answer(session);

    if (d->found.direction == QS_S2C
            ? session->connecting && server_begins(session, d->found.sequence)
            : qs_netchan_restarted(&session->base.to_server, d->found.sequence)) {
        qw_session_connect(session);
        session->format = *format; /* the capture may lack the client's request */
    }
    if (d->found.direction != QS_C2S || !expected)
        return;
    if (chan->started && d->found.sequence >= chan->sequence)
        session->connecting = false;
    else if (d->found.sequence < 2 ||
             (session->connecting &&
              (!chan->started || qs_netchan_starts_over(chan, d->found.sequence))))
        qw_session_connect(session);
}

static void read_messages(struct qs_decoder *d)
{
    qw_session_of(d)->content = (struct qs_view){d->in.data, d->in.size};
    qw_apply_extensions(d);
    if (d->found.direction == QS_C2S)
        qs_read_messages(d, QW_CLC, qw_client_message);
    else
        qs_read_messages(d, QW_SVC, qw_server_message);
}

/*
 * Begins a connection whose accept the capture lacks, if the numbers are far below those of the
 * previous connection in the same conversation. Runs before the header is read, because the
 * client's request determines its format.
 */
static void confirm_connect(struct qs_decoder *d)
{
    struct qw_session *session = qw_session_of(d);
    uint32_t sequence;

    if (!session->asked.known || session->connecting ||
        d->found.direction == QS_DIRECTION_UNKNOWN || qs_reader_left(&d->in) < 4)
        return;
    sequence = session->asked.stunaware ? qs_be32(d->in.data) - STUN_BIAS : qs_le32(d->in.data);
    if (qs_netchan_starts_over(qs_netchan_forth(d), sequence & QS_SEQUENCE_MASK))
        qw_session_connect(session);
}

/* Returns the size of both words, the client's qport, and FTE's word for fragments. */
static uint32_t header_size(enum qs_direction direction, const struct qw_netchan_format *format)
{
    return 8u + (direction == QS_C2S ? 2 : 0) + (format->fragments ? 2 : 0);
}

static void read_joined(struct qs_decoder *d)
{
    qs_read_joined(d, qw_session_of(d)->joined, read_messages);
}

/* Returns how many numbers of the other end are missing since the previous packet. */
static uint32_t skipped_by_other(const struct qs_decoder *d)
{
    const struct qs_netchan *back = qs_netchan_back(d);
    const uint32_t ahead = back->started && d->found.acknowledged > back->sequence
                               ? d->found.acknowledged - back->sequence
                               : 0;
    const struct qs_skipped *gap = &back->last_gap;

    return MAX(gap->is_unanswered ? gap->until - gap->from : 0, ahead);
}

/* Returns the number of packets of both ends in flight, as the capture shows it. */
static uint32_t round_trip_of(const struct qs_decoder *d)
{
    const struct qs_netchan *server = &d->session->to_server, *client = &d->session->to_client;

    return server->sequence - MIN(server->reliable.acknowledged, server->sequence) +
           client->sequence - MIN(client->reliable.acknowledged, client->sequence);
}

/* Accepts a whole message. svc_chokecount in it shows how many of the missing numbers before it the
 * server skipped on purpose. */
static void accept_message(struct qs_decoder *d, const struct qw_header *header,
                           void (*read)(struct qs_decoder *))
{
    static const struct qs_span sequence = {0, 4}, ack = {4, 4};
    const bool reliable = header->sequence_word & QS_RELIABLE_BIT;
    const uint32_t others = skipped_by_other(d), round_trip = round_trip_of(d);
    const uint32_t skipped = qs_receive(d, qs_netchan_forth(d), sequence);
    const bool was_pending = qw_session_of(d)->sign_on.pending;

    if (d->found.accepted && qs_receive_acknowledgement(d, qs_netchan_back(d), ack))
        qs_hole_acknowledged(d);
    if (!skipped && !others)
        qw_session_of(d)->round_trip = round_trip;
    qs_receive_reliable(d, reliable, header->ack_word & QS_RELIABLE_BIT);
    qw_level_before_messages(d, skipped, others);
    if (qw_level_ignores_packet(d))
        qs_read_dropped(d, read);
    else
        qs_read_received(d, read);
    qw_level_after_messages(
        d, reliable, qs_note_gap(d, sequence, skipped, qw_session_of(d)->choked), was_pending);
}

static bool is_of_client(struct qs_decoder *d, const struct qw_header *header)
{
    return d->found.direction != QS_C2S ||
           qs_receive_qport(d, qs_seqinfo_qport(QPORT_SIZE, header->qport),
                            (struct qs_span){WORDS_SIZE, QPORT_SIZE});
}

/* Notes that the sign-on is incomplete, because a packet of a fragmented message was cut. */
static void lose_message(struct qs_decoder *d)
{
    if (d->found.direction == QS_S2C && d->session->level_state <= QS_LEVEL_SIGNING_ON &&
        !qw_session_of(d)->sign_on.has_donor)
        qs_level_lose(d->session, d->packet->number, false, false);
}

static void decode_as(struct qs_decoder *d, const struct qw_netchan_format *format)
{
    struct qw_session *session = qw_session_of(d);
    struct qw_header header = {0};

    session->moved = false;
    session->choked = 0;
    session->content = (struct qs_view){0};
    g_clear_pointer(&session->joined, g_bytes_unref);
    if (qs_reader_left(&d->in) < header_size(d->found.direction, format)) {
        qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "Shorter than a netchan header");
        qs_undecoded(d);
        return;
    }
    if (format->stunaware && !is_biased(d)) {
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
    } else if (!is_of_client(d, &header)) {
        qs_read_dropped(d, header.fragment_word ? qs_undecoded : read_messages);
    } else if (!header.fragment_word) {
        accept_message(d, &header, read_messages);
    } else if (read_fragment(d, header.fragment_word)) {
        accept_message(d, &header, read_joined);
    } else if (qs_ends_cut_message(d, fragments_of(d), header.fragment_word & MORE_FRAGMENTS)) {
        accept_message(d, &header, lose_message);
    }
}

void qw_decode_netchan(struct qs_decoder *d)
{
    struct qw_netchan_format format;

    if (d->found.direction == QS_DIRECTION_UNKNOWN && !d->probing)
        qs_learn_direction(d, qs_probe_direction(d));
    confirm_connect(d);
    /* A copy, because a connection that begins with this packet has a format of its own. */
    format = *format_of(d);
    decode_as(d, &format);
}

void qw_decode_plain_netchan(struct qs_decoder *d)
{
    static const struct qw_netchan_format plain;

    decode_as(d, &plain);
}

/* --- Sequence information of datagrams --- */

/* Source: PROTOCOL.md, section 2; for FTE's words common/fte/PROTOCOL.md, section 2. */

enum { FRAGMENT_WORD_SIZE = 2, FIRST_NUMBER = 0 };

/* True for packets of no open connection: connectionless ones, and texts without the mark. */
static bool is_outside_connection(const struct qs_session *session, const struct qs_packet *packet)
{
    return packet->size < WORDS_SIZE || qs_le32(packet->data) == UINT32_MAX ||
           (!session->to_client.started && qw_is_bare_text(packet));
}

static void read_seqinfo_words(const struct qs_packet *packet, bool biased,
                               struct qs_seqinfo *seqinfo)
{
    const uint32_t sequence = biased ? qs_be32(packet->data) - STUN_BIAS : qs_le32(packet->data);
    const uint32_t ack = biased ? qs_be32(packet->data + 4) : qs_le32(packet->data + 4);

    qs_seqinfo_message(seqinfo, sequence & QS_SEQUENCE_MASK, FIRST_NUMBER);
    seqinfo->ack_id = sequence & QS_SEQUENCE_MASK;
    seqinfo->acked_id = ack & QS_SEQUENCE_MASK;
    seqinfo->reliable = sequence & QS_RELIABLE_BIT;
    seqinfo->has_reliable_bit = true;
    seqinfo->reliable_bit = ack & QS_RELIABLE_BIT;
}

static bool read_seqinfo_fragment(const struct qs_packet *packet, uint32_t at,
                                  struct qs_seqinfo *seqinfo)
{
    const uint32_t start = at + FRAGMENT_WORD_SIZE;
    uint16_t word;

    if (packet->wire_size < start || packet->size < start)
        return false;
    word = qs_le16(packet->data + at);
    if (word)
        qs_seqinfo_fragment(seqinfo, fragment_offset(word), packet->wire_size - start,
                            word & MORE_FRAGMENTS);
    return true;
}

bool qw_seqinfo(const struct qs_session *base, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo)
{
    const struct qw_session *session = (const struct qw_session *)base;
    const struct qw_netchan_format *format =
        session->connecting && session->asked.known ? &session->asked : &session->format;

    if (!format->known || format->huffman || is_outside_connection(base, packet))
        return false;
    *seqinfo = qs_seqinfo_from(packet->from, base->server);
    read_seqinfo_words(packet, format->stunaware, seqinfo);
    if (seqinfo->from_client && packet->size >= WORDS_SIZE + QPORT_SIZE)
        seqinfo->qport = qs_seqinfo_qport(QPORT_SIZE, qs_le16(packet->data + WORDS_SIZE));
    if (seqinfo->qport && base->qport && seqinfo->qport != base->qport)
        return false;
    if (!format->fragments)
        return true;
    return base->server != QS_END_UNKNOWN &&
           read_seqinfo_fragment(
               packet, WORDS_SIZE + (base->server == packet->from ? 0 : QPORT_SIZE), seqinfo);
}
