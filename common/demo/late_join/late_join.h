/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Late sessions, whose sign-on was not captured. Their demos need that of a donor: another client
 * of the level, or a demo. A game's format implements struct qs_late_join; common/sessions keeps
 * the packets and finds the donor (common/sessions/late_join.h). For each session
 *
 *     add_packet() collects the sign-on of its level, in case it becomes a donor;
 *     is_late() detects a late session; the caller keeps its packets from then on.
 *
 * At the end of a late session, for each donor until one is not contradicted:
 *
 *     match_new(), then prepare() on a session in its initial state, observe() after each packet
 *     decoded with it, and judge().
 *
 * Then the rebuilder's join_late() begins the demo, and the packets are decoded again, with another
 * session that prepare() has set up.
 */
#ifndef QS_DEMO_LATE_JOIN_LATE_JOIN_H
#define QS_DEMO_LATE_JOIN_LATE_JOIN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decode.h"

/* --- Sights: entities in view ---------------------------------------------------------------- */

/*
 * Entities that a client had in view, and from which place. A server sends what can be seen from
 * the player's place. So an entity that a late session never mentions was in view if another client
 * had it in view at each of its places that is nearest to a place of the session.
 */

enum { QS_NUMBER_SET_MAX = 2048 };

/* Set of entities, by number. */
struct qs_numbers {
    uint32_t bits[QS_NUMBER_SET_MAX / 32];
};

/* Numbers from QS_NUMBER_SET_MAX on are in no set. */
bool qs_numbers_has(const struct qs_numbers *numbers, uint32_t number);
void qs_numbers_set(struct qs_numbers *numbers, uint32_t number, bool there);

struct qs_sight {
    float origin[3];
    uint8_t player; /* player at the origin */
    struct qs_numbers in_view;
};

/* At most 128 sights, spread over a level: if there are more, every other one is dropped. */
struct qs_sights {
    GArray *all; /* struct qs_sight */
    uint32_t next, every;
};

void qs_sights_init(struct qs_sights *sights);
void qs_sights_clear(struct qs_sights *sights);

/* True if a sight is due. `now` is a count of updates or frames that does not decrease. */
static inline bool qs_sights_is_due(const struct qs_sights *sights, uint32_t now)
{
    return now >= sights->next;
}

/* Adds a sight, which must be due. The result is valid until the next call. */
struct qs_sight *qs_sights_add(struct qs_sights *sights, uint32_t now, const float origin[3]);

/* Returns the entities that `others` has in view at all of its places that are nearest to one of
 * `player` in `own`, or, if `own` has none, at all of its places. */
struct qs_numbers qs_sights_common(const struct qs_sights *others, const struct qs_sights *own,
                                   uint8_t player);

/* --- Sign-ons --------------------------------------------------------------------------------- */

/*
 * Sign-ons: what a server sends each client when a level begins (lists of models and sounds,
 * baselines, names …), nearly the same for all clients of the level. So another client's sign-on
 * completes a session that the capture joined late.
 *
 * A sign-on is the messages that a client received, in order and by block, and the state of the
 * client when it was complete. Later changes are not kept: a late session receives them, too.
 */

/* Maximum size of a sign-on; a larger one is broken. */
enum { QS_SIGN_ON_BYTES_MAX = 1 << 20 };

struct qs_sign_on {
    GArray *entries;   /* struct sign_on_entry: messages */
    GByteArray *bytes; /* bytes of all messages */
    uint32_t blocks;   /* number of blocks that have begun */
    bool complete;     /* the level can be played with this sign-on */
    bool broken;       /* it is too large, or part of it could not be decoded */

    /* State of the client when the sign-on was complete; NULL before. */
    const struct qs_protocol *protocol;
    struct qs_session *session;

    /* GBytes by entity number: how the entity came into view, in the format's own form. */
    GHashTable *states;
    GArray *marks; /* uint64_t: hashes of a demo's packets, see qs_sign_on_mark(); or NULL */
    void *extra;   /* further data of the format; or NULL */
    GDestroyNotify extra_free;
};

struct qs_sign_on *qs_sign_on_new(void);
void qs_sign_on_free(struct qs_sign_on *sign_on);

/* Removes the contents, including marks; new marks are kept if old ones were. */
void qs_sign_on_clear(struct qs_sign_on *sign_on);

/* Adds a message, with its id, to the last block, which the caller has counted in `blocks`. */
void qs_sign_on_add(struct qs_sign_on *sign_on, struct qs_view message);

/* Completes the sign-on, and copies `session` as the state of the client. */
void qs_sign_on_complete(struct qs_sign_on *sign_on, const struct qs_protocol *protocol,
                         const struct qs_session *session);

/* Return the number of messages, and message `index`, which is valid until the sign-on changes.
 * `block` (or NULL) receives the number of its block, from 0. */
