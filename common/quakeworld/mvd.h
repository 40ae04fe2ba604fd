/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MVD, the server's demo format: its blocks and their hidden messages. */
#ifndef QW_MVD_H
#define QW_MVD_H

#include "common/core/decode.h"
#include "common/core/reader.h"

/* Decodes a whole block of a demo or of a QTV stream, with its framing. The packet is the block. */
void qw_decode_mvd_block(struct qs_decoder *d);

/* Reads hidden messages up to the end of the buffer. */
void qw_read_hidden_messages(struct qs_decoder *d);

/* --- Framing --- */

/*
 * MVD, the format of demos that QuakeWorld servers record, and of QTV's streams: a plain sequence
 * of blocks, little-endian, without a file header. Source: mvdsv sv_demo.c; ezquake cl_demo.c;
 * fteqw cl_demo.c, sv_mvd.c.
 *
 *     u8 milliseconds since the previous block, u8 type and player, then
 *     type 1, dem_read:     u32 length, as many bytes: server messages, without a netchan header
 *     type 2, dem_set:      u32 outgoing sequence, u32 incoming sequence
 *     type 3, dem_multiple: u32 mask of the players concerned, u32 length, messages; with an empty
 *                           mask hidden messages, which engines skip
 *     type 4, dem_single:   u32 length, messages for the player of the type byte
 *     type 5, dem_stats:    the same, statistics of that player
 *     type 6, dem_all:      the same, for all players
 */

/*
 * No server writes dem_cmd (0), and readers disagree about it: FTE stops, ezquake reads QWD's
 * command, and QTV's readers read a length.
 */
enum mvd_type { MVD_READ = 1, MVD_SET, MVD_MULTIPLE, MVD_SINGLE, MVD_STATS, MVD_ALL };

enum {
    MVD_TYPE_MASK = 7,
    MVD_PLAYER_SHIFT = 3,
    MVD_HEADER_MIN = 2, /* number of bytes that all blocks begin with */
    /* FTE's limit (MAX_OVERALLMSGLEN); mvdsv writes and ezquake reads up to 8092 (MAX_MVD_SIZE). */
    MVD_PAYLOAD_MAX = 65536
};

struct mvd_block {
    uint8_t milliseconds; /* time since the previous block */
    enum mvd_type type;
    uint8_t player; /* with MVD_SINGLE, MVD_STATS; with MVD_ALL, 2 marks messages of QTV proxies */
    uint32_t players; /* with MVD_MULTIPLE: one bit per player */
    union {
        struct qs_view payload;
        struct {
            uint32_t outgoing, incoming; /* with MVD_SET */
        };
    };
};

/* Reads the next block of `in`; the payload points into it. Returns false, without advancing `in`,
 * if there is no whole block. */
bool qw_mvd_read_block(struct qs_reader *in, struct mvd_block *block);

/*
 * Returns how many bytes are needed of the block that `begun` begins with. If that is more than
 * begun.size, call again once as many have arrived; otherwise the block is complete. Returns 0 if
 * no block begins here.
 */
uint32_t qw_mvd_block_size(struct qs_view begun);

#endif
