/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/netchan.h"

#include <glib.h>
#include <string.h>

#include "common/core/emit.h"
#include "common/core/numeric_text.h"
#include "common/core/reader.h"
#include "common/core/decode.h"
#include "common/core/values.h"

enum {
    SEEN_WINDOW = 64,
    /* Maximum number of later packets that may overtake one on the path. */
    LATE_MAX = 16,
    FIRST_LATE_MAX = 4, /* maximum, if it has one of a connection's first numbers */
    FIRST_NUMBERS = 2
};

static bool was_captured(const struct qs_netchan *chan, uint32_t sequence)
{
    const uint32_t age = chan->sequence - sequence;

    return chan->started && sequence <= chan->sequence && age < SEEN_WINDOW &&
           (chan->seen >> age & 1);
}

/* True if the packet was acknowledged, but not captured so far. */
static bool is_lacking(const struct qs_netchan *chan, uint32_t sequence)
{
    const uint32_t age = chan->last_uncaptured - sequence;

    return age < SEEN_WINDOW && (chan->lacking >> age & 1);
}

static void clear_lacking(struct qs_netchan *chan, uint32_t sequence)
{
    if (!is_lacking(chan, sequence))
        return;
    chan->lacking &= ~(UINT64_C(1) << (chan->last_uncaptured - sequence));
    chan->not_captured--;
}

enum qs_arrival qs_netchan_arrive(struct qs_netchan *chan, uint32_t sequence, uint32_t *skipped)
{
    *skipped = 0;
    if (chan->started && sequence <= chan->sequence) {
        const uint32_t age = chan->sequence - sequence;

        if (was_captured(chan, sequence)) {
            chan->duplicates++;
            return QS_ARRIVAL_DUPLICATE;
        }
        if (age < SEEN_WINDOW)
            chan->seen |= UINT64_C(1) << age;
        clear_lacking(chan, sequence);
        chan->stale++;
        return QS_ARRIVAL_STALE;
    }
    if (chan->started) {
        const uint32_t step = sequence - chan->sequence;

        *skipped = step - 1;
        chan->seen = step < SEEN_WINDOW ? chan->seen << step : 0;
    } else {
        chan->seen = 0;
        *skipped = chan->begins && sequence && sequence <= SEEN_WINDOW ? sequence - 1 : 0;
    }
    chan->seen |= 1;
    clear_lacking(chan, sequence);
    chan->started = true;
    chan->sequence = sequence;
    chan->accepted++;
    chan->missing += *skipped;
    return *skipped ? QS_ARRIVAL_GAP : QS_ARRIVAL_NEXT;
}

bool qs_netchan_starts_over(const struct qs_netchan *chan, uint32_t sequence)
{
    const uint32_t late_max = sequence < FIRST_NUMBERS ? FIRST_LATE_MAX : LATE_MAX;

    return chan->started && sequence < chan->sequence && chan->sequence - sequence > late_max;
}

bool qs_netchan_restarted(struct qs_netchan *chan, uint32_t sequence)
{
    enum { PACKETS = 8, FIRST = 256 /* higher ones are copies, from another recorder */ };

    chan->restarts =
        sequence < FIRST && qs_netchan_starts_over(chan, sequence) ? chan->restarts + 1 : 0;
    return chan->restarts >= PACKETS;
}

bool qs_netchan_acknowledge(struct qs_netchan *chan, uint32_t ack)
{
    uint32_t step;

    /* Numbers older than the window, or from before the capture, are unknown. No capture lacks
     * QS_NUMBERS_APART packets in a row: a number further ahead was never sent. */
    if ((chan->accepted < 2 && (chan->started || !chan->begins)) || ack == chan->last_uncaptured ||
        (ack > chan->sequence && ack - chan->sequence > QS_NUMBERS_APART))
        return false;
    if (ack <= chan->sequence &&
        (chan->sequence - ack >= SEEN_WINDOW || chan->sequence - ack >= chan->accepted ||
         was_captured(chan, ack)))
        return false;
    chan->ahead += ack > chan->sequence;
    step = ack - chan->last_uncaptured;
    chan->lacking = (step < SEEN_WINDOW ? chan->lacking << step : 0) | 1;
    chan->last_uncaptured = ack;
    chan->not_captured++;
    return true;
}

bool qs_may_begin_with_numbers(const struct qs_packet *packet, uint32_t (*word)(const uint8_t *),
                               uint32_t ratio)
{
    enum { HEADER_SIZE = 8, FLAGS = 2 };
    uint32_t sequence, ack;

    if (packet->size < HEADER_SIZE)
        return false;
    sequence = word(packet->data) << FLAGS >> FLAGS;
    ack = word(packet->data + 4) << FLAGS >> FLAGS;
    return sequence < QS_NUMBERS_MAX && ack < QS_NUMBERS_MAX &&
           MAX(sequence, ack) <= (uint64_t)ratio * MIN(sequence, ack) + QS_NUMBERS_APART;
}

