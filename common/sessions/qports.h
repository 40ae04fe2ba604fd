/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clients whose address changes in the middle of a game, because routers give them another port.
 * For this reason clients of QuakeWorld and Quake II send a qport in each datagram. The server
 * follows the client (SV_ReadPackets) if host and qport are the same and the numbers continue.
 */
#ifndef QS_SESSIONS_QPORTS_H
#define QS_SESSIONS_QPORTS_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/protocol.h"

/* Entry that finds a conversation by the server's address, the client's host and its qport. */
struct qs_qport;

struct qs_qports;

struct qs_qports *qs_qports_new(void);
/* Frees the table, but not its entries. */
void qs_qports_free(struct qs_qports *qports);

/* Adds the qport of the client of conversation `owner`: see qs_seqinfo.qport; not 0. The latest of
 * equal ones is found. Free the result by qs_qports_remove(). */
struct qs_qport *qs_qports_add(struct qs_qports *qports, const struct qs_address *server,
                               const struct qs_address *client, uint32_t qport, void *owner);
/* Removes and frees an entry; NULL is allowed. */
void qs_qports_remove(struct qs_qports *qports, struct qs_qport *qport);

/*
 * Returns the conversation that a datagram between unknown ends belongs to: it has the same server
 * and qport, and `continues` is true. NULL if there is none. `same_host`: only the client's port
 * differs.
 */
void *qs_qports_find(struct qs_qports *qports, const struct qs_packet *packet,
                     bool (*continues)(void *owner, const struct qs_packet *packet,
                                       bool same_host));

/* Returns the conversation of the same server and client host for which `continues` is true, or
 * NULL. Tries only some of a host's clients if there are many. */
void *qs_qports_find_host(struct qs_qports *qports, const struct qs_address *server,
                          const struct qs_address *client, const struct qs_packet *packet,
                          bool (*continues)(void *owner, const struct qs_packet *packet,
                                            bool same_host));

/*
 * For `continues`: true if the datagram's number follows those of the session's client, whose qport
 * is `qport`. From another host, it must be higher than all.
 */
bool qs_session_continues(const struct qs_protocol *protocol, const struct qs_session *session,
                          const struct qs_packet *packet, uint32_t qport, bool same_host);

#endif
