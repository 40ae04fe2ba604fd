/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets with sequence numbers. Source: engine, net_chan.c; changes by R1Q2 and Q2PRO:
 * PROTOCOL.md, section 4; Q2PRO, net/chan.c.
 */
#include "common/core/reader.h"
#include "common/netchan/netchan.h"
#include "common/netchan/seqinfo.h"
#include "common/quake2/decode.h"

enum {
    HEADER_SIZE = 8, /* without a client's qport */
    FRAGMENT_WORD_SIZE = 2,
    FIRST_NUMBER = 1,
    FIRST_NUMBERS = 2, /* sequence numbers up to this one begin a connection */
    JOINED_MAX = 32768 /* maximum length of a message in Q2PRO */
};

struct q2_header {
    uint32_t sequence, acknowledged;
    bool reliable, reliable_ack; /* their upper bits */
    uint32_t qport;              /* as qs_seqinfo_qport() returns it */
    bool fragment, more;
    uint32_t fragment_offset;
};

static void read_sequence(struct qs_decoder *d, struct q2_header *header)
{
    const bool fragments = q2_session_of(d->session)->new_netchan;
    const uint32_t at = d->in.pos;
    const uint32_t word = qs_reader_u32(&d->in);
    const uint32_t ack = qs_reader_u32(&d->in);
    const uint32_t mask = fragments ? QS_SEQUENCE_MASK & ~Q2_FRAGMENT_BIT : QS_SEQUENCE_MASK;

    header->sequence = word & mask;
    header->acknowledged = ack & mask;
    header->reliable = word & QS_RELIABLE_BIT;
    header->reliable_ack = ack & QS_RELIABLE_BIT;
    header->fragment = fragments && word & Q2_FRAGMENT_BIT;
    qs_emit_uint(d, Q2_SEQUENCE_RELIABLE, at, 4, word >> 31);
    if (fragments)
        qs_emit_uint(d, Q2_SEQUENCE_FRAGMENT, at, 4, header->fragment);
    qs_emit_uint(d, Q2_SEQUENCE, at, 4, header->sequence);
    qs_emit_uint(d, Q2_ACK_RELIABLE, at + 4, 4, ack >> 31);
    qs_emit_uint(d, Q2_ACK, at + 4, 4, header->acknowledged);
}

/* Returns the size of a client's qport in bytes. */
static uint32_t qport_size(const struct q2_session *session)
{
    return session->qport_width == Q2_QPORT_UNKNOWN ? Q2_QPORT_SHORT
                                                    : (uint32_t)session->qport_width;
}

static uint32_t read_qport(struct qs_decoder *d)
{
    const uint32_t size = qport_size(q2_session_of(d->session));

    if (!size)
        return 0;
    return qs_seqinfo_qport(size, size == 1 ? qs_u8(d, Q2_QPORT) : qs_u16(d, Q2_QPORT));
}

static struct q2_header read_header(struct qs_decoder *d)
{
    struct q2_header header = {0};

    qs_open(d, Q2_HEADER);
    read_sequence(d, &header);
    if (d->found.direction == QS_C2S)
        header.qport = read_qport(d);
    if (header.fragment) {
        const uint16_t word = qs_u16(d, Q2_FRAGMENT_WORD);

        header.more = word & Q2_MORE_FRAGMENTS;
        header.fragment_offset = word & (Q2_MORE_FRAGMENTS - 1);
    }
    if (qs_label_wanted(d))
        qs_label(d, ": %u, acknowledges %u", header.sequence, header.acknowledged);
    qs_close(d);
    d->found.sequence = header.sequence;
    d->found.acknowledged = header.acknowledged;
    if (d->want_summary)
        qs_summary(d, "seq %u ack %u", header.sequence, header.acknowledged);
    return header;
}

/* --- Sequence numbers --- */

/* True if the packet may have overtaken the client_connect that accepts its connection. */
static bool overtakes_answer(const struct q2_session *session, uint32_t sequence)
{
    return !session->base.connection && session->handshake.wanted.version &&
           !session->base.to_server.started && !session->base.to_client.started &&
           sequence <= FIRST_NUMBERS;
}

