/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sign-ons: what a server sends each client when a level begins (lists of models and sounds,
 * baselines, names …). It is nearly the same for all clients of the level. So another client's
 * sign-on completes a session that the capture joined late (late_join.h).
 *
 * A sign-on is the messages that a client received, in order and in their blocks. During the level,
 * a message that repeats an earlier one with new contents replaces it.
 */
#ifndef QS_DEMO_LATE_JOIN_SIGN_ON_H
#define QS_DEMO_LATE_JOIN_SIGN_ON_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/parse.h"

/* Larger sign-ons are broken: bytes and number of the messages. */
enum { QS_SIGN_ON_BYTES_MAX = 1 << 20, QS_SIGN_ON_MESSAGES_MAX = 1 << 14 };

/* What a message is about: of the messages about the same only the newest counts. */
enum { QS_SIGN_ON_ALONE = 0 }; /* nothing replaces it */

static inline uint32_t qs_sign_on_about(uint16_t id, uint16_t which)
{
    return (uint32_t)id << 16 | which;
}

struct qs_sign_on_message {
    uint32_t about;       /* see above */
    uint32_t block;       /* that it came in, from 0 */
    struct qs_view bytes; /* with the id; valid until the sign-on changes */
};

/* What else a game keeps of a sign-on; its struct begins with this one. */
struct qs_sign_on_extra {
    void *(*copy)(const void *extra); /* the current state, to outlive the session */
    void (*free)(void *extra);
    /* It refers to the donor's session and is only valid while that lasts; or, from now on, to an
     * equal one. NULL: it refers to none. */
    void (*follow)(void *extra, struct qs_session *session);
};

struct qs_sign_on {
    GArray *entries;                /* the messages, in order */
    GByteArray *bytes;              /* theirs, and gaps between them */
    GHashTable *index;              /* what a message is about -> where in `entries` */
    uint32_t size;                  /* bytes of all */
    uint32_t blocks;                /* that have begun */
    struct qs_sign_on_extra *extra; /* or NULL; freed with the rest */
    bool complete;                  /* the level can be played with it */
    bool broken;                    /* it became too large, or part of it could not be decoded */
};

struct qs_sign_on *qs_sign_on_new(void);
struct qs_sign_on *qs_sign_on_copy(const struct qs_sign_on *sign_on);
void qs_sign_on_free(struct qs_sign_on *sign_on);

/* The client leaves the level: what is kept no longer refers to its session. */
void qs_sign_on_leave(struct qs_sign_on *sign_on);

/* It refers to `session` from now on, which is equal to the one before. */
void qs_sign_on_follow(struct qs_sign_on *sign_on, struct qs_session *session);

/* Removes all. */
void qs_sign_on_clear(struct qs_sign_on *sign_on);

/* Adds a message to the last block, which the caller counted. */
void qs_sign_on_add(struct qs_sign_on *sign_on, uint32_t about, struct qs_view bytes);

/*
 * Replaces the message about the same; if there is none, inserts it before the last message. In a
 * sign-on without messages it is ignored.
 */
void qs_sign_on_replace(struct qs_sign_on *sign_on, uint32_t about, struct qs_view bytes);

/* The bytes of the message about this, valid until the sign-on changes; data NULL: none. */
struct qs_view qs_sign_on_find(const struct qs_sign_on *sign_on, uint32_t about);

/* The messages, in order: `index` counts from 0. */
guint qs_sign_on_count(const struct qs_sign_on *sign_on);
struct qs_sign_on_message qs_sign_on_at(const struct qs_sign_on *sign_on, guint index);

/* --- What a client saw in a level, for donors ------------------------------------------------ */

/*
 * Samples spread over a level, in order. If there are too many, every other one is dropped, and
 * their distance doubles. Distances are in updates, frames or whatever the caller counts.
 */
struct qs_samples {
    GArray *all; /* of the caller's type */
    unsigned max;
    uint32_t every, next; /* distance; when the next one is due */
};

/* `clear` frees what a sample of `size` bytes refers to; or NULL. */
void qs_samples_init(struct qs_samples *samples, unsigned size, unsigned max, uint32_t every,
                     GDestroyNotify clear);
void qs_samples_clear(struct qs_samples *samples);

/* Whether a sample is due at that time. */
static inline bool qs_samples_is_due(const struct qs_samples *samples, uint32_t now)
{
    return now >= samples->next;
}

/* Adds a zeroed sample, which is due now. Valid until the next call. */
void *qs_samples_add(struct qs_samples *samples, uint32_t now);

/* --- Votes: a state that most samples have of an entity wins, if there is one ---------------- */

typedef bool qs_same_state(const void *format, const void *a, const void *b);

/* By number; free with g_hash_table_destroy(). All states have one size. */
GHashTable *qs_votes_new(void);
GHashTable *qs_votes_copy(GHashTable *votes, size_t size);

/* Adds a vote for the state of entity `number`; `same` compares two. */
void qs_votes_add(GHashTable *votes, uint32_t number, const void *state, size_t size,
                  qs_same_state *same, const void *format);

/* The state with most votes; NULL: there was no vote. */
const void *qs_votes_winner(GHashTable *votes, uint32_t number);

/* --- Which messages belong to a sign-on ------------------------------------------------------ */

/* A game's table has one for each message; it may add its own from QS_PART_GAME on. */
enum qs_sign_on_part {
    QS_PART_NONE,       /* the player's own, or of a moment */
    QS_PART_ONCE,       /* belongs to it, and is never repeated */
    QS_PART_STATE,      /* there is one at a time */
    QS_PART_NUMBERED,   /* one for each number, the byte after the id: a player, a light style */
    QS_PART_NUMBERED16, /* the same with 16 bits */
    QS_PART_GAME
};

/*
 * Adds a message (id and body) to a sign-on that is not complete, or replaces the one about the
 * same. `id`: by which messages are about the same. Ignores parts of the game, and messages too
 * short to have a number.
 */
void qs_sign_on_update(struct qs_sign_on *sign_on, enum qs_sign_on_part part, uint8_t id,
                       struct qs_view message);

/* --- What another session gets of it --------------------------------------------------------- */

/* What a donor has in common with the late session. */
enum qs_donor_kind {
    QS_DONOR_PRESENT, /* another client at the same time: players' names are right, too */
    QS_DONOR_OTHER,   /* of the same map and server program, at another time */
    QS_DONOR_ITSELF   /* only what follows the sign-on is missing */
};

/*
 * Whether another session gets the message: at another time other people played. `is_of_players`:
 * whether a message's id is about players.
 */
bool qs_sign_on_applies(struct qs_view message, enum qs_donor_kind kind,
                        bool (*is_of_players)(uint8_t id));

/*
 * Decodes all messages that apply as one packet behind `header`, with `decoder`, into a new
 * session. The decoder has the result until it is cleared; `bytes` stay the caller's.
 */
void qs_sign_on_decode(const struct qs_sign_on *sign_on, enum qs_donor_kind kind,
                       bool (*is_of_players)(uint8_t id), struct qs_decoder *decoder,
                       struct qs_session *session, GByteArray *bytes);

#endif
