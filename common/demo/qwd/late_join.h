/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QuakeWorld sessions that the capture joined late, and their donors
 * (common/quakeworld/PROTOCOL.md, section 9). sign_on.c keeps the sign-on of a donor, client_view.c
 * what its client saw, translate.c writes it in the variant of another session; late_join.c
 * compares a late session with a donor, observe.c reads its packets, visibility.c finds what was in
 * view before its first update.
 */
#ifndef QS_DEMO_QWD_LATE_JOIN_H
#define QS_DEMO_QWD_LATE_JOIN_H

#include "common/demo/late_join/sign_on.h"
#include "common/demo/qwd/client_view.h"
#include "common/demo/qwd/entity_updates.h"
#include "common/quakeworld/entity_frames.h"
#include "common/quakeworld/quakeworld.h"
#include "common/quakeworld/session.h"

extern const struct qs_late_join qwd_late_join;

/* --- Lenders --- */

static inline const struct qwd_view *qwd_view_of(const struct qs_sign_on *sign_on)
{
    return (const struct qwd_view *)sign_on->extra;
}

/* qs_late_join.tell of QuakeWorld. */
void qwd_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* Reads the player, the flags and the origin of a svc_playerinfo, whose body it is. */
struct qwd_place {
    uint8_t player;
    uint16_t flags;
    float origin[3];
};
bool qwd_read_place(struct qs_view body, const struct fte_session *agreed, struct qwd_place *place);

/* Whether the packet just decoded is of a level, or of its sign-on behind svc_serverdata. */
bool qwd_needs_level(const struct qs_decoder *decoder);

/* A message of the packet just decoded, id and all. */
struct qs_view qwd_message_view(const struct qs_decoder *decoder, guint index);

/* --- The sign-on in the dialect of another session (qwd_translate.c) --- */

/* What a session is told differently from its lender. */
struct qwd_variant {
    uint32_t fte, fte2, mvd1; /* the extensions agreed on */
    uint8_t player;
    bool spectator;
};

/* Why no sign-on of the one can be told in the other; NULL: it can. */
const char *qwd_untranslatable(const struct qwd_variant *from, const struct qwd_variant *to);

/* Appends the message; nothing where the other dialect cannot tell it. */
void qwd_translate(GByteArray *out, const struct qwd_variant *from, const struct qwd_variant *to,
                   struct qs_view message);

/* Behind the id of svc_serverdata: passes the pairs that tell the extensions, and vlen's data. */
void qwd_skip_pairs(struct qs_reader *in);

struct qw_delta_format qwd_format_of(const struct qwd_variant *dialect);

/* --- What a borrower is given --- */

/* Calls `add` for each message of what is lent, in order, with the number of its block. */
typedef void qwd_add_message(void *user, uint32_t block, struct qs_view message);
void qwd_match_messages(const struct qs_donor_match *borrower, qwd_add_message *add, void *user);

/* The entities that were in view before the first update. */
const struct qw_states *qwd_match_states(const struct qs_donor_match *borrower);

/* The same with FTE's replacement deltas: appends what stands behind the time of an update. False:
 * the session has none. */
bool qwd_match_updates(const struct qs_donor_match *borrower, GByteArray *out);

/* Why the session needs a sign-on, as words; `map`: that it is on, or NULL. New. */
char *qwd_late_reason(const struct qs_donor_match *borrower, const char *map);

/* Packets before the first update that updates count from; uint32_t, ascending. */
const GArray *qwd_match_bases(const struct qs_donor_match *borrower);

enum { QWD_VARIANTS_MAX = 5, QWD_PLAYERS_MAX = 32 };

/* The first that is told of an entity. */
struct qwd_first {
    uint32_t update; /* in which, from 0 */
    bool removes;
    bool arrives; /* it has a model, and no baseline; or it is told where it is, and never moves */
    bool repeats; /* it says what the baseline says: it was in view */
    struct qw_entity state; /* as if it had come into view with it */
};

