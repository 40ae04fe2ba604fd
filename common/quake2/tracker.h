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
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decode.h"
#include "common/quake2/constants.h"

/* --- states.c --------------------------------------------------------------------------------- */

/*
 * The states of the player and of entities that a frame is made of, in the units of the wire, so
 * that reading and writing lose nothing; and lists of entities.
 */

/* --- States */

/* The bytes of a number that has one, two or, where its mask has both bits, four. */
static inline unsigned q2_number_size(uint64_t bits, uint64_t bit8, uint64_t bit16)
{
    if (bits & bit8)
        return bits & bit16 ? 4 : 1;
    return 2;
}

/* The states have no padding between their members, so that a test can go through their bytes. */

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
    int16_t clientnum; /* protocol 36: whose view it is */
    uint16_t pm_time, pm_flags;
    uint16_t gunindex;
    uint8_t gunskin, gunframe;
    int8_t viewoffset[3], kick_angles[3], gunoffset[3], gunangles[3]; /* quarters */
    uint8_t blend[4], damage_blend[4];
    uint8_t pm_type, fov, rdflags;
    uint8_t unused[5];
};

/* Whether both look the same and have the same origin. Events, which last for one frame, solids and
 * old origins do not count. */
bool q2_entity_looks_same(const struct q2_entity *a, const struct q2_entity *b);

/*
 * --- Lists of entities
 *
 * Few entities change from one frame to the next: a state is shared between all frames in which it
 * is the same, and never changes while it is shared. The same pointer in two frames means that the
 * entity stood still, without an event; different ones may still be equal.
 */

/* The entities of a frame, by ascending number as a rule. Starts zeroed. */
struct q2_entities {
    guint len;
    guint room; /* so many fit */
    struct q2_shared_entity **shared;
};

/* The state comes first. */
struct q2_shared_entity {
    union {
        struct q2_entity state;
        struct q2_shared_entity *next; /* of one that is spare */
    };
    guint references; /* in lists */
    bool carried;     /* from the frame before: it has no event, and stood still */
};

/* The room stays. */
void q2_entities_empty(struct q2_entities *entities);
void q2_entities_clear(struct q2_entities *entities);

static inline const struct q2_entity *q2_entities_at(const struct q2_entities *entities,
                                                     guint index)
{
    return &entities->shared[index]->state;
}

/* Whether there is an entity of that number. `*index` is where, or where the next higher one is. */
bool q2_entities_find(const struct q2_entities *entities, uint32_t number, guint *index);

/* Appends a state of its own: it may be changed until the list is shared with another. */
struct q2_entity *q2_entities_append(struct q2_entities *entities, const struct q2_entity *state);

/*
 * Appends the entities of `from` from `first` on that have a number below `number`, as they are a
 * frame later if the packet does not mention them: without an event, and with their origin as old
 * origin. Beams may keep their old origin. Returns the index behind them.
 */
guint q2_entities_carry(struct q2_entities *entities, const struct q2_entities *from, guint first,
                        uint32_t number, bool beams_keep_origin);

/* The packet has no old origin of the entity: it is `origin`. */
void q2_entity_came_from(struct q2_entity *entity, const int32_t origin[3], bool beams_keep_origin);

/* Makes the list the same as `from`. */
void q2_entities_copy(struct q2_entities *entities, const struct q2_entities *from);

/* The state at `index` to be changed, in this list only. */
struct q2_entity *q2_entities_change(struct q2_entities *entities, guint index);

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
