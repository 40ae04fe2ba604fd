/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Donors: sessions and demos whose sign-on completes a session that the capture joined late
 * (common/demo/late_join/late_join.h).
 *
 * A server has one level for all its clients. So the sign-on of a late session's level is that of
 * any session of the same server that signs on while the late one lasts, with no change of level
 * between. Each session that signs on while another one of its server exists becomes a donor,
 * unless its sign-on is broken. Levels that have ended stay donors as long as a late session lasts.
 * Levels of demos that the user names are donors, too.
 */
#ifndef QS_SESSIONS_DONORS_H
#define QS_SESSIONS_DONORS_H

#include "common/demo/format.h"
#include "common/sessions/demo_input.h"

/* A donor: a session, one of its levels that has ended, or a level of a demo. */
struct qs_donor {
    const struct qs_demo_format *format;
    char *name;                 /* for messages: "session 2", "dm4.dem" */
    struct qs_address server;   /* zeroed for a demo */
    struct qs_sign_on *sign_on; /* NULL if the session was alone when its level began */
    uint32_t level;             /* number of the level in its session */
    int64_t signed_on, until;   /* time of the complete sign-on; of the game's latest packet (ns) */
};

struct qs_donors {
    GPtrArray *sessions; /* struct qs_donor: sessions that have not ended */
    GPtrArray *over;     /* struct qs_donor: levels that have ended */
    GPtrArray *demos;    /* struct qs_donor, owned by the caller; or NULL */
    unsigned late;       /* number of late sessions that have not ended */
};

/* Creates the list of the user's demos: struct qs_donor, one for each level. */
GPtrArray *qs_donor_demos_new(void);

/* Adds each level of a demo that has a complete sign-on. False if none has one, or if the format
 * supports no donors. */
bool qs_donor_demos_add(GPtrArray *demos, struct qs_demo_input *recording);

/* Creates a list of donors. `demos` must outlive it; NULL if the user names none. */
struct qs_donors *qs_donors_new(GPtrArray *demos);
void qs_donors_free(struct qs_donors *donors);

/*
 * Updates the donor that session `number` is, by a packet just decoded, and returns it, or NULL.
 * `donor` is the last result for the session, at first NULL; results are valid until
 * qs_donors_end(). `server` may be a guess.
 */
struct qs_donor *qs_donors_packet(struct qs_donors *donors, struct qs_donor *donor,
                                  const struct qs_demo_format *format, unsigned number,
                                  const struct qs_decoder *decoder,
                                  const struct qs_address *server);

/* Ends a session; its level remains a donor for late sessions. `donor` may be NULL. */
void qs_donors_end(struct qs_donors *donors, struct qs_donor *donor);

/* Count the beginning and the end of a late session. */
void qs_donors_late_begin(struct qs_donors *donors);
void qs_donors_late_end(struct qs_donors *donors);

bool qs_donor_is_complete(const struct qs_donor *donor);
bool qs_donor_is_of_server(const struct qs_donor *donor, const struct qs_address *server);

#endif
