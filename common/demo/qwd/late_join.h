/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QuakeWorld sessions that the capture joined late, and their donors
 * (common/quakeworld/PROTOCOL.md, section 9). sign_on.c stores the sign-on of a donor, and how its
 * client saw entities; late_join.c applies it to a late session; observe.c reads the session's
 * packets; in_view.c finds the entities in view before its first update; entities.c does the same
 * for FTE's replacement deltas.
 */
#ifndef QS_DEMO_QWD_LATE_JOIN_H
#define QS_DEMO_QWD_LATE_JOIN_H

#include "common/core/decoder.h"
#include "common/demo/late_join/late_join.h"
#include "common/quakeworld/entity_states.h"
#include "common/quakeworld/session.h"

extern const struct qs_late_join qwd_late_join;

enum { QWD_PLAYERS_MAX = 32 }; /* also the entities 1 to 32 */

/* --- Entities in view of a client --- */

/* Entities in view and out of view after an update; the state of all others is unknown. */
struct qwd_seen {
    uint32_t sequence; /* number of the packet */
    struct qs_numbers in, out;
};

/* Last updates of a client. */
struct qwd_updates_seen {
    struct qwd_seen kept[QW_FRAMES_KEPT]; /* by sequence number */
};

/* A delta of an update. `state`: the delta applied to the baseline, which is right if `arrives`. */
struct qwd_change {
    const struct qw_delta *delta;
    const struct qw_entity *state;
    bool arrives; /* the entity was not in view before */
};
typedef void qwd_on_change(void *user, const struct qwd_change *change);

/*
 * Follows an update in packet `sequence`, a delta from the update in packet `base`, or a full
 * update if `whole`. Calls `on_change` for each of its deltas, which begin at `in`.
 */
void qwd_follow_update(struct qwd_updates_seen *seen, uint32_t sequence, uint32_t base, bool whole,
                       struct qs_reader in, const struct qw_delta_format *format,
                       const struct qw_states *baselines, qwd_on_change *on_change, void *user);

/* --- Donors --- */

/* View of a donor's client. */
struct qwd_view {
    struct qw_delta_format format;
    struct qw_states *baselines;
    struct qwd_updates_seen seen;
    float origin[3];         /* position of the player */
    uint32_t updates;        /* number of updates so far */
    struct qs_sights sights; /* empty for a server's demo, which is no client's view */
    struct qs_numbers now;   /* entities in view, with FTE's replacement deltas */
};

static inline const struct qwd_view *qwd_view_of(const struct qs_sign_on *sign_on)
{
    return sign_on->extra;
}

/* Implements qs_late_join.add_packet. */
bool qwd_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* Returns the entity's state when it came into the donor's view, or NULL if it did not. */
static inline const struct qw_entity *qwd_first_seen_state(const struct qs_sign_on *sign_on,
                                                           uint16_t number)
{
    return (const void *)qs_sign_on_state(sign_on, number).data;
}

/* Player, flags and origin from the body of a svc_playerinfo. qwd_read_position() returns false if
 * it is too short. */
struct qwd_position {
    uint8_t player;
    uint16_t flags;
    float origin[3];
};
bool qwd_read_position(struct qs_view body, const struct fte_session *agreed,
                       struct qwd_position *position);

/* Returns all messages of the packet just decoded if it is of the game; otherwise an empty view. */
struct qs_view qwd_messages(const struct qs_decoder *decoder);

/* True if the packet just decoded belongs to a level, or to its sign-on after svc_serverdata. */
bool qwd_needs_level(const struct qs_decoder *decoder);

/* Skips the pairs of extensions after the id of svc_serverdata, and vlen's data. */
void qwd_skip_pairs(struct qs_reader *in);
/* Skips what follows these pairs in front of the players, or in front of MVD's time. */
void qwd_skip_to_players(struct qs_reader *in, const struct fte_session *agreed);

/* With FTE's replacement deltas: stores the packet's updates from baselines, and tracks the
 * entities in view. */
void qwd_updates_keep(struct qs_sign_on *sign_on, struct qwd_view *view,
                      const struct qs_decoder *decoder);

/* --- Completing a late session --- */

/* Calls `add` for each message of the donor's sign-on, in order. */
typedef void qwd_add_message(void *user, struct qs_view message);
void qwd_match_messages(const struct qs_donor_match *match, qwd_add_message *add, void *user);

/* Appends the entities in view before the first update: FTE's replacement deltas of an update after
 * its time. Returns false if the session has no such deltas. */
bool qwd_match_updates(const struct qs_donor_match *match, GByteArray *out);

/* Players in a late session's packets. */
struct qwd_players {
    uint32_t infos[QWD_PLAYERS_MAX];   /* number of packets with their movement */
    bool other[QWD_PLAYERS_MAX];       /* true if sent with data that a client's own player lacks */
    float origins[QWD_PLAYERS_MAX][3]; /* origin in the last svc_playerinfo */
};

static inline void qwd_players_observe(struct qwd_players *players, uint32_t player, bool is_other)
{
    players->infos[player]++;
    players->other[player] |= is_other;
}

/* Returns the session's own player, or -1 if it is unknown. */
int qwd_find_slot(const struct qwd_players *players);

/* First update of an entity. */
struct qwd_first {
    bool arrives; /* the entity was not in view before: it has a model, and no baseline; or its
                     origin is sent, and it never moves */
    struct qw_entity state; /* state after the update, as a delta from the baseline */
};

struct qwd_match {
    struct qs_donor_match base;
    const struct qw_session *donor; /* state of the donor's client */
    uint8_t player;                 /* the session's player, after judge() */
    bool spectator;
    struct qw_delta_format format;
    const struct qw_states *baselines; /* baselines of the donor */
    struct qs_numbers baseline_numbers;

    /* Observed in the session: */
    const struct qw_session *late; /* valid during observe() */
    struct qwd_players players;
    struct qwd_updates_seen seen;
    uint32_t first_update;   /* packet of the first update; 0: none yet */
    bool whole_seen;         /* a full update has arrived: the rest is known */
    GArray *bases;           /* uint32_t, ascending: bases of deltas, before the first update */
    GHashTable *firsts;      /* by number: struct qwd_first */
    struct qw_states *own;   /* states in which entities came into view */
    uint32_t update_count;   /* number of updates before a full one */
    struct qs_sights sights; /* positions of the player at these updates */
    bool replaces;           /* the session has FTE's replacement deltas */
    uint8_t replaced[QW_STATES_MAX]; /* kinds of the first updates, by number */

    struct qw_states *states; /* entities in view before the first update */
};

static inline struct qwd_match *qwd_match_of(struct qs_donor_match *match)
{
    return (struct qwd_match *)match;
}

/* Implements qs_late_join.observe. */
void qwd_observe(struct qs_donor_match *match, const struct qs_decoder *decoder);

/* Observes the packet just decoded: its updates with FTE's replacement deltas. */
void qwd_updates_observe(struct qwd_match *m, const struct qs_decoder *decoder);

/* Sets `states` to the entities in view before the first update. */
void qwd_find_states(struct qwd_match *m);

#endif
