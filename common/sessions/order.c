/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/order.h"

#include <glib.h>
#include <string.h>

/* --- Packets that are held ------------------------------------------------------------------- */

struct held {
    struct qs_packet packet;   /* its data follows the struct */
    uint64_t came;             /* by time: number of frames that came before it */
    struct qs_seqinfo seqinfo; /* by sequence number; zeroed if it has none */
    bool late;                 /* a later one came before it, for an unknown reason */
};

struct queue {
    struct held **held; /* array of `max` + 1; NULL if nothing is held */
    guint count, max;
    struct held *last; /* packet that was removed last */
};

static void queue_clear(struct queue *queue)
{
    for (guint i = 0; i < queue->count; i++)
        g_free(queue->held[i]);
    g_free(queue->held);
    g_free(queue->last);
}

/* Moves the packet at `from` to `to`, which is not behind it. */
static void queue_move(struct queue *queue, guint from, guint to)
{
    struct held *held = queue->held[from];

    memmove(&queue->held[to + 1], &queue->held[to], (from - to) * sizeof held);
    queue->held[to] = held;
}

static struct held *queue_append(struct queue *queue, const struct qs_packet *packet)
{
    struct held *held = g_malloc(sizeof *held + packet->size);

    if (!queue->held)
        queue->held = g_new(struct held *, queue->max + 1);
    queue->held[queue->count++] = held;
    *held = (struct held){.packet = *packet};
    held->packet.data = (const uint8_t *)(held + 1);
    if (packet->size)
        memcpy(held + 1, packet->data, packet->size);
    return held;
}

/* Removes and returns the first packet, valid until the next one is removed. */
static struct held *queue_remove_first(struct queue *queue)
{
    g_free(queue->last);
    queue->last = queue->held[0];
    queue->count--;
    memmove(&queue->held[0], &queue->held[1], queue->count * sizeof queue->held[0]);
    if (!queue->count)
        g_clear_pointer(&queue->held, g_free);
    return queue->last;
}

/* --- Frames, by time ------------------------------------------------------------------------- */

/* Maximum number of frames that are held to be sorted, and maximum time between them (ns). */
enum { FRAMES_MAX = 256 };
#define SORTED (INT64_C(200) * 1000000)

/* Maximum number of frames that overtake one: with a wrong time, it would wait forever. */
enum { OVERTAKEN_MAX = 2 * FRAMES_MAX };

struct qs_reorder {
    bool sorting;
    int64_t latest; /* time of the last frame that passed or was removed */
    uint64_t came;
    struct queue queue; /* sorted by time */
    guint due;          /* number of its first frames that must pass, whatever comes */
};

struct qs_reorder *qs_reorder_new(void)
{
    struct qs_reorder *reorder = g_new0(struct qs_reorder, 1);

    reorder->latest = INT64_MIN;
    reorder->queue.max = FRAMES_MAX;
    return reorder;
}

void qs_reorder_free(struct qs_reorder *reorder)
{
    queue_clear(&reorder->queue);
    g_free(reorder);
}

static bool is_overdue(const struct qs_reorder *reorder)
{
    for (guint i = 0; i < reorder->queue.count; i++)
        if (reorder->came - reorder->queue.held[i]->came > OVERTAKEN_MAX)
            return true;
    return false;
}

/* True if the clock was set back: the frame is earlier than the last one that passed, and than all
 * that are held. These come before it. */
static bool is_clock_set_back(const struct qs_reorder *reorder, const struct qs_packet *frame)
{
    return reorder->queue.count && frame->time < reorder->latest &&
           frame->time < reorder->queue.held[0]->packet.time;
}

static G_GNUC_NO_INLINE void hold(struct qs_reorder *reorder, const struct qs_packet *frame)
{
    struct queue *queue = &reorder->queue;
    guint slot = queue->count;

    reorder->sorting = true;
    if (is_clock_set_back(reorder, frame) || is_overdue(reorder))
        reorder->due = queue->count;
    queue_append(queue, frame)->came = reorder->came++;
    while (slot > reorder->due && queue->held[slot - 1]->packet.time > frame->time)
        slot--;
    queue_move(queue, queue->count - 1, slot);
}

