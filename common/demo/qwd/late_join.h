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

#include "common/core/decoder.h"
#include "common/demo/late_join/late_join.h"
#include "common/quakeworld/entity_frames.h"
#include "common/quakeworld/session.h"

enum { QWD_PLAYERS_MAX = 32 }; /* also entities, from 1 on */

/* Entities, by number. */
struct qwd_numbers {
    uint32_t bits[QW_STATES_MAX / 32];
};

static inline bool qwd_numbers_has(const struct qwd_numbers *numbers, uint32_t number)
{
    return number < QW_STATES_MAX && (numbers->bits[number / 32] >> number % 32 & 1);
}

/* Ignores numbers that no entity can have. */
static inline void qwd_numbers_set(struct qwd_numbers *numbers, uint32_t number, bool there)
{
    const uint32_t bit = UINT32_C(1) << number % 32;

    if (number >= QW_STATES_MAX)
        return;
    if (there)
        numbers->bits[number / 32] |= bit;
    else
        numbers->bits[number / 32] &= ~bit;
}

/* The players that a late session receives. */
struct qwd_players {
    uint32_t infos[QWD_PLAYERS_MAX]; /* with their movement */
    bool other[QWD_PLAYERS_MAX];     /* with what servers do not send a client of its own player */
};

static inline void qwd_players_see(struct qwd_players *players, uint32_t player, bool is_other)
{
    players->infos[player]++;
    players->other[player] |= is_other;
}

/* How long a donor had entities in view, in updates, numbered from 1. */
struct qwd_presence {
    uint32_t updates;
    uint32_t since[QW_STATES_MAX]; /* by number; 0: out of view */
    uint32_t sum[QW_STATES_MAX];   /* before that */
};

/* Adds the updates from baselines to the sign-on, each replacing the entity's old one. `message`:
 * the svcfte_updateentities with its id, which is message `index` of the decoder; `*presence` is
 * created if NULL. */
void qwd_updates_keep(struct qs_sign_on *sign_on, struct qwd_presence **presence,
                      const struct qs_decoder *decoder, guint index, struct qs_view message);

/* Whether the message of a sign-on is such an update, not a message that a server sent. */
bool qwd_updates_is_kept(const struct fte_session *agreed, uint8_t id);

/* The entity updates that a late session receives. */
struct qwd_updates {
    bool any;
    uint8_t firsts[QW_STATES_MAX]; /* by number: kind of the first update */
    struct qwd_numbers baselines;  /* that the donor has */
};

/* `updates` must be zeroed. */
void qwd_updates_init(struct qwd_updates *updates, const struct qs_sign_on *donor);

/* The packet that was just decoded: its evidence for the donor of `match`, and players. */
void qwd_updates_observe(struct qwd_updates *updates, struct qs_donor_match *match,
                         struct qwd_players *players, const struct qs_decoder *decoder);

/*
 * Appends the entities in view before the first update: the part of a svcfte_updateentities after
 * its time, beginning with the reset. `presence`: the donor's, or NULL.
 */
void qwd_updates_append(GByteArray *out, const struct qwd_updates *updates,
                        const struct qs_sign_on *donor, const struct qwd_presence *presence);

enum { QWD_SAMPLES = 128, QWD_SAMPLE_EVERY = 16 /* updates, at first */ };

/* What a client had in view, and where it was. */
struct qwd_sample {
    uint32_t update; /* after which it was made, from 0 */
    uint8_t player;  /* whose origin it is */
    float origin[3];
    struct qwd_numbers numbers; /* in view */
};

struct qwd_view {
    struct qs_sign_on_extra extra;
    struct qw_delta_format format;
    struct qw_states *baselines;
    struct qw_states *current;     /* after the last update */
    float origin[3];               /* of the player */
    uint32_t updates;              /* so far */
    struct qs_samples samples;     /* struct qwd_sample; none if `everywhere` */
    bool everywhere;               /* it is a server's demo: no client's view */
    GHashTable *votes;             /* struct qw_entity */
    struct qwd_presence *presence; /* with FTE's replacement deltas; the rest is then empty */
};

/* Creates an empty view; free with view->extra.free(). */
struct qwd_view *qwd_view_new(const struct qw_delta_format *format);

/*
 * Applies the body of an update. Deltas have absolute values: applied in order they give the
 * client's state, except for packets that it lost. `player`: whose `origin` it is.
 */
void qwd_view_update(struct qwd_view *view, uint8_t player, struct qs_view body, bool is_delta);

/* Votes for a state. The state with most votes wins, if there is one. */
void qwd_view_vote(struct qwd_view *view, const struct qw_entity *entity);

/* Gets the state with most votes, in that format; false: none. */
bool qwd_view_common_state(const struct qwd_view *view, const struct qw_delta_format *format,
                           uint16_t number, struct qw_entity *state);

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
