/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot is a run of words of 32 bits: the number of its whole session, from 1; a mask, whose
 * bit n is set where word n differs; then those words. Runs lie in blocks, and are named by where
 * they begin, from 1.
 */
#include "plugin/snapshots.h"

#include <glib.h>
#include <string.h>

enum {
    WORD = sizeof(uint32_t),
    MASK_BITS = 32,
    BLOCK_WORDS = 4096,
    SESSION_WORDS_MAX = 1024,
    LEAP = 4 * WORD, /* bytes that are compared at once: most have not changed */
    CHANGED_MAX = 32 /* words: where more differ, another whole session costs less in the end */
};

struct qs_snapshots {
    const struct qs_protocol *protocol;
    uint32_t words, mask_words; /* of a session */
    GPtrArray *wholes;          /* struct qs_session */
    GPtrArray *blocks;          /* uint32_t[BLOCK_WORDS] */
    uint32_t used;              /* words of the last block */
    struct qs_session *present; /* room for a session */
};

struct qs_snapshots *qs_snapshots_new(const struct qs_protocol *protocol)
{
    struct qs_snapshots *snapshots = g_new0(struct qs_snapshots, 1);

    snapshots->protocol = protocol;
    snapshots->words = (uint32_t)(protocol->session_size / WORD);
    g_assert(snapshots->words * WORD == protocol->session_size &&
             snapshots->words <= SESSION_WORDS_MAX);
    snapshots->mask_words = (snapshots->words + MASK_BITS - 1) / MASK_BITS;
    snapshots->wholes = g_ptr_array_new();
    snapshots->blocks = g_ptr_array_new_with_free_func(g_free);
    snapshots->used = BLOCK_WORDS;
    snapshots->present = g_malloc(protocol->session_size);
    return snapshots;
}

void qs_snapshots_free(struct qs_snapshots *snapshots)
{
    for (guint i = 0; i < snapshots->wholes->len; i++) {
        struct qs_session *whole = g_ptr_array_index(snapshots->wholes, i);

        snapshots->protocol->session_clear(whole);
        g_free(whole);
    }
    g_ptr_array_free(snapshots->wholes, TRUE);
    g_ptr_array_free(snapshots->blocks, TRUE);
    g_free(snapshots->present);
    g_free(snapshots);
}

uint64_t qs_snapshots_size(const struct qs_snapshots *snapshots)
{
    return (uint64_t)snapshots->wholes->len * snapshots->protocol->session_size +
           (uint64_t)snapshots->blocks->len * BLOCK_WORDS * WORD;
}

/* --- Runs of words --- */

static uint32_t *run_at(const struct qs_snapshots *snapshots, uint32_t number)
{
    const uint32_t at = number - 1;
    uint32_t *block = g_ptr_array_index(snapshots->blocks, at / BLOCK_WORDS);

    return block + at % BLOCK_WORDS;
}

/* Stores the run; returns its number. */
static uint32_t add_run(struct qs_snapshots *snapshots, const uint32_t *run, uint32_t size)
{
    uint32_t number;

    if (BLOCK_WORDS - snapshots->used < size) {
        g_ptr_array_add(snapshots->blocks, g_new(uint32_t, BLOCK_WORDS));
        snapshots->used = 0;
    }
    number = (snapshots->blocks->len - 1) * BLOCK_WORDS + snapshots->used + 1;
    memcpy(run_at(snapshots, number), run, (size_t)size * WORD);
    snapshots->used += size;
    return number;
}

/* The same for a run that may be the conversation's last one again. */
static uint32_t share_run(struct qs_snapshots *snapshots, struct qs_snapshot_base *base,
                          const uint32_t *run, uint32_t size)
{
    const uint32_t begin = base->last ? (base->last - 1) % BLOCK_WORDS : BLOCK_WORDS;

    if (begin + size > BLOCK_WORDS ||
        memcmp(run_at(snapshots, base->last), run, (size_t)size * WORD) != 0)
        base->last = add_run(snapshots, run, size);
    return base->last;
}

/* --- What differs --- */

/* Writes the run of what differs from the whole session; returns its size, 0: too much does. */
static uint32_t compare(const struct qs_snapshots *snapshots, uint32_t whole_number, uint32_t *run)
{
    const uint8_t *whole = g_ptr_array_index(snapshots->wholes, whole_number - 1);
    const uint8_t *present = (const uint8_t *)snapshots->present;
    const size_t end = (size_t)snapshots->words * WORD;
    const uint32_t first = 1 + snapshots->mask_words;
    uint32_t size = first;

    memset(run, 0, (size_t)first * WORD);
    run[0] = whole_number;
    for (size_t at = 0; at < end; at += WORD) {
        while (at + LEAP <= end && !memcmp(present + at, whole + at, LEAP))
            at += LEAP;
        if (at == end || !memcmp(present + at, whole + at, WORD))
            continue;
        if (size - first == CHANGED_MAX)
            return 0;
        run[1 + at / WORD / MASK_BITS] |= UINT32_C(1) << at / WORD % MASK_BITS;
        memcpy(&run[size++], present + at, WORD);
    }
    return size;
}

static bool shares_with_whole(const struct qs_snapshots *snapshots, uint32_t whole)
{
    return whole && snapshots->protocol->session_shares(
                        g_ptr_array_index(snapshots->wholes, whole - 1), snapshots->present);
}

uint32_t qs_snapshots_take(struct qs_snapshots *snapshots, struct qs_snapshot_base *base,
                           const struct qs_session *session)
{
    const struct qs_protocol *protocol = snapshots->protocol;
    uint32_t run[1 + SESSION_WORDS_MAX / MASK_BITS + CHANGED_MAX];
    uint32_t size = 0;

    protocol->session_copy(snapshots->present, session);
    if (protocol->session_forget_packet)
        protocol->session_forget_packet(snapshots->present);
    if (shares_with_whole(snapshots, base->whole))
        size = compare(snapshots, base->whole, run);
    if (size) {
        protocol->session_clear(snapshots->present);
    } else {
        /* The present session becomes a whole one. */
        g_ptr_array_add(snapshots->wholes,
                        g_memdup2(snapshots->present, snapshots->protocol->session_size));
        base->whole = snapshots->wholes->len;
        size = compare(snapshots, base->whole, run);
    }
    return share_run(snapshots, base, run, size);
}

/* --- Back again --- */

void qs_snapshots_restore(const struct qs_snapshots *snapshots, uint32_t number,
                          struct qs_session *to)
{
    const uint32_t *run, *changed;
    uint8_t *bytes = (uint8_t *)to;

    if (!number) {
        snapshots->protocol->session_init(to);
        return;
    }
    run = run_at(snapshots, number);
    changed = run + 1 + snapshots->mask_words;
    snapshots->protocol->session_copy(to, g_ptr_array_index(snapshots->wholes, run[0] - 1));
    for (uint32_t i = 0; i < snapshots->mask_words; i++)
        for (uint32_t mask = run[1 + i]; mask; mask &= mask - 1)
            memcpy(bytes + WORD * (i * MASK_BITS + (size_t)__builtin_ctz(mask)), changed++, WORD);
}
