/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/quality.h"

#include <string.h>

#include "common/core/decode.h"
#include "common/netchan/quality_state.h"
#include "common/netchan/seqinfo.h"

enum {
    SETTLED = 320,    /* QuakeWorld's loss includes none of the sign-on after this many numbers */
    LEARN_EVERY = 32, /* number of acknowledgements between two calls of learn() */
    CLOCKS_DIFFER = 1000, /* minimum lead of one clock over another that is not by chance (µs) */
    CLOSE = 50000,        /* maximum distance of a round trip's bounds, if they are used (µs) */
    HOLE_MIN = 3,         /* gaps of losses and unsent answers are seldom longer */
    UNSURE_GAP = 2        /* size of gaps that may contain all acknowledgements of an update */
};

#define USUAL .998 /* quantile up to which a measured time counts as usual */

struct qs_path *qs_path_new(void)
{
    return g_new0(struct qs_path, 1);
}

void qs_path_free(struct qs_path *path)
{
    for (int i = QS_CLIENT; path && path->history && i <= QS_SERVER; i++) {
        struct qs_path_times *times = path->history->senders[i].half.times;

        for (const struct qs_path_times *end = times + 2; times < end; times++) {
            qs_histogram_clear(&times->high);
            qs_histogram_clear(&times->low);
            qs_histogram_clear(&times->middle);
            qs_histogram_clear(&times->unread);
            qs_histogram_clear(&times->passed);
        }
    }
    if (path)
        g_free(path->history);
    g_free(path);
}

/* A numbered packet of the direction's main stream. */
struct packet {
    struct qs_path *path;
    const struct qs_path_facts *facts;
    struct qs_path_sender *sender, *other;
    bool to_server;
    int64_t time;
    uint32_t number, ack_id, acked_id;
    uint32_t gap;         /* number of packets missing before it */
    uint32_t previous_id; /* ack_id of the sender's datagram before */
};

/* --- Acknowledgements ------------------------------------------------------------------------ */

static struct qs_path_sent *sent_at(struct qs_path_sender *sender, uint32_t index)
{
    return &sender->sent[index % QS_PATH_SENT_MAX];
}

/* Returns the index of the oldest datagram in the ring. */
static uint32_t oldest(const struct qs_path_sender *sender)
{
    return sender->count - MIN(sender->count, QS_PATH_SENT_MAX);
}

/* Returns the time between the sending of the datagram and `time`. */
static int64_t since_sent(struct qs_path_sender *sender, uint32_t index, int64_t time)
{
    return (int32_t)((uint32_t)time - sent_at(sender, index)->time);
}

/* True if the datagram was seen at the last place of the capture, which may have only one. */
static bool has_arrived(struct qs_path_sender *sender, uint32_t index)
{
    return !qs_path_has_two_vantages(sender) || sent_at(sender, index)->copied;
}

/* Finds the index of the datagram with this ack_id in the ring. False if there is none. */
static bool find_sent(struct qs_path_sender *sender, uint32_t ack_id, uint32_t *index)
{
    for (*index = sender->count; (*index)-- > oldest(sender);)
        if (sent_at(sender, *index)->ack_id <= ack_id)
            return sent_at(sender, *index)->ack_id == ack_id;
    return false;
}

/* Counts a datagram that was not captured, but that the packet acknowledges. */
static void note_not_captured(const struct packet *packet, uint32_t acked_id)
{
    struct qs_path_sender *other = packet->other;

    other->half.started = false; /* which datagrams were acknowledged before is unknown */
    /* It is of the last gap, too, if the packet behind that gap has no ack_id. */
    if (acked_id > sent_at(other, other->count - 1)->ack_id &&
        (!other->gap || other->gap_to != UINT32_MAX || other->gap_acknowledged >= other->gap)) {
        other->next_acknowledged++;
    } else if (acked_id < other->gap_from || acked_id > other->gap_to) {
        other->counts.not_captured++;
    } else if (other->gap) {
        other->counts.not_captured++;
        other->gap_acknowledged++;
    }
}

/*
 * Examines the datagrams older than `index`, which the receiver acknowledges at `now`, that it had
 * not acknowledged at `before`. Only the newest datagram is acknowledged, so that the first of two
 * that arrive together never is. A datagram was lost if the receiver sent a packet that does not
 * acknowledge it after the usual time until datagrams are read. If Quake II's server reports that
 * none is missing, none is marked as lost; if it reports a loss, at least the oldest one is.
 */
