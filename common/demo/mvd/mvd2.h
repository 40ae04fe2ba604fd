/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MVD2, the demo file that servers of Quake II record: what GTV streams (see
 * common/quake2/PROTOCOL.md, section 18). Source: Q2PRO, server/mvd.c rec_start, rec_frame,
 * rec_stop; server/mvd/client.c demo_read_first.
 *
 *     "MVD2", then blocks: u16 length, as many bytes; a length of 0 ends the file
 *
 * Each block holds a gamestate, or a frame of a tenth of a second with what happened in it.
 */
#ifndef QS_DEMO_MVD_MVD2_H
#define QS_DEMO_MVD_MVD2_H

#include "common/demo/format.h"

extern const struct qs_demo_format qs_demo_mvd2;
extern const struct qs_demo_rebuilder mvd2_rebuilder;
extern const struct qs_demo_packet_maker mvd2_packets;

/*
 * The next block of `in`; `*messages` is what it holds. QS_DEMO_END: the end mark;
 * QS_DEMO_UNMARKED: the file ends without it. On any status but QS_DEMO_BLOCK `in` stays where it
 * was.
 */
enum qs_demo_status mvd2_read_block(struct qs_reader *in, struct qs_view *messages);

/* Whether a block with these messages begins a level, and can begin a demo. */
bool mvd2_begins_level(struct qs_view messages);

#endif
