/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Late joins: a session that began before the capture gets its sign-on from a donor
 * (common/demo/late_join/sign_on.h). Donors are the other sessions of the input, and demos that the
 * user names.
 *
 * Each session has a donor object and passes it each packet. The packets of a late session are kept
 * until its end, or the end of the input if a donor may come later. Then the search for a donor
 * begins, and the demo is rebuilt from the packets.
 */
#ifndef QS_SESSIONS_LATE_JOIN_H
#define QS_SESSIONS_LATE_JOIN_H

#include "common/demo/format.h"
#include "common/sessions/demo_input.h"

/* --- Donors ---------------------------------------------------------------------------------- */

/* Demos that the user names: struct qs_donor, one for each level. */
GPtrArray *qs_donor_demos_new(void);

/* Adds the sign-ons of a demo. False: it has none, or its format supports no donors. */
bool qs_donor_demos_add(GPtrArray *demos, struct qs_demo_input *recording);

struct qs_donors;

/* `demos` must outlive it; NULL: there are none. */
struct qs_donors *qs_donors_new(GPtrArray *demos);
void qs_donors_free(struct qs_donors *donors);

/* Of one session, while it goes on. */
struct qs_donor;

struct qs_donor *qs_donor_new(struct qs_donors *donors, const struct qs_demo_format *format,
                              unsigned session);

/* A packet of the session; `server`: as far as that is known. */
void qs_donor_packet(struct qs_donor *donor, const struct qs_decoder *decoder,
                     const struct qs_packet *packet, const struct qs_address *server);

/* The session is over; its levels remain donors. */
void qs_donor_end(struct qs_donors *donors, struct qs_donor *donor);

/* Calls `take` with what each other session with the donor's server was told up to now, until that
 * returns false. */
void qs_donor_peers(const struct qs_donors *donors, const struct qs_donor *donor,
                    qs_peer_function *take, void *user);

/* --- Sessions that are late ------------------------------------------------------------------ */

struct qs_late_session;

/*
 * The session `number` that `decoder` has just decoded is late, and its packets from this one on
 * are to be kept. It begins with what is known of it; `before`: with the numbers as they were
 * before the packet; NULL: with nothing, since the server's first packet is at hand.
 */
struct qs_late_session *qs_late_session_new(struct qs_donors *donors,
                                            const struct qs_demo_format *format, unsigned number,
                                            const struct qs_decoder *decoder,
                                            const struct qs_session *before, int64_t now);
void qs_late_session_free(struct qs_late_session *late);

/* Keeps a packet, just decoded. */
void qs_late_session_packet(struct qs_late_session *late, const struct qs_decoder *decoder,
                            const char *file, const struct qs_packet *packet);

/* Why packets are missing that should have been kept, or NULL. */
const char *qs_late_session_error(const struct qs_late_session *late);

/* The donor of a session. */
struct qs_donor_choice {
    struct qs_donor_match *match; /* NULL: none */
    char *donor;                  /* "session 2", "dm4.dem" */
    char *refusals;               /* why the user's demos do not fit; or NULL */
    bool unproven;                /* the user claims the same map; nothing confirms it */
};

/* The session is over; `state` is what is known of it. */
void qs_late_session_end(struct qs_late_session *late, const struct qs_session *state);

/* The time of the first packet kept. */
int64_t qs_late_session_start(const struct qs_late_session *late);

/* Looks for a donor. `server`: the session's. */
void qs_late_session_find_donor(struct qs_late_session *late, const struct qs_address *server,
                                struct qs_donor_choice *choice);
void qs_donor_choice_clear(const struct qs_late_session *late, struct qs_donor_choice *choice);

/*
 * Gets the packets as they are decoded again: `begin` the session, which already has what the donor
 * gives; `packet` returns whether it wants more; `over` what is known of the session at last. The
 * first and the last may be NULL.
 */
struct qs_late_session_listener {
    void (*begin)(struct qs_late_session_listener *listener, struct qs_session *session);
    bool (*packet)(struct qs_late_session_listener *listener, const char *file,
                   const struct qs_decoder *decoder, const struct qs_packet *packet);
    void (*over)(struct qs_late_session_listener *listener, const struct qs_session *state);
};

/* Decodes the packets again, with the help of a donor if `match` is not NULL. */
void qs_late_session_decode(struct qs_late_session *late, struct qs_donor_match *match,
                            struct qs_late_session_listener *listener);

#endif