static void pass_over(const struct packet *packet, uint32_t index, int64_t now, int64_t before)
{
    struct qs_path_history *history = packet->path->history;
    struct qs_path_sender *to = packet->other;
    struct qs_half_path *half = &to->half;
    const struct qs_path_facts *facts = packet->facts;
    const bool in_time = since_sent(to, index, now) <= half->late;
    bool first = facts->has_drop;
    uint32_t burst = 0;

    for (uint32_t i = MAX(half->index + 1, oldest(to)); i < index; i++) {
        bool lost;

        if (!has_arrived(to, i))
            continue;
        qs_histogram_add(&half->times[sent_at(to, i)->copied].passed, since_sent(to, i, before));
        if (!half->learned)
            continue;
        to->counts.passed_over++;
        lost = !half->near &&
               (half->named || (in_time && since_sent(to, i, before) > half->unread_max));
        to->counts.lost += lost;
        burst = lost ? burst + 1 : 0;
        half->burst = MAX(half->burst, burst);
        if (facts->has_drop ? facts->drop && !half->near && (lost || first) : lost)
            history->unread[history->unread_count++] = sent_at(to, i)->record;
        first = false;
    }
}

/*
 * Updates the usual times of the half path, and whether its end is near. If the client reports how
 * many datagrams are lost, these are the ones that were unread longest.
 */
static void learn(const struct packet *packet)
{
    struct qs_half_path *half = &packet->other->half;
    const struct qs_path_times *times = qs_path_times_of(packet->other);
    const double reported = packet->to_server ? qs_path_reported_loss(packet->path) : -1;
    const double all = (double)times->passed.count + times->unread.count;

    half->near = qs_path_is_near(packet->path, packet->to_server ? QS_SERVER : QS_CLIENT);
    half->unread_max = (int64_t)qs_histogram_quantile(&times->unread, USUAL);
    if (reported >= 0 && times->passed.count)
        half->unread_max = (int64_t)qs_histogram_quantile(
            &times->passed, 1 - MIN(reported / 100 * all / times->passed.count, 1));
    half->late = (int64_t)qs_histogram_quantile(&times->high, USUAL);
    half->learned = true;
}

/* Adds the times of datagram `index`, which was acknowledged at `now`, but not at `before`. */
static void add_times(const struct packet *packet, uint32_t index, int64_t now, int64_t before,
                      bool newest)
{
    struct qs_path_sender *to = packet->other;
    struct qs_half_path *half = &to->half;
    struct qs_path_times *times = &half->times[sent_at(to, index)->copied];
    const int64_t high = since_sent(to, index, now);

    if (half->started && index - half->index < QS_PATH_SENT_MAX) {
        const int64_t low = has_arrived(to, half->newest + 1)
                                ? MAX(since_sent(to, half->newest + 1, before), 0)
                                : 0;

        if (!(half->named && packet->gap >= UNSURE_GAP))
            pass_over(packet, index, now, before);
        to->counts.judged += half->learned;
        qs_histogram_add(&times->unread, since_sent(to, index, before));
        if (newest)
            qs_histogram_add(&times->low, low);
        if (newest && high - low < CLOSE && (packet->to_server || !packet->path->rules->answers))
            qs_histogram_add(&times->middle, (low + high) / 2);
    }
    if (newest)
        qs_histogram_add(&times->high, high);
    if (half->learned)
        half->sample = (uint32_t)MAX(high, 0);
}

/* Processes one acknowledgement. `newest`: the packet acknowledges no later datagram. */
static void acknowledge(const struct packet *packet, uint32_t acked_id, bool newest)
{
    struct qs_path_sender *to = packet->other;
    struct qs_half_path *half = &to->half;
    /* A client that sends first may have read the datagram right after its previous packet. */
    const int64_t *times = packet->sender->times +
                           (packet->to_server && packet->path->rules->sends_first && !half->named);
    const uint32_t last = half->acked_id;
    uint32_t index;

    if (half->index < to->restarted && acked_id > sent_at(to, to->count - 1)->ack_id)
        return; /* of the level before */
    half->acked_id = half->named ? MAX(last, acked_id) : acked_id;
    if (!find_sent(to, acked_id, &index)) {
        if (acked_id > last && to->count &&
            acked_id > sent_at(to, MAX(oldest(to), to->restarted))->ack_id)
            note_not_captured(packet, acked_id);
        return;
    }
    if (half->started && index <= half->index)
        return;
    to->counts.acknowledged++;
    if (acked_id >= to->gap_to)
        to->gap = 0; /* the last gap is no hole of the capture */
    sent_at(to, index)->acknowledged = true;
    to->copied_acknowledged += sent_at(to, index)->copied;
    add_times(packet, index, times[0], times[1], newest);
    if (newest || !half->started)
        half->newest = index;
    half->started = true;
    half->index = index;
    if ((uint32_t)to->counts.acknowledged % LEARN_EVERY == 0)
        learn(packet);
}

