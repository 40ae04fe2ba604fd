/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds sessions that the capture has twice, under two addresses: it was made on both sides of a
 * translation of addresses. Their datagrams are alike byte for byte.
 *
 * Only looks while a session is young and another is open, so that it costs nothing as a rule.
 */
#ifndef PCAP2DEMO_TWINS_H
#define PCAP2DEMO_TWINS_H

#include "common/core/packet.h"

struct twins;
struct session;

struct twins *twins_new(void);
void twins_free(struct twins *twins);

/* A session begins while others go on. */
void twins_begin(struct twins *twins);

/* A session has ended. */
void twins_end(struct twins *twins, const struct session *session);

/* The session ends: what is known must do. Sets session->same_as of the later of two. */
void twins_decide(struct session *session);

/* A datagram of a session. The same, when enough is known. */
void twins_packet(struct twins *twins, struct session *session, const struct qs_packet *packet);

#endif
