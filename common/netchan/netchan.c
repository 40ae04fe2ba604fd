/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/netchan.h"

#include <glib.h>

#include "common/core/reader.h"

enum {
    SEEN_WINDOW = 64,
    /* A packet that comes behind more later ones than that was not on its way so long: */
    LATE_MAX = 16,
    FIRST_LATE_MAX = 4, /* one of a connection's first numbers */
    FIRST_NUMBERS = 2
};

static bool was_seen(const struct qs_netchan *chan, uint32_t sequence)
{
    const uint32_t age = chan->sequence - sequence;

    return sequence <= chan->sequence && age < SEEN_WINDOW && (chan->seen >> age & 1);
}

/* The packet was acknowledged before: the capture does not lack it. */
static void take_back(struct qs_netchan *chan, uint32_t sequence)
{
    const uint32_t age = chan->last_uncaptured - sequence;

    if (age >= SEEN_WINDOW || !(chan->lacking >> age & 1))
        return;
    chan->lacking &= ~(UINT64_C(1) << age);
    chan->not_captured--;
}

static void note_lacking(struct qs_netchan *chan, uint32_t sequence)
{
    const uint32_t step = sequence - chan->last_uncaptured;

    chan->lacking = (step < SEEN_WINDOW ? chan->lacking << step : 0) | 1;
    chan->last_uncaptured = sequence;
    chan->not_captured++;
}

enum qs_arrival qs_netchan_arrive(struct qs_netchan *chan, uint32_t sequence, uint32_t *skipped)
{
    *skipped = 0;
    if (chan->started && sequence <= chan->sequence) {
        const uint32_t age = chan->sequence - sequence;

        if (was_seen(chan, sequence)) {
            chan->duplicates++;
            return QS_ARRIVAL_DUPLICATE;
        }
        if (age < SEEN_WINDOW)
            chan->seen |= UINT64_C(1) << age;
        take_back(chan, sequence);
        chan->stale++;
        return QS_ARRIVAL_STALE;
    }
    if (chan->started) {
        const uint32_t step = sequence - chan->sequence;

        *skipped = step - 1;
        chan->seen = step < SEEN_WINDOW ? chan->seen << step : 0;
    } else {
        chan->seen = 0;
    }
    chan->seen |= 1;
    take_back(chan, sequence);
    chan->started = true;
    chan->sequence = sequence;
    chan->accepted++;
    if (!*skipped)
        return QS_ARRIVAL_NEXT;
    chan->gaps++;
    chan->missing += *skipped;
    return QS_ARRIVAL_GAP;
}

bool qs_netchan_starts_over(const struct qs_netchan *chan, uint32_t sequence)
{
    const uint32_t late_max = sequence < FIRST_NUMBERS ? FIRST_LATE_MAX : LATE_MAX;

    return chan->started && sequence < chan->sequence && chan->sequence - sequence > late_max;
}

bool qs_netchan_acknowledge(struct qs_netchan *chan, uint32_t ack)
{
    /* Of numbers older than the window, or from before the capture began, nothing is known. */
    if (!chan->started || chan->accepted < 2 || ack == chan->last_uncaptured)
        return false;
    if (ack <= chan->sequence && (chan->sequence - ack >= SEEN_WINDOW ||
                                  chan->sequence - ack >= chan->accepted || was_seen(chan, ack)))
        return false;
    note_lacking(chan, ack);
    return true;
}

/* Below the flags. */
static uint32_t number_of(uint32_t word)
{
    enum { FLAGS = 2 };

    return word << FLAGS >> FLAGS;
}

static bool are_numbers(uint32_t sequence_word, uint32_t ack_word, uint32_t ratio)
{
    const uint32_t sequence = number_of(sequence_word), ack = number_of(ack_word);

    return sequence < QS_NUMBERS_MAX && ack < QS_NUMBERS_MAX &&
           MAX(sequence, ack) <= (uint64_t)ratio * MIN(sequence, ack) + QS_NUMBERS_APART;
}

bool qs_may_begin_with_numbers(const struct qs_packet *packet, uint32_t (*word)(const uint8_t *),
                               uint32_t ratio)
{
    enum { HEADER_SIZE = 8 };

    return packet->size >= HEADER_SIZE &&
           are_numbers(word(packet->data), word(packet->data + 4), ratio);
}
