/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delta usercmds, in moves and in svc_playerinfo; and whole moves, written. */
#ifndef QW_USERCMD_H
#define QW_USERCMD_H

#include <glib.h>
#include <stdint.h>

#include "common/core/parse.h"
#include "common/quakeworld/session.h"

/* Reads a command as a delta from `cmd`, which becomes the absolute command. */
void qw_read_usercmd(struct qs_decoder *d, struct qw_usercmd *cmd);
/* The angles in degrees, the moves, buttons and impulse, as demos have them. */
void qw_read_whole_usercmd(struct qs_decoder *d);

/*
 * Appends a clc_move with these three commands, the newest last, as the packet numbered `sequence`
 * carries it. In protocols up to 26 moves count in steps of 8 units, and are rounded to them.
 */
void qw_append_move(GByteArray *to, int32_t version, const struct qw_usercmd cmds[3],
                    uint32_t sequence);

/*
 * The checksum byte of a clc_move in the packet numbered `sequence`, over the move's bytes after
 * the checksum byte.
 */
uint8_t qw_move_checksum(const uint8_t *data, uint32_t size, uint32_t sequence);

#endif
