/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Late joins: a session that began before the capture gets its sign-on from a donor (donors.h): a
 * session, or a demo that the user names and that nothing in the session contradicts.
 *
 * The packets of a late session are kept until its end, because its donor is known only then. The
 * demo is rebuilt from these packets.
 */
#ifndef QS_SESSIONS_LATE_JOIN_H
#define QS_SESSIONS_LATE_JOIN_H

#include "common/sessions/donors.h"

struct qs_late_session;

/*
 * Creates a late session whose first packet is the one that `decoder` has just decoded. It has the
 * decoder's session, with the sequence numbers of `before`, the session before that packet. If
 * `before` is NULL, the packet is the server's first, and the session is empty. `start` is the time
 * of the session's first packet (ns).
 */
struct qs_late_session *qs_late_session_new(struct qs_donors *donors,
                                            const struct qs_demo_format *format,
                                            const struct qs_decoder *decoder,
                                            const struct qs_session *before, int64_t start);
void qs_late_session_free(struct qs_late_session *late);

/* Keeps a packet that was just decoded. */
void qs_late_session_packet(struct qs_late_session *late, const struct qs_decoder *decoder,
                            const char *file, const struct qs_packet *packet);

/* Returns why packets were not kept, or NULL. */
const char *qs_late_session_error(const struct qs_late_session *late);

/* Keeps `state`, because the session may have ended. Without `own`, the state may be another
 * session's, and is kept only if there is none yet. */
void qs_late_session_end(struct qs_late_session *late, const struct qs_session *state, bool own);

/* Returns the time of the first packet kept (ns). */
int64_t qs_late_session_start(const struct qs_late_session *late);

/* The donor of a late session. qs_donor_choice_clear() frees the texts. */
struct qs_donor_choice {
    char *name;     /* name of the donor: "session 2", "dm4.dem"; or NULL */
    char *unknown;  /* what remains unknown; or NULL */
    char *refusals; /* why the user's demos do not fit; or NULL */
    bool unproven;  /* only the user vouches for the donor: the session's map is unknown */
};

/* Chooses a donor for qs_late_session_replay(). `server` is the session's. */
void qs_late_session_find_donor(struct qs_late_session *late, const struct qs_address *server,
                                struct qs_donor_choice *choice);
void qs_donor_choice_clear(struct qs_donor_choice *choice);

/*
 * Receives the packets as they are decoded again. `begin` gets the session, which has the donor's
 * sign-on already, and the match, NULL if there is no donor. `packet` returns false if it needs no
 * more. `end` gets the final state. `begin` and `end` may be NULL.
 */
struct qs_late_session_listener {
    void (*begin)(struct qs_late_session_listener *listener, const struct qs_donor_match *match,
                  struct qs_session *session);
    bool (*packet)(struct qs_late_session_listener *listener, const char *file,
                   const struct qs_decoder *decoder, const struct qs_packet *packet);
    void (*end)(struct qs_late_session_listener *listener, const struct qs_session *state);
};

/* Decodes the packets again, with the sign-on of the chosen donor, if any. */
void qs_late_session_replay(struct qs_late_session *late,
                            struct qs_late_session_listener *listener);

#endif
