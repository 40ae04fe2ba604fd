/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lending sign-ons. What a server tells each client when a level begins (its sign-on: lists of
 * models and sounds, baselines, names …) is the same for all of its clients, but for little. A
 * session that was running when the capture began lacks it, and its demo could not be played;
 * another client's sign-on in the same level, or one of a demo, makes it whole.
 *
 * A sign-on is the messages that a lender was told, in order, in the blocks that they came in. It
 * goes on while the lender's level does: a message that says anew what an earlier one said takes
 * its place.
 *
 * The way of a session that begins late, each step of which is the game's, in struct
 * qs_late_join:
 *
 *     lender:    tell() for each packet of its level
 *     borrower:  is_late() notices it; the caller keeps its packets from then on
 *     later:     borrow() from a lender; look() at each packet, decoded with the borrower's sink
 * and a session that seed() prepared; refusal() says whether the two fit at last:   the rebuilder's
 * lend(), then its packets, decoded with a session that seed() prepared again
 */
#ifndef QS_DEMO_LATE_JOIN_SIGN_ON_H
#define QS_DEMO_LATE_JOIN_SIGN_ON_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/parse.h"

/* Larger ones lend nothing: bytes of the messages, and how many. */
enum { QS_SIGN_ON_BYTES_MAX = 1 << 20, QS_SIGN_ON_MESSAGES_MAX = 1 << 14 };

/* What messages are about, for qs_sign_on_replace(). */
enum { QS_SIGN_ON_ALONE = -1 }; /* no other takes its place */

static inline int64_t qs_sign_on_about(uint16_t id, uint32_t which)
{
    return (int64_t)id << 32 | which;
}

/* A message of a sign-on. Copies of a sign-on share it, so it never changes. */
struct qs_sign_on_message {
    int64_t about; /* see above */
    uint32_t block;
    guint references;
    struct qs_view bytes; /* with the id; behind this struct */
};

/* What else a game keeps of a sign-on; it begins with this struct. */
struct qs_sign_on_extra {
    void *(*copy)(const void *extra); /* as it is now, to be kept when the lender is gone */
    void (*free)(void *extra);
    bool follows; /* it looks at the lender's session, and is only good as long as that stays */
};

struct qs_sign_on {
    struct qs_told_list *told;
    uint32_t blocks;                /* so many have begun */
    struct qs_sign_on_extra *extra; /* or NULL; freed with the rest */
    bool complete;                  /* the level can be played with it */
    bool broken;                    /* it became too large, or part of it was not understood */
};

struct qs_sign_on *qs_sign_on_new(void);
struct qs_sign_on *qs_sign_on_copy(const struct qs_sign_on *sign_on);
void qs_sign_on_free(struct qs_sign_on *sign_on);

/* The lender's session leaves the level; what is kept looks at it no more. */
void qs_sign_on_leave(struct qs_sign_on *sign_on);

/* Nothing is told yet. */
void qs_sign_on_clear(struct qs_sign_on *sign_on);

/* Adds a message to the last block, which the caller counted. */
void qs_sign_on_add(struct qs_sign_on *sign_on, int64_t about, struct qs_view bytes);

/*
 * The message takes the place of the one that was about the same; where there was none, it goes
 * before the last message.
 */
void qs_sign_on_replace(struct qs_sign_on *sign_on, int64_t about, struct qs_view bytes);

/* The bytes of the message about this, until the next one is told; data NULL: there is none. */
struct qs_view qs_sign_on_find(const struct qs_sign_on *sign_on, int64_t about);

/* struct qs_sign_on_message, in order. */
const GPtrArray *qs_sign_on_messages(const struct qs_sign_on *sign_on);

/* So many observations prove that a lender fits; fewer may be chance. */
enum { QS_DONOR_PROOF = 20 };

/* --- Borrowing ------------------------------------------------------------------------------- */

/* How much a lender has in common with who borrows of it. */
enum qs_donor_kind {
    QS_DONOR_PRESENT, /* another client, at the same time: players' names are right, too */
    QS_DONOR_OTHER,   /* of the same map and server program, at another time */
    QS_DONOR_ITSELF   /* only what follows the sign-on is missing */
};

/*
 * Whether the message is lent: at another time other people played. `is_of_players` says so of the
 * id of a message.
 */
bool qs_sign_on_applies(const struct qs_sign_on_message *told, enum qs_donor_kind kind,
                        bool (*is_of_players)(uint8_t id));

/* Appends all messages that are lent, one behind the other. */
void qs_sign_on_append(GByteArray *out, const struct qs_sign_on *sign_on, enum qs_donor_kind kind,
                       bool (*is_of_players)(uint8_t id));

/* A session that borrows. An implementation begins with this struct. */
struct qs_donor_match {
    struct qs_sink *sink; /* wants to hear the decodes that look() is for */
    /* After refusal(): */
    GString *unknown; /* what remains unknown, and until when; empty: nothing */
    uint32_t proof;   /* how many observations speak for the lender */
    double distance;  /* of several that fit the nearest lends; 0: it is as good as any */
};

struct qs_late_join {
    /* Servers go on with each client from a port of its own: addresses are compared without. */
    bool any_port;

    /*
     * The packet or block that was just decoded adds to the sign-on of the level that it is in. The
     * caller gives each level one.
     */
    void (*add_packet)(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

    /* Whether the packet just decoded is in a level of which the capture lacks the beginning. */
    bool (*is_late)(const struct qs_decoder *decoder);

    /* The session's own sign-on where that is whole, but what follows it is a change to something
     * that is missing; else NULL. New; borrow() keeps a copy. NULL: there is no such thing. */
    struct qs_sign_on *(*own_sign_on)(const struct qs_session *session);

    /* The sign-on is complete, and stays as long as the borrower. */
    struct qs_donor_match *(*match_new)(const struct qs_sign_on *sign_on, enum qs_donor_kind kind);
    void (*match_free)(struct qs_donor_match *match);

    /*
     * Another sign-on, which stays as long, may be of the same level: before the first look, for
     * what its client saw. `then`: it is as it was when the session's packets begin; that may be
     * the lender's own. NULL: that does not help.
     */
    void (*consult)(struct qs_donor_match *match, const struct qs_sign_on *other, bool then);

    /*
     * Gives a session what the sign-on tells. `session` is in its first state, or one in which part
     * of a level's sign-on was lost; who is the server and the state of the netchan stay. `known`
     * is the same session as it was at last, without help.
     */
    void (*prepare)(struct qs_donor_match *match, struct qs_session *session,
                    const struct qs_session *known);

    /*
     * A packet of the level, just decoded. False: no further one is needed. The session is the same
     * for all packets, and is gone before refusal() is called.
     */
    bool (*observe)(struct qs_donor_match *match, const struct qs_decoder *decoder);

    /* Why the sign-on cannot be of this level, as a new text; NULL: it fits. */
    char *(*judge)(struct qs_donor_match *match);
};

#endif
