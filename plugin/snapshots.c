/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A change consists of the number of equal words before it, and the number to add to a word: a
 * zigzag number with seven bits in each byte, the last byte below 0x80. */
#include "plugin/snapshots.h"

#include <string.h>

enum {
    CHANGE_MAX = 6, /* maximum size in bytes */
    LEAP = 8        /* number of words compared at once: most have not changed */
};

static uint32_t word_at(const struct qs_session *session, unsigned i)
{
    uint32_t word;

    memcpy(&word, (const uint8_t *)session + i * sizeof word, sizeof word);
    return word;
}

static bool are_equal(const struct qs_session *one, const struct qs_session *other, unsigned i)
{
    uint64_t a[LEAP / 2], b[LEAP / 2], differ = 0;

    memcpy(a, (const uint8_t *)one + i * sizeof(uint32_t), sizeof a);
    memcpy(b, (const uint8_t *)other + i * sizeof(uint32_t), sizeof b);
    for (unsigned k = 0; k < LEAP / 2; k++)
        differ |= a[k] ^ b[k];
    return !differ;
}

int snapshot_compare(const struct qs_protocol *protocol, const struct qs_session *before,
                     const struct qs_session *session, uint8_t changes[SNAPSHOT_CHANGES_MAX])
{
    const unsigned words = (unsigned)(protocol->session_size / sizeof(uint32_t));
    unsigned size = 0, same = 0;

    for (unsigned i = 0; i < words; i++, same++) {
        uint32_t added, zigzag;

        for (; i + LEAP < words && same + LEAP < UINT8_MAX && are_equal(session, before, i);
             i += LEAP)
            same += LEAP;
        added = word_at(session, i) - word_at(before, i);
        zigzag = added << 1 ^ (added >> 31 ? UINT32_MAX : 0);

        if (!added && same < UINT8_MAX)
            continue;
        if (size + CHANGE_MAX > SNAPSHOT_CHANGES_MAX)
            return -1;
        changes[size++] = (uint8_t)same;
        for (; zigzag >= 0x80; zigzag >>= 7)
            changes[size++] = (uint8_t)(zigzag | 0x80);
        changes[size++] = (uint8_t)zigzag;
        same = UINT_MAX; /* 0 at the next word */
    }
    return (int)size;
}

void snapshot_apply(const uint8_t *changes, unsigned size, struct qs_session *session)
{
    const uint8_t *end = changes + size;
    uint8_t *at = (uint8_t *)session;

    while (changes < end) {
        uint32_t zigzag = 0, word;

        at += sizeof word * *changes++;
        for (unsigned shift = 0; changes[-1] & 0x80 || !shift; shift += 7)
            zigzag |= (uint32_t)(*changes++ & 0x7f) << shift;
        memcpy(&word, at, sizeof word);
        word += zigzag >> 1 ^ (zigzag & 1 ? UINT32_MAX : 0);
        memcpy(at, &word, sizeof word);
        at += sizeof word;
    }
}
