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

void qs_reliable_send(struct qs_reliable *state, uint32_t sequence, bool reliable, uint64_t content)
{
    const bool odd = state->odd & bit_of(state->last);
    const uint32_t first = sequence - MIN(sequence - state->last, WINDOW) + 1;

    for (uint32_t number = first; number != sequence + 1; number++) {
        set(&state->captured, number, number == sequence);
        set(&state->sent, number, number == sequence && reliable);
        set(&state->odd, number, odd != (number == sequence && reliable));
    }
    state->last = sequence;
    if (!reliable)
        return;
    state->confirmed |= state->doubtful && content && state->content && content != state->content;
    state->doubtful = false;
    state->content = content;
}

enum cause { PATH, CAPTURE, EITHER };

/*
 * Returns why the bit for `number` differs: the capture lacks a packet since the previous
 * acknowledgement, the path lost a reliable one of these packets, or either.
 */
static enum cause cause_of(const struct qs_reliable *state, uint32_t number)
{
    bool hole = false, sent = false;

    if (number > state->last || number - state->acknowledged > WINDOW ||
        state->last - number >= WINDOW)
        return number > state->last ? CAPTURE : PATH;
    for (uint32_t between = state->acknowledged + 1; between <= number; between++) {
        sent |= between < number && state->sent & bit_of(between);
        hole |= !(state->captured & bit_of(between));
    }
    return !hole ? PATH : sent ? EITHER : CAPTURE;
}

/* Confirms earlier suspicions: the bit's first toggle proves that the end has reliable bits. */
static void trust(struct qs_reliable *state)
{
    state->has_toggled = true;
    if (!state->suspected)
        return;
    state->differs = state->lacks = true;
    state->since = state->suspected_since;
}

/* Only suspects a missing packet: packets made from a demo have no bits, and prove nothing. */
static void suspect(struct qs_reliable *state)
{
    if (state->lacks && !state->suspected)
        state->suspected_since = state->since;
    state->suspected |= state->lacks;
    state->differs = state->lacks = false;
}

void qs_reliable_acknowledge(struct qs_reliable *state, uint32_t number, bool bit)
{
    const uint32_t captured = MIN(number, state->last);
    const bool odd = state->last - captured < WINDOW && state->odd & bit_of(captured);
    const bool toggles = state->started && state->bit != bit;
    enum cause cause;

    state->differs = state->started && toggles != (state->acknowledged_odd != odd);
    cause = state->differs ? cause_of(state, number) : PATH;
    state->lacks = state->confirmed || cause == CAPTURE;
    state->since = state->confirmed ? state->doubt_since : state->acknowledged;
    state->differs |= state->confirmed;
    state->confirmed = false;
    if (cause == EITHER) {
        state->doubtful = true;
        state->doubt_since = state->acknowledged;
    }
    if (toggles && !state->has_toggled)
        trust(state);
    else if (!state->has_toggled)
        suspect(state);
    state->started = true;
    state->acknowledged = number;
    state->bit = bit;
    state->acknowledged_odd = odd;
}
