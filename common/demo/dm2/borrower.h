/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Quake II session that borrows, for the files that make up its lending (dm2_lend.h):
 * dm2_borrow.c begins it, dm2_look.c looks at its packets, dm2_fit.c judges the sign-on,
 * dm2_bases.c makes the frames that come before its first.
 */
#ifndef QS_DEMO_DM2_BORROWER_H
#define QS_DEMO_DM2_BORROWER_H

#include "common/demo/dm2/lend.h"
#include "common/quake2/variant.h"

enum {
    DM2_REFERENCES_MAX = Q2_FRAMES_KEPT / 2, /* frames that deltas may go back to */
    DM2_PLAYERS_MAX = 256,
    DM2_GUNS_MAX = 16,
    DM2_PICKUPS_MAX = 64
};

#define DM2_ORIGIN_BITS (U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3)
#define DM2_PLACE_BITS (DM2_ORIGIN_BITS | U_ANGLE1 | U_ANGLE2)

/* The first that is told of an entity. */
struct dm2_first {
    struct q2_mention mention;
    gpointer place; /* where the player was then; see dm2_place() */
    bool placed;
    struct q2_entity state; /* as if it had come into view with it; of a removal: nothing */
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

struct dm2_borrower {
    struct qs_borrower base;
    struct dm2_told *told; /* a copy of its own */
    enum qs_lender_kind kind;
    struct q2_session lent;
    struct q2_tracker *tracker; /* of the first look */
    bool looked;
    struct q2_variant variant; /* of the late session */

    GArray *moves;    /* struct dm2_move: at the beginning */
    bool synchronous; /* the lender's frames are of the same time: */
    int32_t offset;   /* what a frame's number is more there */

    int32_t version;    /* of the late session */
    bool set_to_record; /* since it began to record within the capture */
    uint32_t messages, unreadable;
    uint32_t agreements, contradictions;
    bool judged[Q2_ENTITIES_EXTENDED_MAX]; /* by entity: dm2_judge_place() saw it */
    uint8_t area_bytes;                    /* of frames: it depends on the map */
    uint32_t same_places, other_places;
    uint32_t seen, unseen; /* entities that come into view where the lender saw them, or did not */
    int32_t first_frame;   /* number of the first; 0: none was seen */
    bool whole_seen;       /* a frame came that is no delta: nothing is to be found out any more */
    int32_t references[DM2_REFERENCES_MAX]; /* numbers of frames before the first */
    unsigned reference_count;
    GHashTable *places;              /* where the player was -> frames there */
    GHashTable *firsts;              /* number -> struct dm2_first */
    bool moved[DM2_PLAYERS_MAX];     /* by entity: it was told where it is; see dm2_records() */
    bool mentioned[DM2_PLAYERS_MAX]; /* by entity */
    bool gone[DM2_PLAYERS_MAX];      /* by entity: it was removed */
    bool baseless[DM2_PLAYERS_MAX]; /* and came again without a model: its baseline must have one */
    struct q2_player player;        /* the first values sent */
    uint16_t guns[DM2_GUNS_MAX];    /* models of weapons in the player's hand, each once */
    unsigned gun_count;
    int16_t picked_up; /* what the player's status bar named last */
    struct dm2_pickup pickups[DM2_PICKUPS_MAX];
    unsigned pickup_count;
    uint32_t near_pickups, far_pickups; /* where the lender has the item, or far from there */
    int32_t placed; /* number of the frame in which the player's place was first told; 0: never */
    uint32_t
        at_player[DM2_PLAYERS_MAX]; /* by entity: frames in which it stands where the player does */

    int16_t slot;
    int16_t player_known;   /* the session's own sign-on tells; or Q2_PLAYER_UNKNOWN */
    bool in_level;          /* the session had part of its own sign-on, or all of it */
    bool records;           /* the client recorded when the capture began */
    struct q2_loss lost;    /* what the session's own sign-on lacks; else it has none at all */
    int32_t servercount;    /* then: of its level */
    uint32_t other_strings; /* and so many strings that the lender has otherwise */
    struct q2_frame bases[DM2_REFERENCES_MAX];
};

static inline struct dm2_borrower *dm2_borrower_of(struct qs_borrower *borrower)
{
    return (struct dm2_borrower *)borrower;
}

/* The entity in the frame, or NULL. */
const struct q2_entity *dm2_state_in(const struct q2_frame *frame, uint32_t number);

/* The first that is told of an entity may say where it is: what is part of the level is where the
 * lender saw it. */
void dm2_judge_place(struct dm2_borrower *b, const struct q2_mention *mention,
                     const struct q2_entity *state);

/* A frame of the packet at hand may show that the player takes an item. */
void dm2_see_pickup(struct dm2_borrower *b, const struct q2_frame *frame);

/* After the last look: counts the items that lie where the player took them, and those that do not.
 */
void dm2_judge_pickups(struct dm2_borrower *b);

/* What the lender saw from the place, often enough to count; or NULL. */
const struct dm2_view *dm2_lenders_view(const struct dm2_borrower *b, gpointer place);

/* Beams and what moves in steps: their old origin means something else. */
bool dm2_is_beam(const struct q2_entity *entity);

/* What a lender has of an entity becomes as the session's own server says it. */
void dm2_translate(const struct dm2_borrower *b, struct q2_entity *entity);

/* qs_demo_lending.look of Quake II. */
bool dm2_look(struct qs_borrower *borrower, const struct qs_decoder *decoder);

/* After the last look: the session's player; 0 where nothing shows it. */
int16_t dm2_find_slot(const struct dm2_borrower *b);

/* Whether the client recorded when the capture began: then Q2PRO tells where he is himself. */
bool dm2_records(const struct dm2_borrower *b);

/* Why the sign-on does not fit: a new text; NULL: it does, and `proof` is counted. */
char *dm2_refusal_text(struct dm2_borrower *b);

/* How far the lender was from the session's player when that began, in eighths of units; after
 * dm2_make_bases(). 0: of another time, as good as any; DBL_MAX: nobody knows. */
double dm2_distance(const struct dm2_borrower *b);

/* Makes `bases`, and the baselines of players that only the session's server has. */
void dm2_make_bases(struct dm2_borrower *b);

#endif
