/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells the second copies of a conversation's datagrams where the capture has each twice: both ends
 * were recorded and merged, by clocks that may differ by seconds.
 *
 * Receivers drop second copies by their numbers; but what is said outside of a connection has none,
 * and begins another one. So the handshake is remembered, and when it is said again while the
 * client's numbers go on, that was a copy. From then on it is known by how much later copies come,
 * and all of them are told by their bytes and time.
 */
#ifndef QS_SESSIONS_DUPLICATES_H
#define QS_SESSIONS_DUPLICATES_H

#include <stdbool.h>

#include "common/core/packet.h"

struct qs_duplicates;

struct qs_duplicates *qs_duplicates_new(void);
void qs_duplicates_free(struct qs_duplicates *copies);

/* Whether the packet is a copy; where that is not known to be possible, no. Remembers it. */
bool qs_duplicates_has(struct qs_duplicates *copies, const struct qs_packet *packet);

/* The packet, which is not of a connection, goes on. */
void qs_duplicates_said(struct qs_duplicates *copies, const struct qs_packet *packet);

/* A connection begins with what was said so far. */
void qs_duplicates_connected(struct qs_duplicates *copies);

/* Whether the packet repeats what the connection began with. */
bool qs_duplicates_again(const struct qs_duplicates *copies, const struct qs_packet *packet);

/* Such a packet began no other connection: it was a copy. */
void qs_duplicates_confirm(struct qs_duplicates *copies, const struct qs_packet *packet);

#endif
