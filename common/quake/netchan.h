/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The datagrams of a connection. */
#ifndef NQ_NETCHAN_H
#define NQ_NETCHAN_H

#include "common/core/decoder.h"

/* A packet that carries data or acknowledges it. */
void nq_read_datagram(struct qs_decoder *d);
/* Whether these bytes can only be an unreliable message of a game. */
bool nq_is_game(struct qs_view packet);

#endif