bool qs_reorder_passes(struct qs_reorder *reorder, const struct qs_packet *frame)
{
    if (reorder->sorting || frame->time < reorder->latest) {
        hold(reorder, frame);
        return false;
    }
    reorder->latest = frame->time;
    return true;
}

/* True if no frame that comes now belongs before the first one. */
static bool is_first_over(const struct qs_reorder *reorder)
{
    const struct queue *queue = &reorder->queue;

    return reorder->due || queue->count > FRAMES_MAX ||
           queue->held[queue->count - 1]->packet.time - queue->held[0]->packet.time > SORTED;
}

bool qs_reorder_next(struct qs_reorder *reorder, bool all, struct qs_packet *frame)
{
    if (!reorder->queue.count || (!all && !is_first_over(reorder)))
        return false;
    *frame = queue_remove_first(&reorder->queue)->packet;
    reorder->latest = frame->time;
    reorder->due -= reorder->due > 0;
    return true;
}

/* --- Datagrams, by sequence number ----------------------------------------------------------- */

/* Maximum number of packets missing before a connection's first; more have another reason. */
enum { BEGINNING_MAX = 16 };

/* Maximum number of places by which the network reorders packets. */
enum { AHEAD_MAX = 16 };

struct numbered_stream {
    bool started;
    uint64_t next;      /* next number expected */
    uint32_t passed_id; /* newest ack_id that has passed or was given up; 0: none */

    /* Upper bounds for the datagrams that are held: */
    uint64_t held_number;   /* highest number in the stream */
    uint32_t held_acked_id; /* highest ack_id of the stream that the other end acknowledges */
};

struct qs_order {
    struct numbered_stream streams[2][QS_STREAMS]; /* by enum qs_end of the sender */
    bool beginning; /* a connection begins: its first numbers are known */
    guint disorder; /* places by which packets of the capture are proved to be late */
    struct queue queue;
};

struct qs_order *qs_order_new(void)
{
    struct qs_order *order = g_new0(struct qs_order, 1);

    order->queue.max = QS_ORDER_HELD_MAX;
    return order;
}

void qs_order_free(struct qs_order *order)
{
    queue_clear(&order->queue);
    g_free(order);
}

/* --- Test whether a packet is due ------------------------------------------------------------ */

static const struct numbered_stream *acked_stream_of(const struct qs_order *order, enum qs_end from,
                                                     const struct qs_seqinfo *seqinfo)
{
    return &order->streams[qs_other_end(from)][seqinfo->acked_stream];
}

static bool is_number_due(const struct qs_order *order, const struct numbered_stream *stream,
                          const struct qs_seqinfo *seqinfo)
{
    if (stream->started)
        return seqinfo->number <= stream->next;
    return !order->beginning || seqinfo->number <= seqinfo->first ||
           seqinfo->number - seqinfo->first > (uint64_t)BEGINNING_MAX << QS_SEQINFO_SHIFT;
}

/* True if the acknowledged packet has passed, or if none of the other end was captured. */
static bool is_ack_due(const struct qs_order *order, const struct numbered_stream *stream,
                       const struct qs_seqinfo *seqinfo)
{
    return (!stream->passed_id && !order->beginning) || seqinfo->acked_id <= stream->passed_id;
}

static bool is_due(const struct qs_order *order, enum qs_end from, const struct qs_seqinfo *seqinfo)
{
    return (!seqinfo->numbered ||
            is_number_due(order, &order->streams[from][seqinfo->stream], seqinfo)) &&
           (!seqinfo->acked_id ||
            is_ack_due(order, acked_stream_of(order, from, seqinfo), seqinfo));
}

void qs_order_follow(struct qs_order *order, enum qs_end from, const struct qs_seqinfo *seqinfo)
{
    struct numbered_stream *stream = &order->streams[from][seqinfo->stream];
    struct numbered_stream *acked = (struct numbered_stream *)acked_stream_of(order, from, seqinfo);

    if (seqinfo->numbered && (!stream->started || seqinfo->number >= stream->next)) {
        stream->started = true;
        stream->next = seqinfo->next;
        /* The receiver can acknowledge a message once it has the last fragment. */
        if (seqinfo->ack_id && qs_seqinfo_is_last_fragment(seqinfo))
            stream->passed_id = seqinfo->ack_id;
    }
    if (acked->passed_id && seqinfo->acked_id > acked->passed_id)
        acked->passed_id = seqinfo->acked_id;
}

