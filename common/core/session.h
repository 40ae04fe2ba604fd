/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every protocol's session has: what a conversation has established so far.
 *
 * A protocol's session struct has `struct qs_session` as its first member. Sessions are values: the
 * protocol's session_copy makes a cheap independent copy that shares what is large (see table.h),
 * so that Wireshark can keep the knowledge that was true before each packet and dissect it again.
 */
#ifndef QS_CORE_SESSION_H
#define QS_CORE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/netchan.h"
#include "common/core/packet.h"

struct qs_session {
    enum qs_end server; /* which end is the server */
    uint32_t
        connection;  /* number of the current connection in this conversation; 0: none seen begin */
    uint32_t level;  /* number of the current level (serverdata) in this connection; 0: not seen */
    int32_t version; /* protocol version in force, 0 while not known */
    bool disconnected; /* either end has said goodbye */
    struct qs_netchan to_server, to_client;
};

void qs_session_init(struct qs_session *session);

/* A new connection begins in the conversation: counters restart, the server stays who it is. */
void qs_session_connect(struct qs_session *session);

#endif
