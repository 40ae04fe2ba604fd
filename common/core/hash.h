/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashes of what comes from the input, for tables of GLib. Who sends packets can choose them so
 * that an ordinary hash is the same for all, and each lookup takes as long as there are entries. So
 * these have a random key of the process.
 *
 * They are universal hashes (Carter and Wegman): for any two different keys that a sender chooses,
 * the probability of a collision is bounded by the random key alone, about 2^-31. Nothing that the
 * program prints shows a hash, so nobody can learn the key. They cost a multiplication for 8 bytes;
 * a cipher such as SipHash would also withstand those who see the hashes.
 *
 * Strings: a polynomial over the prime 2^61 - 1 at a random point. Sources of fixed size: sums of
 * products of words, each with a random word (NH of UMAC, RFC 4418). Both end with a multiplication
 * by a random odd number, of which the upper half counts.
 */
#ifndef QS_CORE_HASH_H
#define QS_CORE_HASH_H

#include <glib.h>
#include <stdint.h>

#include "common/core/reader.h"

enum { QS_HASH_WORDS = 6 };

/* Set before main(); for reading only. */
extern struct qs_hash_key {
    uint64_t point;      /* below 2^61 - 1 */
    uint64_t multiplier; /* odd */
    uint32_t words[QS_HASH_WORDS];
} qs_hash_key;

/* Sets the key by a number, for tests and fuzzers that must do the same again. */
void qs_hash_set_key(uint64_t number);

static inline uint64_t qs_hash_finish(uint64_t hash)
{
    hash *= qs_hash_key.multiplier;
    return hash ^ hash >> 32;
}

static inline uint64_t qs_hash_words(const uint32_t words[QS_HASH_WORDS])
{
    uint64_t sum = 0;

    for (int i = 0; i < QS_HASH_WORDS; i += 2)
        sum +=
            (uint64_t)(words[i] + qs_hash_key.words[i]) * (words[i + 1] + qs_hash_key.words[i + 1]);
    return qs_hash_finish(sum);
}

static inline guint qs_hash_number(uint64_t number)
{
    return (guint)qs_hash_words(
        (const uint32_t[QS_HASH_WORDS]){(uint32_t)number, (uint32_t)(number >> 32)});
}

uint64_t qs_view_hash(struct qs_view bytes);

/* For g_hash_table_new(), with g_str_equal(), g_bytes_equal(), g_int64_equal() and g_direct_equal()
 * or NULL. */
guint qs_str_hash(gconstpointer text);
guint qs_bytes_hash(gconstpointer bytes);
guint qs_int64_hash(gconstpointer number);
guint qs_direct_hash(gconstpointer number);

/* --- Checksums of client moves ---------------------------------------------------------------- */

/*
 * The common part of the checksums of client moves: a CRC-16 (polynomial 0x1021, start value
 * 0xffff, no final inversion) over the first bytes of the move and four bytes of salt. The
 * protocol's table has the salt at an offset given by the packet's sequence number.
 */

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
