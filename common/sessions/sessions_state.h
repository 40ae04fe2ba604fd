/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state that the stages share, and the beginning and end of sessions. Private to this folder.
 */
#ifndef QS_SESSIONS_SESSIONS_STATE_H
#define QS_SESSIONS_SESSIONS_STATE_H

#include "common/sessions/conversation.h"

/* All conversations and sessions. */
struct qs_sessions {
    const struct qs_sessions_options *options;
    struct qs_sessions_handler *handler;
    struct qs_flow_table *flows;
    struct qs_heuristic *heuristic;
    struct qs_qports *qports;
    GHashTable *announced; /* struct qs_conversation without a packet, by the client's address */
    struct qs_unanswered *unanswered; /* NULL: sessions of one end are wanted */
    struct qs_copies *copies;
    struct qs_donors *donors;
    GHashTable *maps;             /* struct qs_server_map, by the server's address */
    struct qs_conversation *demo; /* that is being read, or NULL */
    struct qs_decoder decoders[QS_PROTOCOLS_MAX];
    GPtrArray *files;                   /* struct qs_capture_file */
    const struct qs_capture_file *file; /* of packets that have none */
    int64_t clock;                      /* time of the last datagram; 0: there was none */
    uint64_t conversations;             /* that had a packet, so far */
    struct qs_session_numbers numbering;
    struct qs_session_limits limits;
    guint small_ended;               /* sessions without content that were reported */
    struct qs_small_sessions others; /* that were not */
    struct qs_missed_games missed;
    bool as_captured; /* see qs_sessions_is_as_captured() */
    bool keep;        /* unfinished demos at the end */
    bool ending;      /* there is no more input */
};

/* --- Sessions of a conversation: session_lifecycle.c ------------------------------------------ */

/* Updates the session of the packet just decoded, which may also end or begin a session. */
void qs_conversation_update_session(struct qs_sessions *sessions,
                                    struct qs_conversation *conversation,
                                    const struct qs_decoded_packet *decoded);

/* The conversation's session, if it has one, is over. */
void qs_conversation_end_session(struct qs_sessions *sessions, struct qs_conversation *conversation,
                                 enum qs_session_end why);

/* Ends the conversation's session without a report; none of its later packets is processed. */
void qs_conversation_leave_out(struct qs_sessions *sessions, struct qs_conversation *conversation);

/*
 * Where the session is live by now: an established session is never ended for one that is not.
 * Where there is no room for it, it is left out. `now`: the packet's time.
 */
void qs_conversation_limit_sessions(struct qs_sessions *sessions,
                                    struct qs_conversation *conversation, int64_t now);

/* --- Maps that servers tell: sessions.c ------------------------------------------------------- */

/* What a server said last of its map, to whomever asked for its status. */
struct qs_server_map {
    struct qs_address server;
    int64_t time;
    char *map;
};

/* --- Sessions: session.c --------------------------------------------------------------------- */

/* Begins with its first packet; pass that to qs_client_session_packet(), too. `recorded`: the
 * format of the demo that it is read from, or NULL. */
struct qs_client_session *
qs_client_session_new(const struct qs_sessions *sessions, const struct qs_address *client,
                      const struct qs_address *server, const struct qs_demo_format *recorded,
                      unsigned number, const struct qs_decoded_packet *first);
void qs_client_session_free(struct qs_client_session *session);

/* Updates the session by a packet, and reports what is new. */
void qs_client_session_packet(struct qs_client_session *session,
                              const struct qs_decoded_packet *decoded);

/* A copy of one of its packets: datagram `number` of the main stream, from the end `from`. */
void qs_client_session_copy(struct qs_client_session *session, enum qs_end from, uint32_t number,
                            int64_t time);

/* The session is over, and `state` is what is known of it. */
void qs_client_session_over(struct qs_client_session *session, const struct qs_session *state);

/* Ends the session's demo, and reports its files. `keep` false: what is not finished yet is
 * dropped. */
void qs_client_session_end(struct qs_client_session *session, bool keep);

#endif
