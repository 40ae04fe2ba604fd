/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/checksum.h"

#include <glib.h>

static uint16_t crc_of_bytes[256];

static void make_crcs(void)
{
    for (unsigned i = 0; i < 256; i++) {
        uint16_t rest = (uint16_t)(i << 8);

        for (unsigned bit = 0; bit < 8; bit++)
            rest = (uint16_t)(rest & 0x8000 ? rest << 1 ^ 0x1021 : rest << 1);
        crc_of_bytes[i] = rest;
    }
}

uint16_t qs_crc16(uint16_t crc, const uint8_t *data, uint32_t size)
{
    if (!crc_of_bytes[1])
        make_crcs();
    while (size--)
        crc = (uint16_t)(crc << 8 ^ crc_of_bytes[crc >> 8 ^ *data++]);
    return crc;
}

const uint8_t *qs_salt_at(const uint8_t table[QS_SALT_TABLE_SIZE], uint32_t sequence)
{
    return &table[sequence % (QS_SALT_TABLE_SIZE - QS_SALT_SIZE)];
}

uint16_t qs_salted_crc16(const uint8_t *data, uint32_t size, const uint8_t salt[QS_SALT_SIZE])
{
    return qs_crc16(qs_crc16(0xffff, data, MIN(size, QS_CHECKED_MAX)), salt, QS_SALT_SIZE);
}
