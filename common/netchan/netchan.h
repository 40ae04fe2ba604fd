/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One direction of a netchan: packets with a growing sequence number, and which of them arrived.
 * Headers with 31-bit numbers have the reliable bit above them. The receiver's rules follow below.
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

/* Adds a packet that arrives. Sets `*skipped` to the count of numbers skipped before it. */
enum qs_arrival qs_netchan_arrive(struct qs_netchan *chan, uint32_t sequence, uint32_t *skipped);

/*
 * True if the number is so far below the last one that reordering cannot explain it: it is of a new
 * connection, if one may have begun.
 */
bool qs_netchan_starts_over(const struct qs_netchan *chan, uint32_t sequence);

/* Like qs_netchan_starts_over(), for a run of packets: true once so many have low numbers that a
 * new connection must have begun, whose handshake was not captured. */
bool qs_netchan_restarted(struct qs_netchan *chan, uint32_t sequence);

/*
 * Adds the other end's acknowledgement of number `ack`. Returns true, once for each number, if the
 * capture lacks that packet.
 */
bool qs_netchan_acknowledge(struct qs_netchan *chan, uint32_t ack);

/*
 * True if the packet can begin with a number and an acknowledgement of a running game: no game
 * lasts QS_NUMBERS_MAX packets (15 hours of 77 each second), and neither end sends more than
 * `ratio` times as many as the other, except QS_NUMBERS_APART unanswered ones. `word` reads a
 * number, with flags in its upper two bits, in the protocol's byte order.
 */
bool qs_may_begin_with_numbers(const struct qs_packet *packet, uint32_t (*word)(const uint8_t *),
                               uint32_t ratio);
enum { QS_NUMBERS_MAX = 1 << 22, QS_NUMBERS_APART = 4096 };

/*
 * The receiver of packets with sequence numbers, the same for all netchans: it accepts or drops a
 * packet, joins fragments, and tracks which of its own packets arrived. Notes of one kind have the
 * same wording in every game.
 *
 * A netchan reads its header, calls qs_receive() with the number and qs_receive_acknowledgement(),
 * then qs_read_received() with the function that reads the messages.
 */

/* The bytes that a note is about. */
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
 * Checks the qport of a client's packet (see qs_seqinfo_qport(); 0: none). True if the server takes
 * the sender for the connection's client; otherwise adds a note. The first qport is the
 * connection's. Source: SV_ReadPackets of QuakeWorld's and Quake II's servers.
 */
bool qs_receive_qport(struct qs_decoder *d, uint32_t qport, struct qs_span span);

/*
 * Receives the current packet, numbered d->found.sequence: sets d->found.accepted, and adds a note
 * if the receiver drops it. Returns the count of numbers skipped before it.
 */
uint32_t qs_receive(struct qs_decoder *d, struct qs_netchan *chan, struct qs_span number);

/*
 * Adds a note on the skipped numbers, if any; call it after the packet was read. The sender has
 * announced that it skipped `choked` of them on purpose. True if they are part of a burst: see
 * qs_hole_gap().
 */
bool qs_note_gap(struct qs_decoder *d, struct qs_span number, uint32_t skipped, uint32_t choked);

/* Receives the acknowledgement of number d->found.acknowledged of `chan`. True if the capture lacks
 * that packet; then adds a note. Do not call it for a packet that its receiver drops. */
bool qs_receive_acknowledgement(struct qs_decoder *d, struct qs_netchan *chan, struct qs_span ack);

/* Receives the reliable bits of the packet and of its acknowledgement. Ignores a packet that its
 * receiver drops. */
void qs_receive_reliable(struct qs_decoder *d, bool reliable, bool bit);

/* True if the client's packet shows that the capture lacks a reliable packet of the level's
 * sign-on. */
bool qs_lacks_sign_on(const struct qs_decoder *d);

/* Adds a note that the packet repeats one that must arrive. */
void qs_note_retransmission(struct qs_decoder *d, struct qs_span number);

/* Adds a note that the capture lacks `lacking` numbers before the packet's. Its receiver has them,
 * or the sender would have waited. */
void qs_note_lacking(struct qs_decoder *d, struct qs_span number, uint32_t lacking);

/* --- Fragments ------------------------------------------------------------------------------- */

/*
 * The fragments of an incomplete message.
 *
 * A list is a reference to its newest fragment, which refers to the one before it. Fragments never
 * change: copying a list is cheap, and a copy does not change when the original grows. References
 * are counted without locks: a session belongs to one thread.
 *
 * Bounds: a list has at most QS_FRAGMENTS_MAX fragments, and as many bytes as its user allows.
 */

/* Maximum number of fragments of a message; engines send fewer. */
enum { QS_FRAGMENTS_MAX = 1024 };

struct qs_fragment;

/* A list of fragments. Empty if zeroed. */
struct qs_fragments {
    struct qs_fragment *newest;
    uint32_t message; /* number of the message; see qs_fragments_follows() */
    uint32_t cut;     /* number of a message with a packet that the capture cut; 0: none */
};

/* Copies a list. Overwrites `to` without clearing it. */
void qs_fragments_copy(struct qs_fragments *to, const struct qs_fragments *from);
void qs_fragments_clear(struct qs_fragments *list);

/* True if both hold the same fragments, like copies that have not changed. */
static inline bool qs_fragments_shares(const struct qs_fragments *a, const struct qs_fragments *b)
{
    return a->newest == b->newest;
}

/*
 * True if a fragment at byte `offset` of message `message` is the next one. If the list is of
 * another message, clears it first.
 */
