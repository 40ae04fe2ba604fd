/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/stats/tally.h"

void qs_tally_init(struct qs_tally *tally)
{
    *tally = (struct qs_tally){.begun = false};
    for (int i = 0; i < QS_DIRECTIONS; i++)
        tally->types[i] = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

void qs_tally_clear(struct qs_tally *tally)
{
    for (int i = 0; i < QS_DIRECTIONS; i++)
        g_hash_table_destroy(tally->types[i]);
}

void qs_times_add(struct qs_times *times, int64_t time)
{
    times->min = times->count ? MIN(times->min, time) : time;
    times->max = times->count ? MAX(times->max, time) : time;
    times->sum += time;
    times->count++;
}

double qs_times_mean(const struct qs_times *times)
{
    return times->count ? (double)times->sum / (double)times->count : 0;
}

static void count_message(struct qs_tally *tally, const struct qs_counted *message,
                          enum qs_direction direction)
{
    struct qs_type_count *type = g_hash_table_lookup(tally->types[direction], message->group);

    if (!type) {
        type = g_new0(struct qs_type_count, 1);
        type->group = message->group;
        type->direction = direction;
        g_hash_table_insert(tally->types[direction], (gpointer)message->group, type);
    }
    type->count++;
    type->bytes += message->bytes;
}

static void pass_time(struct qs_tally *tally, const struct qs_tally_packet *packet)
{
    if (!tally->begun)
        tally->start = tally->end = packet->packet->time;
    tally->begun = true;
    if (!packet->connectionless)
        tally->end = MAX(tally->end, packet->packet->time);
}

void qs_tally_add(struct qs_tally *tally, const struct qs_tally_packet *packet)
{
    pass_time(tally, packet);
    tally->traffic[packet->direction].packets++;
    tally->traffic[packet->direction].bytes += packet->packet->size;
    if (packet->ack_rtt >= 0)
        qs_times_add(&tally->rtt[packet->direction], packet->ack_rtt);
    tally->loss = packet->loss;
    for (guint i = 0; i < packet->counted->len; i++)
        count_message(tally, &g_array_index(packet->counted, struct qs_counted, i),
                      packet->direction);
}

static gint compare_types(gconstpointer a, gconstpointer b)
{
    const struct qs_type_count *x = *(const struct qs_type_count *const *)a,
                               *y = *(const struct qs_type_count *const *)b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return g_strcmp0(x->group->name, y->group->name);
}

GPtrArray *qs_tally_types(const struct qs_tally *tally)
{
    GPtrArray *types = g_ptr_array_new();
    GHashTableIter iter;
    gpointer type;

    for (int i = 0; i < QS_DIRECTIONS; i++) {
        g_hash_table_iter_init(&iter, tally->types[i]);
        while (g_hash_table_iter_next(&iter, NULL, &type))
            g_ptr_array_add(types, type);
    }
    g_ptr_array_sort(types, compare_types);
    return types;
}

double qs_tally_seconds(const struct qs_tally *tally)
{
    return (double)(tally->end - tally->start) / 1e9;
}

double qs_rate(uint64_t count, double seconds)
{
    return seconds > 0 ? (double)count / seconds : 0;
}
