/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A conversation: what is sent between two ends, or the blocks of one demo. */
#ifndef PCAP2DEMO_CONVERSATION_H
#define PCAP2DEMO_CONVERSATION_H

#include "common/core/numbering.h"
#include "common/core/session.h"
#include "pcap2demo/capture/flow.h"
#include "pcap2demo/capture/recording.h"
#include "pcap2demo/sessions/order.h"
#include "pcap2demo/sessions/protocol_selection.h"
#include "pcap2demo/sessions/session.h"
#include "pcap2demo/sessions/stream.h"

struct conversation {
    struct flow flow; /* conversations over TCP and demos are not in the table of flows */
    int protocol;
    bool is_server_port[2]; /* by enum qs_end: servers of the protocol listen on its port */
    struct qs_session *state;
    struct order *order;     /* NULL: not datagrams */
    int64_t clock;           /* to be added to the time of packets; see sessions.c */
    struct stream *stream;   /* NULL: datagrams, or a demo */
    bool announced;          /* by a packet of another conversation */
    bool left_out;           /* too many others go on: see crowd.h */
    struct session *session; /* going on now, or NULL */
    struct qs_numbered numbered;
    uint64_t number; /* of those that had a packet, from 1 on; 0: it had none */

    /* A demo; else NULL. */
    struct recording *recording;
    uint32_t block_offset; /* of the block at hand, in the file */
};

/* A conversation of datagrams between `a` and `b`. */
struct conversation *conversation_new(const struct protocol_selection *selection, int protocol,
                                      const struct qs_address *a, const struct qs_address *b);

/* A conversation over TCP that begins with these bytes. */
struct conversation *conversation_new_stream(const struct protocol_selection *selection,
                                             int protocol, const struct qs_packet *first);

/* The blocks of a demo, which must live as long. */
struct conversation *conversation_new_demo(struct recording *recording);

void conversation_free(struct conversation *conversation);

/* What was taken for one protocol is another; nothing is known yet. */
void conversation_set_protocol(struct conversation *conversation,
                               const struct protocol_selection *selection, int protocol);

/* The server's end: as the protocol knows it, or else by the port. */
enum qs_end conversation_server(const struct conversation *conversation);

#endif
