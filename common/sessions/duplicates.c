/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/duplicates.h"

#include <glib.h>
#include <string.h>

enum {
    SAID_MAX = 16, /* packets of a handshake */
    /* Packets that are remembered where each is there twice: of a minute, about. By their hash they
     * have a bucket, which forgets its oldest. */
    BUCKETS = 2048,
    BUCKET_SIZE = 4
};

/* By how much the way of packets may vary, in nanoseconds. */
#define LAG_TOLERANCE (INT64_C(100) * 1000000)

struct saying {
    guint hash;
    int64_t time;
};

/* The last that were said, in a ring. */
struct said {
    struct saying sayings[SAID_MAX];
    guint count;
};

struct qs_duplicates {
    struct said said, handshake;
    int64_t lag;         /* by which copies come later */
    struct saying *seen; /* buckets; NULL: nothing is there twice, as far as is known */
};

struct qs_duplicates *qs_duplicates_new(void)
{
    return g_new0(struct qs_duplicates, 1);
}

void qs_duplicates_free(struct qs_duplicates *copies)
{
    g_free(copies->seen);
    g_free(copies);
}

static guint hash_of(const struct qs_packet *packet)
{
    guint hash = 5381 + (guint)packet->from;

    for (uint32_t i = 0; i < packet->size; i++)
        hash = hash * 33 + packet->data[i];
    return hash;
}

/* --- The handshake --------------------------------------------------------------------------- */

void qs_duplicates_said(struct qs_duplicates *copies, const struct qs_packet *packet)
{
    struct said *said = &copies->said;

    said->sayings[said->count++ % SAID_MAX] =
        (struct saying){.hash = hash_of(packet), .time = packet->time};
}

void qs_duplicates_connected(struct qs_duplicates *copies)
{
    copies->handshake = copies->said;
}

static const struct saying *find(const struct qs_duplicates *copies, const struct qs_packet *packet)
{
    const struct said *handshake = &copies->handshake;
    const guint hash = hash_of(packet);

    for (guint i = 0; i < MIN(handshake->count, SAID_MAX); i++)
        if (handshake->sayings[i].hash == hash)
            return &handshake->sayings[i];
    return NULL;
}

bool qs_duplicates_again(const struct qs_duplicates *copies, const struct qs_packet *packet)
{
    return find(copies, packet) != NULL;
}

void qs_duplicates_confirm(struct qs_duplicates *copies, const struct qs_packet *packet)
{
    const struct saying *first = find(copies, packet);

    if (copies->seen || !first)
        return;
    copies->lag = packet->time - first->time;
    copies->seen = g_new0(struct saying, BUCKETS * BUCKET_SIZE);
}

/* --- All packets ----------------------------------------------------------------------------- */

static bool is_copy_of(const struct qs_duplicates *copies, const struct saying *now,
                       const struct saying *before)
{
    const int64_t lag = now->time - before->time;

    return now->hash == before->hash && ABS(lag - copies->lag) < LAG_TOLERANCE;
}

static void remember(struct saying *bucket, const struct saying *saying)
{
    memmove(bucket + 1, bucket, (BUCKET_SIZE - 1) * sizeof *bucket);
    *bucket = *saying;
}

bool qs_duplicates_has(struct qs_duplicates *copies, const struct qs_packet *packet)
{
    struct saying now, *bucket;

    if (!copies->seen)
        return false;
    now = (struct saying){.hash = hash_of(packet), .time = packet->time};
    bucket = &copies->seen[now.hash % BUCKETS * BUCKET_SIZE];
    for (int i = 0; i < BUCKET_SIZE; i++)
        if (is_copy_of(copies, &now, &bucket[i]))
            return true;
    remember(bucket, &now);
    return false;
}
