/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QuakeWorld sessions that the capture joined late, and their donors
 * (common/quakeworld/PROTOCOL.md, section 9). sign_on.c stores the sign-on of a donor,
 * client_view.c its client's view, translate.c writes the sign-on in the variant of another
 * session; late_join.c compares a late session with a donor, observe.c reads its packets,
 * visibility.c finds the entities in view before its first update.
 */
#ifndef QS_DEMO_QWD_LATE_JOIN_H
#define QS_DEMO_QWD_LATE_JOIN_H

#include "common/demo/late_join/late_join.h"
#include "common/demo/qwd/client_view.h"
#include "common/demo/qwd/entity_updates.h"
#include "common/quakeworld/entity_frames.h"
#include "common/quakeworld/session.h"

extern const struct qs_late_join qwd_late_join;

/* --- Donors --- */

static inline const struct qwd_view *qwd_view_of(const struct qs_sign_on *sign_on)
{
    return (const struct qwd_view *)sign_on->extra;
}

/* qs_late_join.add_packet of QuakeWorld. */
void qwd_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* Reads the player, the flags and the origin of a svc_playerinfo, whose body it is. */
struct qwd_place {
    uint8_t player;
    uint16_t flags;
    float origin[3];
};
bool qwd_read_place(struct qs_view body, const struct fte_session *agreed, struct qwd_place *place);

/* Whether the packet just decoded belongs to a level, or to its sign-on after svc_serverdata. */
bool qwd_needs_level(const struct qs_decoder *decoder);

/* A message of the packet just decoded, id and all. */
struct qs_view qwd_message_view(const struct qs_decoder *decoder, guint index);

/* --- The sign-on in the variant of another session (translate.c) --- */

/* How a session differs from its donor. */
struct qwd_variant {
    uint32_t fte, fte2, mvd1; /* the extensions agreed on */
    uint8_t player;
    bool spectator;
};

/* Why a sign-on cannot be translated from one to the other; NULL: it can. */
const char *qwd_untranslatable(const struct qwd_variant *from, const struct qwd_variant *to);

/* Appends the message; nothing if the other variant cannot express it. */
void qwd_translate(GByteArray *out, const struct qwd_variant *from, const struct qwd_variant *to,
                   struct qs_view message);

/* After the id of svc_serverdata: skips the pairs of extensions, and vlen's data. */
void qwd_skip_pairs(struct qs_reader *in);

struct fte_session qwd_agreed(const struct qwd_variant *variant);
struct qw_delta_format qwd_format_of(const struct qwd_variant *variant);

/* --- What a late join gets --- */

/* Calls `add` for each message of the donor's sign-on, in order. */
typedef void qwd_add_message(void *user, struct qs_view message);
void qwd_match_messages(const struct qs_donor_match *match, qwd_add_message *add, void *user);

/* The entities in view before the first update, with FTE's replacement deltas: appends the part of
 * an update after its time. False: the session has none. */
bool qwd_match_updates(const struct qs_donor_match *match, GByteArray *out);

/* The first update of an entity. */
struct qwd_first {
    uint32_t update; /* in which, from 0 */
    bool arrives; /* with it, and was not in view: it has a model, and no baseline; or its origin is
                     sent, and it never moves */
    struct qw_entity state; /* as if it had come into view with it */
};

enum qwd_level { LEVEL_UNKNOWN, LEVEL_SAME, LEVEL_OTHER };

struct qwd_match {
    struct qs_donor_match base;
    enum qwd_level level;       /* whether the session's svc_serverdata names the donor's */
    GPtrArray *views;           /* struct qwd_view: of the sign-on, then of others in its level */
    GPtrArray *then;            /* struct qwd_view: at the time of the session's first packet */
    struct qw_session donor;    /* state after the sign-on */
    struct qwd_variant theirs;  /* the donor's */
    struct qwd_variant variant; /* that the session is read in; its player after judge() */
    struct qw_delta_format format;

    /* What the session shows, read in that variant. */
    const struct qw_session *late; /* during observe() */
    struct qw_states *baselines;   /* the donor's */
    uint32_t looked_at;            /* packets */
    struct qwd_players players;
    float origins[QWD_PLAYERS_MAX][3]; /* of the last svc_playerinfo, by player */
    uint32_t first_update;             /* number of its packet; 0: none was seen */
    bool whole_seen; /* an update came that is no delta: nothing more to find out */
    GArray *bases; /* uint32_t, ascending: packets before the first update that deltas count from */
    GHashTable *firsts;           /* number -> struct qwd_first */
    uint32_t gone[QW_STATES_MAX]; /* by number: packet in which it was removed; 0: it is there */
    uint32_t updates_at[QW_FRAMES_KEPT]; /* packets with updates, by place */
    struct qwd_numbers
        mentioned;              /* permanent entities with an update: views are compared by them */
    struct qwd_numbers known;   /* entities in view, of those with an update */
    uint32_t update_count;      /* so far, until a full update: */
    struct qs_samples samples;  /* struct qwd_sample, of `known` */
    struct qwd_view *own;       /* votes for states of entities that came into view */
    struct qwd_updates updates; /* FTE's replacement deltas */

    struct qw_states *states; /* in view before its first update */
};

static inline struct qwd_match *qwd_match_of(struct qs_donor_match *match)
{
    return (struct qwd_match *)match;
}

/* The session's own player, if known; -1: unknown. */
int qwd_find_slot(const struct qwd_match *m);

/*
 * The entity's most frequent state in the donor's views, in the session's variant; if the donor has
 * none, in others' views. NULL: none.
 */
const struct qw_entity *qwd_common_state(const struct qwd_match *m, uint16_t number,
                                         struct qw_entity *state);

/* qs_late_join.observe of QuakeWorld. */
bool qwd_observe(struct qs_donor_match *match, const struct qs_decoder *decoder);

/* Sets `states` to the entities in view before the first update. */
void qwd_find_states(struct qwd_match *m);

#endif
