/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checksums that client moves carry. Source: facts README ("move checksum"); the CRC-16 of
 * qw28-protocol, "Checksums" (prime 4129 = 0x1021, start value 0xffff, no final inversion).
 */
#ifndef QS_CORE_CHECKSUM_H
#define QS_CORE_CHECKSUM_H

#include <stdint.h>

/* CRC-16 over `size` bytes, going on from `crc`; 0xffff begins. */
uint16_t qs_crc16(uint16_t crc, const uint8_t *data, uint32_t size);

/*
 * The checksum byte of a QuakeWorld clc_move in the packet numbered `sequence`, over the move's
 * bytes behind the checksum byte. Only the first 60 bytes count.
 */
uint8_t qs_checksum_quakeworld(const uint8_t *data, uint32_t size, uint32_t sequence);

/* The same for Quake II. */
uint8_t qs_checksum_quake2(const uint8_t *data, uint32_t size, uint32_t sequence);

#endif
