/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <glib.h>

#include "common/netchan/netchan.h"

enum { BURST_MIN = 2 /* minimum gap at each end */ };

static struct qs_netchan *netchan_of(const struct qs_decoder *d, enum qs_direction direction)
{
    return direction == QS_S2C ? &d->session->to_client : &d->session->to_server;
}

/* Adds packets that are missing between the two times to the last hole if it overlaps them,
 * otherwise to a new one. */
static void add(struct qs_decoder *d, enum qs_direction direction, uint32_t packets, int64_t begin,
                int64_t end)
{
    struct qs_hole *hole = &d->session->hole;
    const bool is_same =
        hole->number && (begin < hole->end || (begin == hole->begin && end <= hole->end));

    if (direction == QS_DIRECTION_UNKNOWN || (!is_same && !packets))
        return;
    if (!is_same)
        *hole = (struct qs_hole){
            .number = hole->number + 1, .begin = begin ? begin : end, .end = begin};
    hole->end = MAX(hole->end, end);
    hole->packets[direction - QS_C2S] += packets;
}

static uint32_t size_of(const struct qs_skipped *gap)
{
    return gap->until - gap->from;
}

/* Adds the numbers of the gap that were not counted before to the hole. */
static void count_gap(struct qs_decoder *d, enum qs_direction direction, struct qs_skipped *gap)
{
    add(d, direction, size_of(gap) - gap->counted, gap->begin, gap->end);
    gap->counted = size_of(gap);
}

/* Adds packets that are missing behind the direction's last one. */
static void add_behind(struct qs_decoder *d, enum qs_direction direction, uint32_t packets)
{
    add(d, direction, packets, netchan_of(d, direction)->time, d->packet->time);
}

/*
 * True if both ends have a gap that only the capture explains. A QuakeWorld server that lacks
 * packets of the client skips as many numbers: its gap behind the client's is no loss of the
 * capture, unless the client has acknowledged a packet that was not captured. Quake's servers do
 * not answer packet by packet; theirs have no acknowledgement. Single numbers are lost on the path
 * as well, and skipped by clients that limit their packets.
 */
static bool is_burst(const struct qs_decoder *d, uint32_t lost)
{
    const struct qs_skipped *gap = &qs_netchan_back(d)->last_gap;
    const bool acknowledges = d->session->to_server.reliable.acknowledged;

    return gap->is_unanswered && MIN(lost, size_of(gap)) >= BURST_MIN &&
           (d->found.direction == QS_C2S || gap->acknowledges || !acknowledges);
}

/* True if the gap may be part of a burst. A server skips as many numbers as it lacks packets. */
static bool may_be_of_burst(const struct qs_decoder *d, uint32_t lost)
{
    const struct qs_netchan *back = qs_netchan_back(d);
    const uint32_t lacked = back->last_gap.is_unanswered ? size_of(&back->last_gap) : 0;

    return d->found.direction == QS_C2S || (lost > lacked && back->ahead <= 1);
}

/* Returns the number of the other end's packets behind the last captured one that this packet
 * acknowledges and the capture lacks. */
static uint32_t acknowledged_ahead(const struct qs_decoder *d)
{
    const struct qs_netchan *back = qs_netchan_back(d);

    return d->found.notes[QS_NOTE_NOT_CAPTURED] && back->started &&
                   d->found.acknowledged > back->sequence
               ? d->found.acknowledged - back->sequence
               : 0;
}

/* Counts the gap before the packet, and gaps of both ends that it shows to be holes. Returns
 * whether it shows that the other end's last gap is one. */
static bool count_gaps(struct qs_decoder *d, uint32_t lost, bool lacks_acknowledged)
{
    struct qs_netchan *forth = qs_netchan_forth(d), *back = qs_netchan_back(d);
    const bool burst = is_burst(d, lost);
    const uint32_t ahead = acknowledged_ahead(d);
    const bool is_of_both =
        MIN(lost, ahead) >= BURST_MIN; /* no packet of either end was captured meanwhile */
    /* No later packet can acknowledge it. */
    const bool is_last =
        d->found.direction == QS_S2C && d->session->disconnected && lacks_acknowledged;
    struct qs_skipped gap = {.from = d->found.sequence - lost,
                             .until = d->found.sequence,
                             .begin = forth->time,
                             .end = d->packet->time,
                             .counted = MIN(forth->ahead, lost),
                             .is_unanswered = may_be_of_burst(d, lost),
                             .acknowledges = lacks_acknowledged};

    if (burst || is_of_both || forth->ahead || forth->is_lacking || is_last)
        count_gap(d, d->found.direction, &gap);
    if (is_of_both && ahead > back->ahead) {
        add_behind(d, qs_direction_back(d), ahead - back->ahead);
        back->ahead = ahead;
    }
    if (burst)
        count_gap(d, qs_direction_back(d), &back->last_gap);
    if (lost && (!forth->last_gap.is_unanswered || lost > size_of(&forth->last_gap)))
        forth->last_gap = gap;
    forth->ahead = 0;
    forth->is_lacking = false;
    back->last_gap.is_unanswered = false;
    return burst;
}

bool qs_hole_gap(struct qs_decoder *d, uint32_t lost)
{
    struct qs_netchan *forth = qs_netchan_forth(d);
    const bool lacks_acknowledged = d->found.notes[QS_NOTE_NOT_CAPTURED];
    bool burst = false;

    if (!d->found.accepted || d->found.direction == QS_DIRECTION_UNKNOWN)
        return false;
    if (lost || lacks_acknowledged || forth->ahead || forth->is_lacking ||
        qs_netchan_back(d)->last_gap.is_unanswered)
        burst = count_gaps(d, lost, lacks_acknowledged);
    forth->time = d->packet->time;
    return burst;
}

void qs_hole_acknowledged(struct qs_decoder *d)
{
    struct qs_skipped *gap = &qs_netchan_back(d)->last_gap;

    if (d->found.acknowledged < gap->from || d->found.acknowledged >= gap->until) {
        add_behind(d, qs_direction_back(d), 1);
    } else if (gap->counted < size_of(gap)) {
        add(d, qs_direction_back(d), 1, gap->begin, d->packet->time);
        gap->counted++;
    }
}

/* The packet is missing in the last gap, or among numbers that its sender reports as skipped. */
void qs_hole_reliable(struct qs_decoder *d)
{
    struct qs_netchan *back = qs_netchan_back(d);

    if (back->last_gap.until > back->reliable.since)
        count_gap(d, qs_direction_back(d), &back->last_gap);
    else if (!d->found.notes[QS_NOTE_NOT_CAPTURED])
        add_behind(d, qs_direction_back(d), 1);
}

void qs_hole_separate(struct qs_decoder *d, enum qs_direction direction, uint32_t packets,
                      int64_t since)
{
    struct qs_netchan *chan = netchan_of(d, direction);

    if (chan->last_gap.end > since) {
        add(d, direction, packets, chan->last_gap.begin, chan->last_gap.end);
        count_gap(d, direction, &chan->last_gap);
    } else {
        add(d, direction, packets, MAX(since, chan->time), d->packet->time);
        chan->is_lacking = true;
    }
}

void qs_hole_named(struct qs_decoder *d, uint32_t packets, bool ahead)
{
    struct qs_netchan *back = qs_netchan_back(d);

    if (ahead) {
        add_behind(d, qs_direction_back(d), packets);
        back->ahead += packets;
        back->is_lacking = true;
    } else {
        count_gap(d, qs_direction_back(d), &back->last_gap);
    }
}
