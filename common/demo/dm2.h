/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DM2, the demo file of Quake II: blocks of server messages as they stand behind a packet's netchan
 * header, without time stamps. Source: dm2-format, section 2.2; common/quake2/PROTOCOL.md,
 * section 1.
 *
 *     i32 length, as many bytes: server messages; and so on; at the end i32 -1
 *
 * Players read one block for each tenth of a second (id's engine and yquake2) or as many as it
 * takes to reach the next frame (Q2PRO).
 */
#ifndef QS_DEMO_DM2_H
#define QS_DEMO_DM2_H

#include <glib.h>

#include "common/core/reader.h"

enum {
    DM2_BLOCK_MAX = 1400,          /* more is fatal to id's engine and yquake2 (MAX_MSGLEN) */
    DM2_EXTENDED_BLOCK_MAX = 32768 /* what Q2PRO reads and writes with extended limits */
};

enum dm2_status {
    DM2_OK,
    DM2_END,     /* the end mark */
    DM2_NO_MARK, /* the file ends without it: id's engine does not mind, Q2PRO does */
    DM2_CUT,     /* the file ends within a block */
    DM2_BAD      /* a length that no player reads */
};

/* The next block of `in`, which may be empty. But for DM2_OK `in` stays where it was. */
enum dm2_status dm2_read_block(struct qs_reader *in, struct qs_view *block);

/* Append a block, and the end mark. */
void dm2_append_block(GByteArray *out, struct qs_view messages);
void dm2_append_end(GByteArray *out);

#endif
