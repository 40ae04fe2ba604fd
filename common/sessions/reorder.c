/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/reorder.h"

#include <glib.h>
#include <string.h>

#include "common/core/text.h"
#include "common/sessions/duplicates.h"

/* --- Packets that are held ------------------------------------------------------------------- */

struct held {
    struct qs_packet packet; /* owns its data */
    uint64_t came;           /* by time: how many had come before it */
    struct qs_seqinfo place; /* by number; zeroed: it has none */
    bool late;               /* a later one came before it, and why is not known yet */
    bool repeated;           /* it was sent before the connection began, too */
};

struct queue {
    struct held *held; /* QS_REORDER_HELD_MAX + 1 of them; NULL: nothing is held */
    guint count;
    struct qs_packet last; /* that was removed: owns its data */
};

static void free_data(struct qs_packet *packet)
{
    g_free((void *)packet->data);
    packet->data = NULL;
}

static void queue_clear(struct queue *queue)
{
    for (guint i = 0; i < queue->count; i++)
        free_data(&queue->held[i].packet);
    g_free(queue->held);
    free_data(&queue->last);
}

/* Moves what is at `from` before what is at `to`, which is not behind it. */
static void queue_move(struct queue *queue, guint from, guint to)
{
    const struct held held = queue->held[from];

    memmove(&queue->held[to + 1], &queue->held[to], (from - to) * sizeof held);
    queue->held[to] = held;
}

static struct held *queue_append(struct queue *queue, const struct qs_packet *packet)
{
    struct held *held;

    if (!queue->held)
        queue->held = g_new(struct held, QS_REORDER_HELD_MAX + 1);
    held = &queue->held[queue->count++];
    *held = (struct held){.packet = *packet};
    held->packet.data = g_memdup2(packet->data, packet->size);
    return held;
}

/* The packet stays valid until the next is removed. */
static struct qs_packet *queue_remove(struct queue *queue, guint at)
{
    free_data(&queue->last);
    queue->last = queue->held[at].packet;
    queue->count--;
    memmove(&queue->held[at], &queue->held[at + 1], (queue->count - at) * sizeof queue->held[0]);
    if (!queue->count)
        g_clear_pointer(&queue->held, g_free);
    return &queue->last;
}

/* --- By time --------------------------------------------------------------------------------- */

/* No frame waits while more than so many go on before it: one whose time is wrong would for ever.
 */
enum { OVERTAKEN_MAX = 2 * QS_REORDER_HELD_MAX };

struct qs_reorder {
    bool sorting;
    int64_t latest; /* time of the last frame that passed or was given */
    uint64_t came;
    struct queue queue; /* by time */
    guint due;          /* of them must go on, whatever comes */
};

struct qs_reorder *qs_reorder_new(void)
{
    struct qs_reorder *reorder = g_new0(struct qs_reorder, 1);

    reorder->latest = INT64_MIN;
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
        if (reorder->came - reorder->queue.held[i].came > OVERTAKEN_MAX)
            return true;
    return false;
}

/* Earlier than all that is held and than what is gone: what is held comes before it. */
static bool is_clock_set_back(const struct qs_reorder *reorder, const struct qs_packet *frame)
{
    return reorder->queue.count && frame->time < reorder->latest &&
           frame->time < reorder->queue.held[0].packet.time;
}

