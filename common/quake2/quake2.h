/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quake II, protocols 26 to 36, as others see it: the protocol record, and sessions. */
#ifndef Q2_QUAKE2_H
#define Q2_QUAKE2_H

#include "common/core/protocol.h"
#include "common/quake2/session.h"

extern const struct qs_protocol q2_protocol;

#endif
