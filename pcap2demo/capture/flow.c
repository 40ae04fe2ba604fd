/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/flow.h"

#include <string.h>

struct flow_table {
    GHashTable *flows;           /* by their two ends */
    GQueue by_use[FLOW_CLASSES]; /* idle longest first */
    guint limits[FLOW_CLASSES];
    struct flow *latest; /* of all; or NULL */
    uint64_t turns;      /* so far */
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
    for (int i = 0; i < FLOW_CLASSES; i++)
        table->limits[i] = FLOWS_MAX;
    table->over = over;
    table->user = user;
    return table;
}

void flow_table_limit(struct flow_table *table, enum flow_class class, guint max)
{
    table->limits[class] = max;
}

void flow_end(struct flow_table *table, struct flow *flow)
{
    g_queue_unlink(&table->by_use[flow->class], &flow->link);
    g_hash_table_remove(table->flows, flow->ends);
    if (table->latest == flow)
        table->latest = NULL;
    table->over(flow, table->user);
}

/* --- Which were idle longest ----------------------------------------------------------------- */

struct flow *flow_oldest(const struct flow_table *table, enum flow_class class)
{
    const GList *head = table->by_use[class].head;

    return head ? head->data : NULL;
}

struct flow *flow_latest(const struct flow_table *table, enum flow_class class,
                         const struct flow *own)
{
    const GList *tail = table->by_use[class].tail;

    if (tail && tail->data == own)
        tail = tail->prev;
    return tail ? tail->data : NULL;
}

guint flow_count(const struct flow_table *table, enum flow_class class)
{
    return table->by_use[class].length;
}

static uint64_t turn_of(const GList *link)
{
    return ((const struct flow *)link->data)->turn;
}

/* The class of which the first link is of the conversation that was idle longest; FLOW_CLASSES:
 * there are no links. */
static int first_of(GList *const links[FLOW_CLASSES])
{
    int first = FLOW_CLASSES;

    for (int i = 0; i < FLOW_CLASSES; i++)
        if (links[i] && (first == FLOW_CLASSES || turn_of(links[i]) < turn_of(links[first])))
            first = i;
    return first;
}

/* Of all classes; NULL: there is none. */
static struct flow *oldest_of_all(const struct flow_table *table)
{
    GList *const heads[FLOW_CLASSES] = {table->by_use[FLOW_ONE_SIDED].head,
                                        table->by_use[FLOW_ANSWERED].head,
                                        table->by_use[FLOW_LIVE].head};
    const int class = first_of(heads);

    return class < FLOW_CLASSES ? heads[class]->data : NULL;
}

static void end_idle(struct flow_table *table, int64_t now)
{
    struct flow *oldest;

    while ((oldest = oldest_of_all(table)) && now - oldest->last >= FLOW_IDLE)
        flow_end(table, oldest);
}

void flow_table_free(struct flow_table *table)
{
    struct flow *oldest;

    while ((oldest = oldest_of_all(table)))
        flow_end(table, oldest);
    g_hash_table_destroy(table->flows);
    g_free(table);
}

/* --- All of them ----------------------------------------------------------------------------- */

void flow_table_each(struct flow_table *table, void (*each)(struct flow *flow, void *user),
                     void *user)
{
    GList *next[FLOW_CLASSES];
    int class;

    for (int i = 0; i < FLOW_CLASSES; i++)
        next[i] = table->by_use[i].head;
    while ((class = first_of(next)) < FLOW_CLASSES) {
        struct flow *flow = next[class]->data;

        next[class] = next[class]->next;
        each(flow, user);
    }
}

static void shift(struct flow *flow, void *user)
{
    flow->last += *(const int64_t *)user;
}

void flow_table_shift(struct flow_table *table, int64_t step)
{
    flow_table_each(table, shift, &step);
}

/* --- One of them ----------------------------------------------------------------------------- */

/* Makes it the latest of its class, which it is not in. */
static void enter(struct flow_table *table, struct flow *flow, enum flow_class class)
{
    GQueue *by_use = &table->by_use[class];

    flow->class = class;
    while (by_use->length >= table->limits[class])
        flow_end(table, by_use->head->data);
    g_queue_push_tail_link(by_use, &flow->link);
}

void flow_raise(struct flow_table *table, struct flow *flow, enum flow_class class)
{
    g_queue_unlink(&table->by_use[flow->class], &flow->link);
    enter(table, flow, class);
}

static void use(struct flow_table *table, struct flow *flow, int64_t now)
{
    GQueue *by_use = &table->by_use[flow->class];

    flow->last = now;
    flow->turn = ++table->turns;
    table->latest = flow;
    if (by_use->tail == &flow->link)
        return;
    g_queue_unlink(by_use, &flow->link);
    g_queue_push_tail_link(by_use, &flow->link);
}

struct flow *flow_between(const struct flow_table *table, const struct qs_address *a,
                          const struct qs_address *b)
{
    /* Most packets are of the conversation that the packet before them was of. */
    if (table->latest && has_ends(table->latest->ends, a, b))
        return table->latest;
    return g_hash_table_lookup(table->flows, (const struct qs_address[2]){*a, *b});
}

enum qs_end flow_end_of(const struct flow *flow, const struct qs_address *address)
{
    return address_equal(&flow->ends[QS_END_A], address) ? QS_END_A : QS_END_B;
}

static void hear(struct flow_table *table, struct flow *flow, enum qs_end from)
{
    flow->heard[from] = true;
    if (flow->class == FLOW_ONE_SIDED && flow->heard[QS_END_A] && flow->heard[QS_END_B])
        flow_raise(table, flow, FLOW_ANSWERED);
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
    hear(table, flow, packet->from);
    return flow;
}

void flow_add(struct flow_table *table, struct flow *flow, const struct qs_address *a,
              const struct qs_address *b, int64_t now)
{
    flow->ends[QS_END_A] = *a;
    flow->ends[QS_END_B] = *b;
    flow->last = now;
    flow->turn = ++table->turns;
    flow->heard[QS_END_A] = true;
    flow->heard[QS_END_B] = false;
    flow->link = (GList){.data = flow};
    enter(table, flow, FLOW_ONE_SIDED);
    table->latest = flow;
    g_hash_table_insert(table->flows, flow->ends, flow);
}
