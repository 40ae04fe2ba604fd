/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts the frames of a capture by time, where it lost its order: systems with several receive
 * queues write frames a few places too late, with the time at which they came.
 *
 * Frames pass as they come until the first that is earlier than the one before it. From there on a
 * few are held and sorted. A frame that is earlier than all of these is not out of order: the clock
 * was set back, and time begins anew with it.
 */
#ifndef PCAP2DEMO_TIME_ORDER_H
#define PCAP2DEMO_TIME_ORDER_H

#include "pcap2demo/capture/input.h"

enum { TIME_ORDER_HELD_MAX = 8 };

struct time_order;

struct time_order *time_order_new(void);
/* What is still held is gone. */
void time_order_free(struct time_order *order);

/* Whether the frame goes on at once. Else a copy of it is held. */
bool time_order_passes(struct time_order *order, const struct input_frame *frame);

/*
 * The next frame whose turn it is, in `frame`; `all`: nothing comes that could be waited for. Its
 * bytes are valid until the next call.
 */
bool time_order_next(struct time_order *order, bool all, struct input_frame *frame);

#endif
