/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts packets back in order where the capture lost it: systems with several receive queues record
 * packets a few places too late, and so do merged captures. Frames of a capture are reordered by
 * time; datagrams of a conversation are resequenced by the numbers of their connection.
 */
#ifndef QS_SESSIONS_ORDER_H
#define QS_SESSIONS_ORDER_H

#include <stdbool.h>

#include "common/core/packet.h"
#include "common/netchan/seqinfo.h"

/* Datagrams of a conversation that are held. */
enum { QS_ORDER_HELD_MAX = 16 };

/* --- By time --------------------------------------------------------------------------------- */

/*
 * Frames pass as they come until the first that is earlier than the one before it. From there on a
 * few are held and sorted. A frame that is earlier than all of these is not out of order: the clock
 * was set back, and time begins anew with it.
 */
struct qs_reorder;

struct qs_reorder *qs_reorder_new(void);
/* Drops what is still held. */
void qs_reorder_free(struct qs_reorder *reorder);

/* Whether the frame passes at once. Else a copy of it is held. */
bool qs_reorder_passes(struct qs_reorder *reorder, const struct qs_packet *frame);

/*
 * The next frame whose turn it is, in `frame`; `all`: nothing comes that could be waited for. Its
 * bytes are valid until the next call.
 */
bool qs_reorder_next(struct qs_reorder *reorder, bool all, struct qs_packet *frame);

/* --- By sequence number ---------------------------------------------------------------------- */

/*
 * A datagram in its place passes. Where numbers are open (the one expected next is not there, or
 * what is acknowledged is not) datagrams are held until the gap closes, but no more than
 * QS_ORDER_HELD_MAX of them, and none longer than QS_ORDER_WAIT.
 *
 * A datagram that comes behind a later one moves before it only where something shows that its
 * receiver read it in order: it was acknowledged; it has an earlier time than those that it came
 * behind; or others of this conversation were as far out of order in the capture for certain. Else
 * the network delayed it, its receiver has dropped it, and the order stays as captured. So nothing
 * changes where packets are merely lost.
 *
 * Where a packet has no place (it is outside of a connection), `seqinfo` is zeroed. `packet->from`
 * is known.
 */

/* Nanoseconds. */
#define QS_ORDER_WAIT (INT64_C(1) * 1000000000)

struct qs_order;

struct qs_order *qs_order_new(void);
/* Drops what is still held. */
void qs_order_free(struct qs_order *order);
/* Whether the packet passes at once: it is in its place, and nothing waits. */
bool qs_order_passes(struct qs_order *order, const struct qs_packet *packet,
                     const struct qs_seqinfo *seqinfo);

/* Holds a copy of a packet that does not pass. */
void qs_order_hold(struct qs_order *order, const struct qs_packet *packet,
                   const struct qs_seqinfo *seqinfo);

/* A packet from the end `from` passes: in its place, because those before it were given up, or
 * because the capture's order is to stay. */
void qs_order_follow(struct qs_order *order, enum qs_end from, const struct qs_seqinfo *seqinfo);

/* Whether the packet's number follows those before it: its connection is the same. */
bool qs_order_continues(const struct qs_order *order, const struct qs_packet *packet,
                        const struct qs_seqinfo *seqinfo);

/* Whether any datagram is held. */
bool qs_order_holds(const struct qs_order *order);

/*
 * The next packet whose turn it is, or NULL; `all`: nothing comes that could be waited for. Valid
 * until the next call.
 */
struct qs_packet *qs_order_next(struct qs_order *order, bool all, struct qs_seqinfo *seqinfo);

/* The packet that has just passed, from the end `from`, began a connection: all numbers begin anew,
 * with its own. */
void qs_order_restart(struct qs_order *order, enum qs_end from, const struct qs_seqinfo *seqinfo);

#endif