/* What the session shows in one dialect. */
struct qwd_observation {
    struct qwd_variant variant;
    struct qw_delta_format format;
    struct qs_decoder decoder;
    struct qw_session session;
    struct qw_states *baselines; /* the donor's */

    uint32_t packets, unreadable;
    bool over;                       /* the next level has begun */
    uint32_t infos[QWD_PLAYERS_MAX]; /* svc_playerinfo, by player */
    bool other[QWD_PLAYERS_MAX];     /* one had a command, which a client is not told of its own */
    uint32_t first_update;           /* number of its packet; 0: none was seen */
    bool whole_seen;                 /* an update came that is no delta: nothing more to find out */
    GArray *bases;                   /* uint32_t: packets before the first that deltas count from */
    GHashTable *firsts;              /* number -> struct qwd_first */
    uint32_t gone[QW_STATES_MAX];    /* by number: packet in which it was removed; 0: it is there */
    uint32_t updates_at[QW_FRAMES_KEPT]; /* packets with updates, by place */
    uint32_t agreements, wrong;          /* entities that came into view */
    uint32_t strange;                  /* that the donor never saw so: it may be, if it is seldom */
    uint32_t wrong_models;             /* that are not in the list, or are no weapons in the hand */
    float origins[QWD_PLAYERS_MAX][3]; /* of the last svc_playerinfo, by player */
    struct qwd_numbers known;          /* that are in view, of those that were mentioned */
    struct qwd_samples samples;        /* of `known`, until an update that is no delta */
    struct qwd_view *own;              /* since then; and states of what came into view */
    struct qwd_updates updates;        /* FTE's replacement deltas */
};

struct qwd_match {
    struct qs_donor_match base;
    struct qs_sink sink; /* hears nothing */
    const struct qs_sign_on *sign_on;
    GPtrArray *views; /* struct qwd_view: of the sign-on, then of others of its level */
    GPtrArray *then;  /* struct qwd_view: as they were when the session's packets begin */
    enum qs_donor_kind kind;
    struct qw_session donor; /* what the sign-on makes known */
    struct qwd_variant theirs;
    int32_t version; /* of the late session, where its later levels tell; else the donor's */

    struct qwd_observation *observed[QWD_VARIANTS_MAX]; /* the likeliest first */
    unsigned observed_count;
    uint32_t looked_at;
    struct qwd_variant variant; /* the session's; after refusal() */
    bool lacks_part;            /* of its own sign-on; its connection began in the capture */
    uint64_t lost;              /* packet before which that is missing; 0: unknown */
    struct qw_states *states;   /* in view before its first update */
};

static inline struct qwd_match *qwd_match_of(struct qs_donor_match *match)
{
    return (struct qwd_match *)match;
}

/* What the session shows in a dialect: nothing yet. */
struct qwd_observation *qwd_observation_new(const struct qwd_match *m,
                                            const struct qwd_variant *dialect);
void qwd_observation_free(struct qwd_observation *observed);

/* The dialect in which most can be read goes on, as the first of `seen`. */
void qwd_choose_variant(struct qwd_match *m);

/* The player that the session is, as far as it shows; -1: it does not. */
int qwd_find_slot(const struct qwd_observation *observed);

/*
 * What most views of the donor show of the entity, in the session's dialect; of others, where it
 * has none. NULL: nothing.
 */
const struct qw_entity *qwd_common_state(const struct qwd_match *m,
                                         const struct qwd_observation *observed, uint16_t number,
                                         struct qw_entity *state);

/* Whether that is the state, at the precision of shorts: one of the two may have been told floats.
 */
bool qwd_is_common_state(const struct qwd_match *m, const struct qwd_observation *observed,
                         const struct qw_entity *state);

/* qs_late_join.look of QuakeWorld. */
bool qwd_observe(struct qs_donor_match *match, const struct qs_decoder *decoder);

/* Makes `states`: what was in view before the first update; and finds how far the donor's views
 * are from the session's. */
void qwd_find_states(struct qwd_match *m, const struct qwd_observation *observed);

/* qs_late_join.refusal of QuakeWorld. */
char *qwd_judge(struct qs_donor_match *match);

#endif
