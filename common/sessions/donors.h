/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Donors: whose sign-on a session that the capture joined late begins with
 * (common/demo/late_join/sign_on.h).
 *
 * A server has one level for all its clients. So the sign-on of a late session's level is that of
 * any session of the same server that signs on while the late one is there, with no change of level
 * between. Each session that signs on while another one of its server is there becomes a donor,
 * until its sign-on turns out to be broken. Levels that are over stay donors as long as a late
 * session is there. The others are demos that the user names.
 */
#ifndef QS_SESSIONS_DONORS_H
#define QS_SESSIONS_DONORS_H

#include "common/demo/format.h"
#include "common/sessions/demo_input.h"

/* A session, one of its levels that is over, or a level of a demo. */
struct qs_donor {
    const struct qs_demo_format *format;
    char *name;                 /* "session 2", "dm4.dem" */
    struct qs_address server;   /* of a demo: none */
    struct qs_sign_on *sign_on; /* NULL: of a session that was alone when its level began */
    uint32_t level;             /* number of the session's level */
    int64_t signed_on, until;   /* times: the sign-on was complete; last packet of the game */
};

struct qs_donors {
    GPtrArray *sessions; /* struct qs_donor: that go on, and have a level */
    GPtrArray *over;     /* struct qs_donor: levels that are over */
    GPtrArray *demos;    /* struct qs_donor, of the caller; or NULL */
    unsigned late;       /* number of late sessions that go on */
};

/* Demos that the user names: struct qs_donor, one for each level. */
GPtrArray *qs_donor_demos_new(void);

/* Adds the sign-ons of a demo. False: it has none, or its format supports no donors. */
bool qs_donor_demos_add(GPtrArray *demos, struct qs_demo_input *recording);

/* `demos` must outlive it; NULL: there are none. */
struct qs_donors *qs_donors_new(GPtrArray *demos);
void qs_donors_free(struct qs_donors *donors);

/*
 * A packet of session `number`, just decoded. `donor` is what this returned last for
 * the session, at first NULL: what it returns then is valid until qs_donors_end(). `server`: as far
 * as it is known.
 */
struct qs_donor *qs_donors_packet(struct qs_donors *donors, struct qs_donor *donor,
                                  const struct qs_demo_format *format, unsigned number,
                                  const struct qs_decoder *decoder,
                                  const struct qs_address *server);

/* The session is over; its level remains a donor for late sessions. */
void qs_donors_end(struct qs_donors *donors, struct qs_donor *donor);

/* A late session is there from now on, or no longer. */
void qs_donors_late_begin(struct qs_donors *donors);
void qs_donors_late_end(struct qs_donors *donors);

bool qs_donor_is_complete(const struct qs_donor *donor);
bool qs_donor_is_of_server(const struct qs_donor *donor, const struct qs_address *server);

#endif
