/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/checksum.h"

#include <glib.h>

/*
 * What a byte contributes that has 0 to 3 bytes behind it: with four such tables four bytes are
 * looked up at once, and not each only after the one before it.
 */
static uint16_t crc_tables[4][256];

static void make_crc_tables(void)
{
    for (unsigned i = 0; i < 256; i++) {
        uint16_t rest = (uint16_t)(i << 8);

        for (unsigned bit = 0; bit < 8; bit++)
            rest = (uint16_t)(rest & 0x8000 ? rest << 1 ^ 0x1021 : rest << 1);
        crc_tables[0][i] = rest;
    }
    for (unsigned zeros = 1; zeros < 4; zeros++)
        for (unsigned i = 0; i < 256; i++) {
            const uint16_t rest = crc_tables[zeros - 1][i];

            crc_tables[zeros][i] = (uint16_t)(rest << 8 ^ crc_tables[0][rest >> 8]);
        }
}

uint16_t qs_crc16(uint16_t crc, const uint8_t *data, uint32_t size)
{
    if (!crc_tables[0][1])
        make_crc_tables();
    for (; size >= 4; size -= 4, data += 4)
        crc = crc_tables[3][crc >> 8 ^ data[0]] ^ crc_tables[2][(crc & 0xff) ^ data[1]] ^
              crc_tables[1][data[2]] ^ crc_tables[0][data[3]];
    while (size--)
        crc = (uint16_t)(crc << 8 ^ crc_tables[0][crc >> 8 ^ *data++]);
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
