/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/quality.h"

#include <string.h>

#include "common/netchan/quality_state.h"
#include "common/netchan/seqinfo.h"

enum {
    SETTLED = 320,    /* numbers after which QuakeWorld's client counts none of the sign-on */
    USUAL_EVERY = 32, /* acknowledgements after which their usual time is looked up again */
    HOLE_MIN = 3,     /* a gap of more may be the capture's */
    CLOSE = 50000,    /* bounds of the round trip that are further apart say nothing */
    UNSURE_GAP = 2    /* so many missing in a row had all acknowledgements of an update */
};

struct qs_quality *qs_quality_new(void)
{
    return g_new0(struct qs_quality, 1);
}

void qs_quality_free(struct qs_quality *quality)
{
    if (quality)
        g_free(quality->history);
    g_free(quality);
}

/* A numbered packet of the direction's main stream. */
struct packet {
    const struct qs_line_rules *rules;
    const struct qs_line_facts *facts;
    enum qs_direction direction;
    int64_t time;
    uint32_t number, mark, echo;
    uint32_t gap; /* numbers missing before it */
};

static enum qs_direction opposite(enum qs_direction direction)
{
    return direction == QS_C2S ? QS_S2C : QS_C2S;
}

/* --- Acknowledgements --- */

static const struct qs_line_sent *sent_at(const struct qs_line_way *way, uint32_t index)
{
    return &way->sent[index % QS_LINE_SENT_MAX];
}

/*
 * Acknowledgements name the newest datagram only, and of two that arrive together none names the
 * first. A datagram without an acknowledgement was lost only if the client has sent something
 * later than acknowledgements take, and that names an older one. How long they take at most is
 * settled later; here is which times make the datagrams up to `next` lost, which the client read at
 * `read`, and had not read at `before`. How many losses are seen is measured on what was
 * acknowledged, and so is how often that is wrong.
 */
static void pass_over(struct qs_line_history *history, uint32_t next, int64_t read, int64_t before)
{
    const struct qs_line_way *server = &history->ways[QS_TO_CLIENT];
    const uint32_t last = history->legs[QS_TO_SERVER].index;
    const int64_t time = read - sent_at(server, next)->time, from = history->named ? 0 : time;
    uint32_t burst = 0;

    for (uint32_t i = last + 1; i < next; i++) {
        const int64_t since = history->named ? INT64_MAX : before - sent_at(server, i)->time;

        qs_intervals_add(&history->lost, from, since);
        burst = (double)from <= history->usual && (double)since > history->usual ? burst + 1 : 0;
        history->burst = MAX(history->burst, burst);
    }
    history->passed_over += next - last - 1;
    qs_intervals_add(&history->seen, from,
                     history->named ? INT64_MAX : before - sent_at(server, last)->time);
    if (!history->named)
        qs_intervals_add(&history->wrong, 0, before - sent_at(server, next)->time);
}

/* Whether the datagram with the mark is among the last, and which it is. */
static bool find_sent(const struct qs_line_way *way, uint32_t mark, uint32_t *index)
{
    const uint32_t oldest = way->count - MIN(way->count, QS_LINE_SENT_MAX);

    for (*index = way->count; (*index)-- > oldest;)
        if (sent_at(way, *index)->mark <= mark)
            return sent_at(way, *index)->mark == mark;
    return false;
}

/* `newest`: the packet acknowledges no later one. */
static void acknowledge(struct qs_line_history *history, const struct packet *packet, uint32_t mark,
                        bool newest)
{
    const bool to_server = packet->direction == QS_C2S;
    struct qs_line_way *to = &history->ways[opposite(packet->direction) - QS_C2S];
    struct qs_line_leg *leg = &history->legs[packet->direction - QS_C2S];
    /* What a client acknowledges may have been read when it had sent the datagram before. */
    const int64_t *times = history->ways[packet->direction - QS_C2S].times +
                           (to_server && packet->rules->sends_first && !history->named);
    const uint32_t echo = leg->echo;
    uint32_t index;
    int64_t high, low;

    leg->echo = mark;
    if (!find_sent(to, mark, &index)) {
        if (mark > echo && to->count && mark > sent_at(to, 0)->mark) {
            to->not_captured++;
            leg->started = false; /* what was acknowledged before this is not known */
        }
        return;
    }
    if (leg->started && index <= leg->index)
        return;
    to->acknowledged++;
    leg->tried++;
    high = times[0] - sent_at(to, index)->time;
    if (leg->started && index - leg->index < QS_LINE_SENT_MAX) {
        if (to_server && !(history->named && packet->gap >= UNSURE_GAP))
            pass_over(history, index, times[0], times[1]);
        low = times[1] - sent_at(to, leg->newest + 1)->time;
        if (newest)
            qs_histogram_add(&leg->low, low);
        if (newest && high - MAX(low, 0) < CLOSE)
            qs_histogram_add(&leg->middle, (MAX(low, 0) + high) / 2);
    }
    if (newest)
        qs_histogram_add(&leg->high, high);
    if (to_server && leg->tried % USUAL_EVERY == 0)
        history->usual = qs_histogram_quantile(&leg->high, .9);
    leg->started = true;
    leg->index = index;
    if (newest)
        leg->newest = index;
}

