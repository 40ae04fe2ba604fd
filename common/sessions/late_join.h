/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Late joins: a session that began before the capture gets its sign-on from a donor (donors.h), or
 * from a demo that the user names and that the session does not contradict.
 *
 * The packets of a late session are kept until its end. Then its donor is known, and the demo is
 * rebuilt from the packets.
 */
#ifndef QS_SESSIONS_LATE_JOIN_H
#define QS_SESSIONS_LATE_JOIN_H

#include "common/sessions/donors.h"

struct qs_late_session;

/*
 * The session that `decoder` has just decoded is late, and its packets from this one on are to be
 * kept. It begins with what is known of it; `before`: with the numbers as they were before the
 * packet; NULL: with nothing, since the server's first packet is at hand. `start`: time of the
 * session's first packet.
 */
struct qs_late_session *qs_late_session_new(struct qs_donors *donors,
                                            const struct qs_demo_format *format,
                                            const struct qs_decoder *decoder,
                                            const struct qs_session *before, int64_t start);
void qs_late_session_free(struct qs_late_session *late);

/* Keeps a packet, just decoded. */
void qs_late_session_packet(struct qs_late_session *late, const struct qs_decoder *decoder,
                            const char *file, const struct qs_packet *packet);

/* Why packets are missing that should have been kept, or NULL. */
const char *qs_late_session_error(const struct qs_late_session *late);

/* The session may be over; `state` is what is known of it, or no longer its `own`: then what was
 * known before counts, if anything. */
void qs_late_session_end(struct qs_late_session *late, const struct qs_session *state, bool own);

/* The time of the first packet kept. */
int64_t qs_late_session_start(const struct qs_late_session *late);

/* How the start of a late session was repaired. Texts are new, or NULL. */
struct qs_donor_choice {
    char *name;     /* whose sign-on it begins with: "session 2", "dm4.dem" */
    char *unknown;  /* what is not known all the same */
    char *refusals; /* why demos that the user named do not fit */
    bool unproven;  /* only the user says that the donor was on the same map: its name is unknown */
};

/* Looks for a donor, for qs_late_session_replay(). `server`: the session's. */
void qs_late_session_find_donor(struct qs_late_session *late, const struct qs_address *server,
                                struct qs_donor_choice *choice);
void qs_donor_choice_clear(struct qs_donor_choice *choice);

/*
 * Gets the packets as they are decoded again: `begin` the session, which already has what the donor
 * provides, and the donor, or NULL; `packet` returns whether it needs more; `end` the final state
 * of the session. The first and the last may be NULL.
 */
struct qs_late_session_listener {
    void (*begin)(struct qs_late_session_listener *listener, const struct qs_donor_match *match,
                  struct qs_session *session);
    bool (*packet)(struct qs_late_session_listener *listener, const char *file,
                   const struct qs_decoder *decoder, const struct qs_packet *packet);
    void (*end)(struct qs_late_session_listener *listener, const struct qs_session *state);
};

/* Decodes the packets again, with the sign-on of the donor that was found, if any. */
void qs_late_session_replay(struct qs_late_session *late,
                            struct qs_late_session_listener *listener);

#endif
