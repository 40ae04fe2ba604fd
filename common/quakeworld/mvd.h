/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MVD, the server's demo: its blocks, and the hidden messages in them. */
#ifndef QW_MVD_H
#define QW_MVD_H

#include "common/core/decode.h"
#include "common/core/reader.h"

/*
 * A whole block of a demo or of a QTV stream, with its framing. The packet is the block.
 */
void qw_decode_mvd_block(struct qs_decoder *d);

/* Hidden messages up to the end of the source. */
void qw_read_hidden_messages(struct qs_decoder *d);

/* --- Framing --- */

/*
 * MVD, the demo file that servers of QuakeWorld record, and what QTV streams: a plain sequence of
 * blocks, little-endian, without a file header. Source: mvdsv sv_demo.c; ezquake cl_demo.c; fteqw
 * cl_demo.c, sv_mvd.c.
 *
 *     u8 milliseconds since the block before, u8 type and player, then
 *     type 1, dem_read:     u32 length, as many bytes: server messages, without a netchan header
 *     type 2, dem_set:      u32 outgoing sequence, u32 incoming sequence
 *     type 3, dem_multiple: u32 mask of the players concerned, u32 length, messages; with an empty
 *                           mask hidden messages, which engines skip
 *     type 4, dem_single:   u32 length, messages for the player of the type byte
 *     type 5, dem_stats:    the same, statistics of that player
 *     type 6, dem_all:      the same, for everybody
 */

/*
 * No server writes dem_cmd (0), and readers disagree: FTE stops, ezquake reads QWD's command, and
 * QTV's readers a length.
 */
enum mvd_type { MVD_READ = 1, MVD_SET, MVD_MULTIPLE, MVD_SINGLE, MVD_STATS, MVD_ALL };

enum {
    MVD_TYPE_MASK = 7,
    MVD_PLAYER_SHIFT = 3,
    MVD_HEADER_MIN = 2, /* the bytes that all blocks begin with */
    /*
     * What FTE reads (MAX_OVERALLMSGLEN); mvdsv writes and ezquake reads up to 8092 (MAX_MVD_SIZE).
     */
    MVD_PAYLOAD_MAX = 65536,
    MVD_BLOCK_MAX = MVD_PAYLOAD_MAX + 10
};

struct mvd_block {
    uint8_t milliseconds; /* since the block before */
    enum mvd_type type;
    uint8_t player;   /* of MVD_SINGLE and MVD_STATS; of MVD_ALL 2 marks messages of QTV proxies */
    uint32_t players; /* of MVD_MULTIPLE, a bit for each */
    union {
        struct qs_view payload;
        struct {
            uint32_t outgoing, incoming; /* of MVD_SET */
        };
    };
};

/* The next block of `in`. False: no whole block, and `in` does not advance. */
bool qw_mvd_read_block(struct qs_reader *in, struct mvd_block *block);

/*
 * For reading from a stream: how many bytes the block has that `begun` begins with, at least; once
 * that many are there, ask again. When the answer is no more than is there, the block is whole. 0:
 * it is no block.
 */
uint32_t qw_mvd_block_size(struct qs_view begun);

#endif
