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
    if (quality && quality->history)
        g_free(quality->history->bins.octaves);
    if (quality)
        g_free(quality->history);
    g_free(quality);
}

/* --- Histograms --- */

static G_GNUC_NO_INLINE void begin_octave(struct qs_bins *bins, struct qs_histogram *histogram,
                                          unsigned bin, uint32_t by)
{
    histogram->bins = bins;
    histogram->octaves[bin / QS_OCTAVE_BINS] = ++bins->count;
    bins->octaves = g_realloc_n(bins->octaves, bins->count, sizeof *bins->octaves);
    memset(bins->octaves[bins->count - 1], 0, sizeof *bins->octaves);
    bins->octaves[bins->count - 1][bin % QS_OCTAVE_BINS] = by;
}

static void add_to_bin(struct qs_line_history *history, struct qs_histogram *histogram,
                       unsigned bin, uint32_t by)
{
    const uint8_t octave = histogram->octaves[bin / QS_OCTAVE_BINS];

    histogram->count++;
    if (octave)
        history->bins.octaves[octave - 1][bin % QS_OCTAVE_BINS] += by;
    else
        begin_octave(&history->bins, histogram, bin, by);
}

static void add_time(struct qs_line_history *history, struct qs_histogram *histogram, int64_t time)
{
    add_to_bin(history, histogram, qs_bin_of(time), 1);
}

static void add_interval(struct qs_line_history *history, struct qs_histogram *intervals,
                         int64_t from, int64_t to)
{
    if (to > from) {
        add_to_bin(history, intervals, qs_bin_of(from), 1);
        add_to_bin(history, intervals, qs_bin_of(to), UINT32_MAX);
    }
}

/* A numbered packet of the direction's main stream. */
struct packet {
    const struct qs_line_rules *rules;
    const struct qs_line_facts *facts;
    struct qs_line_way *way, *other; /* its direction, and that back */
    bool to_server;
    int64_t time;
    uint32_t number, mark, echo;
    uint32_t gap; /* numbers missing before it */
};

/* --- Acknowledgements --- */

static const struct qs_line_sent *sent_at(const struct qs_line_way *way, uint32_t index)
{
    return &way->sent[index % QS_LINE_SENT_MAX];
}

/* From the datagram's sending until `time`. */
static int64_t since_sent(const struct qs_line_way *way, uint32_t index, int64_t time)
{
    return (int32_t)((uint32_t)time - sent_at(way, index)->time);
}

/* Whether the datagram has come by the last place of the capture; there may be one place only. */
static bool has_arrived(const struct qs_line_way *way, uint32_t index)
{
    return !way->copied || sent_at(way, index)->copied;
}

/*
 * Acknowledgements name the newest datagram only, and of two that arrive together none names the
 * first. A datagram without an acknowledgement was lost only if the client has sent something
 * later than acknowledgements take, and that names an older one. How long they take at most is
 * settled later; here is which times make the datagrams up to `next` lost, which the client read at
 * `read`, and had not read at `before`. How many losses are seen is measured on what was
 * acknowledged, and so is how often that is wrong.
 */
static void pass_over(struct qs_line_history *history, const struct qs_line_rules *rules,
                      uint32_t next, int64_t read, int64_t before)
{
    const struct qs_line_way *server = &history->ways[QS_TO_CLIENT];
    const uint32_t last = history->legs[QS_TO_SERVER].index;
    const int64_t from = history->named ? 0 : since_sent(server, next, read);
    uint32_t burst = 0;

    for (uint32_t i = last + 1; i < next; i++) {
        const int64_t since = history->named ? INT64_MAX : since_sent(server, i, before);

        if (!rules->answers)
            add_interval(history, &history->lost, from, since);
        burst = (double)from <= history->usual && (double)since > history->usual ? burst + 1 : 0;
        history->burst = MAX(history->burst, burst);
    }
    history->passed_over += next - last - 1;
    if (rules->answers) /* acknowledgements are not asked for what was lost */
        return;
    add_interval(history, &history->seen, from,
                 history->named ? INT64_MAX : since_sent(server, last, before));
    if (!history->named)
        add_interval(history, &history->wrong, 0, since_sent(server, next, before));
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
    struct qs_line_way *to = packet->other;
    struct qs_line_leg *leg = &history->legs[packet->to_server ? QS_TO_SERVER : QS_TO_CLIENT];
    /* What a client acknowledges may have been read when it had sent the datagram before. */
    const int64_t *times =
        packet->way->times + (packet->to_server && packet->rules->sends_first && !history->named);
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
    to->acknowledged_copied += sent_at(to, index)->copied;
    to->sent[index % QS_LINE_SENT_MAX].acknowledged = true;
    leg->tried++;
    high = since_sent(to, index, times[0]);
    if (leg->started && index - leg->index < QS_LINE_SENT_MAX) {
        if (packet->to_server && !(history->named && packet->gap >= UNSURE_GAP))
            pass_over(history, packet->rules, index, times[0], times[1]);
        low = has_arrived(to, leg->newest + 1) ? since_sent(to, leg->newest + 1, times[1]) : 0;
        if (newest)
            add_time(history, &leg->low, low);
        if (newest && high - MAX(low, 0) < CLOSE && (packet->to_server || !packet->rules->answers))
            add_time(history, &leg->middle, (MAX(low, 0) + high) / 2);
    }
    if (newest)
        add_time(history, &leg->high, high);
    if (packet->to_server && leg->tried % USUAL_EVERY == 0)
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

    for (uint64_t echoes = facts->echo ? facts->echoes : 1; echoes; echoes ^= UINT64_C(1) << back) {
        back = 63 - (uint32_t)__builtin_clzll(echoes);
        if (packet->echo > back)
            acknowledge(history, packet, packet->echo - back, !back);
    }
}

