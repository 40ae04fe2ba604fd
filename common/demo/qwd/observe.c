/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evidence in the packets of a late QuakeWorld session: the players in view, the first updates of
 * entities, and contradictions to the donor. Source: common/quakeworld/PROTOCOL.md, section 9.
 */
#include "common/core/writer.h"
#include "common/demo/qwd/late_join.h"
#include "common/quakeworld/constants.h"

enum {
    LOOK_AT_MOST = 20000, /* packets */
    ORIGIN = U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3
};

/* --- Observing the session --- */

static void see_playerinfo(struct qwd_match *m, struct qs_view body)
{
    struct qwd_place place;

    if (!qwd_read_place(body, &m->late->ext, &place) || place.player >= QWD_PLAYERS_MAX)
        return;
    qwd_players_see(&m->players, place.player, place.flags & (PF_MSEC | PF_COMMAND));
    memcpy(m->origins[place.player], place.origin, sizeof place.origin);
}

/* A client receives the commands of all players except its own. */
int qwd_find_slot(const struct qwd_match *m)
{
    const struct qwd_players *players = &m->players;
    int best = -1;

    for (int i = 0; i < QWD_PLAYERS_MAX; i++)
        if (players->infos[i] && !players->other[i] &&
            (best < 0 || players->infos[i] > players->infos[best]))
            best = i;
    return best;
}

static bool has_model(const struct qwd_match *m, uint32_t model)
{
    return !model || qs_table_get(&m->late->models, model);
}

/* Model numbers differ from map to map: the weapon model must be a weapon. */
static void see_weapon(struct qwd_match *m, struct qs_view body)
{
    const char *name;

    if (body.size < 2 || body.data[0] != STAT_WEAPON || !body.data[1])
        return;
    name = qs_table_get(&m->late->models, body.data[1]);
    if (!name || !strstr(name, "/v_"))
        qs_donor_match_note(&m->base, QS_EVIDENCE_MODELS, false);
    else
        qs_donor_match_note(&m->base, QS_EVIDENCE_BASELINES, true);
}

static void add_base(struct qwd_match *m, uint32_t base)
{
    guint i = 0;

    while (i < m->bases->len && g_array_index(m->bases, uint32_t, i) < base)
        i++;
    if (m->bases->len < QW_FRAMES_KEPT &&
        (i == m->bases->len || g_array_index(m->bases, uint32_t, i) != base))
        g_array_insert_val(m->bases, i, base);
}

/* The state after the delta is applied to the baseline. */
static struct qw_entity from_baseline(const struct qwd_match *m, const struct qw_delta *delta,
                                      struct qs_reader *in)
{
    const struct qw_entity *baseline = qw_states_find(m->baselines, delta->number);
    struct qw_entity state = baseline ? *baseline : (struct qw_entity){.number = delta->number};

    qw_read_delta_fields(in, &m->format, delta, &state);
    return state;
}

/* Doors and the like move; items stay where the donor saw them. */
static bool can_move(const struct qwd_match *m, const struct qw_entity *usual)
{
    const char *name = qs_table_get(&m->late->models, qw_entity_model(usual));

    return !name || name[0] == '*';
}

const struct qw_entity *qwd_common_state(const struct qwd_match *m, uint16_t number,
                                         struct qw_entity *state)
{
    for (guint i = 0; i < m->views->len; i++) {
        const struct qwd_view *view = g_ptr_array_index(m->views, i);

        if (qwd_view_common_state(view, &m->format, number, state))
            return state;
    }
    return NULL;
}

/* Both at the precision of shorts: one of the two may come from floats. */
static bool is_alike(const struct qwd_match *m, struct qw_entity one, struct qw_entity other)
{
    struct qw_delta_format coarse = m->format;

    coarse.coord_size = 2;
    coarse.angle_size = 1;
    qw_entity_translate(&one, &m->format, &coarse);
    qw_entity_translate(&other, &m->format, &coarse);
    return qw_entities_equal(&coarse, &one, &other);
}

