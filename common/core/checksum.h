/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common part of the checksums of client moves: a CRC-16 (polynomial 0x1021, start value
 * 0xffff, no final inversion) over the first bytes of the move and four bytes of salt. The
 * protocol's table has the salt at an offset given by the packet's sequence number.
 */
#ifndef QS_CORE_CHECKSUM_H
#define QS_CORE_CHECKSUM_H

#include <stdint.h>

/* CRC-16 over `size` bytes, continued from `crc`; the start value is 0xffff. */
uint16_t qs_crc16(uint16_t crc, const uint8_t *data, uint32_t size);

enum {
    QS_CHECKED_MAX = 60, /* bytes of a move that count */
    QS_SALT_TABLE_SIZE = 1024,
    QS_SALT_SIZE = 4
};

/* The salt of the packet numbered `sequence`. */
const uint8_t *qs_salt_at(const uint8_t table[QS_SALT_TABLE_SIZE], uint32_t sequence);

/* The CRC of a move's first QS_CHECKED_MAX bytes and the salt. */
uint16_t qs_salted_crc16(const uint8_t *data, uint32_t size, const uint8_t salt[QS_SALT_SIZE]);

#endif