/* Processes all acknowledgements: those of single ids, the oldest first, or the one in the header.
 */
static void acknowledge_all(const struct packet *packet)
{
    const struct qs_path_facts *facts = packet->facts;
    uint32_t back;

    packet->other->half.named |= facts->acked_id != 0;
    packet->other->half.sample = 0;
    for (uint64_t ids = facts->acked_id ? facts->acked_ids : 1; ids; ids ^= UINT64_C(1) << back) {
        back = 63 - (uint32_t)__builtin_clzll(ids);
        if (packet->acked_id > back)
            acknowledge(packet, packet->acked_id - back, !back);
    }
}

/* --- Captures at two places ------------------------------------------------------------------ */

static void add_copy(struct qs_path *path, struct qs_path_sender *sender, uint32_t index,
                     const struct qs_path_copy *copy)
{
    struct qs_path_sent *sent = sent_at(sender, index);
    const int32_t lag = (int32_t)(copy->time - sent->time);
    const int32_t lead = copy->file_order < 0 ? -lag : lag;
    const bool has_other = sender->copied > sender->repeated;

    if (sent->copied)
        return;
    if (copy->file_order || !has_other) {
        sender->copied_until = index;
        sender->until = qs_path_counts(path);
    }
    if (!sender->copied || (copy->file_order && !has_other)) {
        sender->copied_from = index;
        sender->from = sender->until;
    }
    sender->copied++;
    sender->repeated += !copy->file_order;
    sender->copied_acknowledged += sent->acknowledged;
    sender->lag += lag;
    sender->ahead += copy->file_order && lead > CLOCKS_DIFFER;
    sender->behind += copy->file_order && lead < -CLOCKS_DIFFER;
    sent->copied = true;
    sent->time = copy->time;
}

void qs_path_add_copy(struct qs_path *path, enum qs_direction direction, uint32_t number,
                      int64_t time, int file_order)
{
    const struct qs_path_copy copy = {number, (uint32_t)(time / 1000), file_order};
    struct qs_path_sender *sender;

    if (!path->history || direction == QS_DIRECTION_UNKNOWN)
        return;
    sender = &path->history->senders[direction - QS_C2S];
    for (uint32_t i = sender->count; i-- > oldest(sender);)
        if (sent_at(sender, i)->number == number) {
            add_copy(path, sender, i, &copy);
            return;
        }
    sender->early[sender->early_count++ % QS_PATH_EARLY_MAX] = copy;
}

/* --- Sequence numbers ------------------------------------------------------------------------ */

static void add_sent(const struct packet *packet, uint32_t record)
{
    struct qs_path_sender *sender = packet->sender;
    struct qs_path_sent *sent = sent_at(sender, sender->count);

    if (sender->counts.accepted++ <= 0)
        sender->begin = sender->times[0] = sender->times[1] = packet->time;
    sender->times[2] = sender->times[1];
    sender->times[1] = sender->times[0];
    sender->times[0] = packet->time;
    sender->counts.sample += sender->half.learned;
    sender->last = packet->number;
    /* Without ack_id, only datagrams to a server that acknowledges none are kept, for copies. */
    if (!packet->ack_id && (!packet->to_server || packet->path->rules->server_acknowledges))
        return;
    if (sender->gap_to == UINT32_MAX)
        sender->gap_to = packet->ack_id;
    if (packet->ack_id < packet->previous_id) { /* Quake's frames begin again with each level */
        sender->restarted = sender->count;
        sender->half.acked_id = 0;
    }
    sender->count++;
    *sent = (struct qs_path_sent){
        (uint32_t)packet->time, packet->ack_id, packet->number, record, false, false};
    /* A copy may have been captured before the datagram. */
    for (uint32_t i = 0; i < MIN(sender->early_count, QS_PATH_EARLY_MAX); i++)
        if (sender->early[i].number == packet->number)
            add_copy(packet->path, sender, sender->count - 1, &sender->early[i]);
}

/* True if the last gap is a long one, and the netchan found that the capture lacks all of it. */
static bool is_hole(const struct qs_netchan *chan)
{
    const uint32_t size = chan->last_gap.until - chan->last_gap.from;

    return size > HOLE_MIN && chan->last_gap.counted == size;
}

