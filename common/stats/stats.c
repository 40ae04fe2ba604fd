/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/stats/stats.h"

#include <string.h>

/* An open group: its offset, and the index of the message that it is or belongs to. */
struct qs_open_group {
    uint32_t offset;
    guint message;
};

/* --- A packet's messages --------------------------------------------------------------------- */

static struct qs_message_counter *counter_of(struct qs_sink *base)
{
    return (struct qs_message_counter *)base;
}

/* Returns the next sink, set to the same protocol, or NULL. */
static struct qs_sink *next_of(struct qs_sink *base)
{
    struct qs_sink *next = counter_of(base)->next;

    if (next)
        next->protocol = base->protocol;
    return next;
}

/* Returns how many groups were open when the current source began. */
static guint base_of(const struct qs_message_counter *counter)
{
    return counter->bases->len ? g_array_index(counter->bases, guint, counter->bases->len - 1) : 0;
}

static struct qs_open_group *innermost(const struct qs_message_counter *counter)
{
    return &g_array_index(counter->open, struct qs_open_group, counter->open->len - 1);
}

static void open_group(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct qs_message_counter *counter = counter_of(base);
    const struct qs_counted message = {.group = group};
    struct qs_open_group open = {.offset = offset, .message = counter->counted->len};

    if (counter->open->len == base_of(counter))
        g_array_append_val(counter->counted, message);
    else
        open.message = innermost(counter)->message;
    g_array_append_val(counter->open, open);
    if (counter->next && counter->next->open)
        counter->next->open(counter->next, group, offset);
}

static void close_group(struct qs_sink *base, uint32_t end)
{
    struct qs_message_counter *counter = counter_of(base);
    const struct qs_open_group open = *innermost(counter);

    g_array_set_size(counter->open, counter->open->len - 1);
    if (counter->open->len == base_of(counter))
        g_array_index(counter->counted, struct qs_counted, open.message).bytes = end - open.offset;
    if (counter->next && counter->next->close)
        counter->next->close(counter->next, end);
}

/* Counts a field that is on the wire: derived values are not. */
static void count_field(struct qs_message_counter *counter, const struct qs_field *field,
                        const struct qs_value *value)
{
    const struct qs_counted_field counted = {.message = innermost(counter)->message,
                                             .field = field};
    struct qs_counted *message;

    if (value->generated)
        return;
    counter->has_position |= field->role == QS_ROLE_X || field->role == QS_ROLE_OWN;
    message = &g_array_index(counter->counted, struct qs_counted, counted.message);
    message->flags |= field->mask && field->type == QS_BOOL;
    if (field->mask && !(value->u && g_str_has_suffix(field->name, ".remove")))
        return;
    g_array_append_val(counter->fields, counted);
    if (field->names && !field->mask && g_str_has_suffix(field->name, ".type"))
        message->variant = qs_name_of(field->names, (uint32_t)value->u);
}

/* Decoders emit groups only to a sink that takes fields. */
static void forward_field(struct qs_sink *base, const struct qs_field *field,
                          const struct qs_value *value)
{
    struct qs_message_counter *counter = counter_of(base);
    struct qs_sink *next = next_of(base);

    if (counter->fields && counter->open->len)
        count_field(counter, field, value);
    if (next && next->field)
        next->field(next, field, value);
}

static void forward_label(struct qs_sink *base, const char *text)
{
    const struct qs_message_counter *counter = counter_of(base);

    counter->next->label(counter->next, text);
}

