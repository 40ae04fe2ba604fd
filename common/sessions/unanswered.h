/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams between ends of which only one has sent so far. Anybody can send under as many
 * addresses as there are: an unanswered conversation costs UNANSWERED_BYTES at most, and there are
 * UNANSWERED_MAX of them; the one idle longest is forgotten. The last of its datagrams are kept
 * until the other end answers.
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
 * Whether both ends have sent. If this is the first answer, calls `each` of the datagrams before
 * it, in order. False: keeps a copy of the datagram.
 */
bool qs_unanswered_pass(struct qs_unanswered *unanswered, const struct qs_packet *packet,
                        void (*each)(void *user, struct qs_packet *packet), void *user);

#endif
