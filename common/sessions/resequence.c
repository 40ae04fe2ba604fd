/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/resequence.h"

#include <glib.h>
#include <string.h>

#include "common/sessions/duplicates.h"

/* Numbers missing before one that comes first in its connection; more have another reason. */
enum { BEGINNING_MAX = 16 };

/* Numbers with which a connection begins; the packets are alike in all of them. */
enum { FIRST_NUMBERS = 2 };

/* Numbers that may be missing where a connection goes on. */
enum { CONTINUES_MAX = 64 };

/* What has gone on of a stream. */
struct stream {
    bool started;
    uint64_t next; /* number expected */
    uint32_t mark; /* the newest that has gone on, or was given up; 0: none */
};

struct held {
    struct qs_packet packet; /* owns its data */
    struct qs_seqinfo place; /* zeroed: it has none */
    bool late;               /* a later one came before it, and why is not known yet */
    bool again;              /* it was said before the connection began */
};

struct qs_resequencer {
    struct stream streams[2][QS_STREAMS]; /* by enum qs_end of the sender */
    bool beginning;                       /* a connection begins: the first numbers are known */
    guint disorder; /* by so many places the capture has some too late, for certain */
    struct qs_duplicates *copies;
    struct held held[QS_RESEQUENCE_HELD_MAX + 1];
    guint count;
    struct qs_packet given; /* by qs_resequence_next(): owns its data */
};

struct qs_resequencer *qs_resequence_new(void)
{
    struct qs_resequencer *order = g_new0(struct qs_resequencer, 1);

    order->copies = qs_duplicates_new();
    return order;
}

static void free_packet(struct qs_packet *packet)
{
    g_free((void *)packet->data);
    packet->data = NULL;
}

void qs_resequence_free(struct qs_resequencer *order)
{
    for (guint i = 0; i < order->count; i++)
        free_packet(&order->held[i].packet);
    free_packet(&order->given);
    qs_duplicates_free(order->copies);
    g_free(order);
}

/* --- In its place or not --------------------------------------------------------------------- */

static enum qs_end other_end(enum qs_end end)
{
    return end == QS_END_A ? QS_END_B : QS_END_A;
}

static const struct stream *echoed_stream(const struct qs_resequencer *order, enum qs_end from,
                                          const struct qs_seqinfo *place)
{
    return &order->streams[other_end(from)][place->echo_stream];
}

static bool is_number_due(const struct qs_resequencer *order, const struct stream *stream,
                          const struct qs_seqinfo *place)
{
    if (stream->started)
        return place->number <= stream->next;
    return !order->beginning || place->number <= place->first ||
           place->number - place->first > (uint64_t)BEGINNING_MAX << QS_SEQINFO_SHIFT;
}

/* Whether what the packet acknowledges has gone on. In a capture of one direction nothing has. */
static bool is_echo_due(const struct qs_resequencer *order, const struct stream *stream,
                        const struct qs_seqinfo *place)
{
    if (!stream->mark && !order->beginning)
        return true;
    return place->echo <= stream->mark;
}

static bool is_due(const struct qs_resequencer *order, enum qs_end from,
                   const struct qs_seqinfo *place)
{
    return (!place->numbered ||
            is_number_due(order, &order->streams[from][place->stream], place)) &&
           (!place->echo || is_echo_due(order, echoed_stream(order, from, place), place));
}

/* The receiver can repeat the mark of a message from its last fragment on. */
static void pass(struct stream *stream, const struct qs_seqinfo *place)
{
    stream->next = place->next;
    if (place->mark && qs_seqinfo_is_last_fragment(place))
        stream->mark = place->mark;
}

/* It goes on, in its place or because those before it were given up. */
static void go_on(struct qs_resequencer *order, enum qs_end from, const struct qs_seqinfo *place)
{
    struct stream *stream = &order->streams[from][place->stream];
    struct stream *echoed = &order->streams[other_end(from)][place->echo_stream];

    if (place->numbered && (!stream->started || place->number >= stream->next)) {
        stream->started = true;
        pass(stream, place);
    }
    if (echoed->mark && place->echo > echoed->mark)
        echoed->mark = place->echo;
}

