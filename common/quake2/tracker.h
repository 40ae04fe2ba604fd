/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracker follows a client's frames entity by entity, as the client does: the last frames with
 * all states, and the messages of the packet at hand. Attach it to a session (q2_session.tracker)
 * to have the decoder fill it in; rebuilding needs it, showing does not.
 *
 * Source: engine, cl_ents.c CL_ParseFrame, CL_ParsePacketEntities, CL_ParseDelta.
 */
#ifndef Q2_TRACKER_H
#define Q2_TRACKER_H

#include <glib.h>

#include "common/core/decode.h"
#include "common/quake2/states.h"

struct q2_session;

enum {
    Q2_UPDATE_BACKUP = 16 /* a delta reaches less far back: engine, client.h */
};

enum q2_frame_trust {
    Q2_FRAME_NONE,    /* not seen to its end, or nothing to build it on was known */
    Q2_FRAME_GUESSED, /* its delta's reference is missing: built on the newest frame known */
    Q2_FRAME_WHOLE    /* as the server sent it */
};

struct q2_frame {
    enum q2_frame_trust trust;
    bool reference_missing; /* its own delta reference was not there */
    bool removes;           /* entities */
    int32_t number;
    int32_t delta; /* the frame it was sent as a delta from; <= 0: none */
    uint8_t suppressed;
    uint8_t area_bytes;
    uint8_t areas[Q2_AREA_BYTES_MAX];
    struct q2_player player;
    struct q2_entities entities[1];
};

/* A delta names an entity. */
struct q2_mention {
    int32_t frame; /* number of the frame */
    uint16_t number;
    uint64_t bits; /* of the delta */
};

struct q2_tracker {
    struct q2_frame *frames[Q2_UPDATE_BACKUP]; /* by number; NULL: none */
    int32_t newest;              /* number of the last frame that is not Q2_FRAME_NONE; 0: none */
    struct q2_session *followed; /* that it is attached to, or NULL */

    /*
     * What deltas mention; NULL unless wanted. If wanted, a frame is built on nothing when nothing
     * is known that it could be built on.
     */
    GArray *mentions; /* struct q2_mention, of the packet at hand */

    /* The packet at hand; emptied by q2_tracker_begin_packet(). */
    GPtrArray *sources; /* GBytes: what was inflated or joined, where messages stand in it */
    GArray *begun;      /* int32_t: numbers of its frames */
    guint begun_room;

    /*
     * The frame that is being read. It takes its place among `frames` at its end: of a packet that
     * was cut there is only a part, which no later frame can be built on.
     */
    struct q2_frame *unfinished; /* NULL: none was read */
    struct q2_frame *reading;    /* that one, or NULL */
    const struct q2_frame *base; /* what it is a delta from; NULL: nothing */
    guint base_next;             /* the first entity of `base` that was not looked at */
};

struct q2_tracker *q2_tracker_new(void);
/* It may be attached. */
void q2_tracker_free(struct q2_tracker *tracker);

/*
 * The tracker follows the session from now on, in place of another, and knows no frame. A session
 * that is cleared lets it go.
 */
void q2_tracker_attach(struct q2_tracker *tracker, struct q2_session *session);

/* The session that it follows lets it go. */
void q2_tracker_detach(struct q2_tracker *tracker);

/* Keep what deltas mention. */
void q2_tracker_want_mentions(struct q2_tracker *tracker);

/* The frame is known from elsewhere, and later ones may be deltas from it. */
void q2_tracker_insert(struct q2_tracker *tracker, const struct q2_frame *frame);

/* A new level: forgets the frames. */
void q2_tracker_level(struct q2_tracker *tracker);

void q2_tracker_begin_packet(struct q2_tracker *tracker);

/* Messages stand in `source`, which the tracker keeps as long as them. */
void q2_tracker_source(struct q2_tracker *tracker, GBytes *source);

/* The frame of that number, or NULL where it is too old or was never known. */
const struct q2_frame *q2_tracker_frame(const struct q2_tracker *tracker, int32_t number);

/* The number of the packet's frame `index`; 0: there is none. */
int32_t q2_tracker_begun(const struct q2_tracker *tracker, guint index);

/* The player of the frame, if that is a guess, to be mended; or NULL. */
struct q2_player *q2_tracker_guessed_player(struct q2_tracker *tracker, int32_t number);

/* Whether the packet at hand has a frame, and none of the level is known that it could be built on:
 * the capture lacks the first one, which is not a delta. */
bool q2_tracker_lacks_first(const struct q2_tracker *tracker);

/* Makes `to` the same as `from`, with the states of entities shared. */
void q2_frame_copy(struct q2_frame *to, const struct q2_frame *from);

/* Frees what the frame holds, and leaves it empty. */
void q2_frame_clear(struct q2_frame *frame);
void q2_frame_free(struct q2_frame *frame);

/* --- For the decoder, in this order. Between them the states may be changed in place. */

/* A frame begins, as a delta from frame `delta` (<= 0: from the baselines). */
void q2_tracker_frame_begin(struct q2_tracker *tracker, int32_t number, int32_t delta,
                            uint8_t suppressed, struct qs_view areas);
/* The player state of the frame that this one is a delta from. */
struct q2_player *q2_tracker_player(struct q2_tracker *tracker);
/* An entity of the frame with the state that the delta starts from, without its event; numbers must
 * ascend. NULL where `bits` remove it. */
struct q2_entity *q2_tracker_entity(struct q2_tracker *tracker, uint16_t number, uint64_t bits,
                                    bool beams_keep_origin);
void q2_tracker_frame_end(struct q2_tracker *tracker, bool beams_keep_origin);

#endif
