/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions that the capture has twice: it was made on both sides of a translation of addresses
 * (NAT). The datagrams of the two sessions are alike byte for byte. This costs nothing as a rule:
 * it only looks while a session is young and another is open.
 */
#ifndef QS_SESSIONS_DUPLICATES_H
#define QS_SESSIONS_DUPLICATES_H

#include <stdbool.h>

#include "common/core/packet.h"

struct qs_client_session;

/* Packets are remembered by their hash, in buckets that forget their oldest. */
enum { QS_BUCKETS = 2048, QS_BUCKET_SIZE = 4 };

struct qs_nat_duplicates;

struct qs_nat_duplicates *qs_nat_duplicates_new(void);
void qs_nat_duplicates_free(struct qs_nat_duplicates *duplicates);

/* A session begins while others go on. */
void qs_nat_duplicates_begin(struct qs_nat_duplicates *duplicates);

/* A datagram of a session. The later of two sessions gets `same_as`, and no demo, when enough of
 * it was seen. */
void qs_nat_duplicates_packet(struct qs_nat_duplicates *duplicates,
                              struct qs_client_session *session, const struct qs_packet *packet);

/* The session is over: decides by what was seen of it. */
void qs_nat_duplicates_end(struct qs_nat_duplicates *duplicates, struct qs_client_session *session);

#endif