/* --- Outside of the connection --------------------------------------------------------------- */

static bool has_place(const struct qs_seqinfo *place)
{
    return place->numbered || place->echo;
}

/* What is said outside of a connection, for the first time as far as is known. */
static bool passes_unplaced(struct qs_resequencer *order, const struct qs_packet *packet)
{
    order->beginning = true;
    if (qs_duplicates_again(order->copies, packet))
        return false;
    qs_duplicates_said(order->copies, packet);
    return true;
}

/* As nearly all are: the number that is expected, and nothing new acknowledged. */
static bool is_next(struct stream *stream, const struct stream *echoed,
                    const struct qs_seqinfo *place)
{
    if (!place->numbered || !stream->started || place->number != stream->next ||
        place->echo > echoed->mark)
        return false;
    pass(stream, place);
    return true;
}

bool qs_resequence_passes(struct qs_resequencer *order, const struct qs_packet *packet,
                          const struct qs_seqinfo *place)
{
    if (order->count)
        return false;
    if (is_next(&order->streams[packet->from][place->stream],
                echoed_stream(order, packet->from, place), place))
        return true;
    if (!has_place(place))
        return passes_unplaced(order, packet);
    if (!is_due(order, packet->from, place))
        return false;
    go_on(order, packet->from, place);
    return true;
}

/* --- Out of place ---------------------------------------------------------------------------- */

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

/* Whether `held` can only have come behind `packet`, if its receiver took that. */
static bool is_behind(const struct held *held, const struct held *packet)
{
    return acknowledges(held, packet) ||
           (is_of_stream(held, packet) && held->place.number > packet->place.number);
}

/* No packet moves before what is said outside of a connection: that may begin another one. */
static guint first_slot(const struct qs_resequencer *order, guint at)
{
    while (at > 0 && has_place(&order->held[at - 1].place))
        at--;
    return at;
}

/* Where the packet at `at` belongs: before the first that is behind it, or where it is. */
static guint find_slot(const struct qs_resequencer *order, guint at)
{
    guint slot = first_slot(order, at);

    while (slot < at && !is_behind(&order->held[slot], &order->held[at]))
        slot++;
    return slot;
}

/* The clock tells more exactly, where it agrees. */
static guint find_slot_by_time(const struct qs_resequencer *order, guint at, guint slot)
{
    const struct held *packet = &order->held[at];
    const guint first = first_slot(order, at);

    while (slot > first && order->held[slot - 1].packet.time > packet->packet.time &&
           !is_behind(packet, &order->held[slot - 1]))
        slot--;
    return slot;
}

static bool was_acknowledged(const struct qs_resequencer *order, guint at)
{
    for (guint i = 0; i < order->count; i++)
        if (acknowledges(&order->held[i], &order->held[at]) &&
            order->held[i].place.echo == order->held[at].place.mark)
            return true;
    return false;
}

static void move(struct qs_resequencer *order, guint from, guint to)
{
    const struct held held = order->held[from];

    for (; from > to; from--)
        order->held[from] = order->held[from - 1];
    order->held[to] = held;
    order->held[to].late = false;
}

/* Moves the packet at `at` to where it belongs, if there is a reason to. */
static void settle(struct qs_resequencer *order, guint at)
{
    const guint slot = find_slot(order, at);
    struct held *held = &order->held[at];

    held->late = slot < at;
    if (!held->late)
        return;
    if (was_acknowledged(order, at) || held->packet.time < order->held[slot].packet.time)
        order->disorder = MAX(order->disorder, at - slot);
    if (at - slot <= order->disorder)
        move(order, at, find_slot_by_time(order, at, slot));
}

/* A number that has gone on already comes too late to be moved; a second copy need not be. */
static bool is_over(const struct qs_resequencer *order, const struct held *held)
{
    if (!held->place.numbered ||
        held->place.number < order->streams[held->packet.from][held->place.stream].next)
        return true;
    for (const struct held *other = order->held; other < held; other++)
        if (is_of_stream(other, held) && other->place.number == held->place.number)
            return true;
    return false;
}

