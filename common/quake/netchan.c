/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams of a connection. A packet is a fragment of a reliable message, the acknowledgement of
 * one, or an unreliable message.
 *
 * The sender repeats each fragment unchanged until it is acknowledged, so a new fragment shows that
 * the receiver has the one before it. The receiver accepts an unreliable message if it is newer
 * than the last one. Each direction numbers fragments and unreliable messages separately, from 0.
 * Sources: PROTOCOL.md, sections 1 and 2; QuakeSpasm net_dgrm.c, Datagram_GetMessage.
 */
#include "common/core/reader.h"
#include "common/netchan/netchan.h"
#include "common/quake/decode.h"

static const struct qs_span whole_header = {0, NET_HEADER_SIZE};

enum {
    STUCK_AFTER = 3, /* acknowledgements of a fragment whose sender, repeating it, is stuck */
    FIRST_MAX = 256  /* a connection's first captured fragment has a lower number */
};

/* Returns what the packet's sender sends reliably, or (`back`) receives; NULL: unknown
 * direction. */
static struct nq_reliable *reliable_of(const struct qs_decoder *d, bool back)
{
    struct nq_session *session = nq_session_of(d);

    if (d->found.direction == QS_DIRECTION_UNKNOWN)
        return NULL;
    return (d->found.direction == QS_S2C) != back ? &session->to_client : &session->to_server;
}

/* --- Messages --- */

static void read_messages(struct qs_decoder *d)
{
    if (d->found.direction == QS_S2C)
        nq_read_server_messages(d);
    else
        nq_read_client_messages(d);
}

/* Limits the delivery to the whole messages of a cut packet. */
static void keep_whole_messages(const struct qs_decoder *d, struct nq_delivery *delivered)
{
    const struct qs_message *last;

    delivered->bytes.size = 0;
    if (!d->found.messages->len)
        return;
    last = &g_array_index(d->found.messages, struct qs_message, d->found.messages->len - 1);
    delivered->bytes.size =
        (uint32_t)(d->in.data + last->offset + last->length - delivered->bytes.data);
}

static void read_server_messages(struct qs_decoder *d, bool reliable)
{
    struct nq_session *session = nq_session_of(d);
    const uint32_t frame = session->frames.newest;

    nq_read_server_messages(d);
    if ((qs_decoder_problems(d) || qs_packet_is_cut(d->packet)) && session->frames.newest == frame)
        nq_assume_frame_number(d);
    nq_level_clear_doubt(session, reliable);
}

/* Reads the rest of the buffer as a message that its receiver accepts. */
static void deliver(struct qs_decoder *d, bool reliable)
{
    struct nq_delivery *delivered = &nq_session_of(d)->delivered;

    d->found.accepted = true;
    *delivered = (struct nq_delivery){
        .bytes = qs_rest(d), .reliable = reliable, .source = (uint8_t)d->source_depth};
    if (d->found.direction == QS_S2C)
        read_server_messages(d, reliable);
    else
        nq_read_client_messages(d);
    if (qs_packet_is_cut(d->packet))
        keep_whole_messages(d, delivered);
}

/* --- Reliable messages --- */

static void show_fragment(struct qs_decoder *d)
{
    qs_bytes(d, NQ_FRAGMENT_DATA, qs_reader_left(&d->in));
}

static void lack_fragments(struct qs_decoder *d)
{
    qs_note(d, QS_NOTE_NOT_CAPTURED, NET_HEADER_SIZE, qs_reader_left(&d->in),
            "The capture lacks earlier fragments of this message");
    show_fragment(d);
}

/* True if the message is whole. If its beginning may be missing, reading it to its end decides. */
static bool is_whole(const struct qs_decoder *d, const struct nq_reliable *reliable,
                     struct qs_view message)
{
    return !reliable->doubtful || qs_are_readable(d, d->session, message, read_messages);
}

static void deliver_joined(struct qs_decoder *d, struct nq_reliable *reliable,
                           struct qs_view message)
{
    const struct qs_span span = {NET_HEADER_SIZE, qs_reader_left(&d->in)};

    show_fragment(d);
    qs_emit_fragments(d, NQ_FRAGMENTS, &reliable->pending, span);
    if (!qs_push_source(d, "Reassembled message", message.data, message.size))
        return;
    deliver(d, true);
    qs_pop_source(d);
}

/* Joins the last of several fragments with those before it, and reads the message. */
static void join(struct qs_decoder *d, struct nq_reliable *reliable)
{
    GBytes *joined = qs_fragments_join(&reliable->pending, qs_rest(d));
    gsize size;
    const uint8_t *data = g_bytes_get_data(joined, &size);
    const struct qs_view message = {data, (uint32_t)size};

    nq_session_of(d)->joined = joined; /* owns it until the next packet */
    if (is_whole(d, reliable, message))
        deliver_joined(d, reliable, message);
    else
        lack_fragments(d);
    qs_fragments_clear(&reliable->pending);
}