static G_GNUC_NO_INLINE void hold(struct qs_reorder *reorder, const struct qs_packet *frame)
{
    struct queue *queue = &reorder->queue;
    guint slot = queue->count;

    reorder->sorting = true;
    if (is_clock_set_back(reorder, frame) || is_overdue(reorder))
        reorder->due = queue->count;
    queue_append(queue, frame)->came = reorder->came++;
    while (slot > reorder->due && queue->held[slot - 1].packet.time > frame->time)
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

bool qs_reorder_next(struct qs_reorder *reorder, bool all, struct qs_packet *frame)
{
    if (!reorder->queue.count ||
        (!all && !reorder->due && reorder->queue.count <= QS_REORDER_HELD_MAX))
        return false;
    *frame = *queue_remove(&reorder->queue, 0);
    reorder->latest = frame->time;
    reorder->due -= reorder->due > 0;
    return true;
}

/* --- Datagrams that are there twice ----------------------------------------------------------- */

/*
 * Both ends of a conversation were recorded and merged, by clocks that may differ by
 * seconds. Receivers drop second copies by their numbers; but packets outside of a connection have
 * none, and begin another one. So the handshake is remembered, and when it is repeated while the
 * client's numbers go on, the repetition is a copy. Its lag is that of later copies, which are then
 * found by their bytes and times.
 */

enum { HANDSHAKE_MAX = 16 }; /* packets */

/* Maximum jitter, in nanoseconds. */
#define LAG_TOLERANCE (INT64_C(100) * 1000000)

struct sighting {
    uint64_t hash;
    int64_t time;
};

/* The last packets outside of a connection, in a ring. */
struct handshake {
    struct sighting packets[HANDSHAKE_MAX];
    guint count;
};

struct duplicates {
    struct handshake next, present; /* of the connection to come, and of this one */
    int64_t lag;                    /* of second copies */
    struct sighting *seen;          /* buckets; NULL: there are no copies, as far as is known */
};

static struct sighting sighting_of(const struct qs_packet *packet)
{
    const uint64_t hash = qs_view_hash((struct qs_view){packet->data, packet->size});

    return (struct sighting){.hash = hash ^ packet->from, .time = packet->time};
}

static void add_handshake(struct duplicates *duplicates, const struct qs_packet *packet)
{
    struct handshake *next = &duplicates->next;

    next->packets[next->count++ % HANDSHAKE_MAX] = sighting_of(packet);
}

static const struct sighting *find_handshake(const struct duplicates *duplicates,
                                             const struct qs_packet *packet)
{
    const struct handshake *present = &duplicates->present;
    const struct sighting now = sighting_of(packet);

    for (guint i = 0; i < MIN(present->count, HANDSHAKE_MAX); i++)
        if (present->packets[i].hash == now.hash)
            return &present->packets[i];
    return NULL;
}

static void confirm_copies(struct duplicates *duplicates, const struct qs_packet *packet)
{
    const struct sighting *first = find_handshake(duplicates, packet);

    if (duplicates->seen || !first)
        return;
    duplicates->lag = packet->time - first->time;
    duplicates->seen = g_new0(struct sighting, QS_BUCKETS * QS_BUCKET_SIZE);
}

/* --- By sequence number ---------------------------------------------------------------------- */

/* Numbers missing before one that comes first in its connection; more have another reason. */
enum { BEGINNING_MAX = 16 };

/* Numbers with which a connection begins; the packets are alike in all of them. */
enum { FIRST_NUMBERS = 2 };

/* Numbers that may be missing within one connection. */
enum { CONTINUES_MAX = 64 };

struct stream {
    bool started;
    uint64_t next; /* number expected */
    uint32_t mark; /* the newest that has passed, or was given up; 0: none */
};

struct qs_resequencer {
    struct stream streams[2][QS_STREAMS]; /* by enum qs_end of the sender */
    bool beginning;                       /* a connection begins: the first numbers are known */
    guint disorder; /* by so many places the capture has some too late, for certain */
    struct duplicates duplicates;
    struct queue queue;
};

struct qs_resequencer *qs_resequence_new(void)
{
    return g_new0(struct qs_resequencer, 1);
}

void qs_resequence_free(struct qs_resequencer *order)
{
    queue_clear(&order->queue);
    g_free(order->duplicates.seen);
    g_free(order);
}

/* --- In its place or not --- */

static const struct stream *echoed_stream(const struct qs_resequencer *order, enum qs_end from,
                                          const struct qs_seqinfo *place)
{
    return &order->streams[from == QS_END_A ? QS_END_B : QS_END_A][place->echo_stream];
}

static bool is_number_due(const struct qs_resequencer *order, const struct stream *stream,
                          const struct qs_seqinfo *place)
{
    if (stream->started)
        return place->number <= stream->next;
    return !order->beginning || place->number <= place->first ||
           place->number - place->first > (uint64_t)BEGINNING_MAX << QS_SEQINFO_SHIFT;
}

/* Whether what the packet acknowledges has passed. In a capture of one direction nothing has. */
static bool is_echo_due(const struct qs_resequencer *order, const struct stream *stream,
                        const struct qs_seqinfo *place)
{
    return (!stream->mark && !order->beginning) || place->echo <= stream->mark;
}

static bool is_due(const struct qs_resequencer *order, enum qs_end from,
                   const struct qs_seqinfo *place)
{
    return (!place->numbered ||
            is_number_due(order, &order->streams[from][place->stream], place)) &&
           (!place->echo || is_echo_due(order, echoed_stream(order, from, place), place));
}

void qs_resequence_follow(struct qs_resequencer *order, enum qs_end from,
                          const struct qs_seqinfo *place)
{
    struct stream *stream = &order->streams[from][place->stream];
    struct stream *echoed = (struct stream *)echoed_stream(order, from, place);

    if (place->numbered && (!stream->started || place->number >= stream->next)) {
        stream->started = true;
        stream->next = place->next;
        /* The receiver can repeat the mark of a message from its last fragment on. */
        if (place->mark && qs_seqinfo_is_last_fragment(place))
            stream->mark = place->mark;
    }
    if (echoed->mark && place->echo > echoed->mark)
        echoed->mark = place->echo;
}

static bool has_place(const struct qs_seqinfo *place)
{
    return place->numbered || place->echo;
}

/* A packet outside of a connection, for the first time as far as is known. */
static bool passes_unplaced(struct qs_resequencer *order, const struct qs_packet *packet)
{
    order->beginning = true;
    if (find_handshake(&order->duplicates, packet))
        return false;
    add_handshake(&order->duplicates, packet);
    return true;
}

bool qs_resequence_passes(struct qs_resequencer *order, const struct qs_packet *packet,
                          const struct qs_seqinfo *place)
{
    if (order->queue.count)
        return false;
    if (!has_place(place))
        return passes_unplaced(order, packet);
    if (!is_due(order, packet->from, place))
        return false;
    qs_resequence_follow(order, packet->from, place);
    return true;
}

/* --- Out of place --- */

/* Whether the receiver of `packet` had it when it sent `held`, or a later one. */
static bool acknowledges(const struct held *held, const struct held *packet)
{
    return held->packet.from != packet->packet.from && held->place.echo && packet->place.mark &&
           held->place.echo_stream == packet->place.stream &&
           held->place.echo >= packet->place.mark;
}

static bool is_of_stream(const struct held *a, const struct held *b)
{
    return a->packet.from == b->packet.from && a->place.numbered && b->place.numbered &&
           a->place.stream == b->place.stream;
}

/* Whether `held` can only have come behind `packet`, if its receiver read that. */
static bool is_behind(const struct held *held, const struct held *packet)
{
    return acknowledges(held, packet) ||
           (is_of_stream(held, packet) && held->place.number > packet->place.number);
}

/* Where the packet at `at` belongs: before the first that is behind it, or where it is. No packet
 * moves before one outside of a connection: that may begin another one. */
static guint find_slot(const struct queue *queue, guint at)
{
    guint slot = at;

    while (slot > 0 && has_place(&queue->held[slot - 1].place))
        slot--;
    while (slot < at && !is_behind(&queue->held[slot], &queue->held[at]))
        slot++;
    return slot;
}

static bool was_acknowledged(const struct queue *queue, guint at)
{
    for (guint i = 0; i < queue->count; i++)
        if (acknowledges(&queue->held[i], &queue->held[at]) &&
            queue->held[i].place.echo == queue->held[at].place.mark)
            return true;
    return false;
}

/* Moves the packet at `at` to where it belongs, if there is a reason to. */
static void move_late(struct qs_resequencer *order, guint at)
{
    struct queue *queue = &order->queue;
    const guint slot = find_slot(queue, at);
    struct held *held = &queue->held[at];

    held->late = slot < at;
    if (!held->late)
        return;
    if (was_acknowledged(queue, at) || held->packet.time < queue->held[slot].packet.time)
        order->disorder = MAX(order->disorder, at - slot);
    if (at - slot > order->disorder)
        return;
    held->late = false;
    queue_move(queue, at, slot);
}

/* A number that has passed already comes too late to be moved; a second copy need not be. */
static bool has_passed(const struct qs_resequencer *order, const struct held *held)
{
    if (!held->place.numbered ||
        held->place.number < order->streams[held->packet.from][held->place.stream].next)
        return true;
    for (const struct held *other = order->queue.held; other < held; other++)
        if (is_of_stream(other, held) && other->place.number == held->place.number)
            return true;
    return false;
}

/* The client's numbers go on: it does not begin another connection. */
static bool is_same_connection(const struct qs_resequencer *order, const struct held *held)
{
    const struct qs_seqinfo *place = &held->place;
    const struct stream *stream = &order->streams[held->packet.from][place->stream];

    return place->from_client && place->numbered && stream->started &&
           place->number >= stream->next &&
           place->number > place->first + ((uint64_t)FIRST_NUMBERS << QS_SEQINFO_SHIFT);
}

bool qs_resequence_is_copy(struct qs_resequencer *order, const struct qs_packet *packet)
{
    struct duplicates *duplicates = &order->duplicates;
    struct sighting now, *bucket;

    if (!duplicates->seen)
        return false;
    now = sighting_of(packet);
    bucket = &duplicates->seen[now.hash % QS_BUCKETS * QS_BUCKET_SIZE];
    for (int i = 0; i < QS_BUCKET_SIZE; i++)
        if (bucket[i].hash == now.hash &&
            ABS(now.time - bucket[i].time - duplicates->lag) < LAG_TOLERANCE)
            return true;
    memmove(bucket + 1, bucket, (QS_BUCKET_SIZE - 1) * sizeof *bucket);
    *bucket = now;
    return false;
}

void qs_resequence_hold(struct qs_resequencer *order, const struct qs_packet *packet,
                        const struct qs_seqinfo *place)
{
    struct queue *queue = &order->queue;
    struct held *held = queue_append(queue, packet);

    held->place = *place;
    held->repeated = !has_place(place) && find_handshake(&order->duplicates, packet);
    if (is_same_connection(order, held)) {
        /* What was sent again were copies: the capture has each packet twice. */
        for (guint i = order->queue.count; i-- > 0;)
            if (order->queue.held[i].repeated)
                confirm_copies(&order->duplicates, queue_remove(&order->queue, i));
    }
    if (!has_passed(order, &queue->held[queue->count - 1]))
        move_late(order, queue->count - 1);
    /* It may acknowledge what came late. */
    for (guint i = 0; i < queue->count; i++)
        if (queue->held[i].late)
            move_late(order, i);
}

void qs_resequence_restart(struct qs_resequencer *order, enum qs_end from,
                           const struct qs_seqinfo *place)
{
    memset(order->streams, 0, sizeof order->streams);
    order->duplicates.present = order->duplicates.next;
    order->beginning = true;
    qs_resequence_follow(order, from, place);
    /* What is held was placed by the numbers of the connection before. */
    for (guint i = 0; i < order->queue.count; i++)
        if (!has_passed(order, &order->queue.held[i]))
            move_late(order, i);
}

bool qs_resequence_continues(const struct qs_resequencer *order, const struct qs_packet *packet,
                             const struct qs_seqinfo *place)
{
    const struct stream *stream = &order->streams[packet->from][place->stream];

    return place->numbered && stream->started && place->number >= stream->next &&
           place->number - stream->next < (uint64_t)CONTINUES_MAX << QS_SEQINFO_SHIFT;
}

bool qs_resequence_holds(const struct qs_resequencer *order)
{
    return order->queue.count > 0;
}

static bool is_turn(const struct qs_resequencer *order)
{
    const struct held *first = order->queue.held;
    const struct held *last = &order->queue.held[order->queue.count - 1];

    return order->queue.count > QS_REORDER_HELD_MAX ||
           ABS(last->packet.time - first->packet.time) > QS_RESEQUENCE_WAIT ||
           (!first->repeated && is_due(order, first->packet.from, &first->place));
}

struct qs_packet *qs_resequence_next(struct qs_resequencer *order, bool all,
                                     struct qs_seqinfo *place)
{
    struct qs_packet *packet;

    if (!order->queue.count || (!all && !is_turn(order)))
        return NULL;
    *place = order->queue.held[0].place;
    packet = queue_remove(&order->queue, 0);
    if (!has_place(place))
        add_handshake(&order->duplicates, packet);
    qs_resequence_follow(order, packet->from, place);
    return packet;
}
