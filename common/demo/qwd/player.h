/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models an engine that plays a QWD demo: what it counts, and which entity updates it drops. The
 * strictest rule is ezQuake's: common/quakeworld/PROTOCOL.md, section 8; cl_demo.c,
 * CL_DemoReadDemCmd; cl_ents.c, CL_ParsePacketEntities.
 */
#ifndef QS_DEMO_QWD_PLAYER_H
#define QS_DEMO_QWD_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

enum { QWD_PLAYER_FRAMES = 64 }; /* UPDATE_BACKUP */

struct qwd_player {
    uint32_t out;                      /* number of the next client block */
    uint32_t valid;                    /* packet of the last update that it accepted; 0: none */
    uint32_t asked[QWD_PLAYER_FRAMES]; /* `valid` at each client block, by its number */
};

/* A level begins: the engine resets its frames, but not its count. */
void qwd_player_level(struct qwd_player *player);

/* A client block. */
void qwd_player_command(struct qwd_player *player);

/* Whether an engine that has counted to `out` still has frame `sequence`. */
bool qwd_player_reaches(uint32_t out, uint32_t sequence);

/* The frame that it would apply a delta in packet `sequence` to; 0: none. */
uint32_t qwd_player_base(const struct qwd_player *player, uint32_t sequence);

/* Whether it accepts a delta in packet `sequence` from packet `base`. */
bool qwd_player_takes(const struct qwd_player *player, uint32_t sequence, uint32_t base);

/* It accepted the update in packet `sequence`. */
void qwd_player_took(struct qwd_player *player, uint32_t sequence);

#endif
