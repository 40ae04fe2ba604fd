/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/flow.h"

#include "common/core/packet.h"

struct qs_flow_table {
    GHashTable *flows; /* struct qs_flow, by two ends (struct qs_endpoints) */
    GQueue by_use;     /* all flows, longest idle first */
    GQueue classes[QS_FLOW_CLASSES];
    guint limits[QS_FLOW_CLASSES];
    int64_t shifted; /* sum of the clock's steps (ns) */
    int64_t idle;    /* time without packets after which a conversation ends (ns) */
    void (*over)(struct qs_flow *flow, void *user);
    void *user;
};

/* Returns which of the two ends the sender `a` is; QS_END_UNKNOWN if these are not `a` and `b`. */
static inline enum qs_end sender_of(const struct qs_address *ends, const struct qs_address *a,
                                    const struct qs_address *b)
{
    if (qs_address_equal(&ends[QS_END_A], a))
        return qs_address_equal(&ends[QS_END_B], b) ? QS_END_A : QS_END_UNKNOWN;
    return qs_address_equal(&ends[QS_END_B], a) && qs_address_equal(&ends[QS_END_A], b)
               ? QS_END_B
               : QS_END_UNKNOWN;
}

struct qs_flow_table *qs_flow_table_new(int64_t idle,
                                        void (*over)(struct qs_flow *flow, void *user), void *user)
{
    struct qs_flow_table *table = g_new0(struct qs_flow_table, 1);

    table->flows = g_hash_table_new(qs_endpoints_hash, qs_endpoints_equal);
    for (int i = 0; i < QS_FLOW_CLASSES; i++)
        table->limits[i] = QS_FLOWS_MAX;
    table->idle = idle ? idle : QS_FLOW_IDLE;
    table->over = over;
    table->user = user;
    return table;
}

void qs_flow_table_limit(struct qs_flow_table *table, enum qs_flow_class class, guint max)
{
    table->limits[class] = max;
}

/* Removes the ends from the table, unless another conversation has them by now. */
static void unmap(struct qs_flow_table *table, const struct qs_address *ends,
                  const struct qs_flow *flow)
{
    if (g_hash_table_lookup(table->flows, ends) == flow)
        g_hash_table_remove(table->flows, ends);
}

void qs_flow_end(struct qs_flow_table *table, struct qs_flow *flow)
{
    g_queue_unlink(&table->by_use, &flow->link);
    g_queue_unlink(&table->classes[flow->class], &flow->class_link);
    unmap(table, flow->ends, flow);
    qs_flow_forget_other(table, flow);
    table->over(flow, table->user);
}

/* --- Idle conversations ---------------------------------------------------------------------- */

struct qs_flow *qs_flow_oldest(const struct qs_flow_table *table, enum qs_flow_class class)
{
    return g_queue_peek_head((GQueue *)&table->classes[class]);
}

guint qs_flow_count(const struct qs_flow_table *table, enum qs_flow_class class)
{
    return table->classes[class].length;
}

int64_t qs_flow_last(const struct qs_flow_table *table, const struct qs_flow *flow)
{
    return qs_time_moved(flow->last, table->shifted - flow->shifted);
}

static inline bool has_expired(const struct qs_flow_table *table, int64_t now)
{
    const GList *oldest = table->by_use.head;

    return oldest && now - qs_flow_last(table, oldest->data) >= table->idle;
}

void qs_flow_table_expire(struct qs_flow_table *table, int64_t now)
{
    while (has_expired(table, now))
        qs_flow_end(table, table->by_use.head->data);
}

void qs_flow_table_free(struct qs_flow_table *table)
{
    struct qs_flow *oldest;

    while ((oldest = g_queue_peek_head(&table->by_use)))
        qs_flow_end(table, oldest);
    g_hash_table_destroy(table->flows);
    g_free(table);
}

/* --- All conversations ----------------------------------------------------------------------- */

void qs_flow_table_each(struct qs_flow_table *table, void (*each)(struct qs_flow *flow, void *user),
                        void *user)
{
    for (const GList *link = table->by_use.head; link; link = link->next)
        each(link->data, user);
}

void qs_flow_table_shift(struct qs_flow_table *table, int64_t step)
{
    /* Maximum error of a clock: 73 years. */
    const int64_t most = INT64_MAX / 4;

    table->shifted = CLAMP(table->shifted + CLAMP(step, -most, most), -most, most);
}

int64_t qs_flow_table_shifted(const struct qs_flow_table *table)
{
    return table->shifted;
}

/* --- Single conversations -------------------------------------------------------------------- */

