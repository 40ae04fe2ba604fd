/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Donors: whose sign-ons a session that the capture joined late may begin with
 * (common/demo/late_join/sign_on.h). They are the other sessions of the input, one for each level,
 * and demos that the user names.
 */
#ifndef QS_SESSIONS_DONORS_H
#define QS_SESSIONS_DONORS_H

#include "common/demo/format.h"
#include "common/sessions/demo_input.h"

/*
 * Late sessions share copies of a donor. A copy is renewed once its donor has received so many
 * packets since; the number of copies is limited. Each may be as large as a session.
 */
enum { QS_DONOR_COPY_EVERY = 8, QS_DONOR_COPIES_MAX = 32 };

struct qs_donor {
    bool listed;     /* in the list of running sessions */
    bool followed;   /* see qs_donors_follow() */
    GPtrArray *over; /* the list for levels that are over */
    guint over_max;
    const struct qs_demo_format *format;
    struct qs_address server; /* of a demo: none */
    unsigned session;         /* 0: it is a demo */
    bool unchecked;           /* the user says that it is of the session's map */
    char *name;
    struct qs_sign_on *sign_on;
    uint32_t level;
    int64_t since, until; /* of the level, as far as captured */

    struct qs_donor *copy; /* a recent copy, shared by late sessions; or NULL */
    unsigned packets;      /* since then */
    unsigned references;   /* to a copy */
    unsigned *copies;      /* of a copy: counts them all; else NULL */
};

struct qs_donors {
    GHashTable *running; /* number of a session to struct qs_donor; NULL: no session is one yet */
    GPtrArray *live;     /* struct qs_donor: those of them with a complete sign-on */
    GPtrArray *over;     /* struct qs_donor: levels that are over */
    GPtrArray *demos;    /* struct qs_donor, of the caller; or NULL */
    unsigned copies;     /* of donors */
    unsigned sessions;   /* that are open, and may be donors */

    void (*catch_up)(struct qs_donors *donors, void *user);
    void *user;
};

/* Demos that the user names: struct qs_donor, one for each level. */
GPtrArray *qs_donor_demos_new(void);

/* Adds the sign-ons of a demo; `unchecked`: they need no evidence that they are of a session's map.
 * False: it has none, or its format supports no donors. */
bool qs_donor_demos_add(GPtrArray *demos, struct qs_demo_input *recording, bool unchecked);

/* `demos` must outlive it; NULL: there are none. */
struct qs_donors *qs_donors_new(GPtrArray *demos);
void qs_donors_free(struct qs_donors *donors);

/*
 * Sessions are no donors before qs_donors_need(), as most captures need none: then `catch_up` gets
 * those that there would be, by qs_donors_move().
 */
void qs_donors_postpone(struct qs_donors *donors,
                        void (*catch_up)(struct qs_donors *donors, void *user), void *user);
void qs_donors_need(struct qs_donors *donors);
void qs_donors_move(struct qs_donors *to, struct qs_donors *from);

/* After qs_donors_move(): the donor of this open session follows `state` from now on; the sessions
 * of all others are over. */
void qs_donors_follow(struct qs_donors *donors, unsigned session, struct qs_session *state);
void qs_donors_end_others(struct qs_donors *donors);

/* A packet of a session; `server`: as far as that is known. `*donor`: the session's, which the
 * first packet sets, valid until the session is over. */
void qs_donors_packet(struct qs_donors *donors, struct qs_donor **donor,
                      const struct qs_demo_format *format, unsigned session,
                      const struct qs_decoder *decoder, const struct qs_packet *packet,
                      const struct qs_address *server);

/* The session is over; its levels remain donors. */
void qs_donors_end(struct qs_donors *donors, unsigned session);

/* Calls `function` with the sign-on so far of each other session with this one's server, until that
 * returns false. */
void qs_donors_peers(struct qs_donors *donors, unsigned session, qs_peer_function *function,
                     void *user);

/* Drops a reference to a copy, or frees a donor that is no copy. */
void qs_donor_free(gpointer donor);

/* As the donor is, or was shortly before: to be freed. NULL: there are too many copies. */
struct qs_donor *qs_donor_copy(struct qs_donors *donors, struct qs_donor *donor);
bool qs_donor_is_complete(const struct qs_donor *donor);

/*
 * A server may have several addresses, and many servers share one: the address only decides which
 * donors are tried first.
 */
bool qs_donor_is_of_server(const struct qs_donor *donor, const struct qs_address *server);

#endif
