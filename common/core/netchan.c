/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/netchan.h"

#include "common/core/reader.h"

enum { SEEN_WINDOW = 64 };

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

/* Above the flags and below them. */
static bool is_number(uint32_t word)
{
    enum { FLAGS = 2 };

    return (word << FLAGS >> FLAGS) < QS_NUMBERS_MAX;
}

bool qs_may_begin_with_numbers(const struct qs_packet *packet)
{
    enum { HEADER_SIZE = 8 };
    const uint8_t *at = packet->data;

    return packet->size >= HEADER_SIZE && ((is_number(qs_le32(at)) && is_number(qs_le32(at + 4))) ||
                                           (is_number(qs_be32(at)) && is_number(qs_be32(at + 4))));
}
