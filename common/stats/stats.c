/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/stats/stats.h"

/* --- A packet's messages --------------------------------------------------------------------- */

static struct qs_message_counter *counter_of(struct qs_sink *base)
{
    return (struct qs_message_counter *)base;
}

/* How many groups are open around what is outermost now. */
static guint base_of(const struct qs_message_counter *counter)
{
    return counter->bases->len ? g_array_index(counter->bases, guint, counter->bases->len - 1) : 0;
}

static void open_group(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct qs_message_counter *counter = counter_of(base);
    const struct qs_counted message = {.group = group, .open = true};

    if (counter->open->len == base_of(counter))
        g_array_append_val(counter->counted, message);
    g_array_append_val(counter->open, offset);
    if (counter->next && counter->next->open)
        counter->next->open(counter->next, group, offset);
}

/* The latest that is open is the one: groups inside a source are closed before those around it. */
static void add_bytes(struct qs_message_counter *counter, uint32_t bytes)
{
    guint i = counter->counted->len;

    while (i--) {
        struct qs_counted *message = &g_array_index(counter->counted, struct qs_counted, i);

        if (message->open) {
            message->open = false;
            message->bytes = bytes;
            return;
        }
    }
}

static void close_group(struct qs_sink *base, uint32_t end)
{
    struct qs_message_counter *counter = counter_of(base);
    const uint32_t start = g_array_index(counter->open, uint32_t, counter->open->len - 1);

    g_array_set_size(counter->open, counter->open->len - 1);
    if (counter->open->len == base_of(counter))
        add_bytes(counter, end - start);
    if (counter->next && counter->next->close)
        counter->next->close(counter->next, end);
}

/* A decoder gives groups only to a sink that takes fields. */
static void forward_field(struct qs_sink *base, const struct qs_field *field,
                          const struct qs_value *value)
{
    const struct qs_message_counter *counter = counter_of(base);

    if (counter->next && counter->next->field)
        counter->next->field(counter->next, field, value);
}

static void forward_label(struct qs_sink *base, const char *text)
{
    const struct qs_message_counter *counter = counter_of(base);

    counter->next->label(counter->next, text);
}

static void forward_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                         const char *text)
{
    const struct qs_message_counter *counter = counter_of(base);

    counter->next->note(counter->next, kind, offset, length, text);
}

static void change_source(struct qs_sink *base, const char *title, const uint8_t *data,
                          uint32_t size)
{
    struct qs_message_counter *counter = counter_of(base);

    if (data)
        g_array_append_val(counter->bases, counter->open->len);
    else if (counter->bases->len)
        g_array_set_size(counter->bases, counter->bases->len - 1);
    if (counter->next && counter->next->source)
        counter->next->source(counter->next, title, data, size);
}

void qs_message_counter_init(struct qs_message_counter *counter)
{
    *counter = (struct qs_message_counter){.base = {.open = open_group,
                                                    .close = close_group,
                                                    .field = forward_field,
                                                    .source = change_source}};
    counter->counted = g_array_new(FALSE, FALSE, sizeof(struct qs_counted));
    counter->open = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    counter->bases = g_array_new(FALSE, FALSE, sizeof(guint));
}

void qs_message_counter_clear(struct qs_message_counter *counter)
{
    g_array_free(counter->counted, TRUE);
    g_array_free(counter->open, TRUE);
    g_array_free(counter->bases, TRUE);
}

void qs_message_counter_begin(struct qs_message_counter *counter, struct qs_sink *next)
{
    counter->next = next;
    counter->base.label = next && next->label ? forward_label : NULL;
    counter->base.note = next && next->note ? forward_note : NULL;
    g_array_set_size(counter->counted, 0);
    g_array_set_size(counter->open, 0);
    g_array_set_size(counter->bases, 0);
}

/* --- A session's figures --------------------------------------------------------------------- */

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
