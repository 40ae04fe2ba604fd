/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/copies.h"

#include <glib.h>

#include "common/core/text.h"

enum {
    SIZE_AT_FIRST = 256,
    RECORDERS_MAX = 64,
    CHAIN_MAX = 8 /* maximum number of entries compared in a bucket */
};

struct copies_entry {
    struct qs_sighting sighting;
    uint64_t hash;
    uint64_t next; /* number of the next older entry in its bucket */
};

/* Entries are numbered from 1 on. A number less than `oldest` ends the list of a bucket. */
struct qs_copies {
    struct copies_entry *entries; /* ring buffer, by number */
    uint64_t *buckets;            /* number of the newest entry, by hash */
    uint32_t size;                /* size of both arrays, a power of 2 */
    uint64_t oldest, end;         /* numbers of the oldest entry and of the next new one */
    /* The latest capture files, by number % RECORDERS_MAX. Each may have a clock of its own:
     * `offsets` is its lead over the first file's clock (ns), if `known`. */
    const struct qs_capture_file *files[RECORDERS_MAX];
    int64_t offsets[RECORDERS_MAX];
    int64_t starts[RECORDERS_MAX]; /* time of the file's first datagram */
    bool known[RECORDERS_MAX];
    unsigned recorders, latest; /* number of files so far, and of the last datagram's file */
};

static void allocate(struct qs_copies *copies, uint32_t size)
{
    copies->size = size;
    copies->entries = g_new(struct copies_entry, size);
    copies->buckets = g_new0(uint64_t, size);
    copies->oldest = copies->end = 1;
}

struct qs_copies *qs_copies_new(void)
{
    struct qs_copies *copies = g_new0(struct qs_copies, 1);

    allocate(copies, SIZE_AT_FIRST);
    return copies;
}

void qs_copies_free(struct qs_copies *copies)
{
    g_free(copies->entries);
    g_free(copies->buckets);
    g_free(copies);
}

/* --- Ring buffer ----------------------------------------------------------------------------- */

static struct copies_entry *entry_at(const struct qs_copies *copies, uint64_t number)
{
    return &copies->entries[number & (copies->size - 1)];
}

static void append(struct qs_copies *copies, const struct copies_entry *entry)
{
    uint64_t *bucket = &copies->buckets[entry->hash & (copies->size - 1)];
    struct copies_entry *new_entry = entry_at(copies, copies->end);

    *new_entry = *entry;
    new_entry->next = *bucket;
    *bucket = copies->end++;
}

static void grow(struct qs_copies *copies)
{
    const struct qs_copies old = *copies;

    allocate(copies, old.size * 2);
    for (uint64_t number = old.oldest; number < old.end; number++)
        append(copies, entry_at(&old, number));
    g_free(old.entries);
    g_free(old.buckets);
}

/* Appends the entry. If the buffer is full, it grows up to QS_COPIES_MAX entries, or loses the
 * oldest one. */
static void insert(struct qs_copies *copies, const struct copies_entry *entry)
{
    if (copies->end - copies->oldest == copies->size) {
        if (copies->size < QS_COPIES_MAX)
            grow(copies);
        else
            copies->oldest++;
    }
    append(copies, entry);
}

static void remove_expired(struct qs_copies *copies, int64_t now)
{
    while (copies->oldest < copies->end &&
           ABS(now - entry_at(copies, copies->oldest)->sighting.time) > QS_CLOCKS_DIFFER)
        copies->oldest++;
}

/* --- Recognition of copies ------------------------------------------------------------------- */

static unsigned recorder_of(struct qs_copies *copies, const struct qs_capture_file *file,
                            int64_t now)
{
    const unsigned number = copies->recorders;

    if (number && copies->files[copies->latest % RECORDERS_MAX] == file)
        return copies->latest;
    for (unsigned i = 1; i <= MIN(number, RECORDERS_MAX); i++)
        if (copies->files[(number - i) % RECORDERS_MAX] == file)
            return copies->latest = number - i;
    copies->files[number % RECORDERS_MAX] = file;
    copies->known[number % RECORDERS_MAX] = number == 0;
    copies->offsets[number % RECORDERS_MAX] = 0;
    copies->starts[number % RECORDERS_MAX] = now;
    copies->recorders++;
    return copies->latest = number;
}

/* Returns true if both times can be of one datagram. Measures the clock offset of a new file. */
static bool compare_times(struct qs_copies *copies, const struct qs_sighting *first,
                          const struct qs_sighting *second)
{
    const unsigned a = first->recorder % RECORDERS_MAX, b = second->recorder % RECORDERS_MAX;
    const int64_t lag = second->time - first->time;

    if (copies->known[a] && copies->known[b])
        return ABS(lag - (copies->offsets[b] - copies->offsets[a])) <= QS_COPY_WINDOW;
    if (ABS(lag) > QS_CLOCKS_DIFFER)
        return false;
    if (copies->known[a])
        copies->offsets[b] = copies->offsets[a] + lag;
    else if (copies->known[b])
        copies->offsets[a] = copies->offsets[b] - lag;
    copies->known[a] = copies->known[b] = true;
    return true;
}

/* Returns true if both are of one datagram. */
static bool match_copy(struct qs_copies *copies, const struct qs_sighting *first,
                       const struct qs_sighting *second)
{
    if (first->size != second->size || first->ip_id != second->ip_id)
        return false;
    if (!second->ip_id &&
        (first->capture_point == second->capture_point ||
         (!copies->known[second->recorder % RECORDERS_MAX] &&
          first->time < copies->starts[second->recorder % RECORDERS_MAX] - QS_COPY_WINDOW) ||
         !qs_address_equal(&first->source, &second->source) ||
         !qs_address_equal(&first->destination, &second->destination)))
        return false;
    return compare_times(copies, first, second);
}

const struct qs_sighting *qs_copies_find(struct qs_copies *copies, const struct qs_packet *packet)
{
    const struct copies_entry entry = {
        .sighting = {packet->source, packet->destination, packet->number, packet->time,
                     packet->capture_point, packet->size, packet->ip_id,
                     recorder_of(copies, packet->file, packet->time)},
        .hash = qs_view_hash((struct qs_view){packet->data, packet->size}) + packet->ip_id,
    };
    uint64_t at;

    remove_expired(copies, packet->time);
    at = copies->buckets[entry.hash & (copies->size - 1)];
    for (unsigned i = 0; i < CHAIN_MAX && at >= copies->oldest; i++) {
        const struct copies_entry *first = entry_at(copies, at);

        if (first->hash == entry.hash && match_copy(copies, &first->sighting, &entry.sighting))
            return &first->sighting;
        at = first->next;
    }
    insert(copies, &entry);
    return NULL;
}

unsigned qs_copies_recorder(const struct qs_copies *copies)
{
    return copies->latest;
}
