/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The player state. */
#ifndef Q2_PLAYER_H
#define Q2_PLAYER_H

#include "common/core/decoder.h"
#include "common/quake2/state.h"

/* The fields that its mask and `extra` (EPS_*) name, into `player`; the others stay. */
void q2_read_player(struct qs_decoder *d, unsigned extra, struct q2_player *player);

#endif