/* An entity is as the donor had it; `item`: at a place that only one map has. */
static void agree(struct qwd_match *m, bool item)
{
    qs_donor_match_note(&m->base, QS_EVIDENCE_BASELINES, true);
    if (item)
        qs_donor_match_note(&m->base, QS_EVIDENCE_ITEMS, true);
}

/* It comes into view: a server sends only differences from the baseline, but may compare more bits
 * of coordinates than it sends. */
static void judge(struct qwd_match *m, const struct qw_delta *delta, const struct qw_entity *state)
{
    const struct qw_entity *baseline = qw_states_find(m->baselines, delta->number);
    struct qw_entity usual;

    if (!qw_entity_model(state) || (baseline && (delta->bits & U_MODEL) &&
                                    qw_entity_model(baseline) == qw_entity_model(state))) {
        qs_donor_match_note(&m->base, QS_EVIDENCE_BASELINES, false);
        return;
    }
    qwd_view_vote(m->own, state);
    if (baseline && qwd_common_state(m, state->number, &usual) && is_alike(m, usual, *state))
        agree(m, delta->bits & ORIGIN);
}

/* Whether the delta alone shows that the entity comes into view. */
static bool arrives(const struct qwd_match *m, const struct qw_delta *delta,
                    const struct qw_entity *baseline, const struct qw_entity *state)
{
    if (!baseline)
        return qw_entity_model(state);
    return (delta->bits & ORIGIN) && !can_move(m, baseline);
}

/* Whether the donor had a state like the first update of a permanent entity. */
static void weigh_first(struct qwd_match *m, const struct qwd_first *first, bool removes)
{
    struct qw_entity usual;

    if (!qw_states_find(m->baselines, first->state.number) ||
        !qwd_common_state(m, first->state.number, &usual))
        return;
    if (removes || is_alike(m, usual, first->state))
        agree(m, first->arrives);
    else if (!can_move(m, &usual))
        qs_donor_match_note(&m->base, QS_EVIDENCE_STATES, false);
}

static void see_first(struct qwd_match *m, const struct qw_delta *delta,
                      const struct qw_entity *state)
{
    const gpointer number = GUINT_TO_POINTER(delta->number);
    const struct qw_entity *baseline = qw_states_find(m->baselines, delta->number);
    struct qwd_first *first;

    if (m->whole_seen || g_hash_table_contains(m->firsts, number))
        return;
    first = g_new0(struct qwd_first, 1);
    first->update = m->update_count;
    first->state = *state;
    first->arrives = !delta->removes && arrives(m, delta, baseline, state);
    g_hash_table_insert(m->firsts, number, first);
    qwd_numbers_set(&m->mentioned, baseline ? delta->number : 0, true);
    weigh_first(m, first, delta->removes);
}

static void see_delta(struct qwd_match *m, uint32_t sequence, uint32_t base, bool whole,
                      const struct qw_delta *delta, struct qs_reader *in)
{
    struct qw_entity state = {.number = delta->number};
    uint32_t *gone = &m->gone[delta->number % QW_STATES_MAX];

    if (!delta->removes)
        state = from_baseline(m, delta, in);
    see_first(m, delta, &state);
    if (delta->number < QW_STATES_MAX)
        qwd_numbers_set(&m->known, delta->number, !delta->removes);
    if (delta->removes) {
        *gone = *gone ? *gone : sequence;
        return;
    }
    if (!has_model(m, qw_entity_model(&state)))
        qs_donor_match_note(&m->base, QS_EVIDENCE_MODELS, false);
    if (whole || (*gone && base >= *gone))
        judge(m, delta, &state);
    *gone = 0;
}

/* Until a full update has arrived. */
static void add_sample(struct qwd_match *m)
{
    const int player = qwd_find_slot(m);
    struct qwd_sample *sample;

    if (player < 0 || m->whole_seen)
        return;
    if (qs_samples_is_due(&m->samples, m->update_count)) {
        sample = qs_samples_add(&m->samples, m->update_count);
        *sample = (struct qwd_sample){
            .update = m->update_count, .player = (uint8_t)player, .numbers = m->known};
        memcpy(sample->origin, m->origins[player], sizeof sample->origin);
    }
    m->update_count++;
}

