/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restores the order of captured packets: systems with several receive queues record packets a few
 * positions too late, and merged captures have such packets, too. Frames of a capture are reordered
 * by time; datagrams of a conversation are resequenced by the numbers of their connection.
 */
#ifndef QS_SESSIONS_ORDER_H
#define QS_SESSIONS_ORDER_H

#include <stdbool.h>

#include "common/core/packet.h"
#include "common/netchan/seqinfo.h"

/* Maximum number of held datagrams of a conversation. */
enum { QS_ORDER_HELD_MAX = 16 };

/* Maximum gap between the numbers of one connection: see qs_order_continues(). */
enum { QS_ORDER_CONTINUES_MAX = 64 };

/* --- Frames, by time ------------------------------------------------------------------------- */

/*
 * Reorders frames. They pass as they come until one is earlier than its predecessor. From then on a
 * few are held and sorted. If a frame is earlier than all of these, the clock was set back, and
 * sorting starts again with this frame.
 */
struct qs_reorder;

struct qs_reorder *qs_reorder_new(void);
/* Frees the buffer, with the frames that are still held. */
void qs_reorder_free(struct qs_reorder *reorder);

/* True if the frame passes at once. Otherwise holds a copy of it. */
bool qs_reorder_passes(struct qs_reorder *reorder, const struct qs_packet *frame);

/*
 * Removes the next frame that is due; `all`: no further one follows, so all are due. Returns false
 * if there is none. The frame's bytes are valid until the next call.
 */
bool qs_reorder_next(struct qs_reorder *reorder, bool all, struct qs_packet *frame);

/* --- Datagrams, by sequence number ----------------------------------------------------------- */

/*
 * Resequences datagrams. A datagram in order passes. If numbers are missing (the next one expected,
 * or one that is acknowledged), datagrams are held until the gap closes: at most QS_ORDER_HELD_MAX,
 * none longer than QS_ORDER_WAIT.
 *
 * A datagram captured after a later one moves before it only if something shows that its receiver
 * read it in order: it was acknowledged; its time is earlier than theirs; or others of this
 * conversation were certainly as far out of order in the capture. Otherwise the network delayed it,
 * its receiver has dropped it, and the captured order stays. So nothing changes if packets are
 * merely lost.
 *
 * `seqinfo` of a connectionless packet is zeroed. `packet->from` must be set.
 */

/* Maximum time that a datagram is held (ns). */
#define QS_ORDER_WAIT (INT64_C(1) * 1000000000)

struct qs_order;

struct qs_order *qs_order_new(void);
/* Frees the order, with the datagrams that are still held. */
void qs_order_free(struct qs_order *order);
/* True if the packet passes at once, because it is in order and none is held. */
bool qs_order_passes(struct qs_order *order, const struct qs_packet *packet,
                     const struct qs_seqinfo *seqinfo);

/* Holds a copy of a packet that does not pass. */
void qs_order_hold(struct qs_order *order, const struct qs_packet *packet,
                   const struct qs_seqinfo *seqinfo);

/* Lets a packet from the end `from` pass: in order, after lost ones, or in the captured order. */
void qs_order_follow(struct qs_order *order, enum qs_end from, const struct qs_seqinfo *seqinfo);

/* True if the packet's number follows the earlier ones, so that its connection is the same. */
bool qs_order_continues(const struct qs_order *order, const struct qs_packet *packet,
                        const struct qs_seqinfo *seqinfo);

/* True if any datagram is held. */
bool qs_order_holds(const struct qs_order *order);

/*
 * Removes and returns the next packet that is due, valid until the next call, or NULL. `all`: no
 * further one follows, so all are due.
 */
struct qs_packet *qs_order_next(struct qs_order *order, bool all, struct qs_seqinfo *seqinfo);

/* Restarts all numbers: the packet that just passed, from the end `from`, started a connection. */
void qs_order_restart(struct qs_order *order, enum qs_end from, const struct qs_seqinfo *seqinfo);

/* --- Unanswered conversations: unanswered.c --------------------------------------------------- */

/*
 * Conversations in which one end has sent and the other has not answered. Source addresses can be
 * forged, so the table keeps at most QS_UNANSWERED_MAX conversations of at most QS_UNANSWERED_BYTES
 * each, and drops the longest idle one. It keeps the last datagrams of a conversation until the
 * other end answers.
 */

enum { QS_UNANSWERED_MAX = 16384, QS_UNANSWERED_BYTES = 2048 };

struct qs_unanswered;

struct qs_unanswered *qs_unanswered_new(void);
void qs_unanswered_free(struct qs_unanswered *unanswered);

/*
 * True if both ends have sent. On the first answer, calls `each` for the earlier datagrams, in
 * order. Otherwise keeps a copy of the datagram and returns false.
 */
bool qs_unanswered_pass(struct qs_unanswered *unanswered, const struct qs_packet *packet,
                        void (*each)(void *user, struct qs_packet *packet), void *user);

#endif
