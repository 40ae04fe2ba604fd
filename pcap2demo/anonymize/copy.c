/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/copy.h"

#include <string.h>

struct copy {
    GQueue packets;        /* struct held_packet, by number */
    GHashTable *by_number; /* uint64_t: struct held_packet; of datagrams */
    GHashTable *by_bytes;  /* GBytes, as they were: the first struct held_packet that has them */
    copy_writer *write;
    void *user;
};

static void free_packet(gpointer data)
{
    struct held_packet *packet = data;

    g_byte_array_free(packet->payload, TRUE);
    if (packet->original)
        g_bytes_unref(packet->original);
    if (packet->repeats)
        g_ptr_array_free(packet->repeats, TRUE);
    if (packet->deflated) {
        g_byte_array_unref(packet->inflated);
        deflated_unref(packet->deflated);
    }
    g_free(packet);
}

struct copy *copy_new(copy_writer *write, void *user)
{
    struct copy *copy = g_new0(struct copy, 1);

    g_queue_init(&copy->packets);
    copy->by_number = g_hash_table_new(g_int64_hash, g_int64_equal);
    copy->by_bytes = g_hash_table_new(g_bytes_hash, g_bytes_equal);
    copy->write = write;
    copy->user = user;
    return copy;
}

void copy_free(struct copy *copy)
{
    g_queue_clear_full(&copy->packets, free_packet);
    g_hash_table_destroy(copy->by_number);
    g_hash_table_destroy(copy->by_bytes);
    g_free(copy);
}

static void replace_repeats(const struct held_packet *packet)
{
    for (guint i = 0; packet->repeats && i < packet->repeats->len; i++) {
        struct held_packet *repeat = packet->repeats->pdata[i];

        g_byte_array_set_size(repeat->payload, 0);
        g_byte_array_append(repeat->payload, packet->payload->data, packet->payload->len);
        repeat->left_out = packet->left_out;
    }
}

static void write_first(struct copy *copy)
{
    struct held_packet *packet = g_queue_pop_head(&copy->packets);

    replace_repeats(packet);
    if (packet->original && g_hash_table_lookup(copy->by_bytes, packet->original) == packet)
        g_hash_table_remove(copy->by_bytes, packet->original);
    if (g_hash_table_lookup(copy->by_number, &packet->about.number) == packet)
        g_hash_table_remove(copy->by_number, &packet->about.number);
    copy->write(copy->user, packet);
    free_packet(packet);
}

void copy_flush(struct copy *copy)
{
    while (copy->packets.length)
        write_first(copy);
}

static bool same_address(const struct qs_address *a, const struct qs_address *b)
{
    return a->family == b->family && a->port == b->port &&
           memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static bool same_end(const struct qs_packet *a, const struct qs_packet *b)
{
    return same_address(&a->source, &b->source) && same_address(&a->destination, &b->destination);
}

/* The packet that has the units before this one, or NULL: the next is one of its own. */
static struct held_packet *find_units_before(const struct copy *copy,
                                             const struct qs_packet *packet)
{
    for (GList *link = copy->packets.tail; link; link = link->prev) {
        struct held_packet *held = link->data;

        if (held->about.number < packet->number)
            break;
        if (held->about.number == packet->number && held->about.unit && !packet->missing &&
            same_end(&held->about, packet))
            return held->deflated ? NULL : held;
    }
    return NULL;
}

static void insert(struct copy *copy, struct held_packet *packet)
{
    GList *link = copy->packets.tail;

    while (link && ((struct held_packet *)link->data)->about.number > packet->about.number)
        link = link->prev;
    if (link)
        g_queue_insert_after(&copy->packets, link, packet);
    else
        g_queue_push_head(&copy->packets, packet);
}

/* Of several with the same bytes the first counts. */
static void keep_original(struct copy *copy, struct held_packet *packet)
{
    packet->original = g_bytes_new(packet->payload->data, packet->payload->len);
    if (!g_hash_table_contains(copy->by_bytes, packet->original))
        g_hash_table_insert(copy->by_bytes, packet->original, packet);
}

void copy_repeat(struct copy *copy, struct held_packet *packet)
{
    struct held_packet *first = g_hash_table_lookup(copy->by_bytes, packet->original);

    if (!first || first == packet || !same_end(&first->about, &packet->about))
        return;
    if (!first->repeats)
        first->repeats = g_ptr_array_new();
    g_ptr_array_add(first->repeats, packet);
}

struct held_packet *copy_add(struct copy *copy, const struct qs_packet *packet)
{
    struct held_packet *held = packet->unit > 1 ? find_units_before(copy, packet) : NULL;

    if (!held) {
        if (copy->packets.length >= COPY_HELD_MAX)
            write_first(copy);
        held = g_new0(struct held_packet, 1);
        held->about = *packet;
        held->payload = g_byte_array_new();
        insert(copy, held);
    }
    if (!packet->unit)
        g_hash_table_insert(copy->by_number, &held->about.number, held);
    g_byte_array_append(held->payload, packet->data, packet->size);
    if (!packet->unit)
        keep_original(copy, held);
    return held;
}

struct held_packet *copy_find(const struct copy *copy, uint64_t number)
{
    return g_hash_table_lookup(copy->by_number, &number);
}
