/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversations in which one end has sent and the other has not answered. Source addresses can be
 * forged, so the table keeps at most QS_UNANSWERED_MAX conversations of at most QS_UNANSWERED_BYTES
 * each and forgets the one idle longest. It keeps the last datagrams of a conversation until the
 * other end answers.
 */
#ifndef QS_SESSIONS_UNANSWERED_H
#define QS_SESSIONS_UNANSWERED_H

#include <stdbool.h>

#include "common/core/packet.h"

enum { QS_UNANSWERED_MAX = 16384, QS_UNANSWERED_BYTES = 2048 };

struct qs_unanswered;

struct qs_unanswered *qs_unanswered_new(void);
void qs_unanswered_free(struct qs_unanswered *unanswered);

/*
 * True if both ends have sent. If this is the first answer, calls `each` for the datagrams before
 * it, in order. Otherwise keeps a copy of the datagram, and returns false.
 */
bool qs_unanswered_pass(struct qs_unanswered *unanswered, const struct qs_packet *packet,
                        void (*each)(void *user, struct qs_packet *packet), void *user);

#endif