/* Counts the other end's last gap as a hole, if the packet shows that it is one. */
static void forget_hole(const struct packet *packet, const struct qs_session *session)
{
    const struct qs_netchan *chan = packet->to_server ? &session->to_client : &session->to_server;
    struct qs_path_sender *other = packet->other;

    if (!other->gap || chan->last_gap.until != other->gap_until || !is_hole(chan))
        return;
    other->counts.missing -= MIN(other->gap, other->counts.missing);
    other->counts.not_captured -= MIN(other->gap_acknowledged, other->counts.not_captured);
    other->counts.holes += other->gap;
    other->gap = 0;
}

/* Counts the numbers that are missing before the packet, separately if they are in a hole of the
 * capture: these show nothing of the path. */
static void add_gap(const struct packet *packet, const struct qs_session *session)
{
    struct qs_path_sender *sender = packet->sender;
    const struct qs_netchan *chan = packet->to_server ? &session->to_server : &session->to_client;
    const uint32_t gap = packet->gap;
    const bool hole = chan->last_gap.until == packet->number && is_hole(chan);

    if (gap && hole) {
        sender->counts.holes += gap;
    } else if (gap) {
        sender->counts.missing += gap;
        sender->counts.not_captured += sender->next_acknowledged;
        sender->counts.single_gaps += gap <= 2;
        sender->burst = MAX(sender->burst, gap);
    }
    if (gap >= sender->gap && gap) {
        sender->gap = hole ? 0 : gap;
        sender->gap_until = packet->number;
        sender->gap_acknowledged = sender->next_acknowledged;
        sender->gap_from = packet->previous_id;
        sender->gap_to = packet->ack_id ? packet->ack_id : UINT32_MAX;
    }
    sender->next_acknowledged = 0;
}

/* --- Figures of the game --------------------------------------------------------------------- */

static void add_facts(const struct packet *packet)
{
    struct qs_path_history *history = packet->path->history;
    const struct qs_path_facts *facts = packet->facts;
    const uint32_t frames = facts->frame - history->frame;
    const uint32_t numbers = packet->number - history->frame_number;

    history->counts.choked += facts->choked;
    if (facts->has_loss) {
        if (!history->first_loss)
            history->first_loss = packet->number;
        if (packet->number - history->first_loss < SETTLED) {
            history->counted_from = qs_path_answers_of(history);
        } else {
            history->counts.losses += facts->loss;
            history->counts.lossy += facts->loss != 0;
            history->counts.loss_count++;
        }
    }
    if (!facts->frame)
        return;
    if (history->frame && frames < 100 && numbers < frames)
        history->counts.choked += frames - numbers;
    if (facts->has_drop && numbers == 1 && packet->acked_id > history->frame_acked) {
        history->counts.drop_frames++;
        history->counts.drops += facts->drop;
        history->counts.drop_numbers += packet->acked_id - history->frame_acked;
    }
    history->frame = facts->frame;
    history->frame_number = packet->number;
    history->frame_acked = packet->acked_id;
}

/* --- Packets --------------------------------------------------------------------------------- */

/* Reads the numbers of the main stream; the header has been decoded if the server acknowledges. */
static bool read_numbers(const struct qs_path_rules *rules, const struct qs_decoder *d,
                         struct qs_seqinfo *seqinfo)
{
    if (!rules->server_acknowledges)
        return d->protocol->seqinfo(d->session, d->packet, seqinfo) && seqinfo->numbered &&
               !seqinfo->stream;
    seqinfo->ack_id = d->found.sequence;
    seqinfo->acked_id = d->found.acknowledged;
    return d->found.sequence != 0;
}

/* Counts the packet. True if both ends have sent numbered ones. */
static bool has_history(struct qs_path *path, const struct qs_decoder *d,
                        struct qs_seqinfo *seqinfo)
{
    const struct qs_packet *packet = d->packet;

    path->rules = d->protocol->path;
    path->packets[d->found.direction]++;
    if (packet->pdu || d->found.connectionless || d->found.direction == QS_DIRECTION_UNKNOWN ||
        !path->rules || !read_numbers(path->rules, d, seqinfo))
        return false;
    path->accepted[d->found.direction] |= d->found.accepted;
    if (path->history || !path->accepted[d->found.direction == QS_C2S ? QS_S2C : QS_C2S])
        return path->history != NULL;
    path->history = g_new0(struct qs_path_history, 1);
    path->same_host =
        packet->source.family == packet->destination.family &&
        !memcmp(packet->source.bytes, packet->destination.bytes, sizeof packet->source.bytes);
    return true;
}

