/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Players as deltas: see encode.h. */
#ifndef Q2_ENCODE_PLAYER_H
#define Q2_ENCODE_PLAYER_H

#include "common/quake2/encode_put.h"

/* svc_playerinfo: the delta that makes `to` of `from`. */
void q2_put_player(struct q2_writer *out, const struct q2_variant *variant,
                   const struct q2_player *from, const struct q2_player *to);

#endif
