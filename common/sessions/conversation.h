/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A conversation: the packets between two ends, or the blocks of one demo; and its sessions, one
 * after the other. Private to this folder.
 */
#ifndef QS_SESSIONS_CONVERSATION_H
#define QS_SESSIONS_CONVERSATION_H

#include "common/core/session.h"
#include "common/sessions/demo_input.h"
#include "common/sessions/copies.h"
#include "common/sessions/flow.h"
#include "common/sessions/heuristic.h"
#include "common/sessions/qports.h"
#include "common/sessions/order.h"
#include "common/sessions/session.h"
#include "common/sessions/stream.h"
#include "common/sessions/unanswered.h"

struct qs_conversation {
    struct qs_flow flow; /* conversations over TCP and demos are not in the table of flows */
    int protocol;
    bool is_server_port[2]; /* by enum qs_end: servers of the protocol listen on its port */
    struct qs_session *state;

    /* One of the three; the others are NULL. */
    struct qs_order *order; /* of datagrams */
    struct qs_stream *stream;
    struct qs_demo_input *demo;

    uint32_t block_offset; /* of the demo's block at hand, in the file */
    int64_t clock;         /* by how much it had been set when it began: see sessions.c */
    bool announced;        /* by a packet of another conversation */
    bool left_out;         /* there are too many sessions */
    struct qs_client_session *session; /* going on now, or NULL */
    uint32_t qport;                    /* of its client; or 0 */
    struct qs_qport *found_by;         /* in sessions->qports; or NULL */
    struct qs_session_number numbered; /* the latest session, which may be over */
    uint64_t number;                   /* of those that had a packet, from 1 on; 0: it had none */
};

struct qs_sessions;

/* Between `a` and `b`; NULL: of a demo. The caller sets one of the three. */
struct qs_conversation *qs_conversation_new(const struct qs_protocol_selection *selection,
                                            int protocol, const struct qs_address *a,
                                            const struct qs_address *b);
void qs_conversation_free(struct qs_conversation *conversation);

/* The address of the server, or of the client: as the protocol knows it, or else by the ports. */
const struct qs_address *qs_conversation_address(const struct qs_conversation *conversation,
                                                 bool server);

/* Changes the protocol of a conversation and resets its state. */
void qs_conversation_set_protocol(struct qs_conversation *conversation,
                                  const struct qs_protocol_selection *selection, int protocol);

/* Reads the numbers of a packet; zeroed if it has none. */
void qs_conversation_read_seqinfo(const struct qs_conversation *conversation,
                                  const struct qs_packet *packet, struct qs_seqinfo *seqinfo);

/* What is found of a datagram. */
struct qs_conversation_found {
    struct qs_conversation *conversation; /* NULL: it is of no known game */
    struct qs_seqinfo seqinfo;            /* of the packet; zeroed: it has no numbers */
    bool has_earlier; /* heuristic.h may have kept packets of the conversation, */
    bool is_kept;     /* and this is one of them */
};

/*
 * Finds the conversation of a datagram, or begins it: by its addresses, by the qport where a
 * client's address has changed, by its protocol, by its numbers (heuristic.h). Sets `from`.
 */
void qs_conversation_find(struct qs_sessions *sessions, struct qs_packet *packet,
                          struct qs_conversation_found *found);

/* Begins the conversation of which a server has told a client the port. NULL: it is there, and its
 * session continues. */
struct qs_conversation *qs_conversation_announce(struct qs_sessions *sessions, int protocol,
                                                 const struct qs_announcement *announced,
                                                 int64_t now);

/* A session begins between these addresses: if the server announced another port of its host to the
 * client, a NAT has changed it, and no packet of that port is missing. */
void qs_conversation_announcement_met(struct qs_sessions *sessions, const struct qs_address *client,
                                      const struct qs_address *server);

/* The conversation has a packet, or ends: it is no longer found by its client. */
void qs_conversation_forget_announcement(struct qs_sessions *sessions,
                                         struct qs_conversation *conversation);

/* Sets the qport that finds the conversation at a new address of its client. */
void qs_conversation_set_qport(struct qs_sessions *sessions, struct qs_conversation *conversation,
                               uint32_t qport);

#endif