/* By name, the oldest first; or what the header has. */
static void acknowledge_all(struct qs_line_history *history, const struct packet *packet)
{
    const struct qs_line_facts *facts = packet->facts;
    uint32_t back;

    if (!facts->echo && packet->echo)
        acknowledge(history, packet, packet->echo, true);
    for (uint64_t echoes = facts->echo ? facts->echoes : 0; echoes; echoes ^= UINT64_C(1) << back) {
        back = 63 - (uint32_t)__builtin_clzll(echoes);
        if (facts->echo > back)
            acknowledge(history, packet, facts->echo - back, !back);
    }
}

/* --- Numbers --- */

static void add_to_way(struct qs_line_way *way, const struct packet *packet)
{
    if (way->accepted++)
        qs_histogram_add(&way->interval, packet->time - way->times[0]);
    else
        way->times[0] = way->times[1] = packet->time;
    way->times[2] = way->times[1];
    way->times[1] = way->times[0];
    way->times[0] = packet->time;
    way->last = packet->number;
    if (packet->mark)
        way->sent[way->count++ % QS_LINE_SENT_MAX] =
            (struct qs_line_sent){packet->time, packet->mark};
}

static void add_gap(struct qs_line_way *way, uint32_t gap)
{
    way->spacings[MIN(gap + 1, QS_LINE_SPACINGS - 1)]++;
    way->since_skip++;
    if (!gap)
        return;
    way->skips++;
    way->distance += way->since_skip;
    way->distance_squares += (double)way->since_skip * way->since_skip;
    way->since_skip = 0;
    way->missing += gap;
    way->burst = MAX(way->burst, gap);
}

/*
 * Whether the capture stopped for a while: the packet behind a gap acknowledges what was not
 * captured, or for most of the gap nothing came from the other end, although that sends all the
 * time. Then numbers of both directions are missing that the line did not lose. `not_captured`: the
 * other direction's, before this packet.
 */
static bool is_hole(struct qs_line_history *history, const struct packet *packet,
                    uint32_t not_captured)
{
    struct qs_line_way *way = &history->ways[packet->direction - QS_C2S];
    struct qs_line_way *other = &history->ways[opposite(packet->direction) - QS_C2S];
    const int64_t silent = packet->time - other->times[0];
    const bool sends = packet->direction == QS_S2C || !packet->rules->answers;
    const bool hole = way->hole;

    way->hole = false;
    if (!packet->gap)
        return false;
    if (!(packet->gap > HOLE_MIN && other->not_captured > not_captured) &&
        !(sends && packet->gap > 1 && silent > (packet->time - way->times[1]) / 4 * 3 &&
          (double)silent > 4 * qs_histogram_quantile(&other->interval, .5)))
        return hole;
    other->not_captured = not_captured;
    other->hole = true;
    return true;
}

/* --- The game's figures --- */

static void add_facts(struct qs_line_history *history, const struct packet *packet)
{
    const struct qs_line_facts *facts = packet->facts;
    const uint32_t frames = facts->frame - history->frame;
    const uint32_t numbers = packet->number - history->frame_number;

    history->choked += facts->choked;
    if (facts->has_loss) {
        if (!history->first_loss)
            history->first_loss = packet->number;
        if (packet->number - history->first_loss < SETTLED) {
            history->start = qs_line_numbers(history);
        } else {
            /* The percent is rounded down. */
            history->losses += facts->loss + (facts->loss ? .5 : 0);
            history->loss_count++;
        }
    }
    if (!facts->frame)
        return;
    if (history->frame && frames < 100 && numbers < frames)
        history->choked += frames - numbers;
    if (facts->has_drop && numbers == 1 && packet->echo > history->frame_echo) {
        history->drop_frames++;
        history->drops += facts->drop;
        history->drop_numbers += packet->echo - history->frame_echo;
    }
    history->frame = facts->frame;
    history->frame_number = packet->number;
    history->frame_echo = packet->echo;
}

