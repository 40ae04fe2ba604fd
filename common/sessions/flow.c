/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/flow.h"

#include <string.h>

struct qs_flow_table {
    GHashTable *flows; /* by their two ends */
    GQueue by_use;     /* idle longest first */
    void (*over)(struct qs_flow *flow, void *user);
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

struct qs_flow_table *qs_flow_table_new(void (*over)(struct qs_flow *flow, void *user), void *user)
{
    struct qs_flow_table *table = g_new0(struct qs_flow_table, 1);

    table->flows = g_hash_table_new(ends_hash, ends_equal);
    g_queue_init(&table->by_use);
    table->over = over;
    table->user = user;
    return table;
}

void qs_flow_end(struct qs_flow_table *table, struct qs_flow *flow)
{
    g_queue_unlink(&table->by_use, &flow->link);
    g_hash_table_remove(table->flows, flow->ends);
    table->over(flow, table->user);
}

static void end_oldest(struct qs_flow_table *table)
{
    qs_flow_end(table, table->by_use.head->data);
}

static void end_idle(struct qs_flow_table *table, int64_t now)
{
    while (table->by_use.head) {
        const struct qs_flow *oldest = table->by_use.head->data;

        if (now - oldest->last < QS_FLOW_IDLE)
            break;
        end_oldest(table);
    }
}

void qs_flow_table_free(struct qs_flow_table *table)
{
    while (table->by_use.head)
        end_oldest(table);
    g_hash_table_destroy(table->flows);
    g_free(table);
}

void qs_flow_table_each(struct qs_flow_table *table, void (*each)(struct qs_flow *flow, void *user),
                        void *user)
{
    for (GList *link = table->by_use.head; link; link = link->next)
        each(link->data, user);
}

static void shift(struct qs_flow *flow, void *user)
{
    flow->last += *(const int64_t *)user;
}

void qs_flow_table_shift(struct qs_flow_table *table, int64_t step)
{
    qs_flow_table_each(table, shift, &step);
}

static void use(struct qs_flow_table *table, struct qs_flow *flow, int64_t now)
{
    flow->last = now;
    if (table->by_use.tail == &flow->link)
        return;
    g_queue_unlink(&table->by_use, &flow->link);
    g_queue_push_tail_link(&table->by_use, &flow->link);
}

struct qs_flow *qs_flow_between(const struct qs_flow_table *table, const struct qs_address *a,
                                const struct qs_address *b)
{
    struct qs_flow *latest = table->by_use.tail ? table->by_use.tail->data : NULL;

    /* Most packets are of the conversation that the packet before them was of. */
    if (latest && has_ends(latest->ends, a, b))
        return latest;
    return g_hash_table_lookup(table->flows, (const struct qs_address[2]){*a, *b});
}

enum qs_end qs_flow_end_of(const struct qs_flow *flow, const struct qs_address *address)
{
    return address_equal(&flow->ends[QS_END_A], address) ? QS_END_A : QS_END_B;
}

struct qs_flow *qs_flow_find(struct qs_flow_table *table, struct qs_packet *packet)
{
    struct qs_flow *flow;

    end_idle(table, packet->time);
    flow = qs_flow_between(table, &packet->source, &packet->destination);
    if (!flow)
        return NULL;
    packet->from = qs_flow_end_of(flow, &packet->source);
    use(table, flow, packet->time);
    return flow;
}

struct qs_flow *qs_flow_before(const struct qs_flow *flow)
{
    return flow->link.prev ? flow->link.prev->data : NULL;
}

void qs_flow_add(struct qs_flow_table *table, struct qs_flow *flow, const struct qs_address *a,
                 const struct qs_address *b, int64_t now)
{
    if (table->by_use.length == QS_FLOWS_MAX)
        end_oldest(table);
    flow->ends[QS_END_A] = *a;
    flow->ends[QS_END_B] = *b;
    flow->last = now;
    flow->link = (GList){.data = flow};
    g_queue_push_tail_link(&table->by_use, &flow->link);
    g_hash_table_insert(table->flows, flow->ends, flow);
}
