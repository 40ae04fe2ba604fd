/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/duplicates.h"

#include <glib.h>
#include <string.h>

#include "common/core/text.h"
#include "common/sessions/session.h"

/* --- Sessions under two addresses ------------------------------------------------------------ */

enum {
    PACKETS_MAX = 4096, /* of all sessions, after one has begun */
    SIZE_MIN = 12,      /* bytes; shorter ones are alike in many sessions */
    ALIKE_MIN = 16,     /* packets; fewer are no evidence */
    ALIKE_ENOUGH = 512,
    UNLIKE_SHARE = 100 /* one in so many may be in one of the two only */
};

/* Nanoseconds that the clocks of the two sides may differ. */
#define CLOCKS_DIFFER (INT64_C(30) * 1000000000)

/* An open session, and what it has in common with an earlier one. */
struct candidate {
    struct qs_client_session *session;
    unsigned alike, alike_to; /* packets that session `alike_to` has, too */
    int unlike;               /* packets since the first of them that it has not */
};

struct slot {
    uint64_t hash;
    int64_t time;                /* of the packet */
    unsigned number;             /* of the session; 0: empty */
    struct candidate *candidate; /* NULL: it is over */
    bool counted;                /* as unlike, so far */
};

struct qs_nat_duplicates {
    guint left;             /* packets that are still looked at */
    GHashTable *candidates; /* session -> struct candidate; owns them */
    struct slot slots[QS_BUCKETS * QS_BUCKET_SIZE];
};

struct qs_nat_duplicates *qs_nat_duplicates_new(void)
{
    struct qs_nat_duplicates *duplicates = g_new0(struct qs_nat_duplicates, 1);

    duplicates->candidates = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return duplicates;
}

void qs_nat_duplicates_free(struct qs_nat_duplicates *duplicates)
{
    g_hash_table_destroy(duplicates->candidates);
    g_free(duplicates);
}

void qs_nat_duplicates_begin(struct qs_nat_duplicates *duplicates)
{
    duplicates->left = PACKETS_MAX;
}

static struct candidate *candidate_of(struct qs_nat_duplicates *duplicates,
                                      struct qs_client_session *session)
{
    struct candidate *candidate = g_hash_table_lookup(duplicates->candidates, session);

    if (candidate)
        return candidate;
    candidate = g_new0(struct candidate, 1);
    candidate->session = session;
    g_hash_table_insert(duplicates->candidates, session, candidate);
    return candidate;
}

/* A relay that loses packets makes two sessions of one, with different packets. */
static void decide(const struct candidate *candidate)
{
    if (candidate->alike >= ALIKE_MIN &&
        candidate->unlike <= 1 + (int)candidate->alike / UNLIKE_SHARE) {
        candidate->session->same_as = candidate->alike_to;
        if (candidate->session->demo)
            candidate->session->demo->dropped = "another session is the same";
    }
}

void qs_nat_duplicates_end(struct qs_nat_duplicates *duplicates, struct qs_client_session *session)
{
    struct candidate *candidate = g_hash_table_lookup(duplicates->candidates, session);

    if (!candidate)
        return;
    decide(candidate);
    for (int i = 0; i < QS_BUCKETS * QS_BUCKET_SIZE; i++)
        if (duplicates->slots[i].candidate == candidate)
            duplicates->slots[i].candidate = NULL;
    g_hash_table_remove(duplicates->candidates, session);
}

static void count_alike(struct candidate *later, unsigned first)
{
    if (later->alike_to != first)
        later->alike = 0;
    if (!later->alike)
        later->unlike = 0;
    later->alike_to = first;
    if (++later->alike == ALIKE_ENOUGH)
        decide(later);
}

/* The session has the packet that is in the slot. Each packet of the later session counts once. */
static void count_pair(struct candidate *candidate, struct slot *slot)
{
    struct candidate *later = slot->candidate;

    if (slot->number < candidate->session->number) {
        count_alike(candidate, slot->number);
    } else if (later) {
        later->unlike -= slot->counted && later->unlike > 0;
        slot->counted = false;
        count_alike(later, candidate->session->number);
    }
}

static struct slot *find_other(struct slot *bucket, struct slot own)
{
    for (int i = 0; i < QS_BUCKET_SIZE; i++)
        if (bucket[i].number && bucket[i].number != own.number && bucket[i].hash == own.hash &&
            ABS(bucket[i].time - own.time) <= CLOCKS_DIFFER)
            return &bucket[i];
    return NULL;
}

static G_GNUC_NO_INLINE void look_up(struct qs_nat_duplicates *duplicates,
                                     struct qs_client_session *session,
                                     const struct qs_packet *packet)
{
    struct slot *bucket, *other, own;

    duplicates->left--;
    own = (struct slot){.hash = qs_view_hash((struct qs_view){packet->data, packet->size}),
                        .time = packet->time,
                        .number = session->number,
                        .candidate = candidate_of(duplicates, session)};
    bucket = &duplicates->slots[own.hash % QS_BUCKETS * QS_BUCKET_SIZE];
    other = find_other(bucket, own);
    if (other) {
        count_pair(own.candidate, other);
    } else if (own.candidate
                   ->alike) { /* what comes before the first that is alike is not counted */
        own.candidate->unlike++;
        own.counted = true;
    }
    memmove(bucket + 1, bucket, (QS_BUCKET_SIZE - 1) * sizeof *bucket);
    *bucket = own;
}

void qs_nat_duplicates_packet(struct qs_nat_duplicates *duplicates,
                              struct qs_client_session *session, const struct qs_packet *packet)
{
    if (duplicates->left && packet->size >= SIZE_MIN)
        look_up(duplicates, session, packet);
}
