/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a frame of protocol 35 or 36 to what a recording client would have: restores what these
 * servers omit for clients that do not record, and drops what demos cannot hold. Source:
 * common/quake2/PROTOCOL.md, sections 8 and 9; Q2PRO, entities.c SV_WriteFrameToClient_Enhanced.
 */
#ifndef QS_DEMO_DM2_CONVERT_H
#define QS_DEMO_DM2_CONVERT_H

#include <glib.h>

#include "common/quake2/session.h"

enum {
    CONVERT_MOVES = 256, /* moves kept at most, for packets that acknowledge them */
    CONVERT_RATE = 10    /* frames a second in demos */
};

struct converter_move {
    uint32_t sequence;
    int16_t angles[3];
};

struct converter {
    GArray *moves; /* struct converter_move: since the last acknowledged; NULL: none was seen */
    guint moves_room;
    bool viewless;      /* a view lacked one */
    bool view_is_old;   /* the last frame's view is that of a packet before the acknowledged one */
    GHashTable *events; /* entity number -> event of skipped frames */
    struct q2_frame *frame; /* result of the last conversion; NULL: there was none */
    struct q2_frame *last;  /* the demo's last frame; empty: there is none in this level */
    int32_t number;         /* of the frame converted last */
    int32_t taken;          /* the server's number of it; 0: there is none in this level */
    int32_t every;          /* it was one of this many frames */
};

void converter_init(struct converter *converter);
void converter_clear(struct converter *converter);

/* A new level. */
void converter_level(struct converter *converter);

/* A packet of the client; `command`: its newest move, or NULL: it has none, and turns no view. */
void converter_move(struct converter *converter, uint32_t sequence,
                    const struct q2_usercmd *command);

/*
 * Converts a frame that came in a packet acknowledging `acknowledged`. Returns NULL if it skips the
 * frame because the server sends more than demos hold; it keeps the events for the next one. The
 * frame is valid until the next call.
 */
const struct q2_frame *converter_frame(struct converter *converter,
                                       const struct q2_session *session,
                                       const struct q2_frame *frame, uint32_t acknowledged);

/* The frame just converted is in the demo: it becomes `last`. */
void converter_keep(struct converter *converter);

#endif
