/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entities that a QuakeWorld client received in a level: for a donor's sign-on, and for a late
 * join once the client has received everything in view.
 */
#ifndef QS_DEMO_QWD_CLIENT_VIEW_H
#define QS_DEMO_QWD_CLIENT_VIEW_H

#include <glib.h>

#include "common/demo/late_join/samples.h"
#include "common/demo/late_join/sign_on.h"
#include "common/demo/qwd/entity_updates.h"

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

#endif
