/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Donors: whose sign-ons a session that the capture joined late may begin with
 * (common/demo/late_join/sign_on.h). They are the other sessions of the input, one for each level,
 * and demos that the user names.
 *
 * A level's sign-on is nearly the same for all, so a server has QS_DONORS_EACH_MAX donors at a
 * time. A session becomes one when it begins a level while there are fewer, and is one until it is
 * over or its sign-on turns out to be broken; its levels that are over remain. A sign-on that is
 * not complete after ten seconds, as of a client that downloads, does not count.
 */
#ifndef QS_SESSIONS_DONORS_H
#define QS_SESSIONS_DONORS_H

#include "common/demo/format.h"
#include "common/sessions/demo_input.h"

/* Copies, each of which may be as large as a session, are of all late sessions. */
enum { QS_DONORS_EACH_MAX = 8, QS_DONOR_COPIES_MAX = 32 };

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
    unsigned *copies;     /* of a copy: counts them all; else NULL */
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

/* After qs_donors_move(): the donor of this open session, if it is one, follows `state` from now on
 * and is returned; the sessions of all others are over. */
struct qs_donor *qs_donors_follow(struct qs_donors *donors, unsigned session,
                                  struct qs_session *state);
void qs_donors_end_others(struct qs_donors *donors);

/* A level begins: the session may become a donor, which is returned; else NULL. `server`: as far as
 * that is known. */
struct qs_donor *qs_donors_begin(struct qs_donors *donors, const struct qs_demo_format *format,
                                 unsigned session, const struct qs_address *server, int64_t now);

/* A packet of a donor, if it has been accepted. NULL: the session is a donor no longer. */
struct qs_donor *qs_donors_packet(struct qs_donors *donors, struct qs_donor *donor,
                                  const struct qs_decoder *decoder, const struct qs_packet *packet,
                                  const struct qs_address *server);

/* The session is over; its levels remain donors. */
void qs_donors_end(struct qs_donors *donors, unsigned session);

/* Calls `function` with the sign-on so far of each donor of the server, perhaps the caller itself,
 * until that returns false. */
void qs_donors_peers(struct qs_donors *donors, const struct qs_demo_format *format,
                     const struct qs_address *server, qs_peer_function *function, void *user);

void qs_donor_free(gpointer donor);

/* As the donor is now: to be freed. NULL: there are too many copies. */
struct qs_donor *qs_donor_copy(struct qs_donors *donors, const struct qs_donor *donor);
bool qs_donor_is_complete(const struct qs_donor *donor);

/*
 * A server may have several addresses, and many servers share one: the address only decides which
 * donors are tried first.
 */
bool qs_donor_is_of_server(const struct qs_donor *donor, const struct qs_address *server);

#endif
