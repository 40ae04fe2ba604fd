/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QuakeWorld sessions that the capture joined late, and their donors
 * (common/quakeworld/PROTOCOL.md, section 9). sign_on.c stores the sign-on of a donor, and how its
 * client saw entities; late_join.c applies it to a late session, observe.c reads the session's
 * packets, in_view.c finds the entities in view before its first update, entities.c does so
 * with FTE's replacement deltas.
 */
#ifndef QS_DEMO_QWD_LATE_JOIN_H
#define QS_DEMO_QWD_LATE_JOIN_H

#include "common/core/decoder.h"
#include "common/demo/late_join/late_join.h"
#include "common/quakeworld/entity_states.h"
#include "common/quakeworld/session.h"

extern const struct qs_late_join qwd_late_join;

enum { QWD_PLAYERS_MAX = 32 }; /* also entities, from 1 on */

/* --- Which entities a client has in view --- */

/* After an update: entities that it has in view, and that it has not; of others nothing is known.
 */
struct qwd_seen {
    uint32_t sequence; /* of the packet */
    struct qs_numbers in, out;
};

/* The last updates of a client. */
struct qwd_updates_seen {
    struct qwd_seen kept[QW_FRAMES_KEPT]; /* by sequence number */
};

/* A delta of an update. `state`: as if it were one from the baseline, which it is if `arrives`. */
struct qwd_change {
    const struct qw_delta *delta;
    const struct qw_entity *state;
    bool arrives; /* the entity was not in view before */
};
typedef void qwd_see_change(void *user, const struct qwd_change *change);

/*
 * An update in packet `sequence`, from the update in packet `base`; `whole`: it is no delta. Calls
 * `see` for each of its deltas, which begin at `in`.
 */
void qwd_follow_update(struct qwd_updates_seen *seen, uint32_t sequence, uint32_t base, bool whole,
                       struct qs_reader in, const struct qw_delta_format *format,
                       const struct qw_states *baselines, qwd_see_change *see, void *user);

/* --- Donors --- */

/* What a donor's client saw. */
struct qwd_view {
    struct qw_delta_format format;
    struct qw_states *baselines;
    struct qwd_updates_seen seen;
    float origin[3];         /* of the player */
    uint32_t updates;        /* so far */
    struct qs_sights sights; /* none of a server's demo: it is no client's view */
    struct qs_numbers now;   /* with FTE's replacement deltas: in view */
};

static inline const struct qwd_view *qwd_view_of(const struct qs_sign_on *sign_on)
{
    return sign_on->extra;
}

/* qs_late_join.add_packet of QuakeWorld. */
bool qwd_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* How the donor saw the entity when it came into view; NULL: it did not. */
static inline const struct qw_entity *qwd_first_seen_state(const struct qs_sign_on *sign_on,
                                                           uint16_t number)
{
    return (const void *)qs_sign_on_state(sign_on, number).data;
}

/* Reads the player, the flags and the origin of a svc_playerinfo, whose body it is. */
struct qwd_place {
    uint8_t player;
    uint16_t flags;
    float origin[3];
};
bool qwd_read_place(struct qs_view body, const struct fte_session *agreed, struct qwd_place *place);

/* All messages of a packet of the game, just decoded; else none. */
struct qs_view qwd_messages(const struct qs_decoder *decoder);

/* Whether the packet just decoded belongs to a level, or to its sign-on after svc_serverdata. */
bool qwd_needs_level(const struct qs_decoder *decoder);

/* After the id of svc_serverdata: skips the pairs of extensions, and vlen's data. */
void qwd_skip_pairs(struct qs_reader *in);

/* With FTE's replacement deltas: keeps the updates of a message from baselines. */
void qwd_updates_keep(struct qs_sign_on *sign_on, struct qwd_view *view,
                      const struct qs_decoder *decoder);

/* --- What a late join gets --- */

/* Calls `add` for each message of the donor's sign-on, in order. */
typedef void qwd_add_message(void *user, struct qs_view message);
void qwd_match_messages(const struct qs_donor_match *match, qwd_add_message *add, void *user);

/* The entities in view before the first update, with FTE's replacement deltas: appends the part of
 * an update after its time. False: the session has none. */
bool qwd_match_updates(const struct qs_donor_match *match, GByteArray *out);

/* The players that a late session receives. */
struct qwd_players {
    uint32_t infos[QWD_PLAYERS_MAX]; /* with their movement */
    bool other[QWD_PLAYERS_MAX];     /* with what servers do not send a client of its own player */
    float origins[QWD_PLAYERS_MAX][3]; /* of the last svc_playerinfo */
};

static inline void qwd_players_see(struct qwd_players *players, uint32_t player, bool is_other)
{
    players->infos[player]++;
    players->other[player] |= is_other;
}

/* The session's own player, if known; -1: unknown. */
int qwd_find_slot(const struct qwd_players *players);

/* The first update of an entity. */
struct qwd_first {
    bool arrives; /* with it, and was not in view: it has a model, and no baseline; or its origin is
                     sent, and it never moves */
    struct qw_entity state; /* as if it had come into view with it */
};

struct qwd_match {
    struct qs_donor_match base;
    const struct qw_session *donor; /* what the donor's client knew */
    uint8_t player;                 /* of the session, after judge() */
    bool spectator;
    struct qw_delta_format format;
    const struct qw_states *baselines; /* the donor's */
    struct qs_numbers baseline_numbers;

    /* What the session shows: */
    const struct qw_session *late; /* during observe() */
    struct qwd_players players;
    struct qwd_updates_seen seen;
    uint32_t first_update; /* number of its packet; 0: none was seen */
    bool whole_seen;       /* an update came that is no delta: nothing more to find out */
    GArray *bases; /* uint32_t, ascending: packets before the first update that deltas count from */
    GHashTable *firsts;              /* number -> struct qwd_first */
    struct qw_states *own;           /* as entities came into view */
    uint32_t update_count;           /* so far, until a full update: */
    struct qs_sights sights;         /* places of the player */
    bool replaces;                   /* it has FTE's replacement deltas: */
    uint8_t replaced[QW_STATES_MAX]; /* by number: kind of the first update */

    struct qw_states *states; /* in view before its first update */
};

static inline struct qwd_match *qwd_match_of(struct qs_donor_match *match)
{
    return (struct qwd_match *)match;
}

/* qs_late_join.observe of QuakeWorld. */
void qwd_observe(struct qs_donor_match *match, const struct qs_decoder *decoder);

/* The packet just decoded: its updates with FTE's replacement deltas. */
void qwd_updates_observe(struct qwd_match *m, const struct qs_decoder *decoder);

/* Sets `states` to the entities in view before the first update. */
void qwd_find_states(struct qwd_match *m);

#endif
