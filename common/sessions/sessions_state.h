/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State that the stages share, and the life of sessions. Private to this folder. */
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
    GHashTable *announced; /* struct qs_conversation that was announced, by the client's address */
    struct qs_unanswered *unanswered; /* NULL if sessions of one end are wanted */
    struct qs_copies *copies;
    struct qs_donors *donors;
    GHashTable *maps;             /* struct qs_server_map, by the server's address */
    struct qs_conversation *demo; /* the demo that is being read, or NULL */
    struct qs_decoder decoders[QS_PROTOCOLS_MAX];
    GPtrArray *files;                   /* struct qs_capture_file */
    const struct qs_capture_file *file; /* file of packets that have none */
    int64_t clock;                      /* time of the last datagram; 0 before */
    uint64_t conversations;             /* number of conversations that have had a packet */
    struct qs_session_numbers numbering;
    struct qs_session_limits limits;
    guint small_ended;               /* number of sessions without content that were reported */
    struct qs_small_sessions others; /* sessions that were only counted */
    struct qs_missed_games missed;
    bool as_captured; /* see qs_sessions_is_as_captured() */
    bool keep;        /* keep unfinished demos at the end */
    bool ending;      /* the input has ended */
};

/* --- Sessions of a conversation: session_lifecycle.c ------------------------------------------ */

/* Updates the session of the packet just decoded, which may also end or begin a session. Sets
 * decoded->session. */
void qs_conversation_update_session(struct qs_sessions *sessions,
                                    struct qs_conversation *conversation,
                                    struct qs_decoded_packet *decoded);

/* Ends the conversation's session, if it has one. */
void qs_conversation_end_session(struct qs_sessions *sessions, struct qs_conversation *conversation,
                                 enum qs_session_end why);

/* Ends the conversation's session without a report, and ignores all its later packets. */
void qs_conversation_leave_out(struct qs_sessions *sessions, struct qs_conversation *conversation);

/*
 * Enforces the session limit if the session is live: ends an idle session, but never an established
 * one for one that is not. If none can be ended, ignores this session. `now`: the packet's time.
 */
void qs_conversation_limit_sessions(struct qs_sessions *sessions,
                                    struct qs_conversation *conversation, int64_t now);

/* --- Maps from status answers: sessions.c ---------------------------------------------------- */

/* Map in a server's last status answer, to any client. */
struct qs_server_map {
    struct qs_address server;
    int64_t time;
    char *map;
};

/* --- Sessions: session.c --------------------------------------------------------------------- */

/* Creates a session from its first packet; pass that to qs_client_session_packet(), too. `recorded`
 * is the format of the demo that it is read from, or NULL. */
struct qs_client_session *
qs_client_session_new(const struct qs_sessions *sessions, const struct qs_address *client,
                      const struct qs_address *server, const struct qs_demo_format *recorded,
                      unsigned number, const struct qs_decoded_packet *first);
void qs_client_session_free(struct qs_client_session *session);

/* Updates the session by a packet, and reports events. */
void qs_client_session_packet(struct qs_client_session *session,
                              const struct qs_decoded_packet *decoded);

/* Adds a copy of datagram `number` of the main stream to the path quality: see
 * qs_path_add_copy(). */
void qs_client_session_copy(struct qs_client_session *session, enum qs_direction direction,
                            uint32_t number, int64_t time, int file_order);

/* Call this at the end of the session: keeps its last `state`, and its level as a donor. */
void qs_client_session_over(struct qs_client_session *session, const struct qs_session *state);

/* Ends the session's demo, and reports its files. `keep` false: drops what is not finished. */
void qs_client_session_end(struct qs_client_session *session, bool keep);

#endif