/* Reads a message of one fragment. */
static void read_single(struct qs_decoder *d, struct nq_reliable *reliable)
{
    reliable->last_was_whole = is_whole(d, reliable, qs_rest(d));
    if (reliable->last_was_whole)
        deliver(d, true);
    else
        lack_fragments(d);
}

static void end_message(struct qs_decoder *d, struct nq_reliable *reliable)
{
    if (reliable->broken)
        lack_fragments(d);
    else if (qs_fragments_count(&reliable->pending))
        join(d, reliable);
    else
        read_single(d, reliable);
    /* The next fragment begins a message. */
    reliable->doubtful = reliable->broken = false;
}

static void keep_fragment(struct qs_decoder *d, struct nq_reliable *reliable)
{
    const struct qs_view bytes = qs_rest(d);

    if (!reliable->broken &&
        !qs_fragments_add(&reliable->pending, bytes, d->packet->number, NET_MAXMESSAGE)) {
        qs_note_overlong(d, (struct qs_span){NET_HEADER_SIZE, bytes.size});
        qs_fragments_clear(&reliable->pending);
        reliable->broken = true;
    }
    d->found.fragment = qs_fragments_count(&reliable->pending);
    show_fragment(d);
}

/* True if the fragment is part of a sign-on, which is useless if any part is cut. */
static bool is_of_sign_on(const struct qs_decoder *d)
{
    return d->found.direction == QS_S2C &&
           (nq_session_of(d)->signon < SIGNON_DONE || nq_begins_level(qs_rest(d)));
}

/* Drops a fragment that the capture cut, and the message that it belongs to. */
static void drop_cut_fragment(struct qs_decoder *d, struct nq_reliable *reliable, bool last)
{
    const bool alone = last && !qs_fragments_count(&reliable->pending);

    if (is_of_sign_on(d))
        nq_level_lose(d, false, false);
    qs_fragments_clear(&reliable->pending);
    reliable->broken = !last;
    reliable->doubtful = false;
    if (alone)
        qs_read_dropped(d, read_messages);
    else
        show_fragment(d);
}

static void accept_fragment(struct qs_decoder *d, struct nq_reliable *reliable, bool last)
{
    reliable->acknowledgements = 0;
    reliable->last_was_whole = false;
    d->found.accepted = true;
    /* Only a cut message that has a single fragment, and is no sign-on, can be used in part. */
    if (qs_packet_is_cut(d->packet) &&
        (!last || qs_fragments_count(&reliable->pending) || is_of_sign_on(d)))
        drop_cut_fragment(d, reliable, last);
    else if (last)
        end_message(d, reliable);
    else
        keep_fragment(d, reliable);
}

static void repeat_fragment(struct qs_decoder *d, struct nq_reliable *reliable, bool last)
{
    qs_note_retransmission(d, whole_header);
    if (reliable->acknowledgements >= STUCK_AFTER)
        qs_note(d, QS_NOTE_UNUSUAL, 0, NET_HEADER_SIZE,
                "The sender is stuck: this fragment was acknowledged %u times before",
                reliable->acknowledgements);
    if (last && reliable->last_was_whole && d->found.sequence == reliable->fragments.sequence)
        qs_read_dropped(d, read_messages);
    else
        show_fragment(d);
}

/* The next fragment may continue a message whose beginning the capture lacks, or begin one. */
static void doubt_beginning(struct nq_reliable *reliable)
{
    qs_fragments_clear(&reliable->pending);
    reliable->doubtful = true;
    reliable->broken = false;
}

/*
 * Fragments before this one are missing. The receiver has them, because the sender has sent the
 * next one; only the capture lacks them.
 */
static void miss_fragments(struct qs_decoder *d, struct nq_reliable *reliable, uint32_t missing)
{
    struct nq_session *session = nq_session_of(d);

    if (reliable == &session->to_client && session->base.level)
        nq_level_miss(d, missing);
    qs_note_lacking(d, whole_header, missing);
    qs_hole_separate(d, d->found.direction, missing - MIN(missing, reliable->fragments.ahead),
                     reliable->fragments.time);
    doubt_beginning(reliable);
}