/*
 * Begins a connection when the sequence numbers restart: the client was accepted during traffic, or
 * the capture lacks the start of its new connection. The new netchan is unknown yet, so the bit
 * that may mean a fragment is ignored.
 */
static void apply_connect(struct qs_decoder *d)
{
    struct q2_session *session = q2_session_of(d->session);
    const uint32_t sequence = qs_le32(d->in.data) & QS_SEQUENCE_MASK & ~Q2_FRAGMENT_BIT;
    struct qs_netchan *chan = qs_netchan_forth(d);
    const bool expected = session->handshake.connect_pending || session->base.disconnected;

    if (overtakes_answer(session, sequence) ||
        (d->found.direction == QS_C2S && qs_netchan_restarted(chan, sequence)) ||
        ((session->handshake.asked || (expected && sequence <= FIRST_NUMBERS)) &&
         qs_netchan_starts_over(chan, sequence)))
        q2_session_connect(session);
    else if (session->handshake.connect_pending && sequence > chan->sequence)
        session->handshake.connect_pending = false;
}

/* --- Messages --- */

static void read_messages(struct qs_decoder *d)
{
    if (d->found.direction == QS_C2S)
        q2_read_client_messages(d);
    else if (d->found.direction == QS_S2C)
        q2_read_server_messages(d);
    else
        qs_undecoded(d);
}

/* Notes the loss of a sign-on's part that the client received and the capture lacks. Until the
 * server has sent all lists, each of its packets in a hole may have a part. */
static void note_lost_sign_on(struct qs_decoder *d, const struct qs_hole *before)
{
    const bool has_lists = q2_session_of(d->session)->level.has_lists;

    if (qs_lacks_sign_on(d) || (d->session->level_state == QS_LEVEL_SIGNING_ON && !has_lists &&
                                qs_hole_growth(&d->session->hole, before, QS_S2C)))
        qs_level_lose(d->session, d->packet->number, true, false);
}

static void arrive(struct qs_decoder *d, const struct q2_header *header)
{
    static const struct qs_span sequence = {0, 4}, ack = {4, 4};
    const struct qs_hole before = d->session->hole;
    uint32_t skipped;

    skipped = qs_receive(d, qs_netchan_forth(d), sequence);
    if (d->found.accepted && qs_receive_acknowledgement(d, qs_netchan_back(d), ack))
        qs_hole_acknowledged(d);
    qs_note_gap(d, sequence, skipped, 0);
    qs_receive_reliable(d, header->reliable, header->reliable_ack);
    note_lost_sign_on(d, &before);
}

static void read_fragment(struct qs_decoder *d, const struct q2_header *header)
{
    static const struct qs_fragment_format format = {
        {0, 4}, Q2_FRAGMENT_DATA, Q2_FRAGMENTS, JOINED_MAX};
    struct q2_session *session = q2_session_of(d->session);
    struct qs_fragments *list =
        d->found.direction == QS_S2C ? &session->to_client : &session->to_server;
    GBytes *message = qs_receive_fragment(d, list, &format, header->fragment_offset, header->more);

    if (message || qs_ends_cut_message(d, list, header->more))
        arrive(d, header);
    if (!message)
        return;
    q2_read_source(d, "Joined fragments", message, read_messages);
    g_bytes_unref(message);
}

/* True if the session's protocol was captured, not guessed. */
static bool is_known(const struct q2_session *session)
{
    return !session->handshake.guessed &&
           (session->base.version || session->handshake.wanted.version);
}

/* True if the packet may be of the session's client, by its qport. A guessed protocol proves
 * nothing, because the qport's size is a guess, too. */
static bool is_of_client(struct qs_decoder *d, uint32_t qport)
{
    const struct q2_session *session = q2_session_of(d->session);

    return d->found.direction != QS_C2S || !qport || !is_known(session) ||
           qs_receive_qport(d, qport, (struct qs_span){HEADER_SIZE, qport_size(session)});
}

