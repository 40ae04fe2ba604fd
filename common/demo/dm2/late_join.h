/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quake II sessions that the capture joined late, and their donors (common/quake2/PROTOCOL.md,
 * section 14). sign_on.c keeps what a donor knew and saw; late_join.c applies it to a late session,
 * observe.c reads the session's packets, base_frames.c makes the frames before its first.
 */
#ifndef QS_DEMO_DM2_LATE_JOIN_H
#define QS_DEMO_DM2_LATE_JOIN_H

#include "common/demo/late_join/late_join.h"
#include "common/demo/writer.h"
#include "common/quake2/constants.h"
#include "common/quake2/session.h"

extern const struct qs_late_join dm2_late_join;

/* --- Donors --- */

/* qs_late_join.add_packet of Quake II. */
bool dm2_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* qs_late_join.own_sign_on of Quake II. */
struct qs_sign_on *dm2_own(const struct qs_session *session);

/* How the donor saw the entity first; NULL: it did not. */
const struct q2_entity *dm2_first_seen_state(const struct qs_sign_on *sign_on, uint32_t number);

/* Servers number models, sounds and images by the order in which the level needs them. */
bool dm2_is_of_level(const struct q2_session *session, uint32_t index);

/* Where a player is, and how fast he moves; none if that does not tell one moment from others. */
struct qs_view dm2_place(const struct q2_player *player);

/* --- Late sessions --- */

enum {
    DM2_REFERENCES_MAX = Q2_UPDATE_BACKUP, /* frames that deltas may go back to */
    DM2_PLAYERS_MAX = 256
};

/* The first mention of an entity. */
struct dm2_first {
    struct q2_mention mention;
    struct q2_entity state; /* as if it entered the view with it; of a removal: nothing */
};

struct dm2_match {
    struct qs_donor_match base;
    struct q2_session donor;    /* what the donor knew, with changes for the late session */
    struct q2_tracker *tracker; /* of the first look */
    bool looked;
    struct q2_variant variant; /* of the late session, */
    int32_t version;           /* and its protocol */

    bool set_to_record;                     /* since it began to record within the capture */
    int32_t first_frame;                    /* number of the first; 0: none was seen */
    bool whole_seen;                        /* a full frame was seen: nothing remains unknown */
    int32_t references[DM2_REFERENCES_MAX]; /* numbers of frames before the first */
    unsigned reference_count;
    GHashTable *firsts;              /* number -> struct dm2_first */
    struct qs_numbers gone;          /* that were removed */
    bool moved[DM2_PLAYERS_MAX];     /* by entity: a delta has carried its origin or angles; see
                                      * dm2_records() */
    bool mentioned[DM2_PLAYERS_MAX]; /* by entity */
    bool baseless[DM2_PLAYERS_MAX];  /* it came again without a model: its baseline must have one */
    struct q2_player player;         /* the first values sent */
    int64_t sent[STAT_FRAGS + 1];    /* within so many seconds; 0: never */
    uint32_t
        at_player[DM2_PLAYERS_MAX]; /* by entity: frames in which it stands where the player does */

    int16_t slot;
    int16_t player_known; /* from the session's own sign-on; or Q2_PLAYER_UNKNOWN */
    bool records;         /* the client recorded when the capture began */
    struct q2_frame bases[DM2_REFERENCES_MAX];
};

static inline struct dm2_match *dm2_match_of(struct qs_donor_match *match)
{
    return (struct dm2_match *)match;
}

/* The frames that a late session gets with the sign-on. */
const struct q2_frame *dm2_match_frame(const struct qs_donor_match *match, unsigned index);

/* Beams and what moves in steps: their old origin means something else. */
bool dm2_is_beam(const struct q2_entity *entity);

/* qs_late_join.observe of Quake II. */
void dm2_observe(struct qs_donor_match *match, const struct qs_decoder *decoder);

/* After the first look: the session's player; 0 where nothing shows it. */
int16_t dm2_find_slot(const struct dm2_match *m);

/* Whether the client recorded when the capture began: then Q2PRO sends its own entity's position.
 */
bool dm2_records(const struct dm2_match *m);

/* Makes `bases`, and the baselines of players that only the session's server has. */
void dm2_make_bases(struct dm2_match *m);

#endif
