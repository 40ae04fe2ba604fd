/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds sessions that the capture has twice, under two addresses: it was made on both sides of a
 * translation of addresses. Their datagrams are alike byte for byte.
 *
 * Only looks while a session is young and another is open, so that it costs nothing as a rule.
 */
#ifndef QS_SESSIONS_TWINS_H
#define QS_SESSIONS_TWINS_H

#include "common/core/packet.h"

struct qs_twins;
struct qs_client_session;

struct qs_twins *qs_twins_new(void);
void qs_twins_free(struct qs_twins *twins);

/* A session begins while others go on. */
void qs_twins_begin(struct qs_twins *twins);

/* A session has ended. */
void qs_twins_end(struct qs_twins *twins, const struct qs_client_session *session);

/* The session ends: what is known must do. Sets session->same_as of the later of two. */
void qs_twins_decide(struct qs_client_session *session);

/* A datagram of a session. The same, when enough is known. */
void qs_twins_packet(struct qs_twins *twins, struct qs_client_session *session,
                     const struct qs_packet *packet);

#endif
