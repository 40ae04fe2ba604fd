/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Late joins: a session that began before the capture gets its sign-on from a donor. Donors are
 * other sessions, and demos that the user names, if nothing in the session contradicts them.
 *
 * The packets of a late session are kept until its end, because its donor is known only then. The
 * demo is rebuilt from these packets.
 */
#ifndef QS_SESSIONS_LATE_JOIN_H
#define QS_SESSIONS_LATE_JOIN_H

#include <stdbool.h>

#include "common/core/packet.h"
#include "common/demo/format.h"
#include "common/sessions/demo_input.h"

/* --- Donors: donors.c ------------------------------------------------------------------------- */

/*
 * Sessions and demos whose sign-on completes a session that the capture joined late
 * (common/demo/late_join/late_join.h).
 *
 * A server has one level for all its clients. So a late session has the same sign-on as any session
 * of its server that signs on while the late one lasts, if the level does not change between. Each
 * session that signs on while another one of its server exists becomes a donor, unless its sign-on
 * is broken. Levels that have ended stay donors as long as a late session lasts. Levels of demos
 * that the user names are donors, too.
 */

/* A donor: a session, one of its levels that has ended, or a level of a demo. */
struct qs_donor {
    const struct qs_demo_format *format;
    char *name;                 /* name for messages: "session 2", "dm4.dem" */
    struct qs_address server;   /* zeroed for a demo */
    struct qs_sign_on *sign_on; /* NULL if the session was alone when its level began */
    uint32_t level;             /* number of the level in its session */
    int64_t signed_on, until;   /* times of the complete sign-on and the latest game packet (ns) */
};

struct qs_donors {
    GPtrArray *sessions; /* struct qs_donor: sessions that have not ended */
    GPtrArray *over;     /* struct qs_donor: levels that have ended */
    GPtrArray *demos;    /* struct qs_donor, owned by the caller; or NULL */
    unsigned late;       /* number of late sessions that have not ended */
};

/* Creates the list of the user's demos: struct qs_donor, one for each level. */
GPtrArray *qs_donor_demos_new(void);

/* Adds each level of a demo that has a complete sign-on. Returns false if none has one, or if the
 * format supports no donors. */
bool qs_donor_demos_add(GPtrArray *demos, struct qs_demo_input *recording);

/* Creates a list of donors. `demos` must outlive it; NULL if the user names no demos. */
struct qs_donors *qs_donors_new(GPtrArray *demos);
void qs_donors_free(struct qs_donors *donors);

/*
 * Updates session `number` as a donor, by a packet just decoded. Returns its donor, or NULL.
 * `donor` is the last result for the session, at first NULL; results are valid until
 * qs_donors_end(). `server` may be a guess.
 */
struct qs_donor *qs_donors_packet(struct qs_donors *donors, struct qs_donor *donor,
                                  const struct qs_demo_format *format, unsigned number,
                                  const struct qs_decoder *decoder,
                                  const struct qs_address *server);

/* Ends a session, whose level remains a donor for late sessions. `donor` may be NULL. */
void qs_donors_end(struct qs_donors *donors, struct qs_donor *donor);

/* Count the start and the end of a late session. */
void qs_donors_late_begin(struct qs_donors *donors);
void qs_donors_late_end(struct qs_donors *donors);

bool qs_donor_is_complete(const struct qs_donor *donor);
bool qs_donor_is_of_server(const struct qs_donor *donor, const struct qs_address *server);

/* --- Late sessions: late_join.c --------------------------------------------------------------- */

struct qs_late_session;

/*
 * Creates a late session whose first packet is the one that `decoder` has just decoded. Copies the
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

/* Returns the error why packets were not kept, or NULL. */
const char *qs_late_session_error(const struct qs_late_session *late);

/* Keeps `state` as the final state, because the session may have ended. `own` false: the state may
 * be another session's, and is kept only if there is none yet. */
void qs_late_session_end(struct qs_late_session *late, const struct qs_session *state, bool own);

/* Returns the time of the first packet kept (ns). */
int64_t qs_late_session_start(const struct qs_late_session *late);

/* Donor chosen for a late session. qs_donor_choice_clear() frees the texts. */
struct qs_donor_choice {
    char *name;     /* name of the donor: "session 2", "dm4.dem"; or NULL */
    char *unknown;  /* text about what remains unknown; or NULL */
    char *refusals; /* reasons why the user's demos do not fit; or NULL */
    bool unproven;  /* the session's map is unknown: only the user's choice supports the donor */
};

/* Chooses a donor for qs_late_session_replay(), and sets `choice`. `server` is the session's. */
void qs_late_session_find_donor(struct qs_late_session *late, const struct qs_address *server,
                                struct qs_donor_choice *choice);
void qs_donor_choice_clear(struct qs_donor_choice *choice);

/*
 * Listener for the packets as they are decoded again. `begin` gets the session, which has the
 * donor's sign-on already, and the match, or NULL without a donor. `packet` returns false to stop.
 * `end` gets the final state. `begin` and `end` may be NULL.
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

/* --- Packet buffer: packet_buffer.c ----------------------------------------------------------- */

/* Packets that are kept to be read again: a few in memory, more in an unnamed temporary file. */

struct qs_packet_buffer;

struct qs_packet_buffer *qs_packet_buffer_new(void);
void qs_packet_buffer_free(struct qs_packet_buffer *buffer);

/*
 * Keeps a copy of a packet of `file`, an interned string. After an error, keeps neither this packet
 * nor later ones: see qs_packet_buffer_error().
 */
void qs_packet_buffer_add(struct qs_packet_buffer *buffer, const char *file,
                          const struct qs_packet *packet);

/* Returns the error why packets are not kept any more, or NULL. */
const char *qs_packet_buffer_error(const struct qs_packet_buffer *buffer);

/* Starts reading at the first packet. Nothing may be added after that. */
void qs_packet_buffer_rewind(struct qs_packet_buffer *buffer);

/* Reads the next packet, whose data is valid until the next call. Returns false at the end. */
bool qs_packet_buffer_next(struct qs_packet_buffer *buffer, const char **file,
                           struct qs_packet *packet);

#endif
