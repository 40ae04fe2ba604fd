/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a QuakeWorld client was told of entities in a level: of a donor, for its sign-on, and of a
 * session that borrows, once it was told all that is in view.
 */
#ifndef QS_DEMO_QWD_CLIENT_VIEW_H
#define QS_DEMO_QWD_CLIENT_VIEW_H

#include <glib.h>

#include "common/demo/qwd/samples.h"
#include "common/demo/qwd/entity_updates.h"
#include "common/demo/late_join/sign_on.h"

/* What most samples show of an entity. */
struct qwd_vote {
    struct qw_entity state;
    uint32_t votes;
};

struct qwd_view {
    struct qs_sign_on_extra extra;
    struct qw_delta_format format;
    struct qw_states *baselines;
    struct qw_states *current;     /* behind the last update */
    float origin[3];               /* of the player */
    struct qwd_samples samples;    /* none where `everywhere` */
    bool everywhere;               /* it is a server's demo: no client's view */
    GArray *usual;                 /* struct qwd_vote, by number */
    guint next_vote;               /* where in it the next one most often is */
    struct qwd_presence *presence; /* with FTE's replacement deltas, of which all else is empty */
};

/* Nothing yet; freed with told->extra.free(). */
struct qwd_view *qwd_view_new(const struct qw_delta_format *format);

/*
 * The body of an update. Deltas say what is, not how much it changed: applied one after the other
 * they show what the client had, but for what it had lost. `player`: from whose `origin`.
 */
void qwd_view_update(struct qwd_view *told, uint8_t player, struct qs_view body, bool is_delta);

/* A state that was seen. The one that most votes are for wins in the end, if there is one. */
void qwd_view_vote(struct qwd_view *told, const struct qw_entity *entity);

/* The state that most votes are for, in that format; false: there is none. */
bool qwd_view_common_state(const struct qwd_view *told, const struct qw_delta_format *format,
                           uint16_t number, struct qw_entity *state);

#endif
