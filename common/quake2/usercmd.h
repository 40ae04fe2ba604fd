/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User commands. */
#ifndef Q2_USERCMD_H
#define Q2_USERCMD_H

#include <stdint.h>

#include "common/core/parse.h"

/* A player's command, absolute. */
struct q2_usercmd {
    uint8_t msec, buttons, impulse, lightlevel;
    int16_t angles[3]; /* pitch, yaw, roll in 1/65536 turn */
    int16_t forward, side, up;
};

/* A command that gives what changed from `command`, which becomes it. `minor`: R1Q2's, or 0. */
void q2_read_usercmd(struct qs_decoder *d, struct q2_usercmd *command, uint32_t minor);
/* The batches of clc_move_nodelta and clc_move_batched: `packets` runs of commands, bit by bit. */
void q2_read_batches(struct qs_decoder *d, struct q2_usercmd *command, unsigned packets);

/*
 * The checksum byte of a clc_move in the packet numbered `sequence`, over the move's bytes behind
 * the checksum byte.
 */
uint8_t q2_move_checksum(const uint8_t *data, uint32_t size, uint32_t sequence);

#endif
