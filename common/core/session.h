/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sessions of all protocols have in common. A session is what the packets of a
 * conversation have established so far.
 *
 * A protocol's session struct has `struct qs_session` as its first member. Sessions are values: the
 * protocol's session_copy makes a cheap independent copy that shares what is large (see table.h and
 * fragments.h), so that Wireshark can hold the session before each packet and dissect it again.
 */
#ifndef QS_CORE_SESSION_H
#define QS_CORE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/netchan/netchan.h"
#include "common/core/packet.h"

struct qs_session {
    enum qs_end server;  /* which end is the server */
    uint32_t connection; /* number of the connection in this conversation; 0: none has begun */
    uint32_t level;      /* number of the level in this connection; 0: none has begun */
    int32_t version;     /* protocol version in force, 0 while not known */
    bool disconnected;   /* either end has ended the connection */
    int32_t may_inflate; /* so many bytes more than the packet at hand may: see inflate.h */
    struct qs_netchan to_server, to_client;
};

/* Numbers lost on the way to either end. */
struct qs_session_loss {
    uint64_t gaps, missing, not_captured;
};
struct qs_session_loss qs_session_loss(const struct qs_session *session);

void qs_session_init(struct qs_session *session);

/* A new connection begins in the conversation: counters restart, the server stays who it is. */
void qs_session_connect(struct qs_session *session);

/* The packet's sender is the server. False when that is not known. */
bool qs_session_from_server(const struct qs_session *session, const struct qs_packet *packet);

#endif
