/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QuakeWorld session that borrows, for the files that make up its lending (qwd_lend.h):
 * qwd_borrow.c begins it, qwd_look.c looks at its packets, qwd_fit.c judges the sign-on,
 * qwd_views.c finds what was in view before its first update.
 */
#ifndef QS_DEMO_QWD_BORROWER_H
#define QS_DEMO_QWD_BORROWER_H

#include "common/demo/qwd/lend.h"
#include "common/demo/qwd/updates.h"
#include "common/quakeworld/entity_frames.h"
#include "common/quakeworld/session.h"

enum { QWD_DIALECTS_MAX = 5, QWD_PLAYERS_MAX = 32 };

/* The first that is told of an entity. */
struct qwd_first {
    uint32_t update; /* in which, from 0 */
    bool removes;
    bool arrives; /* it has a model, and no baseline; or it is told where it is, and never moves */
    bool repeats; /* it says what the baseline says: it was in view */
    struct qw_entity state; /* as if it had come into view with it */
};

/* What the session shows in one dialect. */
struct qwd_seen {
    struct qwd_dialect dialect;
    struct qw_delta_format format;
    struct qs_decoder decoder;
    struct qw_session session;
    struct qw_states *baselines; /* the lender's */

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
    uint32_t strange;      /* that the lender never saw so: it may be, if it is seldom */
    uint32_t wrong_models; /* that are not in the list, or are no weapons in the hand */
    float origins[QWD_PLAYERS_MAX][3]; /* of the last svc_playerinfo, by player */
    struct qwd_numbers known;          /* that are in view, of those that were mentioned */
    struct qwd_samples samples;        /* of `known`, until an update that is no delta */
    struct qwd_told *own;              /* since then; and states of what came into view */
    struct qwd_updates updates;        /* FTE's replacement deltas */
};

struct qwd_borrower {
    struct qs_borrower base;
    struct qs_sink sink; /* hears nothing */
    const struct qs_sign_on *sign_on;
    GPtrArray *told; /* struct qwd_told: of the sign-on, then of others of its level */
    GPtrArray *then; /* struct qwd_told: as they were when the session's packets begin */
    enum qs_lender_kind kind;
    struct qw_session lent; /* what the sign-on makes known */
    struct qwd_dialect theirs;
    int32_t version; /* of the late session, where its later levels tell; else the lender's */

    struct qwd_seen *seen[QWD_DIALECTS_MAX]; /* the likeliest first */
    unsigned seen_count;
    uint32_t looked_at;
    struct qwd_dialect dialect; /* the session's; after refusal() */
    bool lacks_part;            /* of its own sign-on; its connection began in the capture */
    uint64_t lost;              /* packet before which that is missing; 0: unknown */
    struct qw_states *states;   /* in view before its first update */
};

static inline struct qwd_borrower *qwd_borrower_of(struct qs_borrower *borrower)
{
    return (struct qwd_borrower *)borrower;
}

/* What the session shows in a dialect: nothing yet. */
struct qwd_seen *qwd_seen_new(const struct qwd_borrower *b, const struct qwd_dialect *dialect);
void qwd_seen_free(struct qwd_seen *seen);

/* The dialect in which most can be read goes on, as the first of `seen`. */
void qwd_choose_dialect(struct qwd_borrower *b);

/* The player that the session is, as far as it shows; -1: it does not. */
int qwd_find_slot(const struct qwd_seen *seen);

/*
 * What most views of the lender show of the entity, in the session's dialect; of others, where it
 * has none. NULL: nothing.
 */
const struct qw_entity *qwd_usual_state(const struct qwd_borrower *b, const struct qwd_seen *seen,
                                        uint16_t number, struct qw_entity *state);

/* Whether that is the state, at the precision of shorts: one of the two may have been told floats.
 */
bool qwd_is_usual(const struct qwd_borrower *b, const struct qwd_seen *seen,
                  const struct qw_entity *state);

/* qs_demo_lending.look of QuakeWorld. */
bool qwd_look(struct qs_borrower *borrower, const struct qs_decoder *decoder);

/* Makes `states`: what was in view before the first update; and finds how far the lender's views
 * are from the session's. */
void qwd_find_states(struct qwd_borrower *b, const struct qwd_seen *seen);

/* qs_demo_lending.refusal of QuakeWorld. */
char *qwd_refusal(struct qs_borrower *borrower);

#endif
