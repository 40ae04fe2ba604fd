/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses as keys: of equal ones the bytes, the family and the port are the same. */
#ifndef QS_CORE_ADDRESS_H
#define QS_CORE_ADDRESS_H

#include <glib.h>
#include <string.h>

#include "common/core/packet.h"

static inline bool qs_address_equal(const struct qs_address *a, const struct qs_address *b)
{
    return a->port == b->port && a->family == b->family &&
           memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static inline uint32_t qs_address_hash(const struct qs_address *address)
{
    uint64_t halves[2];

    memcpy(halves, address->bytes, sizeof halves);
    halves[0] = (halves[0] + address->port) * UINT64_C(0x9e3779b97f4a7c15);
    halves[1] = (halves[1] + address->family) * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (uint32_t)((halves[0] ^ halves[1]) >> 32);
}

/* The two ends of a conversation, in any order; as a key for g_hash_table_new(). */
struct qs_endpoints {
    struct qs_address ends[2];
};

static inline guint qs_endpoints_hash(gconstpointer key)
{
    const struct qs_endpoints *endpoints = key;

    return qs_address_hash(&endpoints->ends[0]) + qs_address_hash(&endpoints->ends[1]);
}

static inline gboolean qs_endpoints_equal(gconstpointer key, gconstpointer other)
{
    const struct qs_endpoints *a = key, *b = other;
    const bool turned = !qs_address_equal(&a->ends[0], &b->ends[0]);

    return qs_address_equal(&a->ends[0], &b->ends[turned]) &&
           qs_address_equal(&a->ends[1], &b->ends[!turned]);
}

#endif