static void add_dropped(struct qs_path_sender *sender, const struct qs_decoder *d)
{
    if (d->found.notes[QS_NOTE_SEQUENCE_DUPLICATE]) {
        sender->duplicates++;
        sender->may_be_copies |= !d->packet->ip_id;
    }
    if (d->found.notes[QS_NOTE_SEQUENCE_STALE]) {
        sender->counts.late++;
        sender->counts.missing -= sender->counts.missing > 0;
    }
}

/* Adds the packet. True if it was accepted; then sets `*gap` to the numbers missing before it. */
static bool add(struct qs_path *path, const struct qs_decoder *d, uint32_t record, uint32_t *gap)
{
    static const struct qs_path_facts nothing; /* facts of an unreadable packet */
    const bool to_server = d->found.direction == QS_C2S;
    struct qs_seqinfo seqinfo;
    struct packet packet;

    if (!has_history(path, d, &seqinfo))
        return false;
    path->history->unread_count = 0;
    packet = (struct packet){
        .path = path,
        .facts = qs_decoder_problems(d) ? &nothing : &d->found.path,
        .sender = &path->history->senders[to_server ? QS_CLIENT : QS_SERVER],
        .other = &path->history->senders[to_server ? QS_SERVER : QS_CLIENT],
        .to_server = to_server,
        .time = d->packet->time / 1000,
        .number = d->found.sequence,
        .ack_id = d->found.path.ack_id ? d->found.path.ack_id : seqinfo.ack_id,
        .acked_id = d->packet->false_ack     ? 0
                    : d->found.path.acked_id ? d->found.path.acked_id
                                             : seqinfo.acked_id,
    };
    if (!d->found.accepted) {
        add_dropped(packet.sender, d);
        return false;
    }
    packet.previous_id =
        packet.sender->count ? sent_at(packet.sender, packet.sender->count - 1)->ack_id : 0;
    packet.gap = *gap =
        packet.sender->counts.accepted > 0 ? packet.number - packet.sender->last - 1 : 0;
    add_sent(&packet, record);
    forget_hole(&packet, d->session);
    acknowledge_all(&packet);
    add_gap(&packet, d->session);
    add_facts(&packet);
    return true;
}

/* Returns the round trip that the packet ends: by a client's acknowledgement, or by a server's if
 * the client is near. 0 if it ends none, or measures only the program at this end. */
static uint32_t ping_of(const struct qs_path *path, const struct qs_decoder *d)
{
    const struct qs_half_path *to_client = &path->history->senders[QS_SERVER].half;
    const struct qs_half_path *to_server = &path->history->senders[QS_CLIENT].half;
    const struct qs_half_path *half = d->found.direction == QS_C2S ? to_client : to_server;

    if (!half->sample || half->near || (d->found.direction == QS_S2C && !to_client->near) ||
        (path->rules->server_acknowledges && !to_server->learned))
        return 0;
    return half->sample +
           (d->found.direction == QS_C2S && !to_server->near ? to_server->sample : 0);
}

void qs_path_add_event(struct qs_path *path, const struct qs_decoder *d, uint32_t record,
                       struct qs_path_event *event)
{
    const double choked = path->history ? path->history->counts.choked : 0;
    uint32_t gap = 0;

    *event = (struct qs_path_event){0};
    if (!add(path, d, record, &gap))
        return;
    *event = (struct qs_path_event){.gap = gap,
                                    .choked = (uint16_t)(path->history->counts.choked - choked),
                                    .ping = ping_of(path, d),
                                    .unread = path->history->unread,
                                    .unread_count = path->history->unread_count};
}

struct qs_path_gap qs_path_gap_of(const struct qs_path *path, const struct qs_decoder *d,
                                  const struct qs_path_event *event)
{
    uint16_t gap = (uint16_t)MIN(event->gap, UINT16_MAX);
    struct qs_path_quality quality;
    enum qs_gap kind;

    if (!gap)
        return (struct qs_path_gap){0};
    if (path->rules->answers)
        gap -= MIN(gap, event->choked);
    kind = path->rules->answers ? QS_GAP_UNKNOWN : QS_GAP_LOST;
    if (d->found.direction == QS_C2S) {
        qs_path_quality(path, &quality);
        kind = quality.c2s.gaps;
    }
    return (struct qs_path_gap){.lost = kind == QS_GAP_LOST ? gap : 0,
                                .skipped = kind == QS_GAP_UNKNOWN ? gap : 0,
                                .throttled = kind == QS_GAP_THROTTLED ? gap : 0};
}
