/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checksum of clc_move. */
#ifndef Q2_CHECKSUM_H
#define Q2_CHECKSUM_H

#include <stdint.h>

/*
 * The checksum byte of a clc_move in the packet numbered `sequence`, over the move's bytes behind
 * the checksum byte.
 */
uint8_t q2_move_checksum(const uint8_t *data, uint32_t size, uint32_t sequence);

#endif
