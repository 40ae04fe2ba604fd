/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/hash.h"

#ifdef __APPLE__
#include <sys/random.h>
#endif

#define PRIME ((UINT64_C(1) << 61) - 1)

__extension__ typedef unsigned __int128 wide;

struct qs_hash_key qs_hash_key;

static void set_key(const uint64_t numbers[5])
{
    qs_hash_key.point = numbers[0] % PRIME;
    qs_hash_key.multiplier = numbers[1] | 1;
    memcpy(qs_hash_key.words, numbers + 2, sizeof qs_hash_key.words);
}

__attribute__((constructor(101))) static void set_random_key(void)
{
    uint64_t numbers[5];

    if (getentropy(numbers, sizeof numbers) != 0) /* GLib reads /dev/urandom, else the time */
        for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
            numbers[i] = (uint64_t)g_random_int() << 32 | g_random_int();
    set_key(numbers);
}

/* Source: splitmix64, by Sebastiano Vigna. */
void qs_hash_set_key(uint64_t number)
{
    uint64_t numbers[5];

    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        number += UINT64_C(0x9e3779b97f4a7c15);
        numbers[i] = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        numbers[i] = (numbers[i] ^ numbers[i] >> 27) * UINT64_C(0x94d049bb133111eb);
        numbers[i] ^= numbers[i] >> 31;
    }
    set_key(numbers);
}

/* Returns (hash + word) * point modulo PRIME, or that plus PRIME. */
static inline uint64_t add_word(uint64_t hash, uint64_t word)
{
    const wide product = (wide)(hash + word) * qs_hash_key.point;
    const uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

    return (sum & PRIME) + (sum >> 61);
}

/* Hashes the size, then words of 7 bytes, which are below PRIME. */
uint64_t qs_view_hash(struct qs_view bytes)
{
    enum { WORD = 7 };
    uint64_t hash = add_word(0, bytes.size), word;
    uint32_t at = 0;

    for (; bytes.size - at >= sizeof word; at += WORD) {
        memcpy(&word, bytes.data + at, sizeof word);
        hash = add_word(hash, GUINT64_FROM_LE(word) & (UINT64_MAX >> 8));
    }
    if (!bytes.size)
        return qs_hash_finish(hash % PRIME);
    if (bytes.size >= sizeof word) { /* 8 bytes up to the end, without those hashed before */
        memcpy(&word, bytes.data + bytes.size - sizeof word, sizeof word);
        word = GUINT64_FROM_LE(word) >> 8 * (sizeof word - (bytes.size - at));
    } else {
        word = 0;
        for (uint32_t i = 0; i < bytes.size; i++)
            word |= (uint64_t)bytes.data[i] << 8 * i;
    }
    hash = add_word(hash, word);
    return qs_hash_finish(hash % PRIME);
}

guint qs_str_hash(gconstpointer text)
{
    return (guint)qs_view_hash((struct qs_view){text, (uint32_t)strlen(text)});
}

guint qs_bytes_hash(gconstpointer data)
{
    gsize size;
    const void *bytes = g_bytes_get_data((GBytes *)data, &size);

    return (guint)qs_view_hash((struct qs_view){bytes, (uint32_t)size});
}

guint qs_int64_hash(gconstpointer number)
{
    return qs_hash_number(*(const uint64_t *)number);
}

guint qs_direct_hash(gconstpointer number)
{
    return qs_hash_number(GPOINTER_TO_SIZE(number));
}

/* --- Checksums of client moves ---------------------------------------------------------------- */

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
