/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions that the capture joined late: their demos need a sign-on from a donor, which is another
 * client of the level, or a demo. This is what a game's format implements; common/sessions keeps
 * the packets and finds the donor (common/sessions/late_join.h). For each session
 *
 *     add_packet() collects the sign-on of its level, in case it becomes a donor;
 *     is_late() notices a late session; the caller keeps its packets from then on.
 *
 * At the end of a late session, for each donor until one is not contradicted:
 *
 *     match_new(), then prepare() on a session in its first state, observe() after each packet
 *     decoded with it, and judge().
 *
 * Then the rebuilder's join_late() begins the demo, and the packets follow, decoded with a session
 * that prepare() made once more.
 */
#ifndef QS_DEMO_LATE_JOIN_LATE_JOIN_H
#define QS_DEMO_LATE_JOIN_LATE_JOIN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decode.h"

/* --- Sights ----------------------------------------------------------------------------------- */

/*
 * Which entities a client had in view from where. A server sends what can be seen from the player's
 * place. So an entity that a late session never mentions was in view if another client had it in
 * view wherever it was nearest to a place of the session.
 */

enum { QS_NUMBER_SET_MAX = 2048 };

/* A set of entities, by number. */
struct qs_numbers {
    uint32_t bits[QS_NUMBER_SET_MAX / 32];
};

/* Numbers from QS_NUMBER_SET_MAX on are in no set. */
bool qs_numbers_has(const struct qs_numbers *numbers, uint32_t number);
void qs_numbers_set(struct qs_numbers *numbers, uint32_t number, bool there);

struct qs_sight {
    float origin[3];
    uint8_t player; /* whose origin it is */
    struct qs_numbers in_view;
};

/* At most 128, spread over a level: if there are more, every other one is dropped. */
struct qs_sights {
    GArray *all; /* struct qs_sight */
    uint32_t next, every;
};

void qs_sights_init(struct qs_sights *sights);
void qs_sights_clear(struct qs_sights *sights);

/* Whether a sight is due. `now` counts updates or frames; it does not decrease. */
static inline bool qs_sights_is_due(const struct qs_sights *sights, uint32_t now)
{
    return now >= sights->next;
}

/* Adds a sight, which is due. Valid until the next call. */
struct qs_sight *qs_sights_add(struct qs_sights *sights, uint32_t now, const float origin[3]);

/* The entities that `others` have in view at each place nearest to one of `player` in `own`; if
 * there is none, at all places. */
struct qs_numbers qs_sights_common(const struct qs_sights *others, const struct qs_sights *own,
                                   uint8_t player);

/* --- Sign-ons --------------------------------------------------------------------------------- */

/*
 * Sign-ons: what a server sends each client when a level begins (lists of models and sounds,
 * baselines, names …). It is nearly the same for all clients of the level. So another client's
 * sign-on completes a session that the capture joined late (late_join.h).
 *
 * A sign-on is the messages that a client received, in order and in their blocks, and what the
 * client knew when it was complete. Later changes are not kept: a late session receives them, too.
 */

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

enum qs_donor_kind {
    QS_DONOR_CLIENT, /* another client of the level: players' names are right, too */
    QS_DONOR_DEMO,   /* that the user names, of any time */
    QS_DONOR_ITSELF  /* the session: only what follows its sign-on is missing */
};

/* What the capture lacks of a late session's level. */
enum qs_lacks {
    QS_LACKS_START, /* it was being played */
    QS_LACKS_PART,  /* of its sign-on */
    QS_LACKS_FRAME  /* its first one, and all others are changes to it */
};

/* A late session and a donor. A game's struct begins with this one. */
struct qs_donor_match {
    const struct qs_sign_on *sign_on; /* the donor's */
    enum qs_donor_kind kind;
    enum qs_lacks lacks;         /* after prepare() */
    struct qs_sign_on_loss loss; /* of QS_LACKS_PART */
    char *contradiction; /* why the sign-on is not of the session's level; NULL: nothing shows that
                          */
    GString *unknown;    /* what remains unknown, and until when; empty: nothing */
    bool seen;           /* observe() has seen the game being played */
    bool recorded;       /* the donor is a recording of the very session */
    bool unproven;       /* only the user says that the donor is of the session's map */
};

/* Initializes a new match, which is all zeroes; clears it before it is freed. */
void qs_donor_match_init(struct qs_donor_match *match, const struct qs_sign_on *sign_on,
                         enum qs_donor_kind kind);
void qs_donor_match_clear(struct qs_donor_match *match);

/* The session contradicts the donor: the first reason is kept. */
void qs_donor_match_contradict(struct qs_donor_match *match, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/* The session has these bytes: see qs_sign_on_mark(). */
void qs_donor_match_see(struct qs_donor_match *match, struct qs_view bytes);

/* Adds to what remains unknown, if `is_unknown`. */
void qs_donor_match_unknown(struct qs_donor_match *match, bool is_unknown, const char *what);

/* What a format implements. */
struct qs_late_join {
    /* Servers have a separate port for each client: addresses are compared without ports. */
    bool any_port;

    /*
     * Adds what the packet or block that was just decoded has of the level's sign-on. The caller
     * has one sign-on for each level. Returns whether the packet is of the game that is played in
     * the level.
     */
    bool (*add_packet)(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

    /* Whether the packet just decoded is in a level whose beginning the capture lacks. */
    bool (*is_late)(const struct qs_decoder *decoder);

    /* The session's own sign-on if it is complete, but later packets are deltas from missing data;
     * else NULL. New. NULL: there is no such thing. */
    struct qs_sign_on *(*own_sign_on)(const struct qs_session *session);

    /* The sign-on is complete, and must live as long as the match. */
    struct qs_donor_match *(*match_new)(const struct qs_sign_on *sign_on, enum qs_donor_kind kind);
    void (*match_free)(struct qs_donor_match *match);

    /*
     * Applies the sign-on to `session`, which is new, or lacks part of a level's sign-on; its
     * server and the state of its netchan stay. `known` is the same session at its end, decoded
     * without a donor.
     */
    void (*prepare)(struct qs_donor_match *match, struct qs_session *session,
                    const struct qs_session *known);

    /* Looks for contradictions, and for what the demo needs, in a packet of the level, just
     * decoded to its end. The session is the same for all packets, and is gone before judge(). */
    void (*observe)(struct qs_donor_match *match, const struct qs_decoder *decoder);

    /* All packets were observed, without a contradiction. */
    void (*judge)(struct qs_donor_match *match);
};

#endif
