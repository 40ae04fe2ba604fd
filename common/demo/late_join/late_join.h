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

#include "common/demo/late_join/sign_on.h"

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