/* --- Sequence numbers ------------------------------------------------------------------------ */

bool qs_receive_qport(struct qs_decoder *d, uint32_t qport, struct qs_span span)
{
    if (d->in.overrun) /* the packet is cut before the qport */
        return true;
    if (!d->session->qport)
        d->session->qport = qport;
    if (d->session->qport == qport)
        return true;
    qs_note(d, QS_NOTE_UNUSUAL, span.offset, span.length,
            "Another client's qport: servers ignore it");
    qs_summary_remark(d, "another qport");
    return false;
}

uint32_t qs_receive(struct qs_decoder *d, struct qs_netchan *chan, struct qs_span number)
{
    uint32_t skipped;
    enum qs_arrival arrival;

    if (d->packet->rejected) {
        qs_note(d, QS_NOTE_UNUSUAL, number.offset, number.length,
                "The receiver ignored sequence number %u: the sender continued with lower ones",
                d->found.sequence);
        qs_summary_remark(d, "ignored");
        return 0;
    }
    arrival = qs_netchan_arrive(chan, d->found.sequence, &skipped);

    d->found.accepted = arrival == QS_ARRIVAL_NEXT || arrival == QS_ARRIVAL_GAP;
    if (arrival == QS_ARRIVAL_DUPLICATE) {
        qs_note(d, QS_NOTE_SEQUENCE_DUPLICATE, number.offset, number.length,
                "Duplicate of sequence number %u", d->found.sequence);
        qs_summary_remark(d, "duplicate");
    } else if (arrival == QS_ARRIVAL_STALE) {
        qs_note(d, QS_NOTE_SEQUENCE_STALE, number.offset, number.length,
                "Sequence number %u arrived late", d->found.sequence);
        qs_summary_remark(d, "late");
    }
    return skipped;
}

bool qs_note_gap(struct qs_decoder *d, struct qs_span number, uint32_t skipped, uint32_t choked)
{
    if (skipped && choked >= skipped)
        qs_note(d, QS_NOTE_SEQUENCE_GAP, number.offset, number.length,
                "%u sequence number%s skipped, choked by the server", skipped, qs_plural(skipped));
    else if (skipped && choked)
        qs_note(d, QS_NOTE_SEQUENCE_GAP, number.offset, number.length,
                "%u sequence numbers skipped, %u of them choked by the server", skipped, choked);
    else if (skipped)
        qs_note(d, QS_NOTE_SEQUENCE_GAP, number.offset, number.length,
                "%u sequence number%s skipped", skipped, qs_plural(skipped));
    return qs_hole_gap(d, skipped > choked ? skipped - choked : 0);
}

bool qs_receive_acknowledgement(struct qs_decoder *d, struct qs_netchan *chan, struct qs_span ack)
{
    if (d->packet->false_ack || !qs_netchan_acknowledge(chan, d->found.acknowledged))
        return false;
    qs_note(d, QS_NOTE_NOT_CAPTURED, ack.offset, ack.length,
            "Acknowledges sequence number %u, which the capture lacks", d->found.acknowledged);
    qs_summary_remark(d, "not captured: %u", d->found.acknowledged);
    return true;
}

void qs_receive_reliable(struct qs_decoder *d, bool reliable, bool bit)
{
    struct qs_netchan *back = qs_netchan_back(d);
    uint64_t content = 0; /* the start of the packet's messages, where reliable ones come first */

    if (!d->found.accepted || d->found.direction == QS_DIRECTION_UNKNOWN)
        return;
    if (!d->found.acknowledged)
        back->begins = true;
    memcpy(&content, d->in.data + d->in.pos, MIN(qs_reader_left(&d->in), sizeof content));
    qs_reliable_send(&qs_netchan_forth(d)->reliable, d->found.sequence, reliable, content);
    qs_reliable_acknowledge(&back->reliable, d->found.acknowledged, bit);
    if (back->reliable.lacks)
        qs_hole_reliable(d);
}

bool qs_lacks_sign_on(const struct qs_decoder *d)
{
    const struct qs_session *session = d->session;
    const struct qs_reliable *reliable = &session->to_client.reliable;

    return d->found.accepted && d->found.direction == QS_C2S && reliable->lacks &&
           (session->level_state == QS_LEVEL_SIGNING_ON ||
            (session->level_state == QS_LEVEL_PLAYING &&
             reliable->since + 1 < session->played_from));
}

void qs_note_retransmission(struct qs_decoder *d, struct qs_span number)
{
    qs_note(d, QS_NOTE_RETRANSMISSION, number.offset, number.length,
            "Sequence number %u sent again", d->found.sequence);
    qs_summary_remark(d, "resent");
}

