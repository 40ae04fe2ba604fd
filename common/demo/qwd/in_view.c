/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks which entities a QuakeWorld client has in view, update by update, and finds those that a
 * late session had in view before its first one. Source: common/quakeworld/PROTOCOL.md, section 9.
 */
#include <string.h>

#include "common/demo/qwd/late_join.h"

/* --- Updates --- */

static struct qwd_seen *begin_update(struct qwd_updates_seen *seen, uint32_t sequence,
                                     uint32_t base, bool whole)
{
    const struct qwd_seen *before = &seen->kept[base % QW_FRAMES_KEPT];
    struct qwd_seen *now = &seen->kept[sequence % QW_FRAMES_KEPT];
    const bool known = !whole && before->sequence == base;
    const struct qwd_seen old = *before;

    if (known)
        *now = old;
    else
        *now = (struct qwd_seen){0};
    if (whole)
        memset(&now->out, 0xff, sizeof now->out);
    now->sequence = sequence;
    return now;
}

void qwd_follow_update(struct qwd_updates_seen *seen, uint32_t sequence, uint32_t base, bool whole,
                       struct qs_reader in, const struct qw_delta_format *format,
                       const struct qw_states *baselines, qwd_on_change *on_change, void *user)
{
    struct qwd_seen *now = begin_update(seen, sequence, base, whole);

    while (qs_reader_left(&in) >= 2 && qs_le16(in.data + in.pos)) {
        const struct qw_delta delta = qw_read_delta(&in, format->fte);
        const struct qw_entity *baseline = qw_states_find(baselines, delta.number);
        struct qw_entity state = {.number = delta.number};
        const struct qwd_change change = {
            &delta, &state, !delta.removes && qs_numbers_has(&now->out, delta.number)};

        if (baseline && !delta.removes)
            state = *baseline;
        if (!delta.removes)
            qw_read_delta_fields(&in, format, &delta, &state);
        on_change(user, &change);
        qs_numbers_set(&now->in, delta.number, !delta.removes);
        qs_numbers_set(&now->out, delta.number, delta.removes);
    }
}

/* --- Entities in view before the first update --- */

/*
 * Returns an entity's state before the first update: its state when it came into view later, in the
 * session or in the donor's. An entity without a baseline (missiles, gibs) gets the state of its
 * first update; NULL without one.
 */
static const struct qw_entity *state_before(const struct qwd_match *m,
                                            const struct qwd_first *first, uint16_t number)
{
    const struct qw_entity *baseline = qw_states_find(m->baselines, number);
    const struct qw_entity *own = qw_states_find(m->own, number);
    const struct qw_entity *first_seen = qwd_first_seen_state(m->base.sign_on, number);

    if (!baseline)
        return first ? &first->state : NULL;
    return own ? own : first_seen ? first_seen : baseline;
}

void qwd_find_states(struct qwd_match *m)
{
    const struct qs_numbers common =
        qs_sights_common(&qwd_view_of(m->base.sign_on)->sights, &m->sights, m->player);

    for (uint16_t i = 1; m->bases->len && i < QW_STATES_MAX; i++) {
        const struct qwd_first *first = g_hash_table_lookup(m->firsts, GUINT_TO_POINTER(i));
        const bool in_view = first ? !first->arrives : qs_numbers_has(&common, i);
        const struct qw_entity *state = in_view ? state_before(m, first, i) : NULL;

        if (state && qw_entity_model(state))
            m->states = qw_states_set(m->states, state);
    }
}
