/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A conversation: the packets between two ends, or the blocks of one demo. It consists of sessions,
 * one after the other. Private to this folder.
 */
#ifndef QS_SESSIONS_CONVERSATION_H
#define QS_SESSIONS_CONVERSATION_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/sessions/copies.h"
#include "common/sessions/demo_input.h"
#include "common/sessions/flow.h"
#include "common/sessions/heuristic.h"
#include "common/sessions/order.h"
#include "common/sessions/session.h"

struct qs_conversation {
    struct qs_flow flow; /* entry in the flow table, only for datagrams */
    int protocol;
    bool is_server_port[2]; /* true if servers of the protocol listen on the port; by enum qs_end */
    struct qs_session *state;

    /* Exactly one is set, by input: datagrams, a TCP stream, or a demo file. */
    struct qs_order *order;
    struct qs_stream *stream;
    struct qs_demo_input *demo;

    uint32_t block_offset; /* offset of the current block in the demo file */
    int64_t clock;  /* sum of the clock's steps before it began (ns): see qs_flow_table_shift() */
    bool announced; /* a packet of another conversation announced it */
    bool left_out;  /* its packets are ignored, because there were too many sessions */
    struct qs_client_session *session; /* current session, or NULL */
    uint32_t qport;                    /* the client's qport; 0 if unknown */
    struct qs_qport *found_by;         /* entry in sessions->qports, or NULL */
    struct qs_session_number numbered; /* number of the latest session, even if it has ended */
    uint64_t number; /* number of the conversation, from 1; 0 before its first packet */
};

struct qs_sessions;

/* Creates a conversation; `a` is NULL for a demo. The caller sets `order`, `stream` or `demo`. */
struct qs_conversation *qs_conversation_new(const struct qs_protocol_selection *selection,
                                            int protocol, const struct qs_address *a,
                                            const struct qs_address *b);
void qs_conversation_free(struct qs_conversation *conversation);

/* Returns the server's end. If the roles are unknown, ports decide. */
enum qs_end qs_conversation_server(const struct qs_conversation *conversation);
/* Returns the address of the server, or of the client. */
const struct qs_address *qs_conversation_address(const struct qs_conversation *conversation,
                                                 bool server);

/* Reads the sequence numbers of a packet; zeroes `seqinfo` if it has none. */
void qs_conversation_read_seqinfo(const struct qs_conversation *conversation,
                                  const struct qs_packet *packet, struct qs_seqinfo *seqinfo);

/* Result of qs_conversation_find(). */
struct qs_conversation_found {
    struct qs_conversation *conversation; /* NULL if the game is unknown */
    struct qs_seqinfo seqinfo; /* sequence numbers of the packet; zeroed if it has none */
    bool has_earlier;          /* the heuristic may have kept packets of the conversation */
    bool is_kept;              /* the heuristic has kept this packet */
};

/*
 * Finds the conversation of a datagram, or begins it: by its addresses, by its qport (if the
 * client's address has changed), by its protocol, or by its numbers. Sets packet->from.
 */
void qs_conversation_find(struct qs_sessions *sessions, struct qs_packet *packet,
                          struct qs_conversation_found *found);

/* Begins the conversation whose server port was announced. Returns NULL if it exists already and
 * its session continues. */
struct qs_conversation *qs_conversation_announce(struct qs_sessions *sessions, int protocol,
                                                 const struct qs_announcement *announced,
                                                 int64_t now);

/* Drops the client's announcement if it is of the host of `server`, whose session with the client
 * begins: a NAT changed the announced port, so no packets are missing. */
void qs_conversation_drop_announcement(struct qs_sessions *sessions,
                                       const struct qs_address *client,
                                       const struct qs_address *server);

/* Removes the conversation from the announced ones, because it has a packet or ends. */
void qs_conversation_forget_announcement(struct qs_sessions *sessions,
                                         struct qs_conversation *conversation);

/* Registers the client's qport, which finds the conversation if the client's address changes. */
void qs_conversation_set_qport(struct qs_sessions *sessions, struct qs_conversation *conversation,
                               uint32_t qport);

/* --- Streams: stream.c ------------------------------------------------------------------------ */

/*
 * Divides the bytes of both ends of a TCP connection into the PDUs of a protocol (see
 * qs_protocol.pdu_length). Holds an incomplete PDU, whose length the protocol limits.
 */

struct qs_stream;

struct qs_stream *qs_stream_new(const struct qs_protocol *protocol);
void qs_stream_free(struct qs_stream *stream);

/* Adds the next bytes of the end `bytes->from`. Bytes after a hole have `missing`. */
void qs_stream_add(struct qs_stream *stream, const struct qs_packet *bytes);

/*
 * Gets the next complete PDU of the bytes added last. Returns false if there is none. Decode it
 * before the next call, which depends on `session`. Its data is valid until more is added.
 */
bool qs_stream_next(struct qs_stream *stream, const struct qs_session *session,
                    struct qs_packet *pdu);

/*
 * Gets the rest of an incomplete PDU of `end`; its wire_size is the minimum size of the complete
 * one. Returns false if nothing is left.
 */
bool qs_stream_rest(struct qs_stream *stream, const struct qs_session *session, enum qs_end end,
                    struct qs_packet *pdu);

#endif
