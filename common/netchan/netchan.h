/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One direction of a netchan: packets with increasing sequence numbers, and which of them arrived.
 * 31-bit numbers have the reliable bit above them.
 */
#ifndef QS_NETCHAN_NETCHAN_H
#define QS_NETCHAN_NETCHAN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decoder.h"
#include "common/core/packet.h"
#include "common/core/reader.h"
#include "common/core/session.h"

#define QS_SEQUENCE_MASK UINT32_C(0x7fffffff)
#define QS_RELIABLE_BIT UINT32_C(0x80000000)

enum qs_arrival {
    QS_ARRIVAL_NEXT,      /* accepted; no number is missing before it */
    QS_ARRIVAL_GAP,       /* accepted; numbers are missing before it */
    QS_ARRIVAL_DUPLICATE, /* dropped: captured before */
    QS_ARRIVAL_STALE      /* dropped: a later one was accepted before */
};

/* Adds an arriving packet. Sets `*skipped` to the number of sequence numbers skipped before it. */
enum qs_arrival qs_netchan_arrive(struct qs_netchan *chan, uint32_t sequence, uint32_t *skipped);

/*
 * True if the number is so far below the last one that reordering cannot explain it. The packet is
 * of a new connection, if one may have begun.
 */
bool qs_netchan_starts_over(const struct qs_netchan *chan, uint32_t sequence);

/* Like qs_netchan_starts_over(), for a run of packets: returns true once enough of them have low
 * numbers that a new connection must have begun whose handshake was not captured. */
bool qs_netchan_restarted(struct qs_netchan *chan, uint32_t sequence);

/*
 * Adds the other end's acknowledgement of number `ack`. Returns true, once for each number, if the
 * capture lacks the acknowledged packet.
 */
bool qs_netchan_acknowledge(struct qs_netchan *chan, uint32_t ack);

/*
 * True if the packet may begin with a sequence number and an acknowledgement of a running game: no
 * game lasts QS_NUMBERS_MAX packets (15 hours at 77 per second), and neither end sends more than
 * `ratio` times as many as the other, except for QS_NUMBERS_APART unanswered ones. `word` reads a
 * number, with flags in its upper two bits, in the protocol's byte order.
 */
bool qs_may_begin_with_numbers(const struct qs_packet *packet, uint32_t (*word)(const uint8_t *),
                               uint32_t ratio);
enum { QS_NUMBERS_MAX = 1 << 22, QS_NUMBERS_APART = 4096 };

/* --- Receiver --------------------------------------------------------------------------------- */

/*
 * Receiver of packets with sequence numbers, the same for all netchans. It accepts or drops a
 * packet, joins fragments, and tracks which of its own packets arrived. Notes of one kind have the
 * same wording in every game.
 *
 * A netchan reads its header, calls qs_receive() with the number and qs_receive_acknowledgement(),
 * then qs_read_received() with the function that reads the messages.
 */

/* Location of a note in the packet's bytes. */
struct qs_span {
    uint32_t offset, length;
};

/* Return the netchan of the packet's direction, and of the opposite one. */
static inline struct qs_netchan *qs_netchan_forth(const struct qs_decoder *d)
{
    return d->found.direction == QS_S2C ? &d->session->to_client : &d->session->to_server;
}

static inline struct qs_netchan *qs_netchan_back(const struct qs_decoder *d)
{
    return d->found.direction == QS_S2C ? &d->session->to_server : &d->session->to_client;
}

static inline enum qs_direction qs_direction_back(const struct qs_decoder *d)
{
    return d->found.direction == QS_S2C ? QS_C2S : QS_S2C;
}

/*
 * Checks the qport of a client's packet (see qs_seqinfo_qport(); 0: none). Returns true if the
 * server accepts the sender as the connection's client; otherwise adds a note. The first qport is
 * the connection's. Source: SV_ReadPackets of QuakeWorld's and Quake II's servers.
 */
bool qs_receive_qport(struct qs_decoder *d, uint32_t qport, struct qs_span span);

/*
 * Receives the current packet, whose number is d->found.sequence. Sets d->found.accepted, and adds
 * a note if the receiver drops it. Returns the number of sequence numbers skipped before it.
 */
uint32_t qs_receive(struct qs_decoder *d, struct qs_netchan *chan, struct qs_span number);

