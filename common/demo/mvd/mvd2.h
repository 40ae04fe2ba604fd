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

#endif
