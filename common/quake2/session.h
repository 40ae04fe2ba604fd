/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a session: connections, levels, versions. */
#ifndef Q2_SESSION_H
#define Q2_SESSION_H

#include "common/quake2/quake2.h"

/* Flags of protocol 36's svc_serverdata. Source: Q2PRO, protocol.h Q2PRO_PF_*. */
enum { PF_EXTENSIONS = 8, PF_EXTENSIONS_2 = 16 };

void q2_session_init(struct qs_session *session);
void q2_session_copy(struct qs_session *to, const struct qs_session *from);
void q2_session_clear(struct qs_session *session);
void q2_session_describe(const struct qs_session *session, struct qs_description *description);

/*
 * The server accepts a client (client_connect). That begins a connection, unless traffic goes on:
 * then it may be the answer to a repeated request. Source: facts, section 18 ("session split
 * trap").
 */
void q2_session_accept(struct q2_session *session);

/* A new connection, as asked for last: all that the one before established is void. */
void q2_session_connect(struct q2_session *session);

/* Whether sequence numbers have a fragment bit. */
void q2_session_set_netchan(struct q2_session *session, bool has_fragments);

/* A new level (svc_serverdata): config strings and texts of the level before are void. */
void q2_session_level(struct q2_session *session);

/* The protocol version in force, with what follows from it, the minor version and the flags. */
void q2_session_set_version(struct q2_session *session, int32_t version);

/* How demos of that protocol version are written: up to 34, or 3434 to 3436. */
struct q2_dialect q2_demo_dialect(int32_t version);

#endif
