/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clients whose address changes in the middle of a game. Routers give a client another port after a
 * while; for exactly this QuakeWorld and Quake II send the qport in each datagram of a client, and
 * the server follows it (SV_ReadPackets): by the same host, the same qport and numbers that go on.
 */
#ifndef QS_SESSIONS_QPORTS_H
#define QS_SESSIONS_QPORTS_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/protocol.h"

/* What finds a conversation by the server's address, the client's host and its qport. */
struct qs_qport;

struct qs_qports;

struct qs_qports *qs_qports_new(void);
/* Frees the table; its qports stay. */
void qs_qports_free(struct qs_qports *qports);

/* The client of the conversation `owner` has this qport: see qs_seqinfo.qport; not 0. The latest
 * of several with the same is found. */
struct qs_qport *qs_qports_add(struct qs_qports *qports, const struct qs_address *server,
                               const struct qs_address *client, uint32_t qport, void *owner);
/* NULL: nothing. */
void qs_qports_remove(struct qs_qports *qports, struct qs_qport *qport);

/*
 * The conversation that a datagram between unknown ends belongs to, or NULL: the one of the same
 * server and qport for which `continues` is true. `same_host`: only the client's port is another.
 */
void *qs_qports_find(struct qs_qports *qports, const struct qs_packet *packet,
                     bool (*continues)(void *owner, const struct qs_packet *packet,
                                       bool same_host));

/* The conversation of the same server and client's host for which `continues` is true; or NULL. Of
 * many clients of one host only some are asked. */
void *qs_qports_find_host(struct qs_qports *qports, const struct qs_address *server,
                          const struct qs_address *client, const struct qs_packet *packet,
                          bool (*continues)(void *owner, const struct qs_packet *packet,
                                            bool same_host));

/*
 * For `continues`: whether the datagram's number goes on from those of the session's client, whose
 * qport is `qport`. From another host only a later one does.
 */
bool qs_session_continues(const struct qs_protocol *protocol, const struct qs_session *session,
                          const struct qs_packet *packet, uint32_t qport, bool same_host);

#endif
