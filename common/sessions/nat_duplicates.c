/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/nat_duplicates.h"

#include <glib.h>
#include <string.h>

#include "common/sessions/session.h"

enum {
    BUCKETS = 1024, /* of packets, by their hash; each forgets its oldest */
    BUCKET_SIZE = 4,
    SLOTS = BUCKETS * BUCKET_SIZE,
    LOOKED_AT = 4096, /* packets of all sessions, after one has begun */
    SIZE_MIN = 12,    /* bytes; shorter ones are alike in many sessions */
    ALIKE_MIN = 16,   /* packets; of fewer nothing is said */
    ALIKE_ENOUGH = 512,
    UNLIKE_SHARE = 100 /* one in so many may be in one of the two only */
};

/* Nanoseconds that the clocks of the two sides may differ. */
#define CLOCKS_DIFFER (INT64_C(30) * 1000000000)

struct slot {
    uint64_t hash;
    int64_t time;                      /* of the packet */
    unsigned number;                   /* of the session; 0: empty */
    struct qs_client_session *session; /* NULL: it has ended */
    bool counted;                      /* as unlike, so far */
};

struct qs_nat_duplicates {
    guint left; /* packets that are still looked at */
    bool used;  /* any was */
    struct slot slots[SLOTS];
};

struct qs_nat_duplicates *qs_nat_duplicates_new(void)
{
    return g_new0(struct qs_nat_duplicates, 1);
}

void qs_nat_duplicates_free(struct qs_nat_duplicates *twins)
{
    g_free(twins);
}

void qs_nat_duplicates_begin(struct qs_nat_duplicates *twins)
{
    twins->left = LOOKED_AT;
}

void qs_nat_duplicates_end(struct qs_nat_duplicates *twins, const struct qs_client_session *session)
{
    for (int i = 0; twins->used && i < SLOTS; i++)
        if (twins->slots[i].session == session)
            twins->slots[i].session = NULL;
}

static uint64_t hash_of(const struct qs_packet *packet)
{
    uint64_t hash = packet->size;

    for (uint32_t at = 0; at < packet->size; at += sizeof hash) {
        uint64_t word = 0;

        memcpy(&word, packet->data + at, MIN(sizeof word, packet->size - at));
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool is_mostly_alike(const struct qs_client_session *session)
{
    return session->unlike <= 1 + (int)session->alike / UNLIKE_SHARE;
}

/* A relay that loses packets makes two sessions of one: what either end has is not the same. */
void qs_nat_duplicates_decide(struct qs_client_session *session)
{
    if (session->alike >= ALIKE_MIN && is_mostly_alike(session))
        qs_client_session_set_same(session, session->alike_to);
}

/* Whether it was counted: what comes before the first packets that are alike is not. */
static bool count_unlike(struct qs_client_session *session)
{
    session->unlike += session->alike > 0;
    return session->alike > 0;
}

static void count_alike(struct qs_client_session *later, unsigned first)
{
    if (later->alike_to != first)
        later->alike = 0;
    if (!later->alike)
        later->unlike = 0;
    later->alike_to = first;
    if (++later->alike == ALIKE_ENOUGH)
        qs_nat_duplicates_decide(later);
}

/* The session has the packet that is in the slot. Each packet of the later session counts once. */
static void count(struct qs_client_session *session, struct slot *slot)
{
    struct qs_client_session *later = slot->session;

    if (slot->number < session->number) {
        count_alike(session, slot->number);
    } else if (later) {
        later->unlike -= slot->counted && later->unlike > 0;
        slot->counted = false;
        count_alike(later, session->number);
    }
}

/* Of another session that had the packet; or NULL. */
static struct slot *find_other(struct slot *bucket, const struct slot *own)
{
    for (int i = 0; i < BUCKET_SIZE; i++)
        if (bucket[i].number && bucket[i].number != own->number && bucket[i].hash == own->hash &&
            ABS(bucket[i].time - own->time) <= CLOCKS_DIFFER)
            return &bucket[i];
    return NULL;
}

void qs_nat_duplicates_packet(struct qs_nat_duplicates *twins, struct qs_client_session *session,
                              const struct qs_packet *packet)
{
    struct slot *bucket,
        own = {.time = packet->time, .number = session->number, .session = session};
    struct slot *other;

    if (!twins->left || packet->size < SIZE_MIN)
        return;
    twins->left--;
    twins->used = true;
    own.hash = hash_of(packet);
    bucket = &twins->slots[own.hash % BUCKETS * BUCKET_SIZE];
    other = find_other(bucket, &own);
    if (other)
        count(session, other);
    else
        own.counted = count_unlike(session);
    memmove(bucket + 1, bucket, (BUCKET_SIZE - 1) * sizeof *bucket);
    *bucket = own;
}