static bool has_seqinfo(const struct qs_seqinfo *seqinfo)
{
    return seqinfo->numbered || seqinfo->acked_id;
}

bool qs_order_passes(struct qs_order *order, const struct qs_packet *packet,
                     const struct qs_seqinfo *seqinfo)
{
    if (order->queue.count)
        return false;
    if (!has_seqinfo(seqinfo)) {
        order->beginning = true;
        return true;
    }
    if (!is_due(order, packet->from, seqinfo))
        return false;
    qs_order_follow(order, packet->from, seqinfo);
    return true;
}

/* --- Packets out of order -------------------------------------------------------------------- */

/* True if the receiver of `packet` had it, or a later one, when it sent `held`. */
static bool acknowledges(const struct held *held, const struct held *packet)
{
    return held->packet.from != packet->packet.from && held->seqinfo.acked_id &&
           packet->seqinfo.ack_id && held->seqinfo.acked_stream == packet->seqinfo.stream &&
           held->seqinfo.acked_id >= packet->seqinfo.ack_id;
}

static bool is_of_stream(const struct held *a, const struct held *b)
{
    return a->packet.from == b->packet.from && a->seqinfo.numbered && b->seqinfo.numbered &&
           a->seqinfo.stream == b->seqinfo.stream;
}

/* True if `held` belongs behind `packet`, provided that the receiver of `packet` read it. */
static bool is_behind(const struct held *held, const struct held *packet)
{
    return acknowledges(held, packet) ||
           (is_of_stream(held, packet) && held->seqinfo.number > packet->seqinfo.number);
}

/* Returns where the packet at `at` belongs: before the first packet that belongs behind it, or at
 * `at`. Never moves it before a connectionless packet, which may begin another connection. */
static guint find_slot(const struct queue *queue, guint at)
{
    guint slot = at;

    while (slot > 0 && has_seqinfo(&queue->held[slot - 1]->seqinfo))
        slot--;
    while (slot < at && !is_behind(queue->held[slot], queue->held[at]))
        slot++;
    return slot;
}

static bool was_acknowledged(const struct queue *queue, guint at)
{
    for (guint i = 0; i < queue->count; i++)
        if (acknowledges(queue->held[i], queue->held[at]) &&
            queue->held[i]->seqinfo.acked_id == queue->held[at]->seqinfo.ack_id)
            return true;
    return false;
}

/* Moves the packet at `at` to its place, if the capture is proved to be so far out of order. */
static void move_late(struct qs_order *order, guint at)
{
    struct queue *queue = &order->queue;
    const guint slot = find_slot(queue, at);
    struct held *held = queue->held[at];

    held->late = slot < at;
    if (!held->late)
        return;
    if (was_acknowledged(queue, at) || held->packet.time < queue->held[slot]->packet.time)
        order->disorder = MAX(order->disorder, at - slot);
    if (at - slot > order->disorder)
        return;
    held->late = false;
    queue_move(queue, at, slot);
}

/* True if the packet cannot move: it has no number, or its number has passed or is held. */
static bool has_passed(const struct qs_order *order, const struct held *held)
{
    if (!held->seqinfo.numbered ||
        held->seqinfo.number < order->streams[held->packet.from][held->seqinfo.stream].next)
        return true;
    for (guint i = 0; order->queue.held[i] != held; i++)
        if (is_of_stream(order->queue.held[i], held) &&
            order->queue.held[i]->seqinfo.number == held->seqinfo.number)
            return true;
    return false;
}

/*
 * Rejects packets if `next` has the number that is due. Senders only count up, so held packets with
 * numbers far ahead of it are not of the connection, and their receiver did not accept them; nor
 * can the other end have acknowledged numbers far ahead.
 */
