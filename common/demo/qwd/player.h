/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models an engine that plays a QWD demo: what it counts, and which entity updates it drops. The
 * strictest rule is ezQuake's: common/quakeworld/PROTOCOL.md, section 8; cl_demo.c,
 * CL_DemoReadDemCmd; cl_ents.c, CL_ParsePacketEntities.
 */
#ifndef QS_DEMO_QWD_PLAYER_H
#define QS_DEMO_QWD_PLAYER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

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
bool qwd_player_accepts(const struct qwd_player *player, uint32_t sequence, uint32_t base);

/* It accepted the update in packet `sequence`. */
void qwd_player_accept(struct qwd_player *player, uint32_t sequence);

/*
 * --- How an engine handles FTE's replacement deltas (svcfte_updateentities), and what it needs if
 * packets are missing. An update is a delta from the last update that the engine accepted. The
 * engine drops it if the level has none, or if that is 63 packets back or more, unless the update
 * begins with the reset, which removes all entities: common/fte/PROTOCOL.md, section 3; fteqw
 * cl_ents.c, CLFTE_ParseEntities.
 */

struct qwd_replacement {
    bool any;       /* an update of the level was accepted */
    uint32_t valid; /* packet of the last one */
};

/* What an update needs for an engine to accept it. */
enum qwd_replacement_need {
    QWD_REPLACEMENT_NOTHING,
    QWD_REPLACEMENT_RESET, /* before it; this loses nothing */
    QWD_REPLACEMENT_FILLER /* an empty update in an extra packet, numbered as below */
};

/* A level begins. */
void qwd_replacement_level(struct qwd_replacement *replacement);

/* What the update in packet `sequence` needs; `body` is the message's, after its id. */
enum qwd_replacement_need qwd_replacement_needs(const struct qwd_replacement *replacement,
                                                uint32_t sequence, struct qs_view body);

/* The number of the next extra packet, if any. */
uint32_t qwd_replacement_filler(const struct qwd_replacement *replacement);

/* The engine accepted the update in that packet. */
void qwd_replacement_accept(struct qwd_replacement *replacement, uint32_t sequence);

/* Appends the message with the reset before its first update. */
void qwd_replacement_append_reset(GByteArray *to, struct qs_view body);

/* Appends a message of the same time with other updates, which `updates` ends; the empty ones. */
void qwd_replacement_append(GByteArray *to, struct qs_view body, struct qs_view updates);
extern const struct qs_view qwd_replacement_empty;

#endif
