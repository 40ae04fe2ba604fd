/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How Quake II's sessions lend and borrow sign-ons (common/quake2/PROTOCOL.md, section 14). */
#ifndef QS_DEMO_DM2_LEND_H
#define QS_DEMO_DM2_LEND_H

#include "common/demo/dm2/views.h"
#include "common/demo/late_join/sign_on.h"
#include "common/quake2/session.h"
#include "common/quake2/tracker.h"

extern const struct qs_demo_lending dm2_lending;

/* Frames of a lender that are kept of all its level, beside the last ones. */
enum { DM2_SAMPLES = 32 };

/* What a lender has: its session for the level, and its frames. */
struct dm2_told {
    struct qs_sign_on_extra extra;
    const struct q2_session *live; /* the lender's, as long as it goes on; NULL in copies */
    struct q2_tracker *own;        /* that follows it where nobody else does */

    struct q2_session session;            /* as it was when votes were cast last */
    struct q2_frame *recent;              /* Q2_FRAMES_KEPT; NULL but in copies */
    struct q2_frame samples[DM2_SAMPLES]; /* in order; number 0: none */
    int32_t every, next;                  /* how far samples are apart; the number of the next */
    int32_t next_vote;
    int32_t viewed;    /* number of the newest frame in `views` */
    GHashTable *views; /* see dm2_views.h */
    GHashTable *usual; /* number -> struct dm2_usual: what most samples show of an entity */
};

struct dm2_usual {
    struct q2_entity state;
    uint32_t votes;
};

/* What most of the lender's frames show of the entity, or NULL. */
const struct q2_entity *dm2_usual_state(const struct dm2_told *told, uint32_t number);

/* qs_demo_lending.tell of Quake II. */
void dm2_tell(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* qs_demo_lending.own of Quake II. */
struct qs_sign_on *dm2_own(const struct qs_session *session);

static inline const struct dm2_told *dm2_told_of(const struct qs_sign_on *sign_on)
{
    return (const struct dm2_told *)sign_on->extra;
}

/* Whether both look the same and stand at the same place; events last for one frame. */
bool dm2_same_state(const struct q2_entity *a, const struct q2_entity *b);

/* Why the session needs a sign-on: what the capture lacks. `map`: of the level. New. */
char *dm2_lent_because(const struct qs_borrower *borrower, const char *map);

/* The same where all of the sign-on is there. New. */
char *dm2_first_lost_text(const char *map);

/* What a borrower is given besides. */
const struct q2_frame *dm2_lent_frame(const struct qs_borrower *borrower, unsigned index);

#endif
