/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/netchan.h"

#include <glib.h>

enum { WINDOW = 64 };

static uint64_t bit_of(uint32_t number)
{
    return UINT64_C(1) << number % WINDOW;
}

static void set(uint64_t *bits, uint32_t number, bool value)
{
    *bits = value ? *bits | bit_of(number) : *bits & ~bit_of(number);
}

void qs_reliable_send(struct qs_reliable *way, uint32_t sequence, bool reliable, uint64_t content)
{
    const bool odd = way->odd & bit_of(way->last);
    const uint32_t first = sequence - MIN(sequence - way->last, WINDOW) + 1;

    for (uint32_t number = first; number != sequence + 1; number++) {
        set(&way->captured, number, number == sequence);
        set(&way->sent, number, number == sequence && reliable);
        set(&way->odd, number, odd != (number == sequence && reliable));
    }
    way->last = sequence;
    if (!reliable)
        return;
    way->confirmed |= way->doubtful && content && way->content && content != way->content;
    way->doubtful = false;
    way->content = content;
}

enum cause { LINE, CAPTURE, EITHER };

/*
 * Returns why the bit for `number` differs: the capture lacks a packet since the previous
 * acknowledgement, the path lost a reliable one of these packets, or either.
 */
static enum cause cause_of(const struct qs_reliable *way, uint32_t number)
{
    bool hole = false, sent = false;

    if (number > way->last || number - way->acknowledged > WINDOW || way->last - number >= WINDOW)
        return number > way->last ? CAPTURE : LINE;
    for (uint32_t between = way->acknowledged + 1; between <= number; between++) {
        sent |= between < number && way->sent & bit_of(between);
        hole |= !(way->captured & bit_of(between));
    }
    return !hole ? LINE : sent ? EITHER : CAPTURE;
}

/* Confirms earlier suspicions: the bit's first toggle proves that the end has reliable bits. */
static void trust(struct qs_reliable *way)
{
    way->has_toggled = true;
    if (!way->suspected)
        return;
    way->differs = way->lacks = true;
    way->since = way->suspected_since;
}

/* Only suspects a missing packet: packets made from a demo have no bits, and prove nothing. */
static void suspect(struct qs_reliable *way)
{
    if (way->lacks && !way->suspected)
        way->suspected_since = way->since;
    way->suspected |= way->lacks;
    way->differs = way->lacks = false;
}

void qs_reliable_acknowledge(struct qs_reliable *way, uint32_t number, bool bit)
{
    const uint32_t captured = MIN(number, way->last);
    const bool odd = way->last - captured < WINDOW && way->odd & bit_of(captured);
    const bool toggles = way->started && way->bit != bit;
    enum cause cause;

    way->differs = way->started && toggles != (way->acknowledged_odd != odd);
    cause = way->differs ? cause_of(way, number) : LINE;
    way->lacks = way->confirmed || cause == CAPTURE;
    way->since = way->confirmed ? way->doubt_since : way->acknowledged;
    way->differs |= way->confirmed;
    way->confirmed = false;
    if (cause == EITHER) {
        way->doubtful = true;
        way->doubt_since = way->acknowledged;
    }
    if (toggles && !way->has_toggled)
        trust(way);
    else if (!way->has_toggled)
        suspect(way);
    way->started = true;
    way->acknowledged = number;
    way->bit = bit;
    way->acknowledged_odd = odd;
}