void q2_decode_netchan(struct qs_decoder *d)
{
    struct q2_session *session = q2_session_of(d->session);
    struct q2_header header;

    if (d->in.size < HEADER_SIZE) {
        qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "Too short for a netchan header");
        qs_undecoded(d);
        return;
    }
    if (d->found.direction != QS_DIRECTION_UNKNOWN)
        apply_connect(d);
    header = read_header(d);
    session->packet.moved = false;
    if (!is_of_client(d, header.qport)) {
        qs_read_dropped(d, header.fragment ? qs_undecoded : read_messages);
    } else if (header.fragment) {
        read_fragment(d, &header);
    } else {
        if (d->found.direction != QS_DIRECTION_UNKNOWN)
            arrive(d, &header);
        qs_read_received(d, read_messages);
    }
    if (d->found.direction == QS_S2C && qs_packet_is_cut(d->packet) &&
        session->base.level_state == QS_LEVEL_SIGNING_ON)
        qs_level_lose(d->session, d->packet->number, false, false);
}

/* --- Sequence numbers without decoding --- */

static uint32_t qport_of(const struct q2_session *session, const uint8_t *data)
{
    const uint32_t size = qport_size(session);

    return size ? qs_seqinfo_qport(size, size == 1 ? data[0] : qs_le16(data)) : 0;
}

static bool set_fragment_seqinfo(const struct q2_session *session, const struct qs_packet *packet,
                                 struct qs_seqinfo *seqinfo)
{
    const bool from_client = session->base.server != packet->from;
    const uint32_t at = HEADER_SIZE + (from_client ? qport_size(session) : 0);
    const uint32_t start = at + FRAGMENT_WORD_SIZE;
    uint16_t word;

    if (session->base.server == QS_END_UNKNOWN || packet->size < start)
        return false;
    word = qs_le16(packet->data + at);
    qs_seqinfo_fragment(seqinfo, word & (Q2_MORE_FRAGMENTS - 1), packet->wire_size - start,
                        word & Q2_MORE_FRAGMENTS);
    return true;
}

bool q2_seqinfo(const struct qs_session *base, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo)
{
    const struct q2_session *session = q2_session_of_const(base);
    const uint32_t mask =
        session->new_netchan ? QS_SEQUENCE_MASK & ~Q2_FRAGMENT_BIT : QS_SEQUENCE_MASK;
    uint32_t word;

    if (packet->size < HEADER_SIZE || q2_is_connectionless(packet))
        return false;
    word = qs_le32(packet->data);
    *seqinfo = qs_seqinfo_from(packet->from, base->server);
    qs_seqinfo_message(seqinfo, word & mask, FIRST_NUMBER);
    seqinfo->ack_id = word & mask;
    seqinfo->acked_id = qs_le32(packet->data + 4) & mask;
    seqinfo->reliable = word & QS_RELIABLE_BIT;
    seqinfo->has_reliable_bit = true;
    seqinfo->reliable_bit = qs_le32(packet->data + 4) & QS_RELIABLE_BIT;
    if (seqinfo->from_client && packet->size >= HEADER_SIZE + 2)
        seqinfo->qport = qport_of(session, packet->data + HEADER_SIZE);
    if (seqinfo->qport && base->qport && seqinfo->qport != base->qport)
        return false;
    return !session->new_netchan || !(word & Q2_FRAGMENT_BIT) ||
           set_fragment_seqinfo(session, packet, seqinfo);
}

/* --- Guesses, for captures that begin within a session --- */

/* Protocols that are tried on a packet, the most likely ones first. */
struct guess {
    int32_t version; /* 0: any version up to 34, whose packets look the same */
    uint32_t minor;
    enum q2_qport_width qport_width;
    bool new_netchan;
    uint16_t flags; /* flags of svc_serverdata */
};

