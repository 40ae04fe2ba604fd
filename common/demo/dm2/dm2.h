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
#ifndef QS_DEMO_DM2_DM2_H
#define QS_DEMO_DM2_DM2_H

#include <stdbool.h>
#include <stdint.h>

#include "common/demo/format.h"

enum {
    DM2_HEADER = 4,                /* the length; the end mark is as long */
    DM2_BLOCK_MAX = 1400,          /* more is fatal to id's engine and yquake2 (MAX_MSGLEN) */
    DM2_EXTENDED_BLOCK_MAX = 32768 /* what Q2PRO reads and writes with extended limits */
};

extern const struct qs_demo_format qs_demo_dm2;
extern const struct qs_demo_rebuilder dm2_rebuilder;

/*
 * The next block of `in`, which may be empty. QS_DEMO_END: the end mark; QS_DEMO_UNMARKED: the file
 * ends without it, which id's engine does not mind and Q2PRO does. On any status but QS_DEMO_BLOCK
 * `in` stays where it was.
 */
enum qs_demo_status dm2_read_block(struct qs_reader *in, struct qs_view *block);

/* Makes a block to be filled, which has room for its length before what is appended; fills in that
 * length. */
GByteArray *dm2_block_new(void);
void dm2_end_block(GByteArray *block);

/* Append a block, and the end mark. */
void dm2_append_block(GByteArray *out, struct qs_view messages);
void dm2_append_end(GByteArray *out);

/*
 * --- Which frames of a demo its player still has when the next one comes, so that this may be a
 * delta from them. Source: engine, client.h UPDATE_BACKUP, MAX_PARSE_ENTITIES; cl_ents.c
 * CL_ParseFrame ("Delta frame too old", "Delta parse_entities too old"), the same in yquake2. Q2PRO
 * keeps more.
 */

enum {
    DM2_UPDATE_BACKUP = 16,        /* a frame is overwritten by the one that is so much later */
    DM2_PARSE_ENTITIES = 1024,     /* of all frames */
    DM2_PARSE_ENTITIES_FREE = 128, /* room for so many is left for the frame that comes */
};

struct dm2_backup {
    int32_t numbers[DM2_UPDATE_BACKUP]; /* by place as players keep them; 0: none */
    uint64_t starts[DM2_UPDATE_BACKUP]; /* so many entities came before the frame's */
    uint64_t entities;                  /* in all frames so far */
    int32_t last;                       /* number of the last frame; 0: none */
};

/* Whether the next frame may be a delta from that one. */
bool dm2_backup_has(const struct dm2_backup *kept, int32_t number);

/* The frame is in the demo, with so many entities. */
void dm2_backup_add(struct dm2_backup *kept, int32_t number, uint32_t entities);

#endif