bool qs_fragments_follows(struct qs_fragments *list, uint32_t message, uint32_t offset);

/* True if a fragment of `size` bytes may be added: at most `max` bytes, and not too many
 * fragments. */
bool qs_fragments_fits(const struct qs_fragments *list, uint32_t size, uint32_t max);

/*
 * Adds a copy of the bytes, which packet number `packet` carried. Returns false, with the list
 * unchanged, if it would have more than `max` bytes or QS_FRAGMENTS_MAX fragments.
 */
bool qs_fragments_add(struct qs_fragments *list, struct qs_view bytes, uint64_t packet,
                      uint32_t max);

uint32_t qs_fragments_count(const struct qs_fragments *list);
uint32_t qs_fragments_size(const struct qs_fragments *list);

/* Returns the bytes of all fragments, followed by `last`; the caller unrefs them. */
GBytes *qs_fragments_join(const struct qs_fragments *list, struct qs_view last);

/* Stores the packets' numbers, oldest first. `numbers` has room for qs_fragments_count(). */
void qs_fragments_packets(const struct qs_fragments *list, uint64_t *numbers);

/* Adds a note that the fragment makes its message too long. */
void qs_note_overlong(struct qs_decoder *d, struct qs_span fragment);

/*
 * Emits the packets that a message is joined from, whose `last` fragment is in the current packet,
 * as rows from `row` on: a group, a packet's number, the number of packets, their size.
 */
void qs_emit_fragments(struct qs_decoder *d, unsigned row, const struct qs_fragments *earlier,
                       struct qs_span last);

/* The format of a netchan whose fragments have an offset. */
struct qs_fragment_format {
    struct qs_span number; /* place of the sequence number */
    unsigned row;          /* field of a fragment's bytes */
    unsigned list_row;     /* see qs_emit_fragments() */
    uint32_t max;          /* maximum size of a message (bytes) */
};

/*
 * Receives the rest of the packet: the fragment at byte `offset` of message d->found.sequence;
 * `more`: others follow. Accepts whole fragments in order and drops others. Returns the message if
 * it is complete, to be unrefed; its packet then arrives. Otherwise returns NULL, and the packet is
 * done, unless qs_ends_cut_message().
 */
GBytes *qs_receive_fragment(struct qs_decoder *d, struct qs_fragments *list,
                            const struct qs_fragment_format *format, uint32_t offset, bool more);

/* True if the fragment is the last one of a message with a packet that the capture cut: the
 * receiver had it, and it arrives without its messages. */
bool qs_ends_cut_message(const struct qs_decoder *d, const struct qs_fragments *list, bool more);

/* --- Messages -------------------------------------------------------------------------------- */

/* Calls `read` with the session if the receiver accepts the packet, else qs_read_dropped(). */
void qs_read_received(struct qs_decoder *d, void (*read)(struct qs_decoder *));

/* Decodes a packet that the receiver drops, without changing the session: `read` gets a copy, which
 * is discarded. */
void qs_read_dropped(struct qs_decoder *d, void (*read)(struct qs_decoder *));

/* Calls `read` for the joined `message`, as a data source of its own. */
void qs_read_joined(struct qs_decoder *d, GBytes *message, void (*read)(struct qs_decoder *));

/* --- Reliable packets ------------------------------------------------------------------------- */

/*
 * The reliable packets of one end of a netchan with a reliable bit: one bit of each packet shows
 * whether the other end has received an even or an odd number of them. If that differs from the
 * captured number, the capture lacks one, or the path lost one. Source: id's qwsv, net_chan.c,
 * Netchan_Process; Quake II's is the same.
 */

/* Adds a packet that the other end accepts; its number is higher than those before. `content` is
 * the start of a reliable packet's messages, which identifies a repetition; 0: unknown. */
void qs_reliable_send(struct qs_reliable *way, uint32_t sequence, bool reliable, uint64_t content);

/* Adds the other end's acknowledgement of packet `number`, with its reliable bit. */
void qs_reliable_acknowledge(struct qs_reliable *way, uint32_t number, bool bit);

/* --- Holes ------------------------------------------------------------------------------------ */

/*
 * Holes of the capture (struct qs_hole): packets that it lacks although their receiver had them, or
 * although both ends sent on. Numbers that only the sender skipped prove nothing: the path may have
 * lost those packets.
 */

/*
 * Counts the gap of `lost` numbers before the packet, which its sender did not skip on purpose.
 * True if it is a burst: both ends skipped numbers since the other's last packet. Networks seldom
 * lose both at once, captures do. So all numbers of a burst count as not captured, and so do all of
 * a gap if one of them is proved not to be captured.
 */
bool qs_hole_gap(struct qs_decoder *d, uint32_t lost);

/* Counts number d->found.acknowledged, which the packet acknowledges and the capture lacks. */
void qs_hole_acknowledged(struct qs_decoder *d);

/* Counts a reliable packet of the other end, which the capture lacks, as this packet proves. */
void qs_hole_reliable(struct qs_decoder *d);

/* Counts reliable packets of the direction that the capture lacks, which have separate numbers and
 * were sent after `since`. A gap of its other packets since then is part of the hole. */
void qs_hole_separate(struct qs_decoder *d, enum qs_direction direction, uint32_t packets,
                      int64_t since);

/*
 * Counts packets of the other end that the capture lacks, which the packet names by something else
 * than their numbers. `ahead`: they are behind the last captured one; `packets` are counted now,
 * all when their gap ends. Otherwise they are in the last gap.
 */
void qs_hole_named(struct qs_decoder *d, uint32_t packets, bool ahead);

#endif