void qs_note_lacking(struct qs_decoder *d, struct qs_span number, uint32_t lacking)
{
    qs_note(d, QS_NOTE_NOT_CAPTURED, number.offset, number.length,
            "The capture lacks %u sequence number%s before this one", lacking, qs_plural(lacking));
    qs_summary_remark(d, "not captured before: %u", lacking);
}

/* --- Fragments ------------------------------------------------------------------------------- */

void qs_note_overlong(struct qs_decoder *d, struct qs_span fragment)
{
    qs_note(d, QS_NOTE_MALFORMED, fragment.offset, fragment.length,
            "The message is longer than any engine accepts");
}

void qs_emit_fragments(struct qs_decoder *d, unsigned row, const struct qs_fragments *earlier,
                       struct qs_span last)
{
    const uint32_t count = qs_fragments_count(earlier) + 1;
    const uint32_t size = qs_fragments_size(earlier) + last.length;
    uint64_t *packets;

    d->found.fragment = d->found.fragments = count;
    if (!d->fields_wanted)
        return;
    packets = g_new(uint64_t, count);
    qs_fragments_packets(earlier, packets);
    packets[count - 1] = d->packet->number;
    qs_open_at(d, row, last.offset);
    qs_label(d, ": %u, %u bytes:", count, size);
    for (uint32_t i = 0; i < count; i++) {
        qs_label(d, " #%" G_GUINT64_FORMAT, packets[i]);
        qs_emit_generated_uint(d, row + 1, last.offset, last.length, packets[i]);
    }
    qs_emit_generated_uint(d, row + 2, last.offset, last.length, count);
    qs_emit_generated_uint(d, row + 3, last.offset, last.length, size);
    qs_close_at(d, last.offset + last.length);
    g_free(packets);
}

/* Adds a fragment to those before it. Emits them all if it is the last one. */
static bool append_fragment(struct qs_decoder *d, struct qs_fragments *list,
                            const struct qs_fragment_format *format, struct qs_view bytes,
                            uint32_t offset, bool more)
{
    const struct qs_span span = {d->in.pos - bytes.size, bytes.size};

    if (!qs_fragments_follows(list, d->found.sequence, offset)) {
        qs_note(d, QS_NOTE_SEQUENCE_GAP, span.offset, span.length,
                "Fragment at %u does not follow the %u bytes received so far: dropped", offset,
                qs_fragments_size(list));
        return false;
    }
    if (!qs_fragments_fits(list, bytes.size, format->max)) {
        qs_note_overlong(d, span);
        return false;
    }
    d->found.fragment = qs_fragments_count(list) + 1;
    if (!more)
        qs_emit_fragments(d, format->list_row, list, span);
    return qs_fragments_add(list, bytes, d->packet->number, format->max);
}

GBytes *qs_receive_fragment(struct qs_decoder *d, struct qs_fragments *list,
                            const struct qs_fragment_format *format, uint32_t offset, bool more)
{
    struct qs_netchan *chan = qs_netchan_forth(d);
    const struct qs_view bytes = qs_bytes(d, format->row, qs_reader_left(&d->in));
    GBytes *message;

    if (chan->started && d->found.sequence <= chan->sequence) { /* late */
        qs_receive(d, chan, format->number);
        return NULL;
    }
    if (qs_packet_is_cut(d->packet))
        list->cut = d->found.sequence;
    if (qs_packet_is_cut(d->packet) || !append_fragment(d, list, format, bytes, offset, more) ||
        more)
        return NULL;
    message = qs_fragments_join(list, (struct qs_view){0});
    qs_fragments_clear(list);
    return message;
}

bool qs_ends_cut_message(const struct qs_decoder *d, const struct qs_fragments *list, bool more)
{
    return !more && list->cut && list->cut == d->found.sequence;
}

/* --- Messages -------------------------------------------------------------------------------- */

void qs_read_dropped(struct qs_decoder *d, void (*read)(struct qs_decoder *))
{
    struct qs_session *session = d->session;

    d->session = g_malloc(d->protocol->session_size);
    d->protocol->session_copy(d->session, session);
    read(d);
    d->protocol->session_clear(d->session);
    g_free(d->session);
    d->session = session;
}

void qs_read_received(struct qs_decoder *d, void (*read)(struct qs_decoder *))
{
    if (d->found.accepted)
        read(d);
    else
        qs_read_dropped(d, read);
}

void qs_read_joined(struct qs_decoder *d, GBytes *message, void (*read)(struct qs_decoder *))
{
    gsize size;
    const uint8_t *data = g_bytes_get_data(message, &size);

    if (!qs_push_source(d, "Joined fragments", data, (uint32_t)size))
        return;
    read(d);
    qs_pop_source(d);
}