/* Adds the flow to a class as the latest. Ends the longest idle ones if the class is full. */
static void enter(struct qs_flow_table *table, struct qs_flow *flow, enum qs_flow_class class)
{
    GQueue *all = &table->classes[class];

    flow->class = class;
    while (all->length >= table->limits[class])
        qs_flow_end(table, all->head->data);
    g_queue_push_tail_link(all, &flow->class_link);
}

void qs_flow_raise(struct qs_flow_table *table, struct qs_flow *flow, enum qs_flow_class class)
{
    g_queue_unlink(&table->classes[flow->class], &flow->class_link);
    enter(table, flow, class);
}

static void move_to_tail(GQueue *queue, GList *link)
{
    if (queue->tail == link)
        return;
    g_queue_unlink(queue, link);
    g_queue_push_tail_link(queue, link);
}

struct qs_flow *qs_flow_between(const struct qs_flow_table *table, const struct qs_address *a,
                                const struct qs_address *b)
{
    return g_hash_table_lookup(table->flows, &(const struct qs_endpoints){{*a, *b}});
}

enum qs_end qs_flow_end_of(const struct qs_flow *flow, const struct qs_address *address)
{
    return qs_address_equal(&flow->ends[QS_END_A], address) ||
                   ((flow->moved || flow->translated) &&
                    qs_address_equal(&flow->other[QS_END_A], address))
               ? QS_END_A
               : QS_END_B;
}

bool qs_flow_is_other(const struct qs_flow *flow, const struct qs_packet *packet)
{
    return (flow->moved || flow->translated) &&
           sender_of(flow->ends, &packet->source, &packet->destination) == QS_END_UNKNOWN;
}

void qs_flow_forget_other(struct qs_flow_table *table, struct qs_flow *flow)
{
    if (flow->moved || flow->translated)
        unmap(table, flow->other, flow);
    flow->moved = flow->translated = false;
}

void qs_flow_add_ends(struct qs_flow_table *table, struct qs_flow *flow, enum qs_end from,
                      const struct qs_packet *packet)
{
    qs_flow_forget_other(table, flow);
    flow->other[from] = packet->source;
    flow->other[qs_other_end(from)] = packet->destination;
    flow->translated = true;
    g_hash_table_replace(table->flows, flow->other, flow);
}

void qs_flow_move(struct qs_flow_table *table, struct qs_flow *flow, enum qs_end end,
                  const struct qs_address *address)
{
    struct qs_flow *there;

    qs_flow_forget_other(table, flow);
    flow->moved = g_hash_table_lookup(table->flows, flow->ends) == flow;
    unmap(table, flow->ends, flow);
    memcpy(flow->other, flow->ends, sizeof flow->other);
    flow->ends[end] = *address;
    flow->displaced = false;
    there = g_hash_table_lookup(table->flows, flow->ends);
    if (there)
        there->displaced = true;
    if (flow->moved)
        g_hash_table_replace(table->flows, flow->other, flow);
    g_hash_table_replace(table->flows, flow->ends, flow);
}

/* Tries the latest conversation first, because most packets belong to it. */
struct qs_flow *qs_flow_find(struct qs_flow_table *table, struct qs_packet *packet)
{
    const GList *latest;
    struct qs_flow *flow;

    if (has_expired(table, packet->time))
        qs_flow_table_expire(table, packet->time);
    latest = table->by_use.tail;
    flow = latest ? latest->data : NULL;
    packet->from = flow && !flow->displaced
                       ? sender_of(flow->ends, &packet->source, &packet->destination)
                       : QS_END_UNKNOWN;
    if (packet->from == QS_END_UNKNOWN) {
        flow = qs_flow_between(table, &packet->source, &packet->destination);
        if (!flow)
            return NULL;
        packet->from = qs_flow_end_of(flow, &packet->source);
    }
    flow->last = packet->time;
    flow->shifted = table->shifted;
    move_to_tail(&table->by_use, &flow->link);
    move_to_tail(&table->classes[flow->class], &flow->class_link);
    flow->received[packet->from] = true;
    if (flow->class == QS_FLOW_ONE_SIDED && flow->received[QS_END_A] && flow->received[QS_END_B])
        qs_flow_raise(table, flow, QS_FLOW_ANSWERED);
    return flow;
}

void qs_flow_add(struct qs_flow_table *table, struct qs_flow *flow, const struct qs_address *a,
                 const struct qs_address *b, int64_t now)
{
    flow->ends[QS_END_A] = *a;
    flow->ends[QS_END_B] = *b;
    flow->last = now;
    flow->shifted = table->shifted;
    flow->received[QS_END_A] = true;
    flow->received[QS_END_B] = false;
    flow->link = flow->class_link = (GList){.data = flow};
    enter(table, flow, QS_FLOW_ONE_SIDED);
    g_queue_push_tail_link(&table->by_use, &flow->link);
    g_hash_table_insert(table->flows, flow->ends, flow);
}
