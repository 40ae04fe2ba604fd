/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts the frames of a capture by time, where it lost its order: systems with several receive
 * queues write frames a few places too late, with the time at which they came.
 *
 * Frames pass as they come until the first that is earlier than the one before it. From there on a
 * few are held and sorted. A frame that is earlier than all of these is not out of order: the clock
 * was set back, and time begins anew with it.
 */
#ifndef QS_SESSIONS_REORDER_H
#define QS_SESSIONS_REORDER_H

#include "common/core/packet.h"

enum { QS_REORDER_HELD_MAX = 8 };

struct qs_reorder;

struct qs_reorder *qs_reorder_new(void);
/* What is still held is gone. */
void qs_reorder_free(struct qs_reorder *order);

/* Whether the frame goes on at once. Else a copy of it is held. */
bool qs_reorder_passes(struct qs_reorder *order, const struct qs_packet *frame);

/*
 * The next frame whose turn it is, in `frame`; `all`: nothing comes that could be waited for. Its
 * bytes are valid until the next call.
 */
bool qs_reorder_next(struct qs_reorder *order, bool all, struct qs_packet *frame);

#endif
