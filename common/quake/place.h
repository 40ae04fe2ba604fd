/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The place of a datagram in its conversation; for the protocol record. */
#ifndef NQ_PLACE_H
#define NQ_PLACE_H

#include "common/core/packet.h"
#include "common/netchan/seqinfo.h"
#include "common/core/session.h"

bool nq_place(const struct qs_session *session, const struct qs_packet *packet,
              struct qs_place *place);

#endif
