/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A conversation: what is sent between two ends, or the blocks of one demo. */
#ifndef QS_SESSIONS_CONVERSATION_H
#define QS_SESSIONS_CONVERSATION_H

#include "common/core/session.h"
#include "common/sessions/flow.h"
#include "common/sessions/demo_input.h"
#include "common/sessions/resequence.h"
#include "common/sessions/protocol_selection.h"
#include "common/sessions/session.h"
#include "common/sessions/stream.h"

struct qs_conversation {
    struct qs_flow flow; /* conversations over TCP and demos are not in the table of flows */
    int protocol;
    bool is_server_port[2]; /* by enum qs_end: servers of the protocol listen on its port */
    struct qs_session *state;
    struct qs_resequencer *order; /* NULL: not datagrams */
    int64_t clock;                /* by how much it had been set when it began: see sessions.c */
    struct qs_stream *stream;     /* NULL: datagrams, or a demo */
    bool announced;               /* by a packet of another conversation */
    bool left_out;                /* too many others go on: see crowd.h */
    struct qs_client_session *session; /* going on now, or NULL */
    uint32_t finished;                 /* number of a session that is over, though packets of it
                                          may come; or 0 */
    struct qs_session_number numbered;
    uint64_t number; /* of those that had a packet, from 1 on; 0: it had none */

    /* A demo; else NULL. */
    struct qs_demo_input *recording;
    uint32_t block_offset; /* of the block at hand, in the file */
};

/* A conversation of datagrams between `a` and `b`. */
struct qs_conversation *qs_conversation_new(const struct qs_protocol_selection *selection,
                                            int protocol, const struct qs_address *a,
                                            const struct qs_address *b);

/* A conversation over TCP that begins with these bytes. */
struct qs_conversation *qs_conversation_new_stream(const struct qs_protocol_selection *selection,
                                                   int protocol, const struct qs_packet *first);

/* The blocks of a demo, which must live as long. */
struct qs_conversation *qs_conversation_new_demo(struct qs_demo_input *recording);

void qs_conversation_free(struct qs_conversation *conversation);

/* What was taken for one protocol is another; nothing is known yet. */
void qs_conversation_set_protocol(struct qs_conversation *conversation,
                                  const struct qs_protocol_selection *selection, int protocol);

/* The server's end: as the protocol knows it, or else by the port. */
enum qs_end qs_conversation_server(const struct qs_conversation *conversation);

#endif
