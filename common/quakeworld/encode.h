/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QuakeWorld messages in the other direction: from values to bytes. */
#ifndef QW_ENCODE_H
#define QW_ENCODE_H

#include <glib.h>

#include "common/quakeworld/quakeworld.h"

/*
 * Appends a clc_move with these three commands, the newest last, as the packet numbered `sequence`
 * carries it. In protocols up to 26 moves count in steps of 8 units, and are rounded to them.
 */
void qw_append_move(GByteArray *to, int32_t version, const struct qw_usercmd cmds[3],
                    uint32_t sequence);

#endif
