/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a datagram stands in its conversation; for the protocol record. */
#ifndef NQ_SEQINFO_H
#define NQ_SEQINFO_H

#include "common/core/packet.h"
#include "common/netchan/seqinfo.h"
#include "common/core/session.h"

bool nq_seqinfo(const struct qs_session *session, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo);

#endif
