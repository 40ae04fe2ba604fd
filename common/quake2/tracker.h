/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracker follows a client's frames entity by entity, as the client does: the latest frames with
 * all states, and the messages of the current packet. Attach it to a session (q2_session.tracker)
 * to have the decoder fill it in; rebuilding needs it, display does not.
 *
 * Source: engine, cl_ents.c CL_ParseFrame, CL_ParsePacketEntities, CL_ParseDelta.
 */
#ifndef Q2_TRACKER_H
#define Q2_TRACKER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decode.h"
#include "common/quake2/constants.h"

/* --- states.c --------------------------------------------------------------------------------- */

/*
 * States of players and entities in frames, in the units of the wire, so that reading and writing
 * lose nothing; and lists of entities.
 */

/* --- States --- */

/* Returns the size in bytes of a number: one, two or, if its mask has both bits, four. */
static inline unsigned q2_number_size(uint64_t bits, uint64_t bit8, uint64_t bit16)
{
    if (bits & bit8)
        return bits & bit16 ? 4 : 1;
    return 2;
}

/* The states have no padding between their members, so that tests can iterate over their bytes. */

struct q2_entity {
    uint16_t number;
    uint16_t model[4];
    uint16_t frame;
    uint16_t sound;
    uint8_t sound_volume, sound_attenuation; /* extended limits; raw */
    uint32_t skin, effects, renderfx, morefx;
    int32_t origin[3], old_origin[3]; /* 1/8 unit */
    uint32_t solid;
    int16_t angles[3]; /* 1/65536 turn: pitch, yaw, roll */
    uint8_t event;
    uint8_t alpha, scale; /* extended limits; raw */
    uint8_t unused[3];
};

/* Shares of 1/65535; colors red, green, blue. */
struct q2_fog {
    uint16_t density, sky_factor;
    uint16_t height_density, height_falloff;
    int32_t start_dist, end_dist; /* 1/8 unit */
    uint8_t color[3], start_color[3], end_color[3];
    uint8_t unused[3];
};

struct q2_player {
    int32_t origin[3], velocity[3]; /* 1/8 unit */
    struct q2_fog fog;
    int16_t stats[Q2_STATS_EXTENDED];
    int16_t delta_angles[3], viewangles[3];
    int16_t gravity;
    int16_t clientnum; /* protocol 36: player whose view is shown */
    uint16_t pm_time, pm_flags;
    uint16_t gunindex;
    uint8_t gunskin, gunframe;
    int8_t viewoffset[3], kick_angles[3], gunoffset[3], gunangles[3]; /* quarters */
    uint8_t blend[4], damage_blend[4];
    uint8_t pm_type, fov, rdflags;
    uint8_t unused[5];
};

/* True if both look the same and have the same origin. Events, which last for one frame, solids and
 * old origins are ignored. */
bool q2_entity_looks_same(const struct q2_entity *a, const struct q2_entity *b);

/* --- Lists of entities --- */

/* Few entities change from one frame to the next. Frames with the same state of an entity share it,
 * and it never changes while it is shared. The same pointer in two frames means that the entity
 * stood still, without an event; different pointers may have equal states. */

/* Entities of a frame, normally by ascending number. Starts zeroed. */
struct q2_entities {
    guint len;
    guint room; /* capacity */
    struct q2_shared_entity **shared;
};

/* State with a reference count. `state` must be the first member. */
struct q2_shared_entity {
    union {
        struct q2_entity state;
        struct q2_shared_entity *next; /* next one in the free list */
    };
    guint references; /* number of lists with it */
    bool carried;     /* unchanged since the previous frame, and without an event */
};

/* Removes the entities; q2_entities_empty() keeps the memory. */
void q2_entities_empty(struct q2_entities *entities);
void q2_entities_clear(struct q2_entities *entities);

static inline const struct q2_entity *q2_entities_at(const struct q2_entities *entities,
                                                     guint index)
{
    return &entities->shared[index]->state;
}

/* True if the list has that number. `*index` is its index, or that of the next higher one. */
bool q2_entities_find(const struct q2_entities *entities, uint32_t number, guint *index);

/* Appends a copy of the state, which may be changed until another list shares it. */
struct q2_entity *q2_entities_append(struct q2_entities *entities, const struct q2_entity *state);

/*
 * Appends the entities of `from` from index `first` on whose numbers are below `number`, in their
 * states one frame later if the packet does not mention them: without an event, and with their
 * origin as old origin, except for beams that keep theirs. Returns the index after the last one.
 */
guint q2_entities_carry(struct q2_entities *entities, const struct q2_entities *from, guint first,
                        uint32_t number, bool beams_keep_origin);

/* Sets the old origin, which the packet lacks, to `origin`; beams may keep theirs. */
void q2_entity_came_from(struct q2_entity *entity, const int32_t origin[3], bool beams_keep_origin);

/* Makes the list equal to `from`, sharing its states. */
void q2_entities_copy(struct q2_entities *entities, const struct q2_entities *from);

/* Returns the state at `index`, which may be changed in this list only. */
struct q2_entity *q2_entities_change(struct q2_entities *entities, guint index);

struct q2_session;

enum {
    Q2_UPDATE_BACKUP = 16 /* maximum distance of a delta's reference, exclusive: engine, client.h */
};

