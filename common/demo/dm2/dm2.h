/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DM2, the demo file of Quake II: blocks of server messages, each a packet without its netchan
 * header; no time stamps. Source: dm2-format, section 2.2; common/quake2/PROTOCOL.md, section 1.
 *
 *     i32 length, that many bytes: server messages; repeated; at the end i32 -1
 *
 * Players read one block per tenth of a second (id's engine and yquake2) or blocks up to the next
 * frame (Q2PRO).
 */
#ifndef QS_DEMO_DM2_DM2_H
#define QS_DEMO_DM2_DM2_H

#include <stdbool.h>
#include <stdint.h>

#include "common/demo/format.h"
#include "common/quake2/session.h"

enum {
    DM2_HEADER = 4,                /* the length; the end mark is as long */
    DM2_BLOCK_MAX = 1400,          /* more is fatal to id's engine and yquake2 (MAX_MSGLEN) */
    DM2_EXTENDED_BLOCK_MAX = 32768 /* what Q2PRO reads and writes with extended limits */
};

extern const struct qs_demo_file dm2_file;
extern const struct qs_demo_rebuilder dm2_rebuilder;
extern const struct qs_demo_packet_maker dm2_packets;

/* qs_demo_file.decode_block */
void dm2_decode_block(struct qs_decoder *d);

/* See qs_demo_read_framed(). id's engine accepts a file without its end mark, Q2PRO does not. */
enum qs_demo_status dm2_read_block(struct qs_reader *in, struct qs_view *block);

/* Starts a block with space for its length; fills in that length. */
GByteArray *dm2_block_new(void);
void dm2_end_block(GByteArray *block);

/* Writes a block of the preamble, with its length. */
typedef void dm2_preamble_block(void *user, const GByteArray *block);

/* Writes what a demo begins with: the level as a client writes it down when recording starts.
 * svc_serverdata of a client recording in protocol `version`, config strings, baselines, and the
 * command that makes a player load all, block by block. */
void dm2_write_preamble(const struct q2_session *session, int32_t version,
                        dm2_preamble_block *write, void *user);

/* Appends the end mark, whatever the `last` block is. */
void dm2_append_end(GByteArray *out, struct qs_view last);

/*
 * --- Which frames of a demo its player still has at the next one, which may be a delta from them.
 * Source: engine, client.h UPDATE_BACKUP, MAX_PARSE_ENTITIES; cl_ents.c CL_ParseFrame ("Delta frame
 * too old", "Delta parse_entities too old"), the same in yquake2. Q2PRO keeps more.
 */

enum {
    DM2_UPDATE_BACKUP = 16,        /* the frame this much later overwrites a frame */
    DM2_PARSE_ENTITIES = 1024,     /* of all frames */
    DM2_PARSE_ENTITIES_FREE = 128, /* reserved for the next frame */
};

struct dm2_backup {
    int32_t numbers[DM2_UPDATE_BACKUP]; /* by slot, as in players; 0: none */
    uint64_t starts[DM2_UPDATE_BACKUP]; /* number of entities before the frame's */
    uint64_t entities;                  /* in all frames so far */
    int32_t first, last;                /* numbers of frames; 0: none */
};

/* Whether the next frame may be a delta from that one. */
bool dm2_backup_has(const struct dm2_backup *kept, int32_t number);

/* The frame is in the demo and has this many entities. */
void dm2_backup_add(struct dm2_backup *kept, int32_t number, uint32_t entities);

#endif
