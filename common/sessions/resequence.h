/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the datagrams of one conversation back into the order in which they were sent and taken,
 * where the capture lost that: systems with several receive queues record packets out of order, and
 * so do merged captures.
 *
 * A datagram in its place passes. Where numbers are open (the one expected next is not there, or
 * what is acknowledged is not) datagrams are held back until the gap closes, but no more than
 * QS_RESEQUENCE_HELD_MAX of them, and none longer than QS_RESEQUENCE_WAIT.
 *
 * A datagram that comes behind a later one moves before it only where something shows that its
 * receiver took it in order: it was acknowledged; it has an earlier time than those that it came
 * behind; or others of this conversation were as far out of order in the capture for certain. Else
 * the network delayed it, its receiver has dropped it, and the order stays as captured. So nothing
 * is changed of what is merely lost.
 *
 * Second copies of datagrams are dropped where that matters; see duplicates.h.
 */
#ifndef QS_SESSIONS_RESEQUENCE_H
#define QS_SESSIONS_RESEQUENCE_H

#include <stdbool.h>

#include "common/core/packet.h"
#include "common/netchan/seqinfo.h"

enum { QS_RESEQUENCE_HELD_MAX = 8 };

/* Nanoseconds. */
#define QS_RESEQUENCE_WAIT (INT64_C(1) * 1000000000)

struct qs_resequencer;

struct qs_resequencer *qs_resequence_new(void);
/* What is still held is gone. */
void qs_resequence_free(struct qs_resequencer *order);

/* Whether the packet is to be dropped as a copy. */
bool qs_resequence_is_copy(struct qs_resequencer *order, const struct qs_packet *packet);

/*
 * Whether the packet goes on at once: it is in its place, and nothing waits. `packet->from` is
 * known; `place` is zeroed where it has none: what is said outside of a connection.
 */
bool qs_resequence_passes(struct qs_resequencer *order, const struct qs_packet *packet,
                          const struct qs_seqinfo *place);

/* Holds a copy of a packet that does not pass. */
void qs_resequence_hold(struct qs_resequencer *order, const struct qs_packet *packet,
                        const struct qs_seqinfo *place);

/* The packet goes on in any case: the order is not to be changed. */
void qs_resequence_follow(struct qs_resequencer *order, const struct qs_packet *packet,
                          const struct qs_seqinfo *place);

/* Whether the packet goes on from those before it: its connection is the same. */
bool qs_resequence_continues(const struct qs_resequencer *order, const struct qs_packet *packet,
                             const struct qs_seqinfo *place);

/* Whether any datagram is held. */
bool qs_resequence_holds(const struct qs_resequencer *order);

/*
 * The next packet whose turn it is, or NULL; `all`: nothing comes that could be waited for. Valid
 * until the next call. Its place is zeroed where it has none.
 */
struct qs_packet *qs_resequence_next(struct qs_resequencer *order, bool all,
                                     struct qs_seqinfo *place);

/* The packet that has just gone on, from the end `from`, began a connection: all numbers begin
 * anew, with its own. `place` is zeroed where it has none. */
void qs_resequence_restart(struct qs_resequencer *order, enum qs_end from,
                           const struct qs_seqinfo *place);

#endif
