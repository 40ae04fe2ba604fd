/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/flow.h"

#include <string.h>

struct flow_table {
    GHashTable *flows; /* by their two ends */
    GQueue by_use;     /* idle longest first */
    void (*over)(struct flow *flow, void *user);
    void *user;
};

static bool address_equal(const struct qs_address *a, const struct qs_address *b)
{
    return a->port == b->port && a->family == b->family &&
           memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static uint32_t address_hash(const struct qs_address *address)
{
    uint64_t halves[2];

    memcpy(halves, address->bytes, sizeof halves);
    halves[0] = (halves[0] + address->port) * UINT64_C(0x9e3779b97f4a7c15);
    halves[1] = (halves[1] + address->family) * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (uint32_t)((halves[0] ^ halves[1]) >> 32);
}

/* The same for both directions. */
static guint ends_hash(gconstpointer data)
{
    const struct qs_address *ends = data;

    return address_hash(&ends[0]) + address_hash(&ends[1]);
}

/* Whether these are the two ends, in either order. */
static bool has_ends(const struct qs_address *ends, const struct qs_address *a,
                     const struct qs_address *b)
{
    return (address_equal(&ends[0], a) && address_equal(&ends[1], b)) ||
           (address_equal(&ends[0], b) && address_equal(&ends[1], a));
}

static gboolean ends_equal(gconstpointer a, gconstpointer b)
{
    const struct qs_address *x = a, *y = b;

    return has_ends(x, &y[0], &y[1]);
}

struct flow_table *flow_table_new(void (*over)(struct flow *flow, void *user), void *user)
{
    struct flow_table *table = g_new0(struct flow_table, 1);

    table->flows = g_hash_table_new(ends_hash, ends_equal);
    g_queue_init(&table->by_use);
    table->over = over;
    table->user = user;
    return table;
}

void flow_end(struct flow_table *table, struct flow *flow)
{
    g_queue_unlink(&table->by_use, &flow->link);
    g_hash_table_remove(table->flows, flow->ends);
    table->over(flow, table->user);
}

static void end_oldest(struct flow_table *table)
{
    flow_end(table, table->by_use.head->data);
}

static void end_idle(struct flow_table *table, int64_t now)
{
    while (table->by_use.head) {
        const struct flow *oldest = table->by_use.head->data;

        if (now - oldest->last < FLOW_IDLE)
            break;
        end_oldest(table);
    }
}

void flow_table_free(struct flow_table *table)
{
    while (table->by_use.head)
        end_oldest(table);
    g_hash_table_destroy(table->flows);
    g_free(table);
}

void flow_table_each(struct flow_table *table, void (*each)(struct flow *flow, void *user),
                     void *user)
{
    for (GList *link = table->by_use.head; link; link = link->next)
        each(link->data, user);
}

static void shift(struct flow *flow, void *user)
{
    flow->last += *(const int64_t *)user;
}

void flow_table_shift(struct flow_table *table, int64_t step)
{
    flow_table_each(table, shift, &step);
}

static void use(struct flow_table *table, struct flow *flow, int64_t now)
{
    flow->last = now;
    if (table->by_use.tail == &flow->link)
        return;
    g_queue_unlink(&table->by_use, &flow->link);
    g_queue_push_tail_link(&table->by_use, &flow->link);
}

struct flow *flow_between(const struct flow_table *table, const struct qs_address *a,
                          const struct qs_address *b)
{
    struct flow *latest = table->by_use.tail ? table->by_use.tail->data : NULL;

    /* Most packets are of the conversation that the packet before them was of. */
    if (latest && has_ends(latest->ends, a, b))
        return latest;
    return g_hash_table_lookup(table->flows, (const struct qs_address[2]){*a, *b});
}

enum qs_end flow_end_of(const struct flow *flow, const struct qs_address *address)
{
    return address_equal(&flow->ends[QS_END_A], address) ? QS_END_A : QS_END_B;
}

struct flow *flow_find(struct flow_table *table, struct qs_packet *packet)
{
    struct flow *flow;

    end_idle(table, packet->time);
    flow = flow_between(table, &packet->source, &packet->destination);
    if (!flow)
        return NULL;
    packet->from = flow_end_of(flow, &packet->source);
    use(table, flow, packet->time);
    return flow;
}

struct flow *flow_before(const struct flow *flow)
{
    return flow->link.prev ? flow->link.prev->data : NULL;
}

void flow_add(struct flow_table *table, struct flow *flow, const struct qs_address *a,
              const struct qs_address *b, int64_t now)
{
    if (table->by_use.length == FLOWS_MAX)
        end_oldest(table);
    flow->ends[QS_END_A] = *a;
    flow->ends[QS_END_B] = *b;
    flow->last = now;
    flow->link = (GList){.data = flow};
    g_queue_push_tail_link(&table->by_use, &flow->link);
    g_hash_table_insert(table->flows, flow->ends, flow);
}