/*
 * Adds a note on the skipped numbers, if any; call it after the packet was read. The sender has
 * announced that it skipped `choked` of them on purpose. Returns true if they are part of a burst:
 * see qs_hole_gap().
 */
bool qs_note_gap(struct qs_decoder *d, struct qs_span number, uint32_t skipped, uint32_t choked);

/* Receives the acknowledgement of number d->found.acknowledged of `chan`. If the capture lacks that
 * packet, adds a note and returns true. Must not be called for a packet that its receiver drops. */
bool qs_receive_acknowledgement(struct qs_decoder *d, struct qs_netchan *chan, struct qs_span ack);

/* Receives the reliable bits of the packet and of its acknowledgement. Ignores a packet that its
 * receiver drops. */
void qs_receive_reliable(struct qs_decoder *d, bool reliable, bool bit);

/* True if the client's packet shows that the capture lacks a reliable packet of the level's
 * sign-on. */
bool qs_lacks_sign_on(const struct qs_decoder *d);

/* Adds a note that the packet is the retransmission of a reliable one. */
void qs_note_retransmission(struct qs_decoder *d, struct qs_span number);

/* Adds a note that the capture lacks `lacking` numbers before the packet's. Its receiver has them,
 * because the sender would have waited otherwise. */
void qs_note_lacking(struct qs_decoder *d, struct qs_span number, uint32_t lacking);

/* --- Fragments ------------------------------------------------------------------------------- */

/*
 * Fragments of an incomplete message.
 *
 * A list is a reference to its newest fragment, which refers to the one before it. Fragments never
 * change: copying a list is cheap, and a copy does not change when the original grows. References
 * are counted without locks: a session belongs to one thread.
 *
 * A list has at most QS_FRAGMENTS_MAX fragments, and as many bytes as its user allows.
 */

/* Maximum number of fragments of a message. Engines send fewer. */
enum { QS_FRAGMENTS_MAX = 1024 };

struct qs_fragment;

/* A list of fragments. Empty if zeroed. */
struct qs_fragments {
    struct qs_fragment *newest;
    uint32_t message; /* number of the message; see qs_fragments_follows() */
    uint32_t cut;     /* number of a message with a packet truncated by the capture; 0: none */
};

/* Copies a list. Overwrites `to` without clearing it. */
void qs_fragments_copy(struct qs_fragments *to, const struct qs_fragments *from);
void qs_fragments_clear(struct qs_fragments *list);

/* True if both hold the same fragments, as unchanged copies do. */
static inline bool qs_fragments_shares(const struct qs_fragments *a, const struct qs_fragments *b)
{
    return a->newest == b->newest;
}

/*
 * True if a fragment at byte `offset` of `message` is the next one. Clears another message's list.
 */
bool qs_fragments_follows(struct qs_fragments *list, uint32_t message, uint32_t offset);

/* True if a fragment of `size` bytes fits into `max` bytes and QS_FRAGMENTS_MAX fragments. */
bool qs_fragments_fits(const struct qs_fragments *list, uint32_t size, uint32_t max);

/*
 * Adds a copy of the bytes, which packet number `packet` carried. Returns false, with the list
 * unchanged, if it would have more than `max` bytes or QS_FRAGMENTS_MAX fragments.
 */
bool qs_fragments_add(struct qs_fragments *list, struct qs_view bytes, uint64_t packet,
                      uint32_t max);

uint32_t qs_fragments_count(const struct qs_fragments *list);
uint32_t qs_fragments_size(const struct qs_fragments *list);

/* Returns the bytes of all fragments, followed by `last`. The caller unrefs them. */
GBytes *qs_fragments_join(const struct qs_fragments *list, struct qs_view last);

/* Stores the packets' numbers, oldest first. `numbers` has room for qs_fragments_count(). */
void qs_fragments_packets(const struct qs_fragments *list, uint64_t *numbers);

/* Adds a note that the fragment makes its message too long. */
void qs_note_overlong(struct qs_decoder *d, struct qs_span fragment);

/*
 * Emits the packets of a joined message, whose `last` fragment is in the current packet, as rows
 * from `row` on: a group, a packet's number, the number of packets, their size.
 */
void qs_emit_fragments(struct qs_decoder *d, unsigned row, const struct qs_fragments *earlier,
                       struct qs_span last);

