/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo files that servers record.
 *
 * MVD, of QuakeWorld: the blocks of QTV streams (see common/quakeworld/mvd.h), in sequence.
 *
 * MVD2, of Quake II: the contents of GTV streams (see common/quake2/PROTOCOL.md, section 18).
 * Source: Q2PRO, server/mvd.c rec_start, rec_frame, rec_stop; server/mvd/client.c demo_read_first.
 *
 *     "MVD2", then blocks: u16 length, as many bytes; a length of 0 ends the file
 *
 * Each MVD2 block holds a gamestate, or a frame of a tenth of a second with its events.
 */
#ifndef QS_DEMO_MVD_MVD_H
#define QS_DEMO_MVD_MVD_H

#include "common/demo/format.h"
#include "common/quakeworld/mvd.h"

extern const struct qs_demo_file mvd_file, mvd2_file;
extern const struct qs_demo_rebuilder mvd_rebuilder, mvd2_rebuilder;
extern const struct qs_demo_packet_maker mvd_packets, mvd2_packets;

/* Reads the next block of `in`, which advances only on QS_DEMO_BLOCK. */
enum qs_demo_status mvd_read_block(struct qs_reader *in, struct mvd_block *block);

#endif
