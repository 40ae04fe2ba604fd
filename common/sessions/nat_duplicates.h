/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds sessions that the capture has twice, under two addresses: it was made on both sides of a
 * translation of addresses. Their datagrams are alike byte for byte.
 *
 * Only looks while a session is young and another is open, so that it costs nothing as a rule.
 */
#ifndef QS_SESSIONS_NAT_DUPLICATES_H
#define QS_SESSIONS_NAT_DUPLICATES_H

#include "common/core/packet.h"

struct qs_nat_duplicates;
struct qs_client_session;

struct qs_nat_duplicates *qs_nat_duplicates_new(void);
void qs_nat_duplicates_free(struct qs_nat_duplicates *twins);

/* A session begins while others go on. */
void qs_nat_duplicates_begin(struct qs_nat_duplicates *twins);

/* A session has ended. */
void qs_nat_duplicates_end(struct qs_nat_duplicates *twins,
                           const struct qs_client_session *session);

/* The session ends: what is known must do. Sets session->same_as of the later of two. */
void qs_nat_duplicates_decide(struct qs_client_session *session);

/* A datagram of a session. The same, when enough is known. */
void qs_nat_duplicates_packet(struct qs_nat_duplicates *twins, struct qs_client_session *session,
                              const struct qs_packet *packet);

#endif