enum q2_frame_trust {
    Q2_FRAME_NONE,    /* incomplete, or built on nothing known */
    Q2_FRAME_GUESSED, /* its reference is missing: built on the newest frame known */
    Q2_FRAME_WHOLE    /* as the server sent it */
};

struct q2_frame {
    enum q2_frame_trust trust;
    bool reference_missing; /* the reference of its own delta was missing */
    bool removes;           /* its delta removes entities */
    int32_t number;
    int32_t delta; /* number of the frame that it was sent as a delta from; <= 0: none */
    uint8_t suppressed;
    uint8_t area_bytes;
    uint8_t areas[Q2_AREA_BYTES_MAX];
    struct q2_player player;
    struct q2_entities entities[1];
};

/* Returns the entity in the frame; NULL if the frame is NULL or lacks it. */
static inline const struct q2_entity *q2_frame_entity(const struct q2_frame *frame, uint32_t number)
{
    guint index;

    return frame && q2_entities_find(frame->entities, number, &index)
               ? q2_entities_at(frame->entities, index)
               : NULL;
}

/* An entity's occurrence in a delta. */
struct q2_mention {
    int32_t frame; /* number of the frame */
    uint16_t number;
    uint64_t bits; /* mask of the delta */
};

struct q2_tracker {
    struct q2_frame *frames[Q2_UPDATE_BACKUP]; /* by number; NULL if none */
    int32_t newest; /* number of the latest frame that is not Q2_FRAME_NONE; 0 if none */
    struct q2_session *followed; /* session that it is attached to, or NULL */

    /*
     * Entities that deltas mention; NULL unless wanted. If wanted, frames are built even if no
     * frame is known.
     */
    GArray *mentions; /* struct q2_mention, of the current packet */

    /* State of the current packet; emptied by q2_tracker_begin_packet(). */
    GPtrArray *sources; /* GBytes: inflated or joined buffers of its messages */
    GArray *begun;      /* int32_t: numbers of its frames */
    guint begun_room;

    /*
     * Frame that is being read. It moves to `frames` when it is complete, because later frames
     * cannot be built on the part that a cut packet has.
     */
    struct q2_frame *unfinished; /* NULL before the first frame */
    struct q2_frame *reading;    /* `unfinished` while it is read; else NULL */
    const struct q2_frame *base; /* frame that it is a delta from; NULL if none */
    guint base_next;             /* index of the first entity of `base` not yet handled */
};

struct q2_tracker *q2_tracker_new(void);
/* Frees a tracker, which may be attached; NULL is allowed. */
void q2_tracker_free(struct q2_tracker *tracker);

/*
 * Attaches the tracker to the session in place of its previous one, and forgets all frames.
 * Clearing the session detaches it.
 */
void q2_tracker_attach(struct q2_tracker *tracker, struct q2_session *session);

/* Detaches the tracker from its session. */
void q2_tracker_detach(struct q2_tracker *tracker);

/* Enables `mentions`. */
void q2_tracker_want_mentions(struct q2_tracker *tracker);

/* Adds a frame that is known from elsewhere; later ones may be deltas from it. */
void q2_tracker_insert(struct q2_tracker *tracker, const struct q2_frame *frame);

/* Forgets the frames, because a level begins. */
void q2_tracker_level(struct q2_tracker *tracker);

void q2_tracker_begin_packet(struct q2_tracker *tracker);

/* Keeps a reference to `source`, which holds messages, until the next packet. */
void q2_tracker_source(struct q2_tracker *tracker, GBytes *source);

/* Returns the frame of that number; NULL if it is too old or unknown. */
const struct q2_frame *q2_tracker_frame(const struct q2_tracker *tracker, int32_t number);

/* Returns the number of the packet's frame `index`; 0 if it has none. */
int32_t q2_tracker_begun(const struct q2_tracker *tracker, guint index);

/* Returns the player of a guessed frame, for repairs; NULL for other frames. */
struct q2_player *q2_tracker_guessed_player(struct q2_tracker *tracker, int32_t number);

/* True if the current packet has a frame, but no frame of the level is known: the capture lacks the
 * first one, which is not a delta. */
bool q2_tracker_lacks_first(const struct q2_tracker *tracker);

/* Makes `to` equal to `from`, sharing the states of entities. */
void q2_frame_copy(struct q2_frame *to, const struct q2_frame *from);

/* Frees the content of the frame, and leaves it empty. */
void q2_frame_clear(struct q2_frame *frame);
void q2_frame_free(struct q2_frame *frame);

/* --- Calls of the decoder, in this order; between them it may change states in place --- */

/* Begins a frame, as a delta from frame `delta`, or from the baselines if that is <= 0. */
void q2_tracker_frame_begin(struct q2_tracker *tracker, int32_t number, int32_t delta,
                            uint8_t suppressed, struct qs_view areas);
/* Returns the frame's player state, initially that of its reference; NULL outside of frames. */
struct q2_player *q2_tracker_player(struct q2_tracker *tracker);
/* Adds an entity in the state that its delta refers to, without the event. Numbers must ascend.
 * Returns NULL if `bits` remove it. */
struct q2_entity *q2_tracker_entity(struct q2_tracker *tracker, uint16_t number, uint64_t bits,
                                    bool beams_keep_origin);
void q2_tracker_frame_end(struct q2_tracker *tracker, bool beams_keep_origin);

#endif