static void add_accepted(struct qs_line_history *history, const struct packet *packet)
{
    struct qs_line_way *way = &history->ways[packet->direction - QS_C2S];
    const uint32_t not_captured = history->ways[opposite(packet->direction) - QS_C2S].not_captured;

    add_to_way(way, packet);
    history->named |= packet->facts->echo != 0;
    acknowledge_all(history, packet);
    if (is_hole(history, packet, not_captured))
        way->holes += packet->gap;
    else
        add_gap(way, packet->gap);
    add_facts(history, packet);
}

/* Of the main stream; where the server acknowledges datagrams, the header has been decoded. */
static bool read_numbers(const struct qs_line_rules *rules, const struct qs_decoder *d,
                         struct qs_seqinfo *seqinfo)
{
    if (!rules->server_acknowledges)
        return d->protocol->seqinfo(d->session, d->packet, seqinfo) && seqinfo->numbered &&
               !seqinfo->stream;
    seqinfo->mark = d->sequence;
    seqinfo->echo = d->acknowledged;
    return d->sequence != 0;
}

/* Counts the packet. Returns whether both ends have sent numbered ones. */
static bool has_history(struct qs_quality *quality, const struct qs_decoder *d,
                        struct qs_seqinfo *seqinfo)
{
    const struct qs_packet *packet = d->packet;

    quality->rules = d->protocol->line;
    quality->packets[d->direction]++;
    if (packet->unit || d->connectionless || d->direction == QS_DIRECTION_UNKNOWN ||
        !quality->rules || !read_numbers(quality->rules, d, seqinfo))
        return false;
    quality->accepted[d->direction] |= d->accepted;
    if (quality->history || !quality->accepted[opposite(d->direction)])
        return quality->history != NULL;
    quality->history = g_new0(struct qs_line_history, 1);
    quality->same_host =
        packet->source.family == packet->destination.family &&
        !memcmp(packet->source.bytes, packet->destination.bytes, sizeof packet->source.bytes);
    return true;
}

void qs_quality_add(struct qs_quality *quality, const struct qs_decoder *d)
{
    struct qs_seqinfo seqinfo;
    struct qs_line_way *way;

    if (!has_history(quality, d, &seqinfo))
        return;
    way = &quality->history->ways[d->direction - QS_C2S];
    if (d->accepted) {
        const struct packet packet = {
            .rules = quality->rules,
            .facts = &d->line,
            .direction = d->direction,
            .time = d->packet->time / 1000,
            .number = d->sequence,
            .mark = d->line.mark ? d->line.mark : seqinfo.mark,
            .echo = d->line.echo ? d->line.echo : seqinfo.echo,
            .gap = way->accepted ? d->sequence - way->last - 1 : 0,
        };

        add_accepted(quality->history, &packet);
    }
    way->duplicates += d->notes[QS_NOTE_SEQUENCE_DUPLICATE] != 0;
    way->late += d->notes[QS_NOTE_SEQUENCE_STALE] != 0;
    way->missing -= d->notes[QS_NOTE_SEQUENCE_STALE] && way->missing;
}

struct qs_line_gap qs_quality_add_gap(struct qs_quality *quality, const struct qs_decoder *d)
{
    const struct qs_line_history *history = quality->history;
    const uint32_t choked = history ? history->choked : 0;
    const uint32_t last = history && d->direction ? history->ways[d->direction - QS_C2S].last : 0;
    struct qs_line_gap found = {0};
    struct qs_line line;
    uint32_t others;

    qs_quality_add(quality, d);
    if (!last || !d->accepted || history->ways[d->direction - QS_C2S].last == last)
        return found;
    found.choked = (uint16_t)MIN(history->choked - choked, UINT16_MAX);
    others = MIN(d->sequence - last - 1, UINT16_MAX);
    if (quality->rules->answers)
        others -= MIN(others, found.choked);
    if (!others)
        return found;
    line.s2c.gaps = quality->rules->answers ? QS_GAP_UNKNOWN : QS_GAP_LOST;
    if (d->direction == QS_C2S)
        qs_quality_line(quality, &line);
    switch (d->direction == QS_C2S ? line.c2s.gaps : line.s2c.gaps) {
    case QS_GAP_UNKNOWN:
        found.skipped = (uint16_t)others;
        break;
    case QS_GAP_LOST:
        found.lost = (uint16_t)others;
        break;
    case QS_GAP_THROTTLED:
        found.throttled = (uint16_t)others;
        break;
    }
    return found;
}
