/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sign-ons: what a server sends each client when a level begins (lists of models and sounds,
 * baselines, names …). It is nearly the same for all clients of the level. So another client's
 * sign-on completes a session that the capture joined late (late_join.h).
 *
 * A sign-on is the messages that a client received, in order and in their blocks, and what the
 * client knew when it was complete. Later changes are not kept: a late session receives them, too.
 */
#ifndef QS_DEMO_LATE_JOIN_SIGN_ON_H
#define QS_DEMO_LATE_JOIN_SIGN_ON_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decode.h"

/* A sign-on with more bytes is broken. */
enum { QS_SIGN_ON_BYTES_MAX = 1 << 20 };

struct qs_sign_on {
    GArray *entries;   /* the messages */
    GByteArray *bytes; /* of the messages */
    uint32_t blocks;   /* number of blocks that have begun */
    bool complete;     /* the level can be played with it */
    bool broken;       /* it became too large, or part of it could not be decoded */

    /* What the client knew when the sign-on was complete; NULL before. */
    const struct qs_protocol *protocol;
    struct qs_session *session;

    /* By number of an entity, GBytes: how it came into view, in the format's own form. */
    GHashTable *states;
    GArray *marks; /* uint64_t, of a demo: see qs_sign_on_mark(); else NULL */
    void *extra;   /* what else the format keeps; or NULL */
    GDestroyNotify extra_free;
};

struct qs_sign_on *qs_sign_on_new(void);
void qs_sign_on_free(struct qs_sign_on *sign_on);

/* Removes all; whether marks are kept stays. */
void qs_sign_on_clear(struct qs_sign_on *sign_on);

/* Adds a message, with its id, to the last block, which the caller counted. */
void qs_sign_on_add(struct qs_sign_on *sign_on, struct qs_view message);

/* The sign-on is complete, and the client knows what `session` has. */
void qs_sign_on_complete(struct qs_sign_on *sign_on, const struct qs_protocol *protocol,
                         const struct qs_session *session);

/* Message `index` from 0 on, valid until the sign-on changes; `block`: its block, from 0; or NULL.
 */
guint qs_sign_on_count(const struct qs_sign_on *sign_on);
struct qs_view qs_sign_on_at(const struct qs_sign_on *sign_on, guint index, uint32_t *block);

/* Keeps how an entity came into view, in place of the time before. */
void qs_sign_on_set_state(struct qs_sign_on *sign_on, uint32_t number, struct qs_view state);

/* What was kept of the entity; data NULL: nothing. */
struct qs_view qs_sign_on_state(const struct qs_sign_on *sign_on, uint32_t number);

/* It is of a demo: see qs_sign_on_mark(). */
void qs_sign_on_keep_marks(struct qs_sign_on *sign_on);

/*
 * Of a demo: these bytes occur in no other session, since they tell where things are at which time.
 * A late session that has them, too, is the one that was recorded. Call it for each packet of the
 * game; bytes that are too few to tell are ignored.
 */
void qs_sign_on_mark(struct qs_sign_on *sign_on, struct qs_view bytes);

/* Whether the demo has these bytes; qs_sign_on_sort_marks() was called behind the last mark. */
bool qs_sign_on_has_mark(const struct qs_sign_on *sign_on, struct qs_view bytes);
void qs_sign_on_sort_marks(struct qs_sign_on *sign_on);

#endif
