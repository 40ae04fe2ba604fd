/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the capture has twice.
 *
 * Datagrams: both ends of a conversation were recorded and merged, by clocks that may differ by
 * seconds. Receivers drop second copies by their numbers; but packets outside of a connection have
 * none, and begin another one. So the handshake is remembered, and when it is repeated while the
 * client's numbers go on, the repetition is a copy. Its lag is that of later copies, which are then
 * found by their bytes and times.
 *
 * Sessions: the capture was made on both sides of a translation of addresses (NAT). The datagrams
 * of the two sessions are alike byte for byte. This costs nothing as a rule: it only looks while a
 * session is young and another is open.
 */
#ifndef QS_SESSIONS_DUPLICATES_H
#define QS_SESSIONS_DUPLICATES_H

#include <stdbool.h>

#include "common/core/packet.h"

struct qs_client_session;

/* --- Datagrams of one conversation ----------------------------------------------------------- */

struct qs_duplicates;

struct qs_duplicates *qs_duplicates_new(void);
void qs_duplicates_free(struct qs_duplicates *duplicates);

/* Whether the packet is a second copy; false while no lag is known. Remembers the packet. */
bool qs_duplicates_has(struct qs_duplicates *duplicates, const struct qs_packet *packet);

/* A packet outside of a connection was passed on. */
void qs_duplicates_add_handshake(struct qs_duplicates *duplicates, const struct qs_packet *packet);

/* A connection begins: the handshake is over. */
void qs_duplicates_connected(struct qs_duplicates *duplicates);

/* Whether the packet repeats one of the handshake. */
bool qs_duplicates_is_handshake(const struct qs_duplicates *duplicates,
                                const struct qs_packet *packet);

/* Such a packet began no other connection: it is a copy. */
void qs_duplicates_confirm(struct qs_duplicates *duplicates, const struct qs_packet *packet);

/* --- Sessions under two addresses ------------------------------------------------------------ */

struct qs_nat_duplicates;

struct qs_nat_duplicates *qs_nat_duplicates_new(void);
void qs_nat_duplicates_free(struct qs_nat_duplicates *duplicates);

/* A session begins while others go on. */
void qs_nat_duplicates_begin(struct qs_nat_duplicates *duplicates);

/* A datagram of a session. Marks the later of two sessions by qs_client_session_set_same() when it
 * has seen enough. */
void qs_nat_duplicates_packet(struct qs_nat_duplicates *duplicates,
                              struct qs_client_session *session, const struct qs_packet *packet);

/* The session is over: decides by what was seen of it. */
void qs_nat_duplicates_end(struct qs_nat_duplicates *duplicates, struct qs_client_session *session);

#endif