static void read_fragment(struct qs_decoder *d, bool last)
{
    struct nq_reliable *reliable = reliable_of(d, false);
    uint32_t missing;

    if (!reliable) {
        read_messages(d);
        return;
    }
    /* The capture begins after the connection's first fragment, number 0: fragments are missing if
     * the connection's beginning was captured, and a message may have begun in them. */
    if (!reliable->fragments.started && d->found.sequence) {
        if (d->session->connection && d->found.sequence < FIRST_MAX)
            miss_fragments(d, reliable, d->found.sequence);
        else
            doubt_beginning(reliable);
    }
    switch (qs_netchan_arrive(&reliable->fragments, d->found.sequence, &missing)) {
    case QS_ARRIVAL_GAP:
        miss_fragments(d, reliable, missing);
        accept_fragment(d, reliable, last);
        break;
    case QS_ARRIVAL_NEXT:
        accept_fragment(d, reliable, last);
        break;
    case QS_ARRIVAL_DUPLICATE:
    case QS_ARRIVAL_STALE:
        repeat_fragment(d, reliable, last);
        return;
    }
    reliable->fragments.ahead = 0;
    reliable->fragments.time = d->packet->time;
}

static void read_acknowledgement(struct qs_decoder *d)
{
    struct nq_reliable *reliable = reliable_of(d, true);

    if (!reliable || !reliable->fragments.started)
        return;
    d->found.acknowledged = d->found.sequence;
    if (d->found.sequence == reliable->fragments.sequence)
        reliable->acknowledgements++;
    if (qs_receive_acknowledgement(d, &reliable->fragments, whole_header))
        qs_hole_separate(d, qs_direction_back(d), 1, reliable->fragments.time);
}

/* --- Unreliable messages --- */

static void read_unreliable(struct qs_decoder *d)
{
    if (d->found.direction == QS_DIRECTION_UNKNOWN) {
        read_messages(d);
        return;
    }
    qs_note_gap(d, whole_header, qs_receive(d, qs_netchan_forth(d), whole_header), 0);
    if (d->found.accepted)
        deliver(d, false);
    else
        qs_read_dropped(d, read_messages);
}

/* --- Packets --- */

/* Limits the packet to the length in its header, as receivers do; notes a difference in size. */
static void limit_payload(struct qs_decoder *d, uint32_t length)
{
    if (length == d->packet->wire_size)
        return;
    qs_note(d, QS_NOTE_MALFORMED, 0, 4, "The header's length is %u, but the packet has %u bytes",
            length, d->packet->wire_size);
    if (length >= NET_HEADER_SIZE && length < d->in.size)
        d->in.size = d->in.limit = length;
}

static bool has_begun(const struct nq_session *session)
{
    return session->base.connection || session->base.to_server.started ||
           session->base.to_client.started || session->to_server.fragments.started ||
           session->to_client.fragments.started;
}

/*
 * True if a new connection begins in a conversation that already had one: the server accepted a
 * request, or the client sent one and the capture lacks the answer. If a request or an answer is
 * only repeated, the numbers do not start over.
 */
static bool starts_over(const struct qs_decoder *d, uint32_t flags)
{
    const struct nq_session *session = nq_session_of(d);
    const struct qs_netchan *to_server = &session->to_server.fragments;
    const struct qs_netchan *to_client = &session->to_client.fragments;

    if (flags & NETFLAG_UNRELIABLE)
        return session->asked && qs_netchan_starts_over(qs_netchan_forth(d), d->found.sequence);
    if (!(flags & NETFLAG_DATA) || d->found.sequence ||
        (!session->asked && !session->restart_offered))
        return false;
    return session->restart_is_certain || reliable_of(d, false)->fragments.sequence > 1 ||
           (session->asked && !to_server->started && !to_client->started);
}

/* Begins a connection at fragment 0 of a new conversation, or if the numbers start over. */
static void notice_beginning(struct qs_decoder *d, uint32_t flags)
{
    struct nq_session *session = nq_session_of(d);

    if (d->found.direction == QS_DIRECTION_UNKNOWN)
        return;
    if (has_begun(session)) {
        if (starts_over(d, flags))
            nq_session_begin_connection(session);
    } else if (flags & NETFLAG_DATA && !d->found.sequence) {
        session->base.connection = 1;
        session->asked = false;
    }
}

static const char *kind_name(uint32_t flags)
{
    if (flags & NETFLAG_UNRELIABLE)
        return "unreliable";
    if (flags & NETFLAG_ACK)
        return "ack";
    return flags & NETFLAG_EOM ? "reliable" : "fragment";
}

static void read_payload(struct qs_decoder *d, uint32_t flags)
{
    /* Engines test the flags in this order. */
    if (flags & NETFLAG_UNRELIABLE)
        read_unreliable(d);
    else if (flags & NETFLAG_ACK)
        read_acknowledgement(d);
    else if (flags & NETFLAG_DATA)
        read_fragment(d, flags & NETFLAG_EOM);
    else
        qs_note(d, QS_NOTE_MALFORMED, 0, 4, "Neither data nor an acknowledgement");
}