static void place_held(struct qs_resequencer *order, guint at)
{
    if (!is_over(order, &order->held[at]))
        settle(order, at);
}

static struct held *append(struct qs_resequencer *order, const struct qs_packet *packet,
                           const struct qs_seqinfo *place)
{
    struct held *held = &order->held[order->count++];

    *held = (struct held){.packet = *packet};
    held->packet.data = g_memdup2(packet->data, packet->size);
    held->place = *place;
    return held;
}

static void remove_at(struct qs_resequencer *order, guint at)
{
    order->count--;
    for (; at < order->count; at++)
        order->held[at] = order->held[at + 1];
}

static bool is_first_number(const struct qs_seqinfo *place)
{
    return place->number <= place->first + ((uint64_t)FIRST_NUMBERS << QS_SEQINFO_SHIFT);
}

/* The client's numbers go on: it does not begin another connection. */
static bool goes_on(const struct qs_resequencer *order, const struct held *held)
{
    const struct stream *stream = &order->streams[held->packet.from][held->place.stream];

    return held->place.from_client && held->place.numbered && stream->started &&
           held->place.number >= stream->next && !is_first_number(&held->place);
}

/* What was said again were copies: the capture has each packet twice. */
static void drop_copies(struct qs_resequencer *order)
{
    for (guint i = order->count; i-- > 0;) {
        if (!order->held[i].again)
            continue;
        qs_duplicates_confirm(order->copies, &order->held[i].packet);
        free_packet(&order->held[i].packet);
        remove_at(order, i);
    }
}

bool qs_resequence_is_copy(struct qs_resequencer *order, const struct qs_packet *packet)
{
    return qs_duplicates_has(order->copies, packet);
}

void qs_resequence_hold(struct qs_resequencer *order, const struct qs_packet *packet,
                        const struct qs_seqinfo *place)
{
    struct held *held = append(order, packet, place);

    held->again = !has_place(place) && qs_duplicates_again(order->copies, packet);
    if (goes_on(order, held))
        drop_copies(order);
    place_held(order, order->count - 1);
    /* It may acknowledge what came late. */
    for (guint i = 0; i < order->count; i++)
        if (order->held[i].late)
            settle(order, i);
}

void qs_resequence_restart(struct qs_resequencer *order, enum qs_end from,
                           const struct qs_seqinfo *place)
{
    memset(order->streams, 0, sizeof order->streams);
    qs_duplicates_connected(order->copies);
    order->beginning = true;
    go_on(order, from, place);
    /* What is held was looked at by the numbers of the connection before. */
    for (guint i = 0; i < order->count; i++)
        place_held(order, i);
}

void qs_resequence_follow(struct qs_resequencer *order, const struct qs_packet *packet,
                          const struct qs_seqinfo *place)
{
    if (has_place(place))
        go_on(order, packet->from, place);
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
    return order->count > 0;
}

/* --- Going on -------------------------------------------------------------------------------- */

static bool has_waited(const struct qs_resequencer *order)
{
    const int64_t age = order->held[order->count - 1].packet.time - order->held[0].packet.time;

    return order->count > QS_RESEQUENCE_HELD_MAX || age > QS_RESEQUENCE_WAIT ||
           age < -QS_RESEQUENCE_WAIT;
}

static bool is_turn(const struct qs_resequencer *order, const struct held *first)
{
    return !first->again && is_due(order, first->packet.from, &first->place);
}

struct qs_packet *qs_resequence_next(struct qs_resequencer *order, bool all,
                                     struct qs_seqinfo *place)
{
    const struct held *first = order->held;

    free_packet(&order->given);
    if (!order->count || (!all && !has_waited(order) && !is_turn(order, first)))
        return NULL;
    if (!has_place(&first->place))
        qs_duplicates_said(order->copies, &first->packet);
    go_on(order, first->packet.from, &first->place);
    order->given = first->packet;
    *place = first->place;
    remove_at(order, 0);
    return &order->given;
}