/* --- Numbers --- */

static void add_copy(struct qs_line_way *way, uint32_t index, uint32_t time)
{
    struct qs_line_sent *sent = &way->sent[index % QS_LINE_SENT_MAX];

    if (sent->copied)
        return;
    if (!way->copied++)
        way->before_copies = way->accepted - (way->count - index);
    way->acknowledged_copied += sent->acknowledged;
    way->lag += (int32_t)(time - sent->time);
    sent->copied = true;
    sent->time = time;
}

/* The datagram that was added last may have come by the second place already. */
static void add_early_copy(struct qs_line_way *way, uint32_t number)
{
    for (uint32_t i = 0; i < MIN(way->early_count, QS_LINE_EARLY_MAX); i++)
        if (way->early[i].number == number)
            add_copy(way, way->count - 1, way->early[i].time);
}

static void add_to_way(struct qs_line_history *history, const struct packet *packet)
{
    struct qs_line_way *way = packet->way;

    if (way->accepted++)
        add_time(history, &way->interval, packet->time - way->times[0]);
    else
        way->times[0] = way->times[1] = packet->time;
    way->times[2] = way->times[1];
    way->times[1] = way->times[0];
    way->times[0] = packet->time;
    way->last = packet->number;
    /* Without acknowledgements, only copies are looked up. */
    if (!packet->mark && (!packet->to_server || packet->rules->server_acknowledges))
        return;
    way->sent[way->count++ % QS_LINE_SENT_MAX] =
        (struct qs_line_sent){(uint32_t)packet->time, packet->mark, packet->number, false, false};
    add_early_copy(way, packet->number);
}

static void add_gap(struct qs_line_history *history, const struct packet *packet)
{
    struct qs_line_way *way = packet->way;
    const uint32_t gap = packet->gap;

    if (packet->rules->skips_regularly && packet->to_server)
        add_to_bin(history, &way->spacings, MIN(gap + 1, QS_LINE_SPACINGS - 1), 1);
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
static bool is_hole(const struct packet *packet, uint32_t not_captured)
{
    const struct qs_line_way *way = packet->way;
    struct qs_line_way *other = packet->other;
    const int64_t silent = packet->time - other->times[0];
    const bool sends = !packet->to_server || !packet->rules->answers;

    if (!(packet->gap > HOLE_MIN && other->not_captured > not_captured) &&
        !(sends && packet->gap > 1 && silent > (packet->time - way->times[1]) / 4 * 3 &&
          (double)silent > 4 * qs_histogram_quantile(&other->interval, .5)))
        return way->hole;
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
    const uint32_t not_captured = packet->other->not_captured;

    add_to_way(history, packet);
    history->named |= packet->facts->echo != 0;
    acknowledge_all(history, packet);
    if (packet->gap && is_hole(packet, not_captured))
        packet->way->holes += packet->gap;
    else
        add_gap(history, packet);
    packet->way->hole = false;
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
    if (quality->history || !quality->accepted[d->direction == QS_C2S ? QS_S2C : QS_C2S])
        return quality->history != NULL;
    quality->history = g_new0(struct qs_line_history, 1);
    quality->same_host =
        packet->source.family == packet->destination.family &&
        !memcmp(packet->source.bytes, packet->destination.bytes, sizeof packet->source.bytes);
    return true;
}

void qs_quality_copy(struct qs_quality *quality, enum qs_direction direction, uint32_t number,
                     int64_t time)
{
    const uint32_t now = (uint32_t)(time / 1000);
    struct qs_line_way *way;

    if (!quality->history || direction == QS_DIRECTION_UNKNOWN)
        return;
    way = &quality->history->ways[direction - QS_C2S];
    way->repeated++;
    for (uint32_t i = way->count; i-- > way->count - MIN(way->count, QS_LINE_SENT_MAX);)
        if (sent_at(way, i)->number == number) {
            add_copy(way, i, now);
            return;
        }
    way->early[way->early_count++ % QS_LINE_EARLY_MAX] = (struct qs_line_copy){number, now};
}

void qs_quality_add(struct qs_quality *quality, const struct qs_decoder *d)
{
    const bool to_server = d->direction == QS_C2S;
    struct qs_seqinfo seqinfo;
    struct qs_line_way *way;

    if (!has_history(quality, d, &seqinfo))
        return;
    way = &quality->history->ways[to_server ? QS_TO_SERVER : QS_TO_CLIENT];
    if (d->accepted) {
        const struct packet packet = {
            .rules = quality->rules,
            .facts = &d->line,
            .way = way,
            .other = &quality->history->ways[to_server ? QS_TO_CLIENT : QS_TO_SERVER],
            .to_server = to_server,
            .time = d->packet->time / 1000,
            .number = d->sequence,
            .mark = d->line.mark ? d->line.mark : seqinfo.mark,
            .echo = d->packet->false_ack ? 0
                    : d->line.echo       ? d->line.echo
                                         : seqinfo.echo,
            .gap = way->accepted ? d->sequence - way->last - 1 : 0,
        };

        add_accepted(quality->history, &packet);
    }
    way->duplicates += d->notes[QS_NOTE_SEQUENCE_DUPLICATE] != 0;
    if (d->notes[QS_NOTE_SEQUENCE_STALE]) {
        way->late++;
        way->missing -= way->missing != 0;
    }
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
