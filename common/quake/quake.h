/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quake (NetQuake), protocols 15, 250 (Nehahra), 666 (FitzQuake), 999 (RMQ), 10000 to 10002 (BJP)
 * and those of DarkPlaces (96, 97, 3500 to 3505), with or without FTE's extensions: the protocol
 * record and the demo format. PROTOCOL.md has what engines do.
 */
#ifndef NQ_QUAKE_H
#define NQ_QUAKE_H

#include "common/core/protocol.h"
#include "common/quake/session.h"

extern const struct qs_protocol nq_protocol;

#endif