void nq_read_datagram(struct qs_decoder *d)
{
    uint32_t word, size;

    /* The first fragment of a sign-on cannot be read alone, but only servers send it. */
    if (d->found.direction == QS_DIRECTION_UNKNOWN && !d->probing)
        qs_learn_direction(d, nq_is_sign_on((struct qs_view){d->in.data, d->in.size})
                                  ? QS_S2C
                                  : qs_probe_direction(d));
    qs_open(d, NQ_HEADER);
    word = qs_u32be(d, NQ_HEADER_WORD);
    d->found.sequence = qs_u32be(d, NQ_SEQUENCE);
    qs_close(d);
    if (d->in.overrun) {
        if (d->packet->size == d->packet->wire_size)
            qs_note(d, QS_NOTE_MALFORMED, 0, d->in.pos, "Too short for a header");
        qs_undecoded(d);
        return;
    }
    size = d->in.size;
    limit_payload(d, word & NETFLAG_LENGTH_MASK);
    notice_beginning(d, word);
    if (d->want_summary)
        qs_summary(d, "%s %u", kind_name(word), d->found.sequence);
    read_payload(d, word);
    d->in.size = size; /* bytes beyond the length are shown as well */
    qs_undecoded(d);
}

/*
 * Requires the exact flag and length, a sequence number below 2^24, and a message that begins as
 * all but the rarest do: the server's with svc_time or FTE's updates, which begin with a time, the
 * client's with a move that fills the packet.
 */
bool nq_is_game(struct qs_view packet)
{
    enum { MOVE = 1 + 4 + 3 + 6 + 2, WIDE_MOVE = MOVE + 3, FTE_MOVE = WIDE_MOVE + 5 };
    const uint32_t size = packet.size - MIN(packet.size, NET_HEADER_SIZE);

    if (size < 5 || qs_be32(packet.data) != (NETFLAG_UNRELIABLE | packet.size) || packet.data[4])
        return false;
    switch (packet.data[NET_HEADER_SIZE]) {
    case SVC_TIME:
    case SVCFTE_UPDATEENTITIES:
        return true;
    case CLC_MOVE:
        return size == MOVE || size == WIDE_MOVE || size == FTE_MOVE ||
               (size > FTE_MOVE && packet.data[NET_HEADER_SIZE + FTE_MOVE] == CLC_DP_ACKFRAME);
    }
    return false;
}

/* --- Sequence numbers and acknowledgements --- */

/*
 * Source: PROTOCOL.md, sections 1 and 2. Fragments of reliable messages are acknowledged by their
 * numbers. Unreliable messages are not, but a client's clc_move repeats the svc_time of the newest
 * message that the client has.
 */

enum { UNRELIABLE, RELIABLE, TIME_END = NET_HEADER_SIZE + 5 };

/* Uses the bits of the time as a number: those of floats that are not negative grow with them. */
static void read_time(const struct qs_session *session, const struct qs_packet *packet,
                      struct qs_seqinfo *seqinfo)
{
    const uint8_t message = packet->size >= TIME_END ? packet->data[NET_HEADER_SIZE] : 0;
    const bool from_server = session->server == packet->from;

    if (session->server == QS_END_UNKNOWN ||
        !nq_moves_begin_with_time((const struct nq_session *)session))
        return;
    if (from_server && message == SVC_TIME)
        seqinfo->ack_id = qs_le32(packet->data + NET_HEADER_SIZE + 1);
    else if (!from_server && message == CLC_MOVE)
        seqinfo->acked_id = qs_le32(packet->data + NET_HEADER_SIZE + 1);
}

bool nq_seqinfo(const struct qs_session *session, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo)
{
    uint32_t word, sequence;

    if (packet->size < NET_HEADER_SIZE || qs_be32(packet->data) & NETFLAG_CTL)
        return false;
    word = qs_be32(packet->data);
    sequence = qs_be32(packet->data + 4);
    *seqinfo = qs_seqinfo_from(packet->from, session->server);
    seqinfo->stream = word & NETFLAG_UNRELIABLE ? UNRELIABLE : RELIABLE;
    if (word & NETFLAG_UNRELIABLE) {
        qs_seqinfo_message(seqinfo, sequence, 0);
        read_time(session, packet, seqinfo);
    } else if (word & NETFLAG_ACK) {
        seqinfo->acked_stream = RELIABLE;
        seqinfo->acked_id = sequence + 1;
    } else {
        qs_seqinfo_message(seqinfo, sequence, 0);
        seqinfo->ack_id = sequence + 1;
        seqinfo->reliable = seqinfo->repeated = true;
    }
    return true;
}
