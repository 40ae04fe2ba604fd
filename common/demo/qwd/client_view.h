/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entities that a QuakeWorld client received in a level: for a donor's sign-on, and for a late
 * join once the client has received everything in view.
 */
#ifndef QS_DEMO_QWD_CLIENT_VIEW_H
#define QS_DEMO_QWD_CLIENT_VIEW_H

#include <glib.h>

#include "common/demo/qwd/samples.h"
#include "common/demo/qwd/entity_updates.h"
#include "common/demo/late_join/sign_on.h"

/* The most frequent state of an entity in the samples. */
struct qwd_vote {
    struct qw_entity state;
    uint32_t votes;
};

struct qwd_view {
    struct qs_sign_on_extra extra;
    struct qw_delta_format format;
    struct qw_states *baselines;
    struct qw_states *current;     /* after the last update */
    float origin[3];               /* of the player */
    struct qwd_samples samples;    /* none if `everywhere` */
    bool everywhere;               /* it is a server's demo: no client's view */
    GArray *usual;                 /* struct qwd_vote, by number */
    guint next_vote;               /* index where the next one usually is */
    struct qwd_presence *presence; /* with FTE's replacement deltas; the rest is then empty */
};

/* Creates an empty view; free with told->extra.free(). */
struct qwd_view *qwd_view_new(const struct qw_delta_format *format);

/*
 * Applies the body of an update. Deltas have absolute values: applied in order they give the
 * client's state, except for packets that it lost. `player`: whose `origin` it is.
 */
void qwd_view_update(struct qwd_view *told, uint8_t player, struct qs_view body, bool is_delta);

/* Votes for a state. The state with most votes wins, if there is one. */
void qwd_view_vote(struct qwd_view *told, const struct qw_entity *entity);

/* Gets the state with most votes, in that format; false: none. */
bool qwd_view_common_state(const struct qwd_view *told, const struct qw_delta_format *format,
                           uint16_t number, struct qw_entity *state);

#endif
