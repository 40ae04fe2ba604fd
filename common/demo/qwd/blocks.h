/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of a QWD demo on their way to the writer, and what a player of them will count. The
 * newest are held back, so that a client block can still be put where the client sent it: between
 * the server's packets that it had and those that it had not. That order decides which updates of
 * entities a player takes (qwd_player.h).
 *
 * At most QWD_BLOCKS_HELD packets of the server are held back, and QWD_BYTES_HELD bytes, to which
 * one block may add.
 */
#ifndef QS_DEMO_QWD_BLOCKS_H
#define QS_DEMO_QWD_BLOCKS_H

#include "common/demo/zip_archive.h"
#include "common/demo/qwd/qwd.h"
#include "common/demo/qwd/player.h"
#include "common/demo/writer.h"

enum { QWD_BLOCKS_HELD = 64, QWD_BYTES_HELD = 16 * 1024 };

/* A packet of the server that is held back. */
struct qwd_held {
    uint32_t sequence;
    uint64_t at;    /* offset in the demo */
    uint32_t out;   /* client blocks that a player has counted before it */
    uint32_t valid; /* the last update that a player has taken before it */
    uint32_t base;  /* the frame that its update needs; 0: none */
};

/* A client block, by its number. */
struct qwd_command {
    uint64_t at;
    uint32_t number;
    bool made; /* the capture lacks the packet */
};

struct qwd_blocks {
    struct qs_demo_writer *out;
    struct qwd_player player;
    uint8_t *bytes;       /* not yet written; NULL: no room has been needed yet */
    uint32_t size, room;  /* bytes that there are, and that fit */
    uint64_t start;       /* offset of the first of them in the demo */
    uint64_t command_end; /* offset behind the last client block */
    struct qwd_held held[QWD_BLOCKS_HELD];
    unsigned held_count;
    unsigned settling; /* of these, so many were there when qwd_blocks_settle() was called last */
    struct qwd_command commands[QWD_PLAYER_FRAMES];
    uint32_t last_made; /* number of the last block that was made */
    struct appendix_watch watch;
};

void qwd_blocks_init(struct qwd_blocks *blocks, struct qs_demo_writer *out);
void qwd_blocks_clear(struct qwd_blocks *blocks);

/*
 * Begins a demo with blocks at which players end that read the other form of dem_cmd: they would
 * find blocks within packets. Returns the time that the demo begins with. A dem_set is to follow.
 */
float qwd_blocks_guard(struct qwd_blocks *blocks);

/* Adds a dem_set: the player counts on from there. */
void qwd_blocks_set(struct qwd_blocks *blocks, float time, uint32_t outgoing, uint32_t incoming);

/*
 * Adds the client block of the next number, which the client sent when `after` was the last of the
 * server's packets that it had. `time` is used where it comes last; else that of the block behind
 * it. `made`: the capture lacks the packet, and the command is a guess.
 */
void qwd_blocks_command(struct qwd_blocks *blocks, float time, const struct qw_usercmd *cmd,
                        uint32_t after, bool made);

/* The packet turned up: its command replaces the one that was made, where that is still held. */
void qwd_blocks_correct(struct qwd_blocks *blocks, uint32_t number, const struct qw_usercmd *cmd);

/* The client's packet `number` was sent when `after` was the last update that the client had: the
 * block that was made of it goes there, where that can still be done. */
void qwd_blocks_place(struct qwd_blocks *blocks, uint32_t number, uint32_t after);

/* Adds a packet of the server; `base` is the frame that its update counts from, or 0. */
void qwd_blocks_packet(struct qwd_blocks *blocks, float time, uint32_t sequence, uint32_t base,
                       struct qs_view packet);

/* A level begins with the next packet: nothing can be put before it any more. */
void qwd_blocks_level(struct qwd_blocks *blocks);

/* Writes what was held back at the last call already. */
void qwd_blocks_settle(struct qwd_blocks *blocks);

/* Writes all that is held back, and frees the room that it took. */
void qwd_blocks_flush(struct qwd_blocks *blocks);

/* Ends the demo. Under --sanitize it is so long that no zip archive ends with it: appendix.h. */
void qwd_blocks_end(struct qwd_blocks *blocks, float time);

#endif
