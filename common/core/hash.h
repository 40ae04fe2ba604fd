/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keyed hashes of data from the input, for tables of GLib. Senders can choose packets that all have
 * the same ordinary hash, so that each lookup takes as long as there are entries. So these hashes
 * have a random key for each process.
 *
 * They are universal hashes (Carter and Wegman): for any two different keys that a sender chooses,
 * the probability of a collision is bounded by the random key alone, about 2^-31. The program never
 * prints a hash, so senders cannot learn the key. A hash costs a multiplication for each 8 bytes; a
 * cipher such as SipHash would also withstand attackers who see the hashes.
 *
 * For strings: a polynomial over the prime 2^61 - 1 at a random point. For data of fixed size: sums
 * of products of words, each with a random word (NH of UMAC, RFC 4418). Both end with a
 * multiplication by a random odd number, whose upper half is mixed into the lower.
 */
#ifndef QS_CORE_HASH_H
#define QS_CORE_HASH_H

#include <glib.h>
#include <stdint.h>

#include "common/core/reader.h"

enum { QS_HASH_WORDS = 6 };

/* Key of the process, set before main() and read-only afterwards. */
extern struct qs_hash_key {
    uint64_t point;      /* below 2^61 - 1 */
    uint64_t multiplier; /* odd */
    uint32_t words[QS_HASH_WORDS];
} qs_hash_key;

/* Derives the key from a number, for tests and fuzzers that must be reproducible. */
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

/* Hash functions for g_hash_table_new(), to pair in this order with g_str_equal(), g_bytes_equal(),
 * g_int64_equal(), and g_direct_equal() or NULL. */
guint qs_str_hash(gconstpointer text);
guint qs_bytes_hash(gconstpointer bytes);
guint qs_int64_hash(gconstpointer number);
guint qs_direct_hash(gconstpointer number);

/* --- Checksums of client moves ---------------------------------------------------------------- */

/*
 * The common part of the checksums of client moves: a CRC-16 (polynomial 0x1021, start value
 * 0xffff, no final inversion) over the first bytes of the move and four bytes of salt. The packet's
 * sequence number selects the offset of the salt in the protocol's table.
 */

/* Returns the CRC-16 of `size` bytes, continued from `crc`; the start value is 0xffff. */
uint16_t qs_crc16(uint16_t crc, const uint8_t *data, uint32_t size);

enum {
    QS_CHECKED_MAX = 60, /* number of bytes of a move that are checked */
    QS_SALT_TABLE_SIZE = 1024,
    QS_SALT_SIZE = 4
};

/* Returns the salt of the packet with this sequence number. */
const uint8_t *qs_salt_at(const uint8_t table[QS_SALT_TABLE_SIZE], uint32_t sequence);

/* Returns the CRC of a move's first QS_CHECKED_MAX bytes and the salt. */
uint16_t qs_salted_crc16(const uint8_t *data, uint32_t size, const uint8_t salt[QS_SALT_SIZE]);

#endif