static void forward_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                         const char *text)
{
    struct qs_sink *next = next_of(base);

    next->note(next, kind, offset, length, text);
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

void qs_message_counter_init(struct qs_message_counter *counter, bool want_fields)
{
    *counter = (struct qs_message_counter){.base = {.open = open_group,
                                                    .close = close_group,
                                                    .field = forward_field,
                                                    .source = change_source}};
    counter->counted = g_array_new(FALSE, FALSE, sizeof(struct qs_counted));
    if (want_fields)
        counter->fields = g_array_new(FALSE, FALSE, sizeof(struct qs_counted_field));
    counter->open = g_array_new(FALSE, FALSE, sizeof(struct qs_open_group));
    counter->bases = g_array_new(FALSE, FALSE, sizeof(guint));
}

void qs_message_counter_clear(struct qs_message_counter *counter)
{
    g_array_free(counter->counted, TRUE);
    if (counter->fields)
        g_array_free(counter->fields, TRUE);
    g_array_free(counter->open, TRUE);
    g_array_free(counter->bases, TRUE);
}

void qs_message_counter_begin(struct qs_message_counter *counter, struct qs_sink *next)
{
    counter->next = next;
    counter->base.label = next && next->label ? forward_label : NULL;
    counter->base.note = next && next->note ? forward_note : NULL;
    g_array_set_size(counter->counted, 0);
    if (counter->fields)
        g_array_set_size(counter->fields, 0);
    counter->has_position = false;
    g_array_set_size(counter->open, 0);
    g_array_set_size(counter->bases, 0);
}

/* --- A session's statistics ------------------------------------------------------------------- */

enum { SECONDS_MAX = 24 * 60 * 60 };

/* Hashes the key of struct qs_type_count: its first members. */
static guint type_hash(gconstpointer key)
{
    const struct qs_type_count *type = key;

    return qs_direct_hash(type->group) * 31 + qs_direct_hash(type->variant);
}

static gboolean type_equal(gconstpointer a, gconstpointer b)
{
    const struct qs_type_count *x = a, *y = b;

    return x->group == y->group && x->variant == y->variant;
}

static void type_count_free(gpointer data)
{
    struct qs_type_count *type = data;

    g_clear_pointer(&type->fields, g_hash_table_destroy);
    g_clear_pointer(&type->sizes, g_hash_table_destroy);
    g_free(type);
}

void qs_tally_init(struct qs_tally *tally)
{
    *tally = (struct qs_tally){0};
    for (int i = 0; i < QS_DIRECTIONS; i++)
        tally->types[i] = g_hash_table_new_full(type_hash, type_equal, NULL, type_count_free);
}

void qs_tally_clear(struct qs_tally *tally)
{
    for (int i = 0; i < QS_DIRECTIONS; i++) {
        g_hash_table_destroy(tally->types[i]);
        if (tally->seconds[i])
            g_array_free(tally->seconds[i], TRUE);
    }
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

static struct qs_type_count *type_of(struct qs_tally *tally, const struct qs_counted *message,
                                     enum qs_direction direction)
{
    const struct qs_type_count key = {.group = message->group, .variant = message->variant};
    struct qs_type_count *type = g_hash_table_lookup(tally->types[direction], &key);

    if (type)
        return type;
    type = g_new0(struct qs_type_count, 1);
    type->group = message->group;
    type->variant = message->variant;
    type->direction = direction;
    type->last_second = -1;
    type->smallest = G_MAXUINT;
    g_hash_table_insert(tally->types[direction], type, type);
    return type;
}

static void count_message(struct qs_type_count *type, const struct qs_counted *message,
                          uint64_t packet, int64_t second)
{
    type->count++;
    type->bytes += message->bytes;
    if (type->last != packet)
        type->packets++;
    if (!type->first)
        type->first = packet;
    type->last = packet;
    if (second > type->last_second) {
        type->seconds++;
        type->last_second = second;
    }
}

void qs_share_add(struct qs_share *share, uint64_t count, uint64_t packet)
{
    if (!count)
        return;
    share->count += count;
    if (!share->packets)
        share->first = packet;
    share->packets += !share->packets || share->last != packet;
    share->last = packet;
}

static void count_share(GHashTable **table, gconstpointer key, uint64_t packet)
{
    struct qs_share *share;

    if (!*table)
        *table = g_hash_table_new_full(qs_direct_hash, NULL, NULL, g_free);
    share = g_hash_table_lookup(*table, key);
    if (!share) {
        share = g_new0(struct qs_share, 1);
        g_hash_table_insert(*table, (gpointer)key, share);
    }
    qs_share_add(share, 1, packet);
}

static gint compare_fields(gconstpointer a, gconstpointer b)
{
    const struct qs_counted_field *x = a, *y = b;

    if (x->message != y->message)
        return x->message < y->message ? -1 : 1;
    return (x->field > y->field) - (x->field < y->field);
}

static void count_fields(struct qs_tally *tally, const struct qs_tally_packet *packet)
{
    GArray *fields = g_array_copy((GArray *)packet->fields);

    g_array_sort(fields, compare_fields);
    for (guint i = 0; i < fields->len; i++) {
        const struct qs_counted_field *field = &g_array_index(fields, struct qs_counted_field, i);
        struct qs_type_count *type =
            type_of(tally, &g_array_index(packet->counted, struct qs_counted, field->message),
                    packet->direction);

        type->list |= i && compare_fields(field, field - 1) == 0;
        type->text |= field->field->type == QS_TEXT || field->field->type == QS_BYTES;
        count_share(&type->fields, field->field, packet->packet->number);
    }
    g_array_free(fields, TRUE);
}

static void count_second(struct qs_tally *tally, enum qs_direction direction, int64_t second)
{
    GArray **seconds = &tally->seconds[direction];

    if (!*seconds)
        *seconds = g_array_new(FALSE, TRUE, sizeof(guint));
    if (second < 0 || second >= SECONDS_MAX)
        return;
    if ((guint)second >= (*seconds)->len)
        g_array_set_size(*seconds, (guint)second + 1);
    g_array_index(*seconds, guint, second)++;
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
    const enum qs_direction direction = packet->direction;
    const uint64_t number = packet->packet->number;
    int64_t second;

    pass_time(tally, packet);
    second = (packet->packet->time - tally->start) / 1000000000;
    tally->traffic[direction].packets++;
    tally->traffic[direction].bytes += packet->packet->size;
    if (packet->ack_rtt >= 0)
        qs_times_add(&tally->rtt[direction], packet->ack_rtt);
    for (guint i = 0; i < packet->counted->len; i++) {
        const struct qs_counted *message = &g_array_index(packet->counted, struct qs_counted, i);
        struct qs_type_count *type = type_of(tally, message, direction);

        count_message(type, message, number, second);
        type->smallest = MIN(type->smallest, message->bytes);
        type->flags |= message->flags;
        if (packet->fields)
            count_share(&type->sizes, GUINT_TO_POINTER(message->bytes), number);
    }
    if (packet->fields)
        count_fields(tally, packet);
    if (packet->fields && !packet->connectionless)
        count_second(tally, direction, second);
}

bool qs_type_is_message(const struct qs_type_count *type)
{
    const char *name = strchr(type->group->name, '.') + 1;

    return g_str_has_prefix(name, "svc") || g_str_has_prefix(name, "clc") ||
           strcmp(name, "update") == 0 || g_str_has_suffix(name, "header");
}

bool qs_tally_moves(const struct qs_tally *tally, const struct qs_tally_packet *packet)
{
    bool moves = false;

    for (guint i = 0; i < packet->counted->len && !moves; i++) {
        const struct qs_counted *message = &g_array_index(packet->counted, struct qs_counted, i);
        const struct qs_type_count key = {.group = message->group, .variant = message->variant},
                                   *type =
                                       g_hash_table_lookup(tally->types[packet->direction], &key);

        moves = type && type->list && !type->text && message->bytes > type->smallest;
    }
    return moves;
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