guint qs_sign_on_count(const struct qs_sign_on *sign_on);
struct qs_view qs_sign_on_at(const struct qs_sign_on *sign_on, guint index, uint32_t *block);

/* Stores how an entity came into view; replaces an earlier state. */
void qs_sign_on_set_state(struct qs_sign_on *sign_on, uint32_t number, struct qs_view state);

/* Returns the stored state of an entity; data NULL if there is none. */
struct qs_view qs_sign_on_state(const struct qs_sign_on *sign_on, uint32_t number);

/* Makes the sign-on keep marks, which only that of a demo needs: see qs_sign_on_mark(). */
void qs_sign_on_keep_marks(struct qs_sign_on *sign_on);

/*
 * Adds a mark: bytes that occur in no other session, because they have positions and a time. A late
 * session with the same bytes is the one that the demo recorded. Call it for each packet of the
 * game. Ignores packets that are too short to be unique.
 */
void qs_sign_on_mark(struct qs_sign_on *sign_on, struct qs_view bytes);

/* True if the demo has these bytes. Call qs_sign_on_sort_marks() first, after the last mark. */
bool qs_sign_on_has_mark(const struct qs_sign_on *sign_on, struct qs_view bytes);
void qs_sign_on_sort_marks(struct qs_sign_on *sign_on);

enum qs_donor_kind {
    QS_DONOR_CLIENT, /* another client of the level, which knows the players' names, too */
    QS_DONOR_DEMO,   /* a demo that the user names, recorded at any time */
    QS_DONOR_ITSELF  /* the session: the capture lacks only what follows its sign-on */
};

/* Missing part of a late session's level. */
enum qs_lacks {
    QS_LACKS_START, /* the beginning: the capture starts mid-level */
    QS_LACKS_PART,  /* part of the sign-on */
    QS_LACKS_FRAME  /* the first frame, to which all others are changes */
};

/* Match of a late session and a donor. A game's struct begins with this one. */
struct qs_donor_match {
    const struct qs_sign_on *sign_on; /* sign-on of the donor */
    enum qs_donor_kind kind;
    enum qs_lacks lacks;         /* set by prepare() */
    struct qs_sign_on_loss loss; /* for QS_LACKS_PART */
    char *contradiction;         /* why the sign-on is of another level; or NULL */
    GString *unknown;            /* what remains unknown, and until when; may be empty */
    bool seen;                   /* observe() has seen packets of the game */
    bool recorded;               /* the donor is a recording of the session */
    bool unproven;               /* only the user's choice links the donor to the session's map */
};

/* Initialize a zeroed match, and free its contents. */
void qs_donor_match_init(struct qs_donor_match *match, const struct qs_sign_on *sign_on,
                         enum qs_donor_kind kind);
void qs_donor_match_clear(struct qs_donor_match *match);

/* Records why the session contradicts the donor. Only the first reason is kept. */
void qs_donor_match_contradict(struct qs_donor_match *match, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/* Sets `recorded` if the donor has a mark of these bytes of the session: see qs_sign_on_mark(). */
void qs_donor_match_compare_mark(struct qs_donor_match *match, struct qs_view bytes);

/* Adds `what` to match->unknown if `is_unknown`. */
void qs_donor_match_unknown(struct qs_donor_match *match, bool is_unknown, const char *what);

/* Functions that a format implements. */
struct qs_late_join {
    /* If true, servers have a port for each client, so addresses are compared without ports. */
    bool any_port;

    /*
     * Adds the parts of the level's sign-on that the packet or block just decoded has. The caller
     * has one sign-on for each level. Returns whether the packet is of the game that is played in
     * the level.
     */
    bool (*add_packet)(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

    /* True if the packet just decoded is in a level whose beginning the capture lacks. */
    bool (*is_late)(const struct qs_decoder *decoder);

    /* Returns a new sign-on, the session's own, if it is complete but later packets are deltas from
     * missing data; else NULL. The function is NULL if the format has no such sessions. */
    struct qs_sign_on *(*own_sign_on)(const struct qs_session *session);

    /* Create and free a match. The sign-on must be complete, and outlive the match. */
    struct qs_donor_match *(*match_new)(const struct qs_sign_on *sign_on, enum qs_donor_kind kind);
    void (*match_free)(struct qs_donor_match *match);

    /*
     * Applies the sign-on to `session`, which is new, or lacks part of a level's sign-on. Keeps its
     * server and the state of its netchan. `known` is the same session at its end, decoded without
     * a donor.
     */
    void (*prepare)(struct qs_donor_match *match, struct qs_session *session,
                    const struct qs_session *known);

    /* Searches a packet of the level, just decoded, for contradictions and for what the demo needs.
     * The session is the same for all packets, and is freed before judge(). */
    void (*observe)(struct qs_donor_match *match, const struct qs_decoder *decoder);

    /* Completes the match after all packets were observed without a contradiction. */
    void (*judge)(struct qs_donor_match *match);
};

#endif