static const struct guess guesses[] = {
    {0, 0, Q2_QPORT_UNKNOWN, false, 0},
    {Q2_PROTOCOL_Q2PRO, Q2PRO_NEWEST, Q2_QPORT_BYTE, true, 0},
    {Q2_PROTOCOL_R1Q2, R1Q2_NEWEST, Q2_QPORT_BYTE, false, 0},
    {Q2_PROTOCOL_Q2PRO, Q2PRO_NEWEST, Q2_QPORT_BYTE, false, 0},
    {Q2_PROTOCOL_Q2PRO, Q2PRO_NEWEST, Q2_QPORT_NONE, true, 0},
    {Q2_PROTOCOL_R1Q2, R1Q2_NEWEST, Q2_QPORT_NONE, false, 0},
    {Q2_PROTOCOL_Q2PRO, Q2PRO_NEWEST, Q2_QPORT_NONE, false, 0},
    {Q2_PROTOCOL_AQTION, AQTION_NEWEST, Q2_QPORT_BYTE, true, 0},
    {Q2_PROTOCOL_AQTION, AQTION_NEWEST, Q2_QPORT_NONE, true, 0},
    {Q2_PROTOCOL_Q2REPRO, 0, Q2_QPORT_BYTE, true, 0},
    {Q2_PROTOCOL_Q2REPRO, 0, Q2_QPORT_NONE, true, 0},
    /* Before 1905 solids have 16 bits; before 1904 moves differ: PROTOCOL.md, section 6. */
    {Q2_PROTOCOL_R1Q2, R1Q2_LONG_SOLID - 1, Q2_QPORT_BYTE, false, 0},
    {Q2_PROTOCOL_R1Q2, R1Q2_UCMD - 1, Q2_QPORT_BYTE, false, 0},
    {Q2_PROTOCOL_Q2PRO, Q2PRO_NEWEST, Q2_QPORT_BYTE, true, PF_EXTENSIONS | PF_EXTENSIONS_2},
    {Q2_PROTOCOL_Q2PRO, Q2PRO_NEWEST, Q2_QPORT_BYTE, true, PF_EXTENSIONS},
};

static void apply(struct q2_session *session, const struct guess *guess)
{
    /* svc_serverdata has Q2PRO's minor version, but only the highest one of R1Q2. */
    if (!session->base.level || guess->version == Q2_PROTOCOL_R1Q2)
        session->minor = guess->minor;
    if (!session->base.level)
        session->protocol_flags = guess->flags;
    session->qport_width = guess->qport_width;
    session->new_netchan = guess->new_netchan;
    session->handshake.guessed = true;
    q2_session_set_version(session, guess->version);
}

/* Directions in which a packet can be read. */
enum fit { FITS_NONE, FITS_ONE, FITS_BOTH };

/* Tries to read the packet in `session`, and stores a direction in which it can be read. */
static enum fit find_direction(struct qs_decoder *d, const struct q2_session *session,
                               enum qs_direction *direction, void (*decode)(struct qs_decoder *))
{
    bool as_client, as_server;

    *direction = d->found.direction;
    if (d->found.direction != QS_DIRECTION_UNKNOWN)
        return qs_reads_as(d, &session->base, d->found.direction, d->packet, decode) ? FITS_ONE
                                                                                     : FITS_NONE;
    as_client = qs_reads_as(d, &session->base, QS_C2S, d->packet, decode);
    as_server = qs_reads_as(d, &session->base, QS_S2C, d->packet, decode);
    *direction = as_client ? QS_C2S : QS_S2C;
    if (as_client && as_server)
        return FITS_BOTH;
    return as_client || as_server ? FITS_ONE : FITS_NONE;
}

static enum fit try_guess(struct qs_decoder *d, const struct guess *guess,
                          void (*decode)(struct qs_decoder *))
{
    struct q2_session *session = q2_session_of(d->session);
    struct q2_session trial;
    enum qs_direction direction;
    enum fit fit;

    q2_session_copy(&trial.base, &session->base);
    apply(&trial, guess);
    fit = find_direction(d, &trial, &direction, decode);
    q2_session_clear(&trial.base);
    if (fit != FITS_ONE)
        return fit;
    apply(session, guess);
    qs_learn_direction(d, direction);
    return fit;
}

void q2_guess(struct qs_decoder *d, void (*decode)(struct qs_decoder *))
{
    const struct q2_session *session = q2_session_of(d->session);
    enum qs_direction direction;

    if (is_known(session) || qs_packet_is_cut(d->packet))
        return;
    /* Keep a guess as long as packets can be read with it. */
    if (find_direction(d, session, &direction, decode) == FITS_ONE) {
        qs_learn_direction(d, direction);
        return;
    }
    /* If a likely guess can be read in both directions, a less likely one must not decide. Once a
     * level has begun, its version is known. */
    for (unsigned i = 0; i < G_N_ELEMENTS(guesses); i++)
        if ((!session->base.level || session->base.version == guesses[i].version) &&
            try_guess(d, &guesses[i], decode) != FITS_NONE)
            return;
}
