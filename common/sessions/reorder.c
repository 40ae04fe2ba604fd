/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/reorder.h"

#include <glib.h>

/* No frame waits while more than so many go on before it: one whose time is wrong would for ever.
 */
enum { OVERTAKEN_MAX = 2 * QS_REORDER_HELD_MAX };

struct held {
    struct qs_packet frame; /* owns its bytes */
    uint64_t came;          /* how many had come before it */
};

struct qs_reorder {
    bool sorting;
    int64_t latest; /* time of the last frame that passed or was given */
    uint64_t came;
    struct held held[QS_REORDER_HELD_MAX + 1]; /* by time */
    guint count;
    guint due;              /* of them must go on, whatever comes */
    struct qs_packet given; /* owns its bytes */
};

struct qs_reorder *qs_reorder_new(void)
{
    struct qs_reorder *order = g_new0(struct qs_reorder, 1);

    order->latest = INT64_MIN;
    return order;
}

static void free_bytes(struct qs_packet *frame)
{
    g_free((void *)frame->data);
    frame->data = NULL;
}

void qs_reorder_free(struct qs_reorder *order)
{
    for (guint i = 0; i < order->count; i++)
        free_bytes(&order->held[i].frame);
    free_bytes(&order->given);
    g_free(order);
}

static bool is_overdue(const struct qs_reorder *order)
{
    for (guint i = 0; i < order->count; i++)
        if (order->came - order->held[i].came > OVERTAKEN_MAX)
            return true;
    return false;
}

/* Earlier than all that is held and than what is gone: what is held comes before it. */
static bool is_clock_set_back(const struct qs_reorder *order, const struct qs_packet *frame)
{
    return order->count && frame->time < order->latest && frame->time < order->held[0].frame.time;
}

static void hold(struct qs_reorder *order, const struct qs_packet *frame)
{
    guint slot = order->count++;

    for (; slot > order->due && order->held[slot - 1].frame.time > frame->time; slot--)
        order->held[slot] = order->held[slot - 1];
    order->held[slot] = (struct held){.frame = *frame, .came = order->came++};
    order->held[slot].frame.data = g_memdup2(frame->data, frame->size);
}

bool qs_reorder_passes(struct qs_reorder *order, const struct qs_packet *frame)
{
    if (!order->sorting && frame->time >= order->latest) {
        order->latest = frame->time;
        return true;
    }
    order->sorting = true;
    if (is_clock_set_back(order, frame) || is_overdue(order))
        order->due = order->count;
    hold(order, frame);
    return false;
}

bool qs_reorder_next(struct qs_reorder *order, bool all, struct qs_packet *frame)
{
    free_bytes(&order->given);
    if (!order->count || (!all && !order->due && order->count <= QS_REORDER_HELD_MAX))
        return false;
    *frame = order->given = order->held[0].frame;
    order->latest = frame->time;
    order->count--;
    order->due -= order->due > 0;
    for (guint i = 0; i < order->count; i++)
        order->held[i] = order->held[i + 1];
    return true;
}
