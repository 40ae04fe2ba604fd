/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracker follows a client's frames entity by entity, as the client does: baselines, the last
 * frames with all states, and what the packet at hand said. Attach it to a session
 * (q2_session.tracker) to have the decoder fill it in; rebuilding needs it, showing does not.
 *
 * Source: engine, cl_ents.c CL_ParseFrame, CL_ParsePacketEntities, CL_ParseDelta.
 */
#ifndef Q2_TRACKER_H
#define Q2_TRACKER_H

#include <glib.h>

#include "common/core/reader.h"
#include "common/quake2/quake2.h"

/* How many frames back a delta may reach here; engines keep 16 (UPDATE_BACKUP). */
enum { Q2_FRAMES_KEPT = 64 };

enum q2_frame_trust {
    Q2_FRAME_NONE,    /* never seen, or nothing to build it on was known */
    Q2_FRAME_GUESSED, /* its delta's reference is missing: built on the newest frame known */
    Q2_FRAME_WHOLE    /* as the server sent it */
};

struct q2_frame {
    enum q2_frame_trust trust;
    bool reference_missing; /* its own delta reference was not there */
    int32_t number;
    int32_t delta; /* the frame it was sent as a delta from; <= 0: none */
    uint8_t suppressed;
    uint8_t area_bytes;
    uint8_t areas[Q2_AREA_BYTES_MAX];
    struct q2_player player;
    GArray *entities; /* struct q2_entity, by ascending number */
};

/* A message of the packet at hand, copied, because it may have been inflated or joined. */
struct q2_copied_message {
    uint8_t id;              /* enum q2_svc */
    int32_t frame;           /* of SVC_FRAME: its number */
    uint32_t offset, length; /* in `bytes`, with the id */
};

struct q2_tracker {
    GHashTable *baselines; /* number -> struct q2_entity */
    struct q2_frame frames[Q2_FRAMES_KEPT];
    int32_t newest; /* number of the last frame that is not Q2_FRAME_NONE; 0: none */

    /* The packet at hand; emptied by q2_tracker_begin_packet(). */
    GByteArray *bytes;
    GArray *messages; /* struct q2_copied_message */
    GArray *begun;    /* int32_t: numbers of its frames */
    unsigned told;    /* how many of the decoder's messages were copied */
    unsigned frames_copied;

    /* The frame that is being read. */
    struct q2_frame *reading;
    const struct q2_frame *base; /* what it is a delta from; NULL: nothing */
    struct q2_frame spare;       /* holds the base where the frame takes its place */
    unsigned base_next;          /* the first entity of `base` that was not dealt with */
};

struct q2_tracker *q2_tracker_new(void);
void q2_tracker_free(struct q2_tracker *tracker);

/* A new level: what was known is void. */
void q2_tracker_level(struct q2_tracker *tracker);

void q2_tracker_begin_packet(struct q2_tracker *tracker);

/* Copies a message that was read. */
void q2_tracker_message(struct q2_tracker *tracker, uint8_t id, const uint8_t *data, uint32_t size);

/* `baseline` with the number that it has. */
void q2_tracker_baseline(struct q2_tracker *tracker, const struct q2_entity *baseline);

/* The baseline, or NULL. */
const struct q2_entity *q2_tracker_baseline_of(const struct q2_tracker *tracker, uint16_t number);

/* The frame of that number, or NULL where it is not kept or was never known. */
const struct q2_frame *q2_tracker_frame(const struct q2_tracker *tracker, int32_t number);

/* The entity `number` of the frame, or NULL. */
const struct q2_entity *q2_frame_entity(const struct q2_frame *frame, uint16_t number);

/* --- For the decoder, in this order. Between them the states may be changed in place. */

/* A frame begins, as a delta from frame `delta` (<= 0: from the baselines). */
void q2_tracker_frame_begin(struct q2_tracker *tracker, int32_t number, int32_t delta,
                            uint8_t suppressed, struct qs_view areas);
/* The player state, as it was in the frame that this one is a delta from. */
struct q2_player *q2_tracker_player(struct q2_tracker *tracker);
/* An entity of the frame with the state that the delta starts from, without its event; numbers must
 * ascend. NULL where `bits` remove it. */
struct q2_entity *q2_tracker_entity(struct q2_tracker *tracker, uint16_t number, uint64_t bits,
                                    bool beams_keep_origin);
/* The delta did not say where the entity came from: it stood at `origin`. Beams may keep what was
 * said before. */
void q2_entity_came_from(struct q2_entity *entity, const int32_t origin[3], bool beams_keep_origin);
void q2_tracker_frame_end(struct q2_tracker *tracker, bool beams_keep_origin);

#endif