static void see_update(struct qwd_match *m, uint32_t sequence, struct qs_view body, bool is_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);
    const uint32_t base = is_delta ? qw_delta_base(sequence, qs_reader_u8(&in)) : 0;

    if (!m->first_update)
        m->first_update = sequence;
    m->whole_seen |= !is_delta;
    if (base < m->first_update && !m->whole_seen)
        add_base(m, base);
    /* Entities of a full update come into view; a removed one may have returned in an update that
     * the client had and the capture lacks. */
    if (!is_delta || m->updates_at[base % QW_FRAMES_KEPT] != base)
        memset(m->gone, 0, sizeof m->gone);
    m->updates_at[sequence % QW_FRAMES_KEPT] = sequence;
    while (qs_reader_left(&in) >= 2 && qs_le16(in.data + in.pos)) {
        const struct qw_delta delta = qw_read_delta(&in, m->format.fte);

        see_delta(m, sequence, base, !is_delta, &delta, &in);
    }
    add_sample(m);
}

/* The captured part of the session's own sign-on must equal the donor's. */

static void see_models(struct qwd_match *m)
{
    const struct qs_table *own = &m->late->models;

    for (uint32_t i = 1; i < qs_table_end(own); i++)
        if (g_strcmp0(qs_table_get(own, i), qs_table_get(&m->donor.models, i)) != 0)
            qs_donor_match_note(&m->base, QS_EVIDENCE_MODELS, false);
    m->base.evidence[QS_EVIDENCE_BASELINES].agree += QS_DONOR_PROOF;
    m->base.evidence[QS_EVIDENCE_ITEMS].agree += QS_DONOR_PROOF;
}

static void see_baseline(struct qwd_match *m, struct qs_view body, bool as_delta)
{
    const struct qw_entity *baseline;
    struct qw_entity own;

    qw_read_baseline(body, as_delta, &m->format, &own);
    baseline = qw_states_find(m->baselines, own.number);
    if (baseline && qw_entity_model(baseline) == qw_entity_model(&own))
        agree(m, is_alike(m, *baseline, own));
    else
        qs_donor_match_note(&m->base, QS_EVIDENCE_BASELINES, false);
}

static void see_message(struct qwd_match *m, uint32_t sequence, uint16_t id, struct qs_view message)
{
    const struct qs_view body = {message.data + 1, message.size - 1};

    switch (id) {
    case SVC_PLAYERINFO:
        see_playerinfo(m, body);
        break;
    case SVC_MODELLIST:
    case SVC_FTE_MODELLISTSHORT:
        see_models(m);
        break;
    case SVC_SPAWNBASELINE:
    case SVC_FTE_SPAWNBASELINE2:
        if (!(m->variant.fte2 & FTE2_REPLACEMENTDELTAS))
            see_baseline(m, body, id == SVC_FTE_SPAWNBASELINE2);
        break;
    case SVC_UPDATESTAT:
    case SVC_UPDATESTATLONG:
        see_weapon(m, body);
        break;
    case SVC_PACKETENTITIES:
    case SVC_DELTAPACKETENTITIES:
        see_update(m, sequence, body, id == SVC_DELTAPACKETENTITIES);
        break;
    }
}

bool qwd_observe(struct qs_donor_match *match, const struct qs_decoder *decoder)
{
    struct qwd_match *m = qwd_match_of(match);

    m->late = (const struct qw_session *)decoder->session;
    if (decoder->direction != QS_S2C || !decoder->accepted || !m->late->content.data ||
        qs_packet_is_cut(decoder->packet))
        return true;
    qs_donor_match_note(match, QS_EVIDENCE_PACKETS, !qs_decoder_problems(decoder));
    if (!qs_decoder_problems(decoder)) {
        qwd_updates_observe(&m->updates, match, &m->players, decoder);
        for (guint i = 0; i < decoder->messages->len; i++)
            see_message(m, decoder->sequence, qs_message_at(decoder, i)->id,
                        qs_message_view(qs_message_at(decoder, i)));
    }
    return ++m->looked_at < LOOK_AT_MOST;
}