/* Format of a netchan whose fragments have an offset. */
struct qs_fragment_format {
    struct qs_span number; /* location of the sequence number */
    unsigned row;          /* field of a fragment's bytes */
    unsigned list_row;     /* see qs_emit_fragments() */
    uint32_t max;          /* maximum size of a message (bytes) */
};

/*
 * Receives the rest of the packet: the fragment at byte `offset` of message d->found.sequence;
 * `more`: others follow. Accepts whole fragments in order and drops others. If the message is
 * complete, returns it, and the caller receives its packet and unrefs the message. Otherwise
 * returns NULL, and the caller ignores the packet unless qs_ends_cut_message().
 */
GBytes *qs_receive_fragment(struct qs_decoder *d, struct qs_fragments *list,
                            const struct qs_fragment_format *format, uint32_t offset, bool more);

/* True if the fragment is the last one of a message with a packet truncated by the capture. The
 * receiver had the message, so the caller receives its packet, without messages. */
bool qs_ends_cut_message(const struct qs_decoder *d, const struct qs_fragments *list, bool more);

/* --- Messages -------------------------------------------------------------------------------- */

/* Calls `read` with the session, or qs_read_dropped() if the receiver drops the packet. */
void qs_read_received(struct qs_decoder *d, void (*read)(struct qs_decoder *));

/* Decodes a packet that the receiver drops, without changing the session: calls `read` with a copy
 * of the session, which is discarded. */
void qs_read_dropped(struct qs_decoder *d, void (*read)(struct qs_decoder *));

/* Calls `read` for the joined `message`, as a separate source. The caller keeps the reference. */
void qs_read_joined(struct qs_decoder *d, GBytes *message, void (*read)(struct qs_decoder *));

/* --- Reliable packets ------------------------------------------------------------------------- */

/*
 * Reliable packets of one end of a netchan with a reliable bit. One bit of each packet shows
 * whether the other end has received an even or an odd number of them. If that differs from the
 * captured number, the capture lacks one, or the path lost one. Source: id's qwsv, net_chan.c,
 * Netchan_Process; Quake II's is the same.
 */

/* Adds a packet that the other end accepts, with the highest number so far. `content` is the start
 * of a reliable packet's messages, which identifies a retransmission; 0: unknown. */
void qs_reliable_send(struct qs_reliable *state, uint32_t sequence, bool reliable,
                      uint64_t content);

/* Adds the other end's acknowledgement of packet `number`, with its reliable bit. */
void qs_reliable_acknowledge(struct qs_reliable *state, uint32_t number, bool bit);

/* --- Holes ------------------------------------------------------------------------------------ */

/*
 * Holes of the capture (struct qs_hole): packets that it lacks although their receiver had them, or
 * although both ends continued to send. Numbers that only the sender skipped prove nothing: the
 * path may have lost those packets.
 */

/*
 * Counts the gap of `lost` numbers before the packet, which its sender did not skip on purpose.
 * Returns true if it is a burst: both ends skipped numbers since the other's last packet. Networks
 * seldom lose packets of both at once, captures do. So all numbers of a burst count as not
 * captured, and so do all of a gap if one of them was acknowledged before it, or was reliable.
 * Numbers that are acknowledged later count one by one.
 */
bool qs_hole_gap(struct qs_decoder *d, uint32_t lost);

/* Counts packet d->found.acknowledged, which is acknowledged and not captured. */
void qs_hole_acknowledged(struct qs_decoder *d);

/* Counts a reliable packet of the other end that, as this packet proves, the capture lacks. */
void qs_hole_reliable(struct qs_decoder *d);

/* Counts separately numbered reliable packets of the direction that the capture lacks, sent after
 * `since`. A gap of the direction's other packets since then is part of the hole. */
void qs_hole_separate(struct qs_decoder *d, enum qs_direction direction, uint32_t packets,
                      int64_t since);

/*
 * Counts packets of the other end that the capture lacks, if the current packet identifies them by
 * something other than their numbers. `ahead`: they come after the last captured one; `packets` are
 * counted now, and all of them when their gap ends. Otherwise they are in the last gap.
 */
void qs_hole_named(struct qs_decoder *d, uint32_t packets, bool ahead);

#endif