static void reject_ahead(struct qs_order *order, const struct held *next)
{
    const uint64_t far = (uint64_t)AHEAD_MAX << QS_SEQINFO_SHIFT;
    const struct numbered_stream *stream = &order->streams[next->packet.from][next->seqinfo.stream];

    if (!next->seqinfo.numbered || !stream->started || next->seqinfo.number < stream->next ||
        next->seqinfo.number - stream->next > far)
        return;
    for (guint i = 0; order->queue.held[i] != next; i++) {
        struct held *held = order->queue.held[i];

        if (is_of_stream(held, next) && held->seqinfo.number >= next->seqinfo.number + far) {
            held->seqinfo = (struct qs_seqinfo){.from_client = held->seqinfo.from_client};
            held->packet.rejected = true;
        } else if (acknowledges(held, next) &&
                   held->seqinfo.acked_id >= next->seqinfo.ack_id + AHEAD_MAX) {
            held->seqinfo.acked_id = 0;
            held->packet.false_ack = true;
        }
    }
}

/* True if no held packet has its number or a higher one, or acknowledges it. */
static bool is_latest(const struct qs_order *order, const struct held *held)
{
    const struct numbered_stream *stream = &order->streams[held->packet.from][held->seqinfo.stream];

    return held->seqinfo.number > stream->held_number &&
           (!held->seqinfo.ack_id || held->seqinfo.ack_id > stream->held_acked_id);
}

static void note_held(struct qs_order *order, const struct held *held)
{
    struct numbered_stream *stream = &order->streams[held->packet.from][held->seqinfo.stream];
    struct numbered_stream *acked =
        (struct numbered_stream *)acked_stream_of(order, held->packet.from, &held->seqinfo);

    stream->held_number = MAX(stream->held_number, held->seqinfo.number);
    acked->held_acked_id = MAX(acked->held_acked_id, held->seqinfo.acked_id);
}

static void forget_held(struct qs_order *order)
{
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < QS_STREAMS; i++)
            order->streams[end][i].held_number = order->streams[end][i].held_acked_id = 0;
}

void qs_order_hold(struct qs_order *order, const struct qs_packet *packet,
                   const struct qs_seqinfo *seqinfo)
{
    struct queue *queue = &order->queue;
    struct held *held = queue_append(queue, packet);

    held->seqinfo = *seqinfo;
    if (!is_latest(order, held)) {
        reject_ahead(order, held);
        if (!has_passed(order, held))
            move_late(order, queue->count - 1);
    }
    note_held(order, held);
    /* The packet may acknowledge one that is late. */
    for (guint i = 0; i < queue->count; i++)
        if (queue->held[i]->late)
            move_late(order, i);
}

void qs_order_restart(struct qs_order *order, enum qs_end from, const struct qs_seqinfo *seqinfo)
{
    memset(order->streams, 0, sizeof order->streams);
    order->beginning = true;
    qs_order_follow(order, from, seqinfo);
    /* Sorts the held packets again: they were sorted by the numbers of the connection before. */
    for (guint i = 0; i < order->queue.count; i++) {
        note_held(order, order->queue.held[i]);
        if (!has_passed(order, order->queue.held[i]))
            move_late(order, i);
    }
}

bool qs_order_continues(const struct qs_order *order, const struct qs_packet *packet,
                        const struct qs_seqinfo *seqinfo)
{
    const struct numbered_stream *stream = &order->streams[packet->from][seqinfo->stream];

    return seqinfo->numbered && stream->started && seqinfo->number >= stream->next &&
           seqinfo->number - stream->next < (uint64_t)QS_ORDER_CONTINUES_MAX << QS_SEQINFO_SHIFT;
}

bool qs_order_holds(const struct qs_order *order)
{
    return order->queue.count > 0;
}

static bool is_turn(const struct qs_order *order)
{
    const struct held *first = order->queue.held[0];
    const struct held *last = order->queue.held[order->queue.count - 1];

    return order->queue.count > QS_ORDER_HELD_MAX ||
           ABS(last->packet.time - first->packet.time) > QS_ORDER_WAIT ||
           (is_due(order, first->packet.from, &first->seqinfo));
}

struct qs_packet *qs_order_next(struct qs_order *order, bool all, struct qs_seqinfo *seqinfo)
{
    struct held *held;

    if (!order->queue.count || (!all && !is_turn(order)))
        return NULL;
    held = queue_remove_first(&order->queue);
    if (!order->queue.count)
        forget_held(order);
    *seqinfo = held->seqinfo;
    qs_order_follow(order, held->packet.from, seqinfo);
    return &held->packet;
}
