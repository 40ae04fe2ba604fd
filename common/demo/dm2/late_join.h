/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quake II sessions that the capture joined late, and their donors (common/quake2/PROTOCOL.md,
 * section 14). sign_on.c keeps the sign-on of a donor and its frames; late_join.c compares a late
 * session with a donor, observe.c reads its packets, donor_match.c judges whether the donor was in
 * the same level, base_frames.c makes the frames before its first.
 */
#ifndef QS_DEMO_DM2_LATE_JOIN_H
#define QS_DEMO_DM2_LATE_JOIN_H

#include "common/demo/writer.h"
#include "common/demo/late_join/late_join.h"
#include "common/demo/late_join/sign_on.h"
#include "common/quake2/session.h"

extern const struct qs_late_join dm2_late_join;

/* A donor's data: its session in the level, and its frames. */
struct dm2_donor_view {
    struct qs_sign_on_extra extra;
    const struct q2_session *live; /* the donor's, while it lasts; NULL in copies */
    struct q2_tracker *own;        /* follows it if no other tracker does */

    struct q2_session session; /* at the last votes */
    struct q2_tracker *recent; /* only in copies, else NULL: with the last frames */
    struct qs_samples samples; /* struct q2_frame, by number */
    int32_t next_vote;         /* number of a frame */
    GHashTable *votes;         /* struct q2_entity */
};

/* The entity's state in most of the donor's frames, or NULL. */
const struct q2_entity *dm2_common_state(const struct dm2_donor_view *view, uint32_t number);

/* qs_late_join.add_packet of Quake II. */
void dm2_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* qs_late_join.own_sign_on of Quake II. */
struct qs_sign_on *dm2_own(const struct qs_session *session);

static inline const struct dm2_donor_view *dm2_donor_view_of(const struct qs_sign_on *sign_on)
{
    return (const struct dm2_donor_view *)sign_on->extra;
}

/* The frames that a late session gets with the sign-on. */
const struct q2_frame *dm2_match_frame(const struct qs_donor_match *match, unsigned index);

enum {
    DM2_REFERENCES_MAX = Q2_FRAMES_KEPT / 2, /* frames that deltas may go back to */
    DM2_PLAYERS_MAX = 256,
    DM2_GUNS_MAX = 16,
    DM2_PICKUPS_MAX = 64
};

#define DM2_ORIGIN_BITS (U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3)
#define DM2_PLACE_BITS (DM2_ORIGIN_BITS | U_ANGLE1 | U_ANGLE2)

/* The first mention of an entity. */
struct dm2_first {
    struct q2_mention mention;
    struct q2_entity state; /* as if it entered the view with it; of a removal: nothing */
};

/* Where a delta of the first frames puts an entity. */
struct dm2_move {
    struct q2_mention mention;
    int32_t origin[3];
};

/* An entity that vanished when the player picked something up. */
struct dm2_pickup {
    uint32_t number;
    int32_t place[3]; /* of the player */
    bool alone;       /* nothing else vanished in that frame */
};

struct dm2_match {
    struct qs_donor_match base;
    struct dm2_donor_view *view; /* a copy of its own */
    struct q2_session donor;
    struct q2_tracker *tracker; /* of the first look */
    bool looked;
    struct q2_variant variant; /* of the late session */

    GArray *moves;    /* struct dm2_move: at the beginning */
    bool synchronous; /* the donor's frames are of the same time: */
    int32_t offset;   /* the donor's frame number minus the session's */

    bool set_to_record;                     /* since it began to record within the capture */
    int32_t first_frame;                    /* number of the first; 0: none was seen */
    bool whole_seen;                        /* a full frame was seen: nothing remains unknown */
    int32_t references[DM2_REFERENCES_MAX]; /* numbers of frames before the first */
    unsigned reference_count;
    GHashTable *firsts;              /* number -> struct dm2_first */
    bool moved[DM2_PLAYERS_MAX];     /* by entity: a delta has carried its origin or angles; see
                                      * dm2_records() */
    bool mentioned[DM2_PLAYERS_MAX]; /* by entity */
    bool gone[DM2_PLAYERS_MAX];      /* by entity: it was removed */
    bool baseless[DM2_PLAYERS_MAX]; /* and came again without a model: its baseline must have one */
    struct q2_player player;        /* the first values sent */
    int64_t sent[STAT_FRAGS + 1];   /* within so many seconds; 0: never */
    uint16_t guns[DM2_GUNS_MAX];    /* models of weapons in the player's hand, each once */
    unsigned gun_count;
    int16_t picked_up; /* what the player's status bar named last */
    struct dm2_pickup pickups[DM2_PICKUPS_MAX];
    unsigned pickup_count;
    int32_t placed; /* number of the first frame with the player's origin; 0: none */
    uint32_t
        at_player[DM2_PLAYERS_MAX]; /* by entity: frames in which it stands where the player does */

    int16_t slot;
    int16_t player_known; /* from the session's own sign-on; or Q2_PLAYER_UNKNOWN */
    bool records;         /* the client recorded when the capture began */
    int32_t servercount;  /* of its level, if it has part of its own sign-on */
    struct q2_frame bases[DM2_REFERENCES_MAX];
};

static inline struct dm2_match *dm2_match_of(struct qs_donor_match *match)
{
    return (struct dm2_match *)match;
}

/* The entity in the frame, or NULL. `frame`: or NULL. */
const struct q2_entity *dm2_state_in(const struct q2_frame *frame, uint32_t number);

/* A frame of the packet at hand may show that the player picks an item up. */
void dm2_see_pickup(struct dm2_match *m, const struct q2_frame *frame);

/* Beams and what moves in steps: their old origin means something else. */
bool dm2_is_beam(const struct q2_entity *entity);

/* qs_late_join.observe of Quake II. */
bool dm2_observe(struct qs_donor_match *match, const struct qs_decoder *decoder);

/* After the last look: the session's player; 0 where nothing shows it. */
int16_t dm2_find_slot(const struct dm2_match *m);

/* Whether the client recorded when the capture began: then Q2PRO sends its own entity's position.
 */
bool dm2_records(const struct dm2_match *m);

/* Why the sign-on does not fit: a new text; NULL: it does, and `proof` is counted. */
char *dm2_refusal_text(struct dm2_match *m);

/* Makes `bases`, and the baselines of players that only the session's server has. */
void dm2_make_bases(struct dm2_match *m);

/*
 * The budget of a session's healing, in entities compared. The search for simultaneous frames is
 * expensive, so the budget grows with the packets. Starts zeroed.
 */
struct dm2_healing {
    uint64_t earned, spent;
};

/* Adds a packet of the session, `size` bytes, to the budget. */
void dm2_healing_earn(struct dm2_healing *healing, uint32_t size);

/*
 * Inserts frame `number` into the tracker of `session`, which lacks it, as a guess. False: the peer
 * has another level or variant, has no frame of that time, the offset of its frames to the
 * session's is unknown, or the budget is too small.
 */
bool dm2_heal(struct dm2_healing *healing, const struct q2_session *session,
              const struct q2_session *peer, int32_t number);

/* The same with the first suitable peer of `out`. `session`: or NULL. */
bool dm2_heal_of_peers(struct dm2_healing *healing, struct qs_demo_writer *out,
                       const struct q2_session *session, int32_t number);

#endif
