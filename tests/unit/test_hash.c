/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys whose hash was the same without a random key spread like others. */
#include "tests/unit/unit.h"

#include <string.h>

#include "common/core/hash.h"
#include "common/core/packet.h"

enum { KEYS = 4096, BUCKETS = 8192, MOST = 3 /* times the probes of random keys */ };

/* --- Hashes without a key, as the program had them --- */

static uint64_t plain_hash(uint64_t word)
{
    const uint64_t hash = (sizeof word ^ word) * UINT64_C(0x9e3779b97f4a7c15);

    return hash ^ hash >> 29;
}

/* The text of 8 bytes with this hash. */
static uint64_t text_with(uint64_t hash)
{
    uint64_t inverse = UINT64_C(0x9e3779b97f4a7c15);

    for (int i = 0; i < 6; i++) /* Newton's method, modulo 2^64 */
        inverse *= 2 - UINT64_C(0x9e3779b97f4a7c15) * inverse;
    hash ^= hash >> 29 ^ hash >> 58;
    return (hash * inverse) ^ sizeof hash;
}

/* --- Probes --- */

/* What KEYS look-ups in a table cost in which each bucket is a list. */
static uint64_t probes_of(const uint32_t hashes[KEYS])
{
    static uint32_t sizes[BUCKETS];
    uint64_t probes = 0;

    memset(sizes, 0, sizeof sizes);
    for (unsigned i = 0; i < KEYS; i++)
        probes += ++sizes[hashes[i] % BUCKETS];
    return probes;
}

static uint32_t text_hash(uint64_t text)
{
    return (uint32_t)qs_view_hash((struct qs_view){(const uint8_t *)&text, sizeof text});
}

static uint64_t random_number(void)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return state ^ state >> 33;
}

TEST(test_texts)
{
    static uint32_t plain[KEYS], keyed[KEYS], random[KEYS];

    for (uint64_t i = 0; i < KEYS; i++) {
        const uint64_t text = text_with(i << 32 | 0x12345678);

        plain[i] = (uint32_t)plain_hash(text);
        keyed[i] = text_hash(text);
        random[i] = text_hash(random_number());
    }
    assert_true(probes_of(plain) == (uint64_t)KEYS * (KEYS + 1) / 2);
    assert_true(probes_of(keyed) <= MOST * probes_of(random));
}

/* Addresses whose parts differ by as much, in one part or in two. */
TEST(test_addresses)
{
    static uint32_t chosen[KEYS], random[KEYS], ends[KEYS];

    qs_hash_set_key(1); /* two keys of a hundred spread one of the steps less well */
    for (unsigned step = 1; step < 1u << 20; step *= 2) {
        for (uint32_t i = 0; i < KEYS; i++) {
            const uint32_t host = i * step;
            struct qs_endpoints both = {{{.family = 4, .port = 27500}, {.family = 6}}};

            memcpy(both.ends[0].bytes, &host, sizeof host);
            memcpy(both.ends[1].bytes + 8, &host, sizeof host);
            chosen[i] = qs_address_hash(&both.ends[i % 2]);
            ends[i] = qs_endpoints_hash(&both);
            random[i] = (uint32_t)random_number();
        }
        assert_true(probes_of(chosen) <= MOST * probes_of(random));
        assert_true(probes_of(ends) <= MOST * probes_of(random));
    }
}

TEST(test_numbers)
{
    static uint32_t chosen[KEYS], random[KEYS];

    for (uint64_t step = 1; step < UINT64_C(1) << 50; step *= 3) {
        for (uint64_t i = 0; i < KEYS; i++) {
            const uint64_t number = i * step;

            chosen[i] = qs_int64_hash(&number);
            random[i] = (uint32_t)random_number();
        }
        assert_true(probes_of(chosen) <= MOST * probes_of(random));
    }
}

TEST(test_same)
{
    const char text[] = "progs/player.mdl";

    for (uint32_t size = 0; size < sizeof text; size++) {
        char copy[sizeof text];

        memcpy(copy, text, size);
        assert_true(qs_view_hash((struct qs_view){(const uint8_t *)copy, size}) ==
                    qs_view_hash((struct qs_view){(const uint8_t *)text, size}));
    }
    /* NULs count. */
    assert_true(qs_view_hash((struct qs_view){(const uint8_t *)"\0", 1}) !=
                qs_view_hash((struct qs_view){(const uint8_t *)"\0", 2}));
}
