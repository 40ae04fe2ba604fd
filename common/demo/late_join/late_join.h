/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions that the capture joined late: their demos need a sign-on from a donor, which is another
 * client of the level, or a demo. This is what a game's format implements; common/sessions keeps
 * the packets and chooses the donor (common/sessions/late_join.h). For each session
 *
 *     add_packet() collects the sign-on of its level, in case it becomes a donor;
 *     is_late() notices a late session; the caller keeps its packets from then on.
 *
 * At the end of a late session, for each possible donor:
 *
 *     match_new(), then prepare() on a session in its first state, observe() after each packet
 *     decoded with it, and judge() for the verdict.
 *
 * With the best match the rebuilder's join_late() begins the demo, and the packets follow, decoded
 * with a session that prepare() made once more.
 */
#ifndef QS_DEMO_LATE_JOIN_LATE_JOIN_H
#define QS_DEMO_LATE_JOIN_LATE_JOIN_H

#include "common/demo/late_join/sign_on.h"

/* This many observations prove that a donor matches; fewer may be chance. */
enum { QS_DONOR_PROOF = 20 };

/* What a late session shows for or against a donor. */
enum qs_evidence_kind {
    QS_EVIDENCE_PACKETS,   /* that can be read with its sign-on */
    QS_EVIDENCE_LISTS,     /* models, sounds and images of its own that are in the lists */
    QS_EVIDENCE_MODELS,    /* that are in the list, and what they should be */
    QS_EVIDENCE_BASELINES, /* entities that agree with the baselines */
    QS_EVIDENCE_STATES,    /* entities as the donor had them */
    QS_EVIDENCE_ITEMS,     /* where the donor had them */
    QS_EVIDENCE_KINDS
};

/* How many observations of a kind speak for the donor and against it. */
struct qs_evidence {
    uint32_t agree, differ;
};

/* More than this many hundredths of a kind's observations, and at least `min`, reject the donor. */
struct qs_evidence_limit {
    enum qs_evidence_kind kind;
    uint32_t min;
    unsigned hundredths;
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
    unsigned variant;            /* of the protocol that the session is read in, from 0 */
    unsigned variants;           /* after prepare(): that it may have; 0 is 1 */
    enum qs_lacks lacks;         /* after prepare() */
    struct qs_sign_on_loss loss; /* of QS_LACKS_PART */
    int32_t version; /* protocol of the late session, from its later levels, else the donor's */
    struct qs_evidence evidence[QS_EVIDENCE_KINDS];
    /* After judge(): */
    GString *unknown; /* what remains unknown, and until when; empty: nothing */
    uint32_t proof;   /* observations for the donor */
    bool unproven;    /* only the user says that the donor is of the session's map */
};

/* Of a new match, which is all zeroes; and before it is freed. */
void qs_donor_match_init(struct qs_donor_match *match, const struct qs_sign_on *sign_on,
                         enum qs_donor_kind kind);
void qs_donor_match_clear(struct qs_donor_match *match);

/* Counts an observation. */
void qs_donor_match_note(struct qs_donor_match *match, enum qs_evidence_kind kind, bool agrees);

/* Adds to what remains unknown, if so. */
void qs_donor_match_unknown(struct qs_donor_match *match, bool is_unknown, const char *what);

/* Why the donor of that protocol is refused by the protocols, or the first of `limits` that is
 * exceeded: a new text; NULL: it is not. */
char *qs_donor_match_refusal(const struct qs_donor_match *match, int32_t donor_version,
                             const struct qs_evidence_limit *limits, size_t count);

/* What a format implements. */
struct qs_late_join {
    /* Servers have a separate port for each client: addresses are compared without ports. */
    bool any_port;

    /* The proof without which no demo is a donor, unless the user vouches for it. */
    uint32_t demo_proof;

    /*
     * The packet or block that was just decoded adds to the sign-on of its level. The caller has
     * one for each level.
     */
    void (*add_packet)(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

    /* Whether the packet just decoded is in a level whose beginning the capture lacks. */
    bool (*is_late)(const struct qs_decoder *decoder);

    /* The session's own sign-on if it is complete, but later packets are deltas from missing data;
     * else NULL. New; match_new() keeps a copy. NULL: there is no such thing. */
    struct qs_sign_on *(*own_sign_on)(const struct qs_session *session);

    /* The sign-on is complete, and must live as long as the match. */
    struct qs_donor_match *(*match_new)(const struct qs_sign_on *sign_on, enum qs_donor_kind kind);
    void (*match_free)(struct qs_donor_match *match);

    /*
     * Adds the views of another donor that may be of the same level. Called before the first
     * observe(); `other` must live as long as the match. `then`: it is a copy from the time of the
     * session's first packet, perhaps of the donor itself. NULL: the format uses one donor only.
     */
    void (*consult)(struct qs_donor_match *match, const struct qs_sign_on *other, bool then);

    /*
     * Applies the sign-on to `session`, which is new, or lacks part of a level's sign-on; its
     * server and the state of its netchan stay. `known` is the same session at its end, decoded
     * without a donor.
     */
    void (*prepare)(struct qs_donor_match *match, struct qs_session *session,
                    const struct qs_session *known);

    /*
     * A packet of the level, just decoded. False: no further one is needed. The session is the same
     * for all packets, and is gone before judge().
     */
    bool (*observe)(struct qs_donor_match *match, const struct qs_decoder *decoder);

    /* Why the sign-on cannot be of this level, as a new text; NULL: the donor matches. */
    char *(*judge)(struct qs_donor_match *match);
};

#endif
